"""Colours of the light and the dark theme, by what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Theme:
    """The colours of one theme.

    Attributes:
        name: "light" or "dark".
        base: the name of the widget theme that goes with it.
        base_ground, hover, pressed: ground of a tool, with the pointer on it, and when it is chosen.
        canvas, card, edge: the drawing's ground, the ground of a card on it, and the card's edge.
        grid: lines of the grid.
        text, faint: names of nodes, and what stands beside them.
        link, shaped, control, down: lines of plain and shaped links, of links to controllers, and without carrier.
        accent: what is selected, and the rubber band.
        error, warning, note: marks of problems.
        starting, up, lit: nodes of a lab that starts, nodes that are up, and a way through it.
        ink: lines on the icons.
        icons: ground of each icon.
    """

    name: str
    base: str
    base_ground: str
    hover: str
    pressed: str
    canvas: str
    card: str
    edge: str
    grid: str
    text: str
    faint: str
    link: str
    shaped: str
    control: str
    down: str
    accent: str
    error: str
    warning: str
    note: str
    starting: str
    up: str
    lit: str
    ink: str
    icons: Mapping[str, str]


LIGHT = Theme(
    name="light",
    base="bootstrap-light",
    base_ground="#ffffff",
    hover="#eef2f6",
    pressed="#d6e9ec",
    canvas="#fbfcfd",
    card="#ffffff",
    edge="#d5dbe1",
    grid="#e8ecf0",
    text="#1f2933",
    faint="#52606d",
    link="#7b8794",
    shaped="#2f6fb3",
    control="#d6303f",
    down="#b8c0c8",
    accent="#0b7285",
    error="#c92a2a",
    warning="#d9830b",
    note="#4c6ef5",
    starting="#d9830b",
    up="#2b8a3e",
    lit="#f08c00",
    ink="#ffffff",
    icons=MappingProxyType(
        {
            "host": "#486581",
            "switch": "#2b8a5a",
            "bridge": "#6b7f8f",
            "legacy-router": "#8a6d3b",
            "router": "#d1601f",
            "controller": "#7048a8",
            "tool": "#3e4c59",
        }
    ),
)

DARK = Theme(
    name="dark",
    base="bootstrap-dark",
    base_ground="#212529",
    hover="#2b3138",
    pressed="#1f4a52",
    canvas="#1b1f24",
    card="#262c33",
    edge="#3b444d",
    grid="#2a3037",
    text="#eef2f6",
    faint="#a9b4bf",
    link="#7d8b99",
    shaped="#6cb0f0",
    control="#ff7b7b",
    down="#4a545e",
    accent="#3bc9db",
    error="#ff6b6b",
    warning="#fcc419",
    note="#91a7ff",
    starting="#fcc419",
    up="#51cf66",
    lit="#ffd43b",
    ink="#ffffff",
    icons=MappingProxyType(
        {
            "host": "#5f7f9e",
            "switch": "#37a36d",
            "bridge": "#7b8f9f",
            "legacy-router": "#a5854c",
            "router": "#e8742f",
            "controller": "#8f66cc",
            "tool": "#ced6dd",
        }
    ),
)

THEMES: Mapping[str, Theme] = MappingProxyType({"light": LIGHT, "dark": DARK})
