"""The colors of entries on the track, by style."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from frrlib.picture.colors import ground, strong
from frrlib.picture.theme import Theme
from miniedit_frr.track.scene import Entry

#: The color of each style, from the palette of notes and shapes. A flow has its color in figures.
STYLES: Mapping[str, str] = MappingProxyType(
    {
        "flow": "blue", "down": "red", "killed": "red", "stopped": "yellow", "frozen": "cyan", "power": "grey",
        "partition": "orange", "repair": "green", "rate": "blue", "delay": "purple", "jitter": "cyan",
        "loss": "orange", "queue": "green",
    }
)  # fmt: skip
#: Hatched styles, which are visible without their color: those in which no packets are carried.
HATCHED = frozenset(("down", "killed", "power", "partition"))


def line_color(entry: Entry, theme: Theme) -> str:
    """The color of an entry's outline or line."""
    return entry.color or strong(STYLES[entry.style], theme)


def fill_color(entry: Entry, theme: Theme) -> str:
    """The fill color of an entry."""
    return entry.color or ground(STYLES[entry.style], theme)
