"""Colors of the light and the dark theme, by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Theme:
    """The colors of one theme.

    Attributes:
        name: "light" or "dark".
        base: the name of the matching widget theme.
        base_ground, hover, pressed: background of a tool: normal, with the pointer on it, and selected.
        field, on_full: background of entry fields, and text of buttons that are filled with a color.
        canvas, card, edge: background of the canvas, background of a card on it, and the card's edge.
        grid: lines of the grid.
        text, faint: names of nodes, and other texts.
        link, shaped, control, down: lines of plain and shaped links, of links to controllers, and without carrier.
        accent: the selection, and the rubber band.
        error, warning, note: marks of problems.
        starting, up, lit: nodes of a lab that starts, nodes that are up, and a path through the lab.
        ink, badge_ink: lines on the icons, and on badges.
        icons: background of each icon.
    """

    name: str
    base: str
    base_ground: str
    hover: str
    pressed: str
    field: str
    on_full: str
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
    badge_ink: str
    icons: Mapping[str, str]


LIGHT = Theme(
    name="light",
    base="bootstrap-light",
    base_ground="#ffffff",
    hover="#eef2f6",
    pressed="#d6e9ec",
    field="#ffffff",
    on_full="#ffffff",
    canvas="#fbfcfd",
    card="#ffffff",
    edge="#d5dbe1",
    grid="#e8ecf0",
    text="#1f2933",
    faint="#52606d",
    link="#7b8794",
    shaped="#3f86cf",
    control="#d6303f",
    down="#87929d",
    accent="#053b46",
    error="#c92a2a",
    warning="#8a6100",
    note="#3b5bdb",
    starting="#0b7285",
    up="#237a35",
    lit="#b5179e",
    ink="#ffffff",
    badge_ink="#ffffff",
    icons=MappingProxyType(
        {
            "host": "#486581",
            "switch": "#2b8a5a",
            "bridge": "#6b7f8f",
            "legacy-router": "#8a6d3b",
            "router": "#d1601f",
            "ospf-router": "#d1601f",
            "bgp-router": "#d1601f",
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
    field="#262b30",
    on_full="#10151a",
    canvas="#1b1f24",
    card="#262c33",
    edge="#3b444d",
    grid="#2a3037",
    text="#eef2f6",
    faint="#a9b4bf",
    link="#73808d",
    shaped="#3f7fc0",
    control="#ff7b7b",
    down="#66717c",
    accent="#a5f3fc",
    error="#ff6b6b",
    warning="#fcc419",
    note="#91a7ff",
    starting="#3bc9db",
    up="#51cf66",
    lit="#ff7ad9",
    ink="#ffffff",
    badge_ink="#1b1f24",
    icons=MappingProxyType(
        {
            "host": "#5f7f9e",
            "switch": "#37a36d",
            "bridge": "#7b8f9f",
            "legacy-router": "#a5854c",
            "router": "#e8742f",
            "ospf-router": "#e8742f",
            "bgp-router": "#e8742f",
            "controller": "#8f66cc",
            "tool": "#ced6dd",
        }
    ),
)

THEMES: Mapping[str, Theme] = MappingProxyType({"light": LIGHT, "dark": DARK})

#: Texts and their backgrounds, by the names of a theme's colors. Each pair has the contrast that texts need; a test
#: checks both themes against these tables.
TEXTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "text": ("base_ground", "hover", "pressed", "field", "canvas", "card"),
        "faint": ("base_ground", "hover", "field", "canvas", "card"),
        "accent": ("base_ground", "card"),
        "error": ("base_ground", "field", "canvas", "card"),
        "warning": ("base_ground", "field", "canvas", "card"),
        "note": ("base_ground", "card"),
        "starting": ("base_ground", "field", "card"),
        "up": ("base_ground", "field", "card"),
        # badges that are filled with a color
        "canvas": ("error", "lit", "up"),
    }
)
#: The same for lines, marks and icons.
GRAPHICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "link": ("canvas",),
        "shaped": ("canvas",),
        "control": ("canvas",),
        "down": ("canvas", "base_ground"),
        "accent": ("canvas", "card", "link", "shaped"),
        "lit": ("canvas",),
        "note": ("canvas",),
        "error": ("canvas",),
        "warning": ("canvas",),
        "starting": ("canvas", "card"),
        "up": ("canvas", "card"),
        "badge_ink": ("error", "warning", "starting", "up", "note"),
    }
)
#: Colors that must not be confused on a canvas, even if they also differ otherwise.
DISTINCT_COLORS = (
    frozenset(("link", "shaped", "control", "accent", "lit", "note")),
    frozenset(("down", "control", "shaped", "accent", "lit")),
    frozenset(("error", "warning", "starting", "up", "note")),
    frozenset(("router", "warning", "starting", "lit")),
)
#: Colors without a minimum contrast: edges of cards, lines of the grid.
DECORATION = ("edge", "grid")
