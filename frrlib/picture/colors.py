"""The shades of the user's colors in each theme: pale fills, strong outlines and icons."""

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
#: Colors of loads, the lowest first: Okabe and Ito's blue and orange, each faint and strong, for each background.
_LOADS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "light": ("#3b8fc6", "#005488", "#b07900", "#c2410c"),
        "dark": ("#8fd0f5", "#2f8fd0", "#f0b429", "#f26b1d"),
    }
)
_BRIGHT = 140.0
#: The share of white in colors of curves on a dark background, and the substitute for black there.
_LIGHTER, _BLACK_ON_DARK = 0.3, "#dfe5ea"
#: The factor of each step by which faint colors of curves are darkened on a light background.
_DARKER = 0.97


def ground(color: str, theme: Theme) -> str:
    """The fill of a shape of that color, as #rrggbb; empty for none."""
    return _GROUNDS[theme.name].get(color, color)


def strong(color: str, theme: Theme) -> str:
    """The outline of a shape, or the icon of a node, of that color, as #rrggbb; empty for none."""
    return _STRONG[theme.name].get(color, color)


def load(grade: int, theme: Theme) -> str:
    """The color of a load by its class, from 0 for the lowest to 3."""
    return _LOADS[theme.name][grade]


def curve(color: str, theme: Theme) -> str:
    """A color of figures, "#rrggbb", for a line on a theme's background: lighter on a dark background; on a light one
    unchanged, or darkened until its contrast suffices.
    """
    parts = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    if theme.name == "light":
        return _darkened(color, theme.canvas)
    if not any(parts):
        return _BLACK_ON_DARK
    return "#" + "".join(f"{round(part + (255 - part) * _LIGHTER):02x}" for part in parts)


@lru_cache(maxsize=1024)
def mixed(color: str, ground: str, share: float) -> str:
    """A mixture of two colors of the form "#rrggbb": a share, 0 to 1, of the first and the rest of the second."""
    parts = ([int(part[at : at + 2], 16) for at in (1, 3, 5)] for part in (color, ground))
    return "#" + "".join(
        f"{round(share * first_part + (1 - share) * second_part):02x}"
        for first_part, second_part in zip(*parts, strict=True)
    )


@lru_cache(maxsize=1024)
def _darkened(color: str, ground: str) -> str:
    """A color, darkened until the contrast of lines suffices on a light background."""
    parts = [float(int(color[at : at + 2], 16)) for at in (1, 3, 5)]
    while ratio(color, ground) < GRAPHICS:
        parts = [part * _DARKER for part in parts]
        color = "#" + "".join(f"{round(part):02x}" for part in parts)
    return color


def text_on(color: str, theme: Theme) -> str:
    """The color of a text on a background of that color."""
    if not color.startswith("#") or color == theme.canvas:
        return theme.text
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#1f2933" if 0.299 * red + 0.587 * green + 0.114 * blue > _BRIGHT else "#ffffff"
