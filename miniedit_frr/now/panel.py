"""The panel with the state of an object in the lab: a heading, and lines with signs, bars and curves."""

from __future__ import annotations

import tkinter as tk
from bisect import bisect_right
from collections.abc import Sequence
from tkinter.font import Font, nametofont

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.canvas.load_layer import LOAD_CLASSES, load_color
from miniedit_frr.now.state import StateLine
from miniedit_frr.widgets.ellipsis import elide

#: Maximum and minimum height of the lines, in units, and their share of the available height.
_HIGH, _LOW, _PART = 240, 100, 0.28
_ROW, _RIM, _SIGN = 20, 10, 12
_CURVE = (48, 13)
_BAR = 3


class NowPanel(ttk.Frame):
    """The panel. Its height depends only on its parent's, so that nothing above moves with the pointer.

    Attributes:
        lines: the visible lines.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, padding=(0, round(4 * ui), 0, 0))
        self._ui, self._theme = ui, theme
        self.lines: tuple[StateLine, ...] = ()
        ttk.Separator(self).pack(fill="x")
        self._title = ttk.Label(self, font="TkHeadingFont", anchor="w", padding=(round(8 * ui), round(4 * ui)))
        self._title.pack(fill="x")
        self._paper = tk.Canvas(self, height=round(_HIGH * ui), width=1, highlightthickness=0, takefocus=False)
        self._paper.pack(fill="both", expand=True)
        self._paper.bind("<Configure>", lambda event: self._draw(), add=True)
        parent.bind("<Configure>", lambda event: self._fit(event.height), add=True)
        self.set_theme(theme)

    @property
    def title(self) -> str:
        """The heading."""
        return str(self._title.cget("text"))

    def set_theme(self, theme: Theme) -> None:
        """Show the panel in a theme's colors."""
        self._theme = theme
        self._paper.configure(background=theme.base_ground)
        self._draw()

    def _fit(self, height: int) -> None:
        """Limit the height, so that the parent has enough space for the fields above."""
        target = round(max(_LOW * self._ui, min(_HIGH * self._ui, _PART * height)))
        if target != int(self._paper.cget("height")):
            self._paper.configure(height=target)

    def show(self, title: str, lines: Sequence[StateLine]) -> None:
        """Show another object, or a new state of the same object."""
        if title != self.title:
            self._title.configure(text=title)
        if tuple(lines) != self.lines:
            self.lines = tuple(lines)
            self._draw()

    def _draw(self) -> None:
        paper, row = self._paper, round(_ROW * self._ui)
        paper.delete("all")
        fits = max(1, paper.winfo_height() // row)
        visible = self.lines if len(self.lines) <= fits else self.lines[: fits - 1]
        for number, line in enumerate(visible):
            self._draw_line(line, number * row, row)
        if len(visible) < len(self.lines):
            self._write(
                f"and {len(self.lines) - len(visible)} more", round(_RIM * self._ui), len(visible) * row, 0, "faint"
            )

    def _draw_line(self, line: StateLine, top: int, row: int) -> None:
        ui, wide = self._ui, self._paper.winfo_width()
        rim, sign, curve = (round(size * ui) for size in (_RIM, _SIGN, _CURVE[0]))
        if line.grade:
            self._draw_sign(line.grade, rim + round(3 * ui), top + row // 2)
        at = rim + (sign if line.grade else 0)
        end = wide - rim - (curve + rim if line.curve else 0)
        middle = max(round(0.36 * wide), at)
        font = nametofont("TkDefaultFont")
        if not line.share and not line.curve:  # a long name may use the space that the text leaves
            middle = max(middle, min(at + font.measure(line.name) + rim, end - font.measure(line.text)))
        self._write(line.name, at, top, middle - at - rim // 2, "faint")
        # The name of a line that continues another is empty, so a long text may use its space.
        left = middle if line.name else max(at, min(middle, end - font.measure(line.text)))
        self._write(line.text, left, top, end - left, "text")
        if line.share is not None:
            self._draw_bar(line.share, middle, end, top + row - round((_BAR + 1) * ui))
        if line.curve:
            self._draw_curve(line, wide - rim - curve, top + (row - round(_CURVE[1] * ui)) // 2)

    def _write(self, text: str, x: int, top: int, width: int, color: str) -> None:
        font: Font = nametofont("TkDefaultFont")
        label = elide(text, font, width) if width else text
        fill = getattr(self._theme, color)
        self._paper.create_text(x, top + round(_ROW * self._ui) // 2 - 1, text=label, anchor="w", fill=fill, font=font)

    def _draw_sign(self, grade: str, x: int, y: int) -> None:
        color = {"up": self._theme.up, "coming": self._theme.warning}.get(grade, self._theme.error)
        half = round(3.5 * self._ui)
        if grade == "down":  # the shape differs, too, not only the color
            self._paper.create_line(x - half, y - half, x + half, y + half, fill=color, width=2 * self._ui)
            self._paper.create_line(x - half, y + half, x + half, y - half, fill=color, width=2 * self._ui)
        else:
            self._paper.create_oval(
                x - half, y - half, x + half, y + half, outline=color, fill=color if grade == "up" else "",
                width=1.5 * self._ui,
            )  # fmt: skip

    def _draw_bar(self, share: float, x0: int, x1: int, top: int) -> None:
        theme, high = self._theme, round(_BAR * self._ui)
        color = load_color(min(bisect_right(LOAD_CLASSES, share), len(LOAD_CLASSES) - 1), theme)
        filled = x0 + round(min(1.0, share) * (x1 - x0))
        self._paper.create_rectangle(x0, top, x1, top + high, fill=theme.edge, width=0)
        self._paper.create_rectangle(x0, top, filled, top + high, fill=color, width=0)

    def _draw_curve(self, line: StateLine, x0: int, top: int) -> None:
        wide, high = (round(value * self._ui) for value in _CURVE)
        most = max(line.most, *line.curve) or 1.0
        self._paper.create_line(x0, top + high, x0 + wide, top + high, fill=self._theme.edge)
        if len(line.curve) > 1:
            step = wide / (len(line.curve) - 1)
            points = [(x0 + step * at, top + high * (1 - value / most)) for at, value in enumerate(line.curve)]
            self._paper.create_line(*points, fill=self._theme.shaped, width=1.5 * self._ui)
