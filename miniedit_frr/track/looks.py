"""Colours of the track, by what an entry is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from frrlib.picture.colors import ground, strong
from frrlib.picture.theme import Theme
from miniedit_frr.track.scene import Entry

#: Style to a colour of the palette that people choose from; a flow has the colour of figures.
STYLES: Mapping[str, str] = MappingProxyType(
    {
        "flow": "blue", "down": "red", "killed": "red", "stopped": "yellow", "frozen": "cyan", "power": "grey",
        "partition": "orange", "mended": "green", "rate": "blue", "delay": "purple", "jitter": "cyan",
        "loss": "orange", "queue": "green",
    }
)  # fmt: skip
#: Hatched styles, which stand out without their colour: those that carry nothing.
HATCHED = frozenset(("down", "killed", "power", "partition"))


def line_color(entry: Entry, theme: Theme) -> str:
    """The outline of an entry, or its line."""
    return entry.color or strong(STYLES[entry.style], theme)


def fill_color(entry: Entry, theme: Theme) -> str:
    """The fill of an entry."""
    return entry.color or ground(STYLES[entry.style], theme)
