"""A window with the figure of a run, and its numbers."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import ttkbootstrap as ttk
from PIL import Image

from miniedit_frr.runs.collector import figure_image
from miniedit_frr.runs.figure_saver import ask_figure_file
from miniedit_frr.runs.picture_view import PictureView
from miniedit_frr.user.paths import short_path
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.list_parts import AutoScrollbar

#: Number of visible lines of numbers; the others can be scrolled to.
_MOST_LINES = 12
#: Height of the bar and the window frame around the picture, in pixels at a scaling of 1.
_AROUND_PX = 60
#: The minimum and the maximum width that the text in the bar requests, in characters.
_LEAST_LETTERS, _MOST_LETTERS = 24, 60


class SaveFigure(Protocol):
    """A function that saves the figure of a window; see `FigureSaver.save`."""

    def __call__(self, shown: Image.Image, to: Path, report: Callable[[str], object]) -> object:
        """Save the figure as a file, and report the progress."""


class FigureWindow(ttk.Toplevel):
    """A picture that follows the window's size and can be enlarged, the numbers below it, and a bar with buttons.

    Attributes:
        numbers: the text with the numbers; None without numbers.
        view: the picture.
        note: the folder of the figure, or the last message about saving it.
        buttons: the buttons by their names: folder, save, smaller, larger, fit, close.

    Args:
        save: saves the figure as a file.
        numbers: tables as text for a fixed-width font; empty for none.

    Raises:
        OSError: the file is not a picture.
    """

    def __init__(
        self, parent: tk.Misc, title: str, path: Path, open_folder: Callable[[], object], save: SaveFigure, ui: float,
        numbers: str = "",
    ) -> None:  # fmt: skip
        self._image = figure_image(path)
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        self._title, self._save = title, save
        self._below = ttk.Frame(self)
        self.numbers = self._make_numbers(numbers) if numbers else None
        reserved = _AROUND_PX * ui + (self.numbers.winfo_reqheight() if self.numbers is not None else 0)
        wide, high = self.winfo_screenwidth() * 0.8, self.winfo_screenheight() * 0.8 - reserved
        factor = min(1.0, wide / self._image.width, high / self._image.height)
        size = round(self._image.width * factor), round(self._image.height * factor)
        self.view = PictureView(self, self._image, size, ui)
        self.view.on_zoom = lambda factor: self._zoom.configure(text=f"{100 * factor:.0f} %")
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        self.buttons = self._make_buttons(bar, open_folder)
        folder = short_path(path.parent)
        # A fixed width: a later text must not change the size of the window.
        letters = min(max(_LEAST_LETTERS, len(folder)), _MOST_LETTERS)
        self.note = ttk.Label(bar, text=folder, padding=(10, 0), width=letters)
        self.note.pack(side="left", fill="x", expand=True)
        if self.numbers is not None:
            self._below.pack(side="bottom", fill="x", padx=8)
        self.view.pack(fill="both", expand=True)
        self.view.bind_keys(self)
        self.bind("<Escape>", lambda event: self.destroy())

    def _make_buttons(self, bar: ttk.Frame, open_folder: Callable[[], object]) -> dict[str, ttk.Button]:
        """The buttons of the bar, and the present factor of the picture between those that change it."""
        self._zoom = ttk.Label(bar, width=6, anchor="center")

        def button(text: str, command: Callable[[], object], side: str, gap: int = 0, width: int = 0) -> ttk.Button:
            made = ttk.Button(bar, text=text, command=command, bootstyle="secondary-outline")
            if width:
                made.configure(width=width)
            made.pack(side=side, padx=(0, gap) if side == "left" else (gap, 0))
            return made

        buttons = {
            "folder": button("Open Folder", open_folder, "left", 6),
            "save": button("Save As…", self._ask_and_save, "left"),
            "close": button("Close", self.destroy, "right", 18),
            "fit": button("Fit", self.view.fit, "right", 6),
            "larger": button("+", self.view.zoom_in, "right", width=2),
        }
        self._zoom.pack(side="right")
        return buttons | {"smaller": button("\N{MINUS SIGN}", self.view.zoom_out, "right", width=2)}

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
        text.bind("<<ThemeChanged>>", lambda event: _paint(text))
        _paint(text)
        text.update_idletasks()
        return text

    def zoom_text(self) -> str:
        """The present size of the picture as it is displayed, such as "125 %"; empty before it is drawn."""
        return str(self._zoom.cget("text"))

    def _ask_and_save(self) -> None:
        path = ask_figure_file(self, self._title)
        if path is not None:
            self._save(self._image, path, self._report)

    def _report(self, text: str) -> None:
        if self.winfo_exists():
            self.note.configure(text=text)


def _paint(text: tk.Text) -> None:
    """Give a text the colors of the theme."""
    style = ttk.Style()
    text.configure(
        background=str(style.lookup("TFrame", "background")), foreground=str(style.lookup("TLabel", "foreground"))
    )
