"""A window with the figure of a run."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path

import ttkbootstrap as ttk
from PIL import Image, ImageTk

from miniedit_frr.panels.aside import put_aside
from miniedit_frr.paths import short


class FigureWindow(ttk.Toplevel):
    """A picture that follows the window's size, and a button that opens its folder.

    Raises:
        OSError: the file is no picture.
    """

    def __init__(self, parent: tk.Misc, title: str, path: Path, open_folder: Callable[[], object], ui: float) -> None:
        with Image.open(path) as file:
            self._image = file.convert("RGB")
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        wide, high = self.winfo_screenwidth() * 0.8, self.winfo_screenheight() * 0.8 - 60 * ui
        factor = min(1.0, wide / self._image.width, high / self._image.height)
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        ttk.Button(bar, text="Open Folder", command=open_folder, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        ttk.Label(bar, text=short(path.parent), padding=(10, 0)).pack(side="left")
        size = round(self._image.width * factor), round(self._image.height * factor)
        self._view = tk.Label(self, background="white", width=size[0], height=size[1], borderwidth=0)
        self._view.pack(fill="both", expand=True)
        self._shown = (0, 0)
        self._picture: ImageTk.PhotoImage | None = None
        self._fit(*size)
        self._view.bind("<Configure>", lambda event: self._fit(event.width, event.height))
        self.bind("<Escape>", lambda event: self.destroy())

    def _fit(self, width: int, height: int) -> None:
        factor = min(width / self._image.width, height / self._image.height)
        size = max(1, round(self._image.width * factor)), max(1, round(self._image.height * factor))
        if size != self._shown:
            self._shown = size
            self._picture = ImageTk.PhotoImage(self._image.resize(size, Image.Resampling.LANCZOS), master=self)
            self._view.configure(image=self._picture)
