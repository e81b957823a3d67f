"""The question before a run with flows: where its results go, and whether the lab stays afterwards."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from miniedit_frr.panels.aside import put_aside


class RunDialog(ttk.Toplevel):
    """Asks; the window behind it works on.

    Args:
        folder: what is proposed.
        about: the flows in a line.
        run: called with the folder and whether the lab stays.
    """

    def __init__(self, parent: tk.Misc, folder: Path, about: str, run: Callable[[Path, bool], object]) -> None:
        super().__init__(title="Run with Flows", master=parent)
        put_aside(self, parent)
        self._run = run
        self.folder, self.stays = tk.StringVar(self, str(folder)), tk.BooleanVar(self, False)
        form = ttk.Frame(self, padding=12)
        form.pack(fill="both", expand=True)
        form.columnconfigure(1, weight=1)
        ttk.Label(form, text=about).grid(row=0, column=0, columnspan=3, sticky="w", pady=(0, 8))
        ttk.Label(form, text="Results folder").grid(row=1, column=0, sticky="w", padx=(0, 8))
        entry = ttk.Entry(form, textvariable=self.folder, width=56)
        entry.grid(row=1, column=1, sticky="ew")
        browse = ttk.Button(form, text="Browse…", bootstyle="secondary-outline", command=self._browse)
        browse.grid(row=1, column=2, padx=(6, 0))
        self._fault = ttk.Label(form, text="A new or an empty folder.")
        self._fault.grid(row=2, column=1, sticky="w", pady=(2, 8))
        stays = ttk.Checkbutton(form, text="Keep the lab running when the flows are over", variable=self.stays)
        stays.grid(row=3, column=1, sticky="w")
        bar = ttk.Frame(self, padding=(12, 0, 12, 12))
        bar.pack(fill="x")
        self.ok = ttk.Button(bar, text="Run", bootstyle="success", command=self.accept)
        self.ok.pack(side="right")
        ttk.Button(bar, text="Cancel", bootstyle="secondary-outline", command=self.destroy).pack(side="right", padx=6)
        self.bind("<Return>", lambda event: self.accept())
        self.bind("<Escape>", lambda event: self.destroy())
        self.folder.trace_add("write", lambda *_: self._check())
        entry.focus_set()

    def accept(self) -> None:
        """Run, if the folder can take the results."""
        if not self._check():
            return
        folder, stays = Path(self.folder.get().strip()).expanduser(), self.stays.get()
        self.destroy()
        self._run(folder, stays)

    def _check(self) -> bool:
        why = fault(self.folder.get().strip())
        self._fault.configure(text=why or "A new or an empty folder.", bootstyle="danger" if why else "default")
        self.ok.configure(state="disabled" if why else "normal")
        return not why

    def _browse(self) -> None:
        asked = filedialog.askdirectory(parent=self, initialdir=Path(self.folder.get()).parent, title="Results folder")
        if asked:
            self.folder.set(asked)


def fault(text: str) -> str:
    """Why what was typed cannot be the folder for results; empty where it can."""
    if not text:
        return "A folder is needed."
    try:
        folder = Path(text).expanduser()
        if folder.is_dir():
            return "This folder is not empty." if any(folder.iterdir()) else ""
        return "This is a file." if folder.exists() else ""
    except (OSError, ValueError, RuntimeError) as error:  # ~nobody, a name that is too long, somebody else's folder
        return f"This cannot be a folder: {getattr(error, 'strerror', None) or error}."
