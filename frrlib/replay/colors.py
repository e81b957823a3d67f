"""Colors of the page: a class for each, with a shade for a light and one for a dark background."""

from __future__ import annotations

import re

from frrlib.picture import colors
from frrlib.picture.theme import DARK, LIGHT, Theme

_HEX = re.compile(r"#[0-9a-fA-F]{3,8}")
#: The colors of a theme that the style sheet uses, by their names there.
_OF_THEME = (
    "base_ground", "canvas", "card", "edge", "grid", "text", "faint", "link", "shaped", "control", "down", "accent",
    "error", "warning", "note", "up", "lit", "ink", "badge_ink",
)  # fmt: skip


class ColorClasses:
    """Classes of colors, in the order of their first use."""

    def __init__(self) -> None:
        self._classes: dict[tuple[str, str], str] = {}

    def of(self, light: str, dark: str) -> str:
        """The class of a color with two shades; empty if they are no colors."""
        if not (_HEX.fullmatch(light) and _HEX.fullmatch(dark)):
            return ""
        return self._classes.setdefault((light, dark), f"color-{len(self._classes)}")

    def of_curve(self, color: str) -> str:
        """The class of a color of figures."""
        return self.of(colors.curve(color, LIGHT), colors.curve(color, DARK)) if _HEX.fullmatch(color) else ""

    def of_icon(self, color: str) -> str:
        """The class of a user's color of an icon or an outline."""
        return self.of(colors.strong(color, LIGHT), colors.strong(color, DARK)) if color else ""

    def of_ground(self, color: str) -> str:
        """The class of a user's fill of a shape."""
        return self.of(colors.ground(color, LIGHT), colors.ground(color, DARK)) if color else ""

    def css(self) -> str:
        """The rules of all classes, and the colors of the themes as variables; dark on dark screens only."""
        light = "".join(f".{name}{{color:{shades[0]}}}\n" for shades, name in self._classes.items())
        dark = "".join(f".{name}{{color:{shades[1]}}}\n" for shades, name in self._classes.items())
        return (
            f":root{{{_variables(LIGHT)}}}\n{light}"
            f"@media screen and (prefers-color-scheme: dark){{\n:root{{{_variables(DARK)}}}\n{dark}}}\n"
        )


def _variables(theme: Theme) -> str:
    values = {name.replace("_", "-"): getattr(theme, name) for name in _OF_THEME}
    values |= {f"icon-{kind}": color for kind, color in theme.icons.items()}
    values |= {f"load-{grade}": colors.load(grade, theme) for grade in range(4)}
    return "".join(f"--{name}:{color};" for name, color in values.items())
