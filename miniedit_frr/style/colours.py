"""The shades that each theme has of the colours people choose: pale grounds, strong outlines and icons."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from miniedit_frr.style.theme import Theme

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
_BRIGHT = 140.0
#: How far colours of curves are mixed with white on a dark ground, and what black becomes there.
_LIGHTER, _BLACK_ON_DARK = 0.3, "#dfe5ea"


def ground(colour: str, theme: Theme) -> str:
    """The ground of a shape of that colour, as #rrggbb; empty for none."""
    return _GROUNDS[theme.name].get(colour, colour)


def strong(colour: str, theme: Theme) -> str:
    """The outline of a shape, or the icon of a node, of that colour, as #rrggbb; empty for none."""
    return _STRONG[theme.name].get(colour, colour)


def curve(colour: str, theme: Theme) -> str:
    """A colour of figures, "#rrggbb", as a line of it is drawn on the ground of a theme: lighter on a dark one."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    if theme.name == "light":
        return colour
    if not any(parts):
        return _BLACK_ON_DARK
    return "#" + "".join(f"{round(part + (255 - part) * _LIGHTER):02x}" for part in parts)


def text_on(colour: str, theme: Theme) -> str:
    """The colour of a text on a ground of that colour."""
    if not colour.startswith("#") or colour == theme.canvas:
        return theme.text
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#1f2933" if 0.299 * red + 0.587 * green + 0.114 * blue > _BRIGHT else "#ffffff"
