"""Signs of a running lab's routing above the drawing: redrawn only where a sign, or the thing it stands at, differs."""

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
from miniedit_frr.canvas.routing_signs import MARK, SIGN_HEIGHT, LinkSigns, PlacedSign, Sign, place_signs

_OVER = 4
#: Where texts would be smaller than this signs are marks alone.
_SMALLEST_TEXT_PX = 7.5


class RoutingLayer:
    """The signs on a canvas.

    Attributes:
        drawn: how many times something was drawn, for tests that nothing is drawn in vain.
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
            before: Mapping[Key, object] = {**self._links, **self._nodes}
            after: Mapping[Key, object] = {**links, **nodes}
            same = {key: pills for key, pills in self._places.items() if before.get(key) == after.get(key)}
            self._links, self._nodes = dict(links), dict(nodes)
            self._settle(same)

    def place_all(self) -> None:
        """Find the places of all signs after the drawing has changed; redraw those that have moved."""
        self._settle({})

    def _settle(self, kept: Mapping[Key, tuple[PlacedSign, ...]]) -> None:
        """Find places for the signs that have not been kept in place."""
        before, view = self._places, self._view
        has_any = self._links or self._nodes
        self._places = place_signs(view.scene, self._links, self._nodes, view.measure, kept) if has_any else {}
        for key in before.keys() | self._places.keys():
            if before.get(key) != self._places.get(key) or key not in view.scene:
                self.follow(key)

    def occupied_boxes(self) -> list[Box]:
        """Where texts of links should not stand: the places of all signs."""
        return [pill.box for pills in self._places.values() for pill in pills]

    def follow(self, key: Key) -> None:
        """Draw the signs of a link or node again, above earlier items."""
        self._forget(key)
        pills = self._places.get(key, ())
        if pills and key not in self._hidden and key in self._view.scene:
            self.draw_count += 1
            self._items[key] = items = [item for pill in pills for item in self._draw(pill)]
            self._owner |= dict.fromkeys(items, key)

    def at(self, keys: Collection[Key]) -> Collection[Key]:
        """Those of some things that have signs."""
        return [key for key in keys if key in self._places] if self._places else ()

    def redraw_all(self) -> None:
        """Draw everything again, in another size or other colours."""
        self._images.clear()
        for key in self._places:
            self.follow(key)

    def hide(self, keys: Iterable[Key]) -> None:
        """Take signs away while the things they stand at are moved."""
        self._hidden |= {key for key in keys if key in self._items}
        for key in self._hidden:
            self._forget(key)

    def unhide(self) -> None:
        """Show them again."""
        hidden, self._hidden = self._hidden, set()
        for key in hidden:
            self.follow(key)

    def key_of_item(self, item: int) -> Key | None:
        """The key of the thing that a sign stands at."""
        return self._owner.get(item)

    def key_at(self, at: Point) -> Key | None:
        """The key of the thing that the sign under a point stands at."""
        return next((key for key, pills in self._places.items() if any(pill.box.contains(at) for pill in pills)), None)

    def placed_signs(self, key: Key) -> tuple[PlacedSign, ...]:
        """The signs at something, where they are."""
        return self._places.get(key, ())

    # --- how ---

    def _forget(self, key: Key) -> None:
        items = self._items.pop(key, ())
        if items:
            self._view.delete(*items)
            for item in items:
                self._owner.pop(item, None)

    def _draw(self, pill: PlacedSign) -> Iterable[int]:
        view = self._view
        has_text = bool(pill.text) and SMALL_SIZE * view.factor >= _SMALLEST_TEXT_PX
        units = pill.width if has_text else SIGN_HEIGHT
        x, y = view.pixel_of(pill.at if has_text else pill.mark_at or pill.at)
        image = self._image(units, pill.grade)
        ground = view.create_image(x, y, image=image, tags="routing")
        view.lower_below_icons(ground)
        yield ground
        if has_text:
            left = x + (MARK - pill.width / 2) * view.factor
            colour = text_color(pill.grade, view.theme)
            text = view.create_text(
                left, y, text=pill.text, anchor="w", font=view.small_font, fill=colour, tags="routing"
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
    """The colour of a grade."""
    return {"up": theme.up, "coming": theme.starting, "down": theme.error}[grade]


def text_color(grade: str, theme: Theme) -> str:
    """The colour of a sign's text: a sign for "down" has a strong background."""
    return theme.canvas if grade == "down" else theme.text


@lru_cache(maxsize=256)
def sign_background(width: int, height: int, grade: str, theme_name: str) -> Image.Image:
    """The background of a sign with its mark: a tick in a faint one, a clock in an open one, a cross in a full one."""
    theme = THEMES[theme_name]
    colour, edge = grade_color(grade, theme), _OVER * max(1.0, height / 13)
    w, h = width * _OVER, height * _OVER
    picture = Image.new("RGBA", (w, h), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    fill = colour if grade == "down" else theme.card
    pen.rounded_rectangle((0, 0, w - 1, h - 1), h / 2, fill=fill, outline=colour, width=round(edge))
    _mark(pen, h / 2, h / 2, h * 0.27, grade, theme.canvas if grade == "down" else colour)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _mark(pen: ImageDraw.ImageDraw, x: float, y: float, r: float, grade: str, colour: str) -> None:
    line = max(1, round(r * 0.5))
    if grade == "up":
        pen.line((x - r, y, x - r * 0.25, y + r * 0.8, x + r, y - r * 0.75), fill=colour, width=line, joint="curve")
    elif grade == "coming":
        pen.line((x, y - r, x, y + r * 0.15, x + r * 0.75, y + r * 0.6), fill=colour, width=line, joint="curve")
    else:
        pen.line((x - r * 0.8, y - r * 0.8, x + r * 0.8, y + r * 0.8), fill=colour, width=line)
        pen.line((x - r * 0.8, y + r * 0.8, x + r * 0.8, y - r * 0.8), fill=colour, width=line)
