"""A window with the figure of a run, and its numbers."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path

import ttkbootstrap as ttk
from PIL import Image, ImageTk

from frrlib.system.untrusted_files import open_file
from miniedit_frr.user.paths import short_path
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.list_parts import AutoScrollbar

#: Number of visible lines of numbers; the others can be scrolled to.
_MOST_LINES = 12
#: Height of the bar and the window frame around the picture, in pixels at a scaling of 1.
_AROUND_PX = 60


class FigureWindow(ttk.Toplevel):
    """A picture that follows the window's size, the numbers below it, and a button that opens its folder.

    Attributes:
        numbers: the text with the numbers; None without numbers.

    Args:
        numbers: tables as text for a fixed-width font; empty for none.

    Raises:
        OSError: the file is not a picture.
    """

    def __init__(
        self, parent: tk.Misc, title: str, path: Path, open_folder: Callable[[], object], ui: float, numbers: str = ""
    ) -> None:
        with open_file(path) as file, Image.open(file, formats=("PNG",)) as image:  # any other may start a program
            self._image = image.convert("RGB")
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        self._below = ttk.Frame(self)
        self.numbers = self._make_numbers(numbers) if numbers else None
        reserved = _AROUND_PX * ui + (self.numbers.winfo_reqheight() if self.numbers is not None else 0)
        wide, high = self.winfo_screenwidth() * 0.8, self.winfo_screenheight() * 0.8 - reserved
        factor = min(1.0, wide / self._image.width, high / self._image.height)
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        ttk.Button(bar, text="Open Folder", command=open_folder, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        ttk.Label(bar, text=short_path(path.parent), padding=(10, 0)).pack(side="left")
        if self.numbers is not None:
            self._below.pack(side="bottom", fill="x", padx=8)
        size = round(self._image.width * factor), round(self._image.height * factor)
        self._view = tk.Label(self, background="white", width=size[0], height=size[1], borderwidth=0)
        self._view.pack(fill="both", expand=True)
        self._shown = (0, 0)
        self._picture: ImageTk.PhotoImage | None = None
        self._fit(*size)
        self._view.bind("<Configure>", lambda event: self._fit(event.width, event.height))
        self.bind("<Escape>", lambda event: self.destroy())

    def _make_numbers(self, numbers: str) -> tk.Text:
        """The text, which can be selected and copied but not changed."""
        lines, frame = numbers.rstrip("\n").splitlines(), self._below
        text = tk.Text(
            frame, font="TkFixedFont", wrap="none", borderwidth=0, padx=8, pady=6, height=min(len(lines), _MOST_LINES),
            width=max(map(len, lines)),
        )  # fmt: skip
        text.insert("1.0", "\n".join(lines))
        text.configure(state="disabled")
        text.pack(side="left", fill="both", expand=True)
        AutoScrollbar(frame, text)
        text.update_idletasks()
        return text

    def _fit(self, width: int, height: int) -> None:
        factor = min(width / self._image.width, height / self._image.height)
        size = max(1, round(self._image.width * factor)), max(1, round(self._image.height * factor))
        if size != self._shown:
            self._shown = size
            self._picture = ImageTk.PhotoImage(self._image.resize(size, Image.Resampling.LANCZOS), master=self)
            self._view.configure(image=self._picture)
