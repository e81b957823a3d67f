"""Steps of a random user. A step is a list of words for xdotool, so that a list of steps can be played again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

#: One step: its purpose in a word, and the words for xdotool.
Step = tuple[str, list[str]]
Place = tuple[int, int]

TOOL_KEYS = ("v", "h", "s", "b", "r", "o", "p", "l", "f", "c", "t", "n")
#: Keys of the menus, without those that close the window.
MENU_KEYS = (
    "ctrl+z", "ctrl+shift+z", "ctrl+y", "ctrl+x", "ctrl+c", "ctrl+v", "ctrl+d", "ctrl+a", "ctrl+f", "ctrl+l", "ctrl+g",
    "ctrl+0", "ctrl+9", "ctrl+plus", "ctrl+minus", "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "ctrl+n", "ctrl+o", "ctrl+s",
    "ctrl+k", "ctrl+p", "ctrl+shift+r", "F1", "F2", "F4", "F5", "F6", "F7", "F8", "F9", "shift+F5", "shift+F8",
    "alt+F5", "alt+Return", "Delete", "BackSpace",
)  # fmt: skip
#: Keys inside of dialogs and menus.
INNER_KEYS = (
    "Tab", "Tab", "Tab", "shift+Tab", "space", "Return", "Escape", "Down", "Up", "Left", "Right", "Home", "End",
    "Prior", "Next", "ctrl+Return", "ctrl+Tab", "Delete", "BackSpace",
)  # fmt: skip
#: The first steps only draw, so that later ones have something to work on.
_DRAWS_FIRST = 40
MENUS = ("alt+f", "alt+e", "alt+v", "alt+a", "alt+o", "alt+r", "alt+h")
TEXTS = (
    "10", "0", "-1", "1.5 gbit", "20ms", "1e9", "0.5", "r1", "h1", "h1", "10.0.0.1/24", "10.1.0.0/16", "fd00::1/64",
    "65001", "x" * 40, "cubic", "bbr", "é ü", "a b", "#note", "100%", "none", "",
)  # fmt: skip


@dataclass(frozen=True)
class Sight:
    """The parts of the screen that a user aims at, in pixels of the screen.

    Attributes:
        canvas: left, top, width and height of the drawing.
        things: the places of nodes, links, flows and annotations that are in sight.
        windows: left, top, width and height of each open window besides the main one.
        main: left, top, width and height of the main window.
        has_menu: whether a menu is open.
    """

    canvas: tuple[int, int, int, int]
    things: Sequence[Place] = ()
    windows: Sequence[tuple[int, int, int, int]] = ()
    main: tuple[int, int, int, int] = (0, 0, 1, 1)
    has_menu: bool = False


@dataclass
class StepMaker:
    """Makes the next step from what the user sees.

    Args:
        chance: the source of all choices.
    """

    chance: random.Random
    _plans: dict[str, tuple[float, Callable[[Sight], Step]]] = field(init=False)
    _count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._plans = {
            "tool": (3, self._tool), "click": (4, self._click), "drag": (5, self._drag), "double": (1, self._double),
            "context": (1.5, self._context), "menu key": (3, self._menu_key), "menu": (1, self._menu),
            "resize": (0.3, self._resize), "wheel": (0.5, self._wheel), "anywhere": (1, self._anywhere),
        }  # fmt: skip

    def next(self, sight: Sight) -> Step:
        """The next step."""
        self._count += 1
        if self._count <= _DRAWS_FIRST:
            return self.chance.choice((self._tool, self._drag, self._click))(sight)
        if sight.has_menu and self.chance.random() < 0.9:
            return self._in_menu(sight)
        if sight.windows and self.chance.random() < 0.6:
            return self._in_window(sight)
        names = list(self._plans)
        (name,) = self.chance.choices(names, [self._plans[name][0] for name in names])
        return self._plans[name][1](sight)

    # --- places ---

    def _spot(self, sight: Sight) -> Place:
        """A place on the drawing: often a thing, or close to one."""
        left, top, width, height = sight.canvas
        if sight.things and self.chance.random() < 0.7:
            x, y = self.chance.choice(sight.things)
            near = self.chance.choice((0, 0, 0, 12, 40))
            return x + self.chance.randint(-near, near), y + self.chance.randint(-near, near)
        return left + self.chance.randrange(max(1, width)), top + self.chance.randrange(max(1, height))

    def _inside(self, box: tuple[int, int, int, int]) -> Place:
        left, top, width, height = box
        return left + self.chance.randrange(max(1, width)), top + self.chance.randrange(max(1, height))

    # --- steps ---

    def _tool(self, sight: Sight) -> Step:
        return "tool", [*_move(self._spot(sight)), "key", self.chance.choice(TOOL_KEYS)]

    def _click(self, sight: Sight) -> Step:
        click = ["click", "1"]
        if self.chance.random() < 0.2:
            modifier = self.chance.choice(("ctrl", "shift"))
            click = ["keydown", modifier, *click, "keyup", modifier]
        return "click", [*_move(self._spot(sight)), *click]

    def _double(self, sight: Sight) -> Step:
        return "double", [*_move(self._spot(sight)), "click", "--repeat", "2", "--delay", "40", "1"]

    def _drag(self, sight: Sight) -> Step:
        start, end = self._spot(sight), self._spot(sight)
        middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
        escape = ["key", "Escape"] if self.chance.random() < 0.05 else []
        return "drag", [*_move(start), "mousedown", "1", *_move(middle), *_move(end), *escape, "mouseup", "1"]

    def _context(self, sight: Sight) -> Step:
        return "context", [*_move(self._spot(sight)), "click", "3"]

    def _menu_key(self, sight: Sight) -> Step:
        return "menu key", ["key", self.chance.choice(MENU_KEYS)]

    def _menu(self, sight: Sight) -> Step:
        return "menu", ["key", self.chance.choice(MENUS)]

    def _resize(self, sight: Sight) -> Step:
        width, height = self.chance.randint(600, 1280), self.chance.randint(420, 800)
        return "resize", ["search", "--name", "MiniEdit-FRR$", "windowsize", str(width), str(height)]

    def _wheel(self, sight: Sight) -> Step:
        button = self.chance.choice(("4", "5"))
        modifier = self.chance.choice(([], ["ctrl"], ["shift"]))
        down, up = (
            [word for name in modifier for word in ("keydown", name)],
            [word for name in modifier for word in ("keyup", name)],
        )
        return "wheel", [*_move(self._spot(sight)), *down, "click", "--repeat", "3", button, *up]

    def _anywhere(self, sight: Sight) -> Step:
        return "anywhere", [*_move(self._inside(sight.main)), "click", "1"]

    def _in_menu(self, sight: Sight) -> Step:
        if self.chance.random() < 0.15:
            return "leave menu", ["key", "Escape", "key", "Escape"]
        downs = [word for _ in range(self.chance.randint(1, 9)) for word in ("key", "Down")]
        return "choose", [*downs, "key", self.chance.choice(("Return", "Return", "Return", "Right", "Escape"))]

    def _in_window(self, sight: Sight) -> Step:
        kind = self.chance.random()
        if kind < 0.25:
            return "key", ["key", self.chance.choice(INNER_KEYS)]
        if kind < 0.45:
            text = self.chance.choice(TEXTS)
            return "type", ["key", "ctrl+a", "type", "--delay", "1", "--", text] if text else [
                "key",
                "ctrl+a",
                "key",
                "Delete",
            ]
        if kind < 0.75:
            return "click in window", [*_move(self._inside(self.chance.choice(sight.windows))), "click", "1"]
        return "close window", ["key", "Escape"]


def _move(place: Place) -> list[str]:
    return ["mousemove", str(max(0, place[0])), str(max(0, place[1]))]
