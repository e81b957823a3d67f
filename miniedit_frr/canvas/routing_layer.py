"""Signs of a running lab's routing, above the drawing.

A sign is redrawn only if it, or the thing at which it stands, has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from PIL import Image, ImageDraw, ImageTk

from frrlib.picture.geometry import Box, Point
from frrlib.picture.icons import cut_out
from frrlib.picture.scene import Key
from frrlib.picture.text_sizes import SMALL_SIZE
from frrlib.picture.theme import THEMES, Theme
from miniedit_frr.canvas.painter import Painter
from miniedit_frr.canvas.routing_signs import MARK_WIDTH, SIGN_HEIGHT, LinkSigns, PlacedSign, Sign, place_signs

_OVERSAMPLING = 4
#: If texts would be smaller than this, signs consist of a mark only.
_SMALLEST_TEXT_PX = 7.5


class RoutingLayer:
    """The signs on a canvas.

    Attributes:
        draw_count: the number of drawings of signs so far, for tests that nothing is drawn needlessly.
    """

    def __init__(self, view: Painter) -> None:
        self._view = view
        self._links: Mapping[Key, LinkSigns] = {}
        self._nodes: Mapping[Key, tuple[Sign, ...]] = {}
        self._places: Mapping[Key, tuple[PlacedSign, ...]] = {}
        self._items: dict[Key, list[int]] = {}
        self._owner: dict[int, Key] = {}
        self._images: dict[tuple[int, int, str], ImageTk.PhotoImage] = {}
        self._hidden: set[Key] = set()
        self.draw_count = 0
        view.on_zoom.append(self.redraw_all)

    def show(self, links: Mapping[Key, LinkSigns], nodes: Mapping[Key, tuple[Sign, ...]]) -> None:
        """Show these signs and no others."""
        if (links, nodes) != (self._links, self._nodes):
            old_signs: Mapping[Key, object] = {**self._links, **self._nodes}
            new_signs: Mapping[Key, object] = {**links, **nodes}
            unchanged = {key: signs for key, signs in self._places.items() if old_signs.get(key) == new_signs.get(key)}
            self._links, self._nodes = dict(links), dict(nodes)
            self._place_signs(unchanged)

    def place_all(self) -> None:
        """Place all signs anew after the scene has changed; redraw those that have moved."""
        self._place_signs({})

    def _place_signs(self, fixed: Mapping[Key, tuple[PlacedSign, ...]]) -> None:
        """Place all signs except the fixed ones."""
        previous, view = self._places, self._view
        has_any = self._links or self._nodes
        self._places = place_signs(view.scene, self._links, self._nodes, view.measure, fixed) if has_any else {}
        for key in previous.keys() | self._places.keys():
            if previous.get(key) != self._places.get(key) or key not in view.scene:
                self.redraw(key)

    def occupied_boxes(self) -> list[Box]:
        """The boxes of all signs, which texts of links should avoid."""
        return [sign.box for signs in self._places.values() for sign in signs]

    def redraw(self, key: Key) -> None:
        """Draw the signs of a link or node again, above earlier items."""
        self._forget(key)
        signs = self._places.get(key, ())
        if signs and key not in self._hidden and key in self._view.scene:
            self.draw_count += 1
            self._items[key] = items = [item for sign in signs for item in self._draw(sign)]
            self._owner |= dict.fromkeys(items, key)

    def shown_keys(self, keys: Collection[Key]) -> Collection[Key]:
        """The keys of things that have signs, of the given ones."""
        return [key for key in keys if key in self._places] if self._places else ()

    def redraw_all(self) -> None:
        """Draw all signs again, in another size or other colors."""
        self._images.clear()
        for key in self._places:
            self.redraw(key)

    def hide(self, keys: Iterable[Key]) -> None:
        """Hide signs while the things at which they stand are moved."""
        self._hidden |= {key for key in keys if key in self._items}
        for key in self._hidden:
            self._forget(key)

    def unhide(self) -> None:
        """Show the hidden signs again."""
        hidden, self._hidden = self._hidden, set()
        for key in hidden:
            self.redraw(key)

    def key_of_item(self, item: int) -> Key | None:
        """The key of the thing at which a sign stands."""
        return self._owner.get(item)

    def key_at(self, at: Point) -> Key | None:
        """The key of the thing whose sign is under a point."""
        return next((key for key, signs in self._places.items() if any(sign.box.contains(at) for sign in signs)), None)

    def placed_signs(self, key: Key) -> tuple[PlacedSign, ...]:
        """The signs at a thing, with their places."""
        return self._places.get(key, ())

    # --- items ---

    def _forget(self, key: Key) -> None:
        items = self._items.pop(key, ())
        if items:
            self._view.delete(*items)
            for item in items:
                self._owner.pop(item, None)

    def _draw(self, sign: PlacedSign) -> Iterable[int]:
        view = self._view
        has_text = bool(sign.text) and SMALL_SIZE * view.factor >= _SMALLEST_TEXT_PX
        units = sign.width if has_text else SIGN_HEIGHT
        x, y = view.pixel_of(sign.at if has_text else sign.mark_at or sign.at)
        image = self._image(units, sign.grade)
        background = view.create_image(x, y, image=image, tags="routing")
        view.lower_below_icons(background)
        yield background
        if has_text:
            text_x = x + (MARK_WIDTH - sign.width / 2) * view.factor
            color = text_color(sign.grade, view.theme)
            text = view.create_text(
                text_x, y, text=sign.text, anchor="w", font=view.small_font, fill=color, tags="routing"
            )
            view.lower_below_icons(text)
            yield text

    def _image(self, units: float, grade: str) -> ImageTk.PhotoImage:
        factor = self._view.factor
        key = max(4, round(units * factor)), max(4, round(SIGN_HEIGHT * factor)), grade
        if key not in self._images:
            picture = cut_out(sign_background(*key, self._view.theme.name), self._view.theme.canvas)
            self._images[key] = ImageTk.PhotoImage(picture, master=self._view)
        return self._images[key]


def grade_color(grade: str, theme: Theme) -> str:
    """The color of a grade."""
    return {"up": theme.up, "coming": theme.starting, "down": theme.error}[grade]


def text_color(grade: str, theme: Theme) -> str:
    """The color of a sign's text; a sign for "down" has a strong background."""
    return theme.canvas if grade == "down" else theme.text


@lru_cache(maxsize=256)
def sign_background(width: int, height: int, grade: str, theme_name: str) -> Image.Image:
    """The background of a sign, with its mark: a tick for "up", a clock for "coming", a cross for "down"."""
    theme = THEMES[theme_name]
    color, edge = grade_color(grade, theme), _OVERSAMPLING * max(1.0, height / 13)
    w, h = width * _OVERSAMPLING, height * _OVERSAMPLING
    picture = Image.new("RGBA", (w, h), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    fill = color if grade == "down" else theme.card
    draw.rounded_rectangle((0, 0, w - 1, h - 1), h / 2, fill=fill, outline=color, width=round(edge))
    _draw_mark(draw, h / 2, h / 2, h * 0.27, grade, theme.canvas if grade == "down" else color)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _draw_mark(draw: ImageDraw.ImageDraw, x: float, y: float, r: float, grade: str, color: str) -> None:
    line = max(1, round(r * 0.5))
    if grade == "up":
        draw.line((x - r, y, x - r * 0.25, y + r * 0.8, x + r, y - r * 0.75), fill=color, width=line, joint="curve")
    elif grade == "coming":
        draw.line((x, y - r, x, y + r * 0.15, x + r * 0.75, y + r * 0.6), fill=color, width=line, joint="curve")
    else:
        draw.line((x - r * 0.8, y - r * 0.8, x + r * 0.8, y + r * 0.8), fill=color, width=line)
        draw.line((x - r * 0.8, y + r * 0.8, x + r * 0.8, y - r * 0.8), fill=color, width=line)
