"""Pictures of a topology as files: PNG, SVG or PDF, made from the scene and without a display.

SVG and PDF are vector graphics, and their texts stay texts. Matplotlib, which paints all three, is imported only when a
picture is made.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from frrlib.model.topology import Topology
from frrlib.picture import colors, icons
from frrlib.picture.flows import head_of
from frrlib.picture.geometry import NODE_HALF, Box, Point, length, part
from frrlib.picture.label_positions import ON_LINE, PlacedText, default_texts, place_texts
from frrlib.picture.labels import Labels
from frrlib.picture.name_positions import name_place
from frrlib.picture.scene import FlowSprite, Key, LinkSprite, NodeSprite, Scene, ShapeSprite, scene_of
from frrlib.picture.shapes import is_on_shape, note_outline, text_place
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE, SMALL_SIZE, line_alignment, size, wrapped
from frrlib.picture.theme import LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The light theme on white paper.
PAPER = replace(LIGHT, canvas="#ffffff")
#: The formats of pictures, which are the endings of their files.
FORMATS = ("png", "svg", "pdf")
#: Points of print per world unit; a unit is a pixel at 96 dots per inch.
_POINT = 0.75
_MARGIN = 14.0
_FONT = "DejaVu Sans"
_FONTS = [_FONT, "sans-serif"]
_DASHES = {"down": (2.5, 2.5), "control": (4.4, 2.5, 1.3, 2.5), "probe": (1.2, 1.8)}


def picture_bytes(
    topology: Topology,
    kind: str,
    labels: Labels | None = None,
    addressed: Topology | None = None,
    theme: Theme = PAPER,
    scale: float = 2.0,
) -> bytes:
    """A picture of a topology as the content of a file. The same topology always gives the same bytes.

    Args:
        topology: the topology to draw.
        kind: one of FORMATS.
        labels: the visible texts; None for the default.
        addressed: the same topology with automatic names and addresses, for the labels that show them.
        theme: the colors.
        scale: pixels per world unit of a PNG.

    Raises:
        ValueError: `kind` is not one of FORMATS.
    """
    if kind not in FORMATS:
        raise ValueError(f"{kind or 'no ending'} is not a picture format; choose one of {', '.join(FORMATS)}")
    from matplotlib import rc_context

    scene = scene_of(topology, labels or Labels(), addressed)
    into = BytesIO()
    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    # Texts stay texts, and the same topology gives the same file.
    with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "drawing"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = _Painter(scene, theme).figure()
        figure.savefig(into, format=kind, dpi=96 * scale, facecolor=theme.canvas, metadata=dates[kind])
    return into.getvalue()


@lru_cache(maxsize=4096)
def _width(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    properties = FontProperties(family=_FONT, size=100)
    return float(text_to_path.get_text_width_height_descent(text, properties, ismath=False)[0]) / 100


def measure(text: str, units: float) -> float:
    """The width of a line of text at a size, in world units."""
    return _width(_printable(text)) * units


def _printable(text: str) -> str:
    """The text with a replacement mark for each character that a file may not contain."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


class _Painter:
    """Paints one scene, background first."""

    def __init__(self, scene: Scene, theme: Theme) -> None:
        self._scene, self._theme = scene, theme
        self._texts = place_texts(scene, measure)
        self._height = 0

    def figure(self) -> Figure:
        """The scene on a sheet of its size."""
        from matplotlib.figure import Figure

        box = self._bounds()
        width, height = box.right - box.left, box.bottom - box.top
        figure = Figure(figsize=(width * _POINT / 72, height * _POINT / 72))
        self._axes = figure.add_axes((0, 0, 1, 1))
        self._axes.set_xlim(box.left, box.right)
        self._axes.set_ylim(box.bottom, box.top)
        self._axes.axis("off")
        for shape in self._scene.shapes.values():
            self._shape(shape)
        for line in self._scene.lines.values():
            self._line(line)
        for flow in self._scene.flows.values():
            self._flow(flow)
        for key, node in self._scene.nodes.items():
            self._node(key, node)
        return figure

    def _bounds(self) -> Box:
        """The rectangle around all icons, shapes and texts; a default size for an empty scene."""
        boxes = [shape.box for shape in self._scene.shapes.values()]
        for node in self._scene.nodes.values():
            x, y = node.at
            boxes.append(Box(x, y, x, y).grown(NODE_HALF))
            boxes.append(self._name(node).box(*size(node.text, NAME_SIZE, measure)))
        for line in self._scene.connections:
            boxes += [text.box(*size(text.text, SMALL_SIZE, measure)) for text in self._line_texts(line)]
            boxes += [box for box in [Box.around(self._scene.path(line))] if box is not None]
        corners = [at for box in boxes for at in ((box.left, box.top), (box.right, box.bottom))]
        return (Box.around(corners) or Box(0, 0, 200, 120)).grown(_MARGIN)

    # --- parts ---

    def _shape(self, shape: ShapeSprite) -> None:
        theme, box = self._theme, shape.box
        style = {
            "facecolor": colors.ground(shape.fill, theme) or "none",
            "edgecolor": colors.strong(shape.line, theme) or "none",
            "linewidth": 1.5 * _POINT,
        }
        if shape.kind == "note":
            outline, flap = note_outline(box)
            self._area(outline, **style)
            self._area(flap, **{**style, "facecolor": theme.edge})
        elif shape.kind == "ellipse":
            self._oval(box, **style)
        else:
            self._area(
                ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)), **style
            )
        if shape.text:
            place = text_place(shape.kind, box)
            text = wrapped(shape.text, place.width, NAME_SIZE, measure)
            self._text(PlacedText(place.at, place.anchor, text), NAME_SIZE, colors.text_on(shape.fill, theme))

    def _line_texts(self, line: LinkSprite | FlowSprite) -> Sequence[PlacedText]:
        return self._texts.get(line.key) or default_texts(line, self._scene.path(line))

    def _line(self, line: LinkSprite) -> None:
        theme = self._theme
        paints: Mapping[str, str] = {"shaped": theme.shaped, "control": theme.control, "down": theme.down}
        self._stroke(
            self._scene.path(line),
            paints.get(line.style, theme.link),
            1.6 if line.style == "control" else 2.0,
            _DASHES.get(line.style),
        )
        for text in self._line_texts(line):
            if text.anchor == ON_LINE:
                self._plate(text, SMALL_SIZE)
            self._text(text, SMALL_SIZE, theme.faint)

    def _flow(self, flow: FlowSprite) -> None:
        path, color = self._scene.path(flow), colors.curve(flow.colour, self._theme)
        # The line ends within the head, or its blunt end would be visible at the tip.
        line = part(path, 0, max(length(path) - 6.0, length(path) / 2))
        self._stroke(line, color, 2.0, _DASHES.get(flow.style))
        self._area(head_of(path), facecolor=color, edgecolor="none")
        for text in self._line_texts(flow):
            self._plate(text, SMALL_SIZE)
            self._text(text, SMALL_SIZE, self._theme.text)

    def _plate(self, text: PlacedText, units: float) -> None:
        """A background behind a text, so that no line runs through it."""
        box = text.box(*size(text.text, units, measure))
        corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
        self._area(corners, facecolor=self._ground_at(box.center), edgecolor="none")

    @staticmethod
    def _name(node: NodeSprite) -> PlacedText:
        return PlacedText(*name_place(node.at, node.side), node.text)

    def _node(self, key: Key, node: NodeSprite) -> None:
        if node.text:
            name = self._name(node)
            self._plate(name, NAME_SIZE)
            self._text(name, NAME_SIZE, self._theme.text)
        paints = icons.paints_of(node.icon, self._theme, node.colour)
        for stroke in icons.strokes(node.icon):
            self._icon_stroke(stroke, node.at, paints[stroke.colour])

    def _ground_at(self, at: Point) -> str:
        """The color behind a text: a name hides the lines behind it, but not the shape."""
        for shape in reversed(self._scene.shapes.values()):  # type: ignore[call-overload]
            if shape.fill and is_on_shape(shape.kind, shape.box, True, at, 0):
                return colors.ground(shape.fill, self._theme)
        return self._theme.canvas

    def _icon_stroke(self, stroke: icons.Stroke, at: Point, color: str) -> None:
        factor = NODE_HALF / icons.HALF
        numbers = [coordinate * factor for coordinate in stroke.at]
        points = [(at[0] + x, at[1] + y) for x, y in zip(numbers[::2], numbers[1::2], strict=False)]
        if stroke.kind == "line":
            self._stroke(points, color, stroke.width * factor)
        elif stroke.kind == "area":
            self._area(points, facecolor=color, edgecolor="none")
        elif stroke.kind == "oval":
            self._icon_oval(Box(*points[0], *points[1]), stroke.width * factor, color)
        else:
            self._rounded(Box(*points[0], *points[1]), numbers[4], color)

    def _icon_oval(self, box: Box, width: float, color: str) -> None:
        if width:
            self._oval(box.grown(-width / 2), facecolor="none", edgecolor=color, linewidth=width * _POINT)
        else:
            self._oval(box, facecolor=color, edgecolor="none")

    # --- marks ---

    def _next(self) -> int:
        self._height += 1
        return self._height

    def _stroke(self, path: Sequence[Point], color: str, width: float, dashes: tuple[float, ...] | None = None) -> None:
        from matplotlib.lines import Line2D

        self._axes.add_artist(
            Line2D(
                [x for x, _ in path], [y for _, y in path], color=color, linewidth=width * _POINT,
                linestyle=(0, dashes) if dashes else "-", solid_capstyle="butt", solid_joinstyle="round",
                zorder=self._next(),
            )
        )  # fmt: skip

    def _area(self, points: Sequence[Point], **style: Any) -> None:
        from matplotlib.patches import Polygon

        self._axes.add_artist(Polygon(list(points), closed=True, zorder=self._next(), **style))

    def _oval(self, box: Box, **style: Any) -> None:
        from matplotlib.patches import Ellipse

        width, height = box.right - box.left, box.bottom - box.top
        self._axes.add_artist(Ellipse(box.center, width, height, zorder=self._next(), **style))

    def _rounded(self, box: Box, radius: float, color: str) -> None:
        from matplotlib.patches import FancyBboxPatch

        width, height = box.right - box.left, box.bottom - box.top
        style = f"round,pad=0,rounding_size={radius}"
        self._axes.add_artist(
            FancyBboxPatch(
                (box.left, box.top), width, height, boxstyle=style, facecolor=color, edgecolor="none",
                zorder=self._next(),
            )
        )  # fmt: skip

    def _text(self, text: PlacedText, units: float, color: str) -> None:
        """Draw each line separately, because matplotlib has another line spacing."""
        box = text.box(*size(text.text, units, measure))
        align = line_alignment(text.anchor)
        for number, line in enumerate(text.text.split("\n")):
            x = {"left": box.left, "right": box.right, "center": box.center[0]}[align]
            y = box.top + (number + 0.5) * units * LINE_STEP
            self._axes.text(
                x, y, _printable(line), fontsize=units * _POINT, color=color, ha=align, va="center_baseline",
                family=_FONTS, parse_math=False, zorder=self._next(), clip_on=False,
            )  # fmt: skip
