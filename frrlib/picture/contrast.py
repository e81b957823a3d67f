"""How well a colour stands out from another one, by WCAG 2, and how different two look.

The formulas are those of W3C's Web Content Accessibility Guidelines 2.2 (relative luminance, contrast ratio) and of the
CIE (L*a*b* of 1976, D65).
"""

from __future__ import annotations

import math

#: The least contrast of texts, and of graphics and edges that say something (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT, GRAPHICS = 4.5, 3.0
#: The least difference of two colours that are told apart at a glance, however bright they are; 2 can just be seen.
APART = 20.0
#: What the primaries come to in CIE's X, Y, Z, each against the white of a screen.
_XYZ = ((0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505), (0.2126, 0.7152, 0.0722),
        (0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089))  # fmt: skip


def _linear(colour: str) -> list[float]:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    """The relative luminance of a colour, "#rrggbb": 0 for black to 1 for white."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(first: str, second: str) -> float:
    """The contrast of two colours, "#rrggbb": 1 for the same brightness to 21 for black on white."""
    dark, bright = sorted((luminance(first), luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


def difference(first: str, second: str) -> float:
    """How different two colours, "#rrggbb", look: their distance in CIE L*a*b*; 0 for equal ones, 100 for black and
    white."""
    return math.dist(_lab(first), _lab(second))


def _lab(colour: str) -> tuple[float, float, float]:
    parts = _linear(colour)
    x, y, z = (sum(a * b for a, b in zip(row, parts, strict=True)) for row in _XYZ)
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
