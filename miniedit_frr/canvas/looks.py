"""The looks of things on the canvas, as values, so that things with equal looks need only one call of Tk."""

from __future__ import annotations

from typing import NamedTuple


class LineLook(NamedTuple):
    """The look of a line or an arrow: its color, its width in units, its dashes, and whether it is highlighted."""

    fill: str
    width: float
    dash: tuple[int, ...]
    is_highlighted: bool


class IconLook(NamedTuple):
    """The look of an icon: its name, its own color (empty for the usual one), and the background color."""

    icon: str
    color: str
    background: str

    @property
    def tag(self) -> str:
        """The tag of all items with this look."""
        return f"icon-{self.icon}/{self.color}/{self.background}"
