"""A topology as a small image, without a window."""

from __future__ import annotations

from PIL import Image, ImageDraw

from frrlib.model.topology import Topology
from frrlib.picture import icons
from frrlib.picture.colors import ground, strong
from frrlib.picture.geometry import NODE_HALF, Point
from frrlib.picture.scene import scene_of
from frrlib.picture.theme import Theme

_OVER = 3


def picture(topology: Topology, width_px: int, height_px: int, theme: Theme) -> Image.Image:
    """The topology without texts, fitted into an image with a card's background."""
    scene = scene_of(topology)
    image = Image.new("RGB", (width_px * _OVER, height_px * _OVER), theme.card)
    box = scene.bounds()
    if box is None:
        return image.resize((width_px, height_px))
    factor = min(image.width / (box.right - box.left), image.height / (box.bottom - box.top), 1.2 * _OVER)
    middle_x, middle_y = box.center

    def px(at: Point) -> Point:
        return (at[0] - middle_x) * factor + image.width / 2, (at[1] - middle_y) * factor + image.height / 2

    pen = ImageDraw.Draw(image)
    for shape in scene.shapes.values():
        if shape.kind == "note":  # without its text it would be an empty box
            continue
        paint = pen.ellipse if shape.kind == "ellipse" else pen.rectangle
        corners = [px((shape.box.left, shape.box.top)), px((shape.box.right, shape.box.bottom))]
        paint(corners, ground(shape.fill, theme) or None, strong(shape.line, theme) or None, _OVER)
    colors = {"shaped": theme.shaped, "control": theme.control, "down": theme.down}
    for line in scene.lines.values():
        color = colors.get(line.style, theme.link)
        pen.line([px(at) for at in scene.path(line)], fill=color, width=max(_OVER, round(2.2 * factor)))
    size = max(6 * _OVER, round(2.3 * NODE_HALF * factor))
    for node in scene.nodes.values():
        icon = icons.image(node.icon, size, theme.name, node.colour)
        x, y = px(node.at)
        image.paste(icon, (round(x - size / 2), round(y - size / 2)), icon)
    return image.resize((width_px, height_px), Image.Resampling.LANCZOS)
