"""The contrast of two colors by WCAG 2, and their perceived difference.

The formulas are those of W3C's Web Content Accessibility Guidelines 2.2 (relative luminance, contrast ratio) and of the
CIE (L*a*b* of 1976, D65).
"""

from __future__ import annotations

import math

#: The minimum contrast of texts, and of meaningful graphics and edges (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT, GRAPHICS = 4.5, 3.0
#: The minimum difference of two colors that are distinguished at a glance, regardless of brightness; 2 is just visible.
APART = 20.0
#: The coordinates of the primaries in CIE's X, Y, Z, relative to the white of a screen.
_XYZ = ((0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505), (0.2126, 0.7152, 0.0722),
        (0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089))  # fmt: skip


def _linear(color: str) -> list[float]:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(color: str) -> float:
    """The relative luminance of a color, "#rrggbb": 0 for black to 1 for white."""
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(first: str, second: str) -> float:
    """The contrast of two colors, "#rrggbb": 1 for the same brightness to 21 for black on white."""
    dark, bright = sorted((luminance(first), luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


def difference(first: str, second: str) -> float:
    """The perceived difference of two colors, "#rrggbb": their distance in CIE L*a*b*; 0 for equal ones, 100 for black
    and white."""
    return math.dist(_lab(first), _lab(second))


def _lab(color: str) -> tuple[float, float, float]:
    parts = _linear(color)
    x, y, z = (sum(a * b for a, b in zip(row, parts, strict=True)) for row in _XYZ)
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
