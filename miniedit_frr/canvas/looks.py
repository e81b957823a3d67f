"""The looks of things on the canvas, as values: Tk is told of equal ones only once."""

from __future__ import annotations

from typing import NamedTuple


class LineLook(NamedTuple):
    """The look of a line or an arrow: its colour, its width in units, its dashes, and whether it stands out."""

    fill: str
    width: float
    dash: tuple[int, ...]
    stands_out: bool


class IconLook(NamedTuple):
    """The look of an icon: its name, its own colour or none, and the colour behind it."""

    icon: str
    colour: str
    ground: str

    @property
    def tag(self) -> str:
        """The tag of all items that show it."""
        return f"icon-{self.icon}/{self.colour}/{self.ground}"
