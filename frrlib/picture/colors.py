"""The shades of people's colours in each theme: pale fills, strong outlines and icons."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from frrlib.picture.contrast import GRAPHICS, ratio
from frrlib.picture.theme import Theme

_Shades = Mapping[str, Mapping[str, str]]

_GROUNDS: _Shades = MappingProxyType(
    {
        "light": {
            "grey": "#e9edf1", "red": "#fde2e2", "orange": "#fdebd7", "yellow": "#fff5c7", "green": "#dff3e4",
            "cyan": "#d9f1f4", "blue": "#e0ecfb", "purple": "#ece4f9",
        },
        "dark": {
            "grey": "#2f373f", "red": "#472a2c", "orange": "#473524", "yellow": "#4a4222", "green": "#23402d",
            "cyan": "#1f4046", "blue": "#253a54", "purple": "#3a2f52",
        },
    }
)  # fmt: skip
_STRONG: _Shades = MappingProxyType(
    {
        "light": {
            "grey": "#7b8794", "red": "#c92a2a", "orange": "#d1601f", "yellow": "#a87d00", "green": "#2b8a5a",
            "cyan": "#0b7285", "blue": "#2f6fb3", "purple": "#7048a8",
        },
        "dark": {
            "grey": "#8795a1", "red": "#e35d5d", "orange": "#e8742f", "yellow": "#b08c1c", "green": "#37a36d",
            "cyan": "#2496a5", "blue": "#4f94d8", "purple": "#8f66cc",
        },
    }
)  # fmt: skip
#: Colours of loads, the least first: Okabe and Ito's blue and orange, each faint and strong, as backgrounds need it.
_LOADS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "light": ("#3b8fc6", "#005488", "#b07900", "#c2410c"),
        "dark": ("#8fd0f5", "#2f8fd0", "#f0b429", "#f26b1d"),
    }
)
_BRIGHT = 140.0
#: How far colours of curves are mixed with white on a dark background, and the substitute for black there.
_LIGHTER, _BLACK_ON_DARK = 0.3, "#dfe5ea"
#: By how much colours of curves that are too faint on a light background are darkened at a time.
_DARKER = 0.97


def ground(colour: str, theme: Theme) -> str:
    """The fill of a shape of that colour, as #rrggbb; empty for none."""
    return _GROUNDS[theme.name].get(colour, colour)


def strong(colour: str, theme: Theme) -> str:
    """The outline of a shape, or the icon of a node, of that colour, as #rrggbb; empty for none."""
    return _STRONG[theme.name].get(colour, colour)


def load(grade: int, theme: Theme) -> str:
    """The colour of a load by its class, from 0 for the least to 3."""
    return _LOADS[theme.name][grade]


def curve(colour: str, theme: Theme) -> str:
    """A colour of figures, "#rrggbb", for a line on a theme's background: lighter on a dark one; on a light one
    unchanged, or darkened until it stands out.
    """
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    if theme.name == "light":
        return _darkened(colour, theme.canvas)
    if not any(parts):
        return _BLACK_ON_DARK
    return "#" + "".join(f"{round(part + (255 - part) * _LIGHTER):02x}" for part in parts)


@lru_cache(maxsize=1024)
def mixed(colour: str, ground: str, share: float) -> str:
    """A colour between two of the form "#rrggbb": a share, 0 to 1, of the first and the rest of the second."""
    parts = ([int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in (colour, ground))
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in zip(*parts, strict=True))


@lru_cache(maxsize=1024)
def _darkened(colour: str, ground: str) -> str:
    """A colour, darkened until lines of it stand out on a light background."""
    parts = [float(int(colour[at : at + 2], 16)) for at in (1, 3, 5)]
    while ratio(colour, ground) < GRAPHICS:
        parts = [part * _DARKER for part in parts]
        colour = "#" + "".join(f"{round(part):02x}" for part in parts)
    return colour


def text_on(colour: str, theme: Theme) -> str:
    """The colour of a text on a background of that colour."""
    if not colour.startswith("#") or colour == theme.canvas:
        return theme.text
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#1f2933" if 0.299 * red + 0.587 * green + 0.114 * blue > _BRIGHT else "#ffffff"
