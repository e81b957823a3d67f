"""The dialog before a run with flows: results folder, sampling, captures, real or virtual time, and the end."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from miniedit_frr.runs.capture_list import CaptureInterface, CaptureList
from miniedit_frr.runs.options import RunChoice, fault, rate_fault, seed_fault
from miniedit_frr.widgets.aside import put_in_middle
from miniedit_frr.widgets.ellipsis import keep_end_of

_FOLDER = "A new or an empty folder."
_RATE = "Samples per second of every flow and queue, 1 to 1000."
_VIRTUAL = "Runs as fast as the machine can compute. The same seed gives exactly the same results."
_STAYS_NOT = "Not in virtual time: its clock stops after the flows, so the lab ends with them."
_IN_LAB = "The lab runs in real time."
#: The first row of the form whose options concern the lab rather than its flows.
_FIRST_OF_LAB = 4
_WRAP = 545


class RunDialog(ttk.Toplevel):
    """Asks for the options. It does not block the window behind it.

    Args:
        first: the proposed options.
        about: text about the flows.
        interfaces: those that can be captured.
        run: called with the chosen options.
        ui: pixels per unit, 1 by default.
        in_lab: whether a lab runs already, so that only the options of its flows are asked for.
        limits: text about the limits of the lab's resources, which a button shows; empty for no button.

    Attributes:
        limits: the button; its text is shown above the options.
    """

    def __init__(
        self, parent: tk.Misc, first: RunChoice, about: str, interfaces: Sequence[CaptureInterface],
        run: Callable[[RunChoice], object], ui: float = 1.0, *, in_lab: bool = False,
        limits: str = "",
    ) -> None:  # fmt: skip
        super().__init__(title="Send Flows" if in_lab else "Run with Flows", master=parent)
        put_in_middle(self, parent)
        self._run, self._obstacle, self._ui = run, "", ui
        self.folder, self.stays = tk.StringVar(self, str(first.folder)), tk.BooleanVar(self, first.stays)
        self.rate = tk.StringVar(self, f"{first.sample_hz:g}")
        self.virtual, self.seed = tk.BooleanVar(self, first.virtual_time), tk.StringVar(self, str(first.seed))
        self._form = ttk.Frame(self, padding=12)
        self._form.pack(fill="both", expand=True)
        self._form.columnconfigure(1, weight=1)
        self._about = ttk.Label(self._form, text=about, wraplength=round(_WRAP * ui), justify="left")
        self._about.grid(row=0, column=0, columnspan=3, sticky="w", pady=(0, 8))
        entry = self._make_folder()
        self._make_measuring(first, interfaces)
        self._make_time()
        self._make_bar("Send" if in_lab else "Run", f"{about}\n{limits}" if limits else "")
        if in_lab:
            self._hide_lab_options()
        for variable in (self.folder, self.rate, self.virtual, self.seed, self.stays):
            variable.trace_add("write", lambda *_: self._check())
        self._check()
        entry.focus_set()

    # --- parts ---

    def _make_folder(self) -> ttk.Entry:
        self._title(1, "Results folder")
        entry = ttk.Entry(self._form, textvariable=self.folder, width=56)
        entry.grid(row=1, column=1, sticky="ew")
        keep_end_of(entry, self.folder)  # where the names of runs differ
        browse = ttk.Button(self._form, text="Browse…", bootstyle="secondary-outline", command=self._browse)
        browse.grid(row=1, column=2, padx=(6, 0), sticky="ew")
        self.folder_note = self._note(2)
        return entry

    def _make_measuring(self, first: RunChoice, interfaces: Sequence[CaptureInterface]) -> None:
        self._title(3, "Sample rate", below=8)
        line = ttk.Frame(self._form)
        line.grid(row=3, column=1, columnspan=2, sticky="w", pady=(0, 8))
        self.rate_entry = ttk.Entry(line, textvariable=self.rate, width=8)
        self.rate_entry.pack(side="left")
        self.rate_note = ttk.Label(line)
        self.rate_note.pack(side="left", padx=8)
        self._title(4, "Captures")
        self.captured = ttk.Label(self._form, wraplength=round(_WRAP * self._ui), justify="left")
        self.captured.grid(row=4, column=1, sticky="w")
        self.choose = ttk.Button(
            self._form, text="Choose…", bootstyle="secondary-outline", command=self._show_captures,
            state="normal" if interfaces else "disabled",
        )  # fmt: skip
        self.choose.grid(row=4, column=2, padx=(6, 0), sticky="ew")
        self.captures = CaptureList(self._form, interfaces, first.captures, self._show_captured, self._ui)
        self._show_captured()

    def _make_time(self) -> None:
        self._title(6, "Time", above=10)
        line = ttk.Frame(self._form)
        line.grid(row=6, column=1, columnspan=2, sticky="w", pady=(10, 0))
        self.virtual_switch = ttk.Checkbutton(line, text="Virtual time", variable=self.virtual)
        self.virtual_switch.pack(side="left")
        ttk.Label(line, text="Seed").pack(side="left", padx=(18, 6))
        self.seed_entry = ttk.Entry(line, textvariable=self.seed, width=10)
        self.seed_entry.pack(side="left")
        self.seed_note = ttk.Label(line, bootstyle="danger")
        self.seed_note.pack(side="left", padx=8)
        self.virtual_note = self._note(7)
        self._title(8, "After the flows")
        self.stays_switch = ttk.Checkbutton(
            self._form, text="Keep the lab running after the flows", variable=self.stays
        )
        self.stays_switch.grid(row=8, column=1, columnspan=2, sticky="w")
        self.stays_note = self._note(9)

    def _hide_lab_options(self) -> None:
        """Hide the options that cannot change while a lab runs: captures, virtual time, the end."""
        self._obstacle = _IN_LAB
        for widget in self._form.grid_slaves():
            if int(widget.grid_info()["row"]) >= _FIRST_OF_LAB:
                widget.grid_remove()

    def _make_bar(self, word: str, limits: str) -> None:
        bar = ttk.Frame(self, padding=(12, 0, 12, 12))
        bar.pack(fill="x")
        self.ok = ttk.Button(bar, text=word, bootstyle="success", command=self.accept)
        self.ok.pack(side="right")
        ttk.Button(bar, text="Cancel", bootstyle="secondary-outline", command=self.destroy).pack(side="right", padx=6)
        self.limits = ttk.Button(
            bar, text="Limits…", bootstyle="link", command=lambda: self._about.configure(text=limits)
        )
        if limits:
            self.limits.pack(side="left")
        self.bind("<Return>", lambda event: self.accept())
        self.bind("<Escape>", lambda event: self.destroy())

    def _title(self, row: int, text: str, above: int = 0, below: int = 0) -> None:
        label = ttk.Label(self._form, text=text)
        label.grid(row=row, column=0, sticky="w", padx=(0, 10), pady=(above, below))

    def _note(self, row: int) -> ttk.Label:
        """A line below a field."""
        label = ttk.Label(self._form, wraplength=round(_WRAP * self._ui), justify="left")
        label.grid(row=row, column=1, columnspan=2, sticky="w", pady=(2, 8))
        return label

    # --- actions ---

    def allow_virtual(self, obstacle: str | None) -> None:
        """Set whether the lab can run in virtual time.

        Args:
            obstacle: why it cannot, with a remedy; empty if it can, None while that is being checked.
        """
        self._obstacle = "Searching for a lab kernel with virtual time …" if obstacle is None else obstacle
        self._check()

    def accept(self) -> None:
        """Run, if all input is valid."""
        if not self._check():
            return
        is_virtual = self._is_virtual
        choice = RunChoice(
            Path(self.folder.get().strip()).expanduser(), self.stays.get() and not is_virtual, float(self.rate.get()),
            self.captures.chosen, is_virtual, int(self.seed.get()) if not seed_fault(self.seed.get()) else 1,
        )  # fmt: skip
        self.destroy()
        self._run(choice)

    @property
    def _is_virtual(self) -> bool:
        return bool(self.virtual.get()) and not self._obstacle

    def _check(self) -> bool:
        """Show the error of each field; returns whether all are valid."""
        is_virtual, can = self._is_virtual, not self._obstacle
        no_folder, no_rate = fault(self.folder.get().strip()), rate_fault(self.rate.get())
        no_seed = seed_fault(self.seed.get()) if is_virtual else ""
        _show_error(self.folder_note, no_folder, _FOLDER)
        _show_error(self.rate_note, no_rate, _RATE)
        _show_error(self.seed_note, no_seed)
        self.virtual_switch.configure(state="normal" if can else "disabled")
        self.seed_entry.configure(state="normal" if is_virtual else "disabled")
        self.virtual_note.configure(text=self._obstacle or _VIRTUAL)
        self.stays_switch.configure(state="disabled" if is_virtual else "normal")
        self.stays_note.configure(text=_STAYS_NOT if is_virtual else "")
        is_valid = not (no_folder or no_rate or no_seed)
        self.ok.configure(state="normal" if is_valid else "disabled")
        return is_valid

    def _show_captures(self) -> None:
        if self.captures.winfo_manager():
            self.captures.grid_forget()
        else:
            self.captures.grid(row=5, column=1, columnspan=2, sticky="ew", pady=(4, 0))
            self.captures.sheet.tree.focus_set()
        self.choose.configure(text="Hide" if self.captures.winfo_manager() else "Choose…")

    def _show_captured(self) -> None:
        interfaces = self.captures.chosen
        self.captured.configure(text=f"packet headers at {', '.join(interfaces)}" if interfaces else "none")

    def _browse(self) -> None:
        folder = filedialog.askdirectory(parent=self, initialdir=Path(self.folder.get()).parent, title="Results folder")
        if folder:
            self.folder.set(folder)


def _show_error(label: ttk.Label, error: str, usual: str = "") -> None:
    """Show the error, or else the default text."""
    label.configure(text=error or usual, bootstyle="danger" if error else "default")
