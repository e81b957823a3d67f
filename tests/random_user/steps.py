"""Steps of a random user. A step is a list of words for xdotool, so that a list of steps can be played again."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

#: One step: its purpose in a word, and the words for xdotool.
Step = tuple[str, list[str]]
Place = tuple[int, int]

TOOL_KEYS = ("v", "h", "s", "b", "r", "o", "p", "l", "f", "c", "t", "n")
#: Keys of the menus with their weights, without those that close the window. Keys that end the history of the drawing,
#: or undo it, are rare, so that a session has many edits.
MENU_KEYS: dict[str, float] = {
    "ctrl+n": 0.05, "ctrl+o": 0.1, "ctrl+z": 0.6, "ctrl+shift+z": 0.4, "ctrl+y": 0.3, "ctrl+x": 0.4, "Delete": 0.6,
    "BackSpace": 0.3,
    **dict.fromkeys((
        "ctrl+c", "ctrl+v", "ctrl+d", "ctrl+a", "ctrl+f", "ctrl+l", "ctrl+g", "ctrl+t", "ctrl+0", "ctrl+9", "ctrl+plus",
        "ctrl+minus", "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "ctrl+5", "ctrl+6", "ctrl+7", "ctrl+8", "ctrl+s",
        "ctrl+shift+s", "ctrl+comma", "ctrl+k", "ctrl+p", "ctrl+shift+r", "F1", "F2", "F4", "F5", "ctrl+F5", "F6", "F7",
        "F8", "F9", "shift+F5", "shift+F8", "shift+F10", "alt+F5", "alt+Return", "ctrl+Left", "ctrl+Right", "ctrl+Up",
        "ctrl+Down", "Left", "Right", "Up", "Down",
    ), 1.0),
}  # fmt: skip
#: Keys inside of dialogs and menus.
INNER_KEYS = (
    "Tab", "Tab", "Tab", "shift+Tab", "space", "Return", "Escape", "Down", "Up", "Left", "Right", "Home", "End",
    "Prior", "Next", "ctrl+Return", "ctrl+Tab", "Delete", "BackSpace",
)  # fmt: skip
#: The first steps only draw, so that later ones have something to work on.
_DRAWS_FIRST = 40
#: Keys of the menu bar with their weights. The menu File begins with New.
MENUS: dict[str, float] = {
    "alt+f": 0.2, "alt+e": 1.0, "alt+v": 0.7, "alt+a": 1.0, "alt+o": 1.0, "alt+r": 1.0, "alt+h": 0.3,
}  # fmt: skip
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
        screen: width and height of the screen.
    """

    canvas: tuple[int, int, int, int]
    things: Sequence[Place] = ()
    windows: Sequence[tuple[int, int, int, int]] = ()
    main: tuple[int, int, int, int] = (0, 0, 1, 1)
    has_menu: bool = False
    screen: tuple[int, int] = (1280, 800)


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
            "tool": (2, self._tool), "draw": (5, self._draw), "click": (3, self._click), "drag": (4, self._drag),
            "double": (1.5, self._double),
            "context": (1.5, self._context), "menu key": (3, self._menu_key), "menu": (1, self._menu),
            "resize": (0.3, self._resize), "wheel": (0.5, self._wheel), "anywhere": (1, self._anywhere),
        }  # fmt: skip

    def next(self, sight: Sight) -> Step:
        """The next step."""
        self._count += 1
        if self._count <= _DRAWS_FIRST:
            return self.chance.choice((self._draw, self._draw, self._drag, self._click))(sight)
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

    def _draw(self, sight: Sight) -> Step:
        """Choose a tool and use it at once: at a place, or from one place to another."""
        tool = self.chance.choice(TOOL_KEYS[2:])
        start, end = self._spot(sight), self._spot(sight)
        use = ["click", "1"] if self.chance.random() < 0.5 else ["mousedown", "1", *_move(end), "mouseup", "1"]
        return "draw", ["key", tool, *_move(start), *use]

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
        return "menu key", ["key", self._weighted(MENU_KEYS)]

    def _menu(self, sight: Sight) -> Step:
        return "menu", ["key", self._weighted(MENUS)]

    def _weighted(self, weights: Mapping[str, float]) -> str:
        (name,) = self.chance.choices([*weights], [*weights.values()])
        return name

    def _resize(self, sight: Sight) -> Step:
        width, height = (
            self.chance.randint(least, max(least, most)) for least, most in zip((600, 420), sight.screen, strict=True)
        )
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
        if kind < 0.5:
            text = self.chance.choice(TEXTS)
            typed = ["type", "--delay", "1", "--", text] if text else ["key", "Delete"]
            return "type", ["key", "ctrl+a", *typed]
        if kind < 0.8:
            return "click in window", [*_move(self._inside(self.chance.choice(sight.windows))), "click", "1"]
        return "close window", ["key", self.chance.choice(("ctrl+Return", "Return", "Escape", "Escape"))]


def _move(place: Place) -> list[str]:
    return ["mousemove", str(max(0, place[0])), str(max(0, place[1]))]
