"""A field for measured delays, which are read from a file. It shows a summary of the numbers."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk
from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import TopologyError
from frrlib.model.delays import mean_ms, read_samples, spread_ms
from miniedit_frr.dialogs.draft import SEVERAL
from miniedit_frr.dialogs.fields.kinds import Content, TextKind
from miniedit_frr.dialogs.fields.quantities import TIME_MS, InvalidQuantity
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, Input, Slot

_FILE_TYPES = (("Numbers", "*.txt *.csv *.dat *.log"), ("All files", "*"))
_MOST_BYTES = 10_000_000


def _read(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split())
    except ValueError:
        raise InvalidQuantity("must be numbers in ms, separated by spaces") from None


#: The text of the samples: numbers in ms, separated by spaces.
SAMPLES = TextKind(_read, lambda value: " ".join(f"{sample_ms:.12g}" for sample_ms in value), "samples")


def mean_and_spread(content: Content) -> dict[str, Content | None]:
    """Edits of delay and jitter: the mean and the standard deviation of samples."""
    try:
        samples = _read(content) if isinstance(content, str) else ()
    except InvalidQuantity:
        return {}
    if len(samples) < 2:
        return {}
    return {"delay_ms": TIME_MS.show(mean_ms(samples)), "jitter_ms": TIME_MS.show(spread_ms(samples))}


def samples_summary(samples: tuple[float, ...]) -> str:
    """A short summary of samples; "none" without samples."""
    if not samples:
        return "none"
    return f"{len(samples)} delays, {min(samples):.4g} to {max(samples):.4g} ms"


class SamplesInput(Input):
    """The summary of the samples, and buttons to load or remove them."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        frame = ttk.Frame(parent)
        self.label = ttk.Label(frame, font=SMALL_FONT)
        self.label.pack(side="top", anchor="w", pady=(0, round(3 * ui)))
        self.browse = ttk.Button(frame, text="From a file…", command=self._look, bootstyle="secondary-outline")
        self.browse.pack(side="left")
        self.clear = ttk.Button(frame, text="None", command=lambda: self._write(""), bootstyle="secondary-outline")
        self.widget, self.focus, self._gap = frame, self.browse, round(6 * ui)

    def load(self, path: Path) -> None:
        """Load the delays of a file. A file without delays is reported, and the present samples stay."""
        try:
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                text = file.read(_MOST_BYTES + 1)  # devices report no size
            if len(text) > _MOST_BYTES:
                raise TopologyError(f"is larger than {_MOST_BYTES // 1000000} MB", remedy="one number per line")
            samples = read_samples(text)
        except (OSError, TopologyError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else problem
            Messagebox.show_error(f"{path.name}: {reason}", "No measured delays", parent=self.widget)
            return
        self._write(SAMPLES.show(samples))

    def _look(self) -> None:
        selected = filedialog.askopenfilename(
            parent=self.widget, filetypes=_FILE_TYPES, title="Measured delays in ms, one number per line"
        )
        if selected:
            self.load(Path(selected))

    def _show(self, text: str | None) -> None:
        self.label.configure(text=SEVERAL if text is None else samples_summary(_read(text)))
        if text or text is None:
            self.clear.pack(side="left", padx=(self._gap, 0))
        else:
            self.clear.pack_forget()
