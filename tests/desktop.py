"""A screen of its own and a pair of hands: pointer and keys go through the X server, as a person's do.

The screen is always a private Xvfb, for on somebody's real screen the hands would work whatever is there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests import screens
from tests.waiting import pause, wait_for

#: How often in a row, 20 ms apart, all threads must sleep until a program counts as idle; a button that is pressed by a
#: key sleeps for 100 ms before it acts.
_LOOKS, _LOOKS_AT_BUTTON = 4, 12


def rest(process: subprocess.Popen[bytes], is_at_button: bool = True) -> None:
    """Wait until a program with a window has handled all its events.

    Its threads then wait for events. However busy the machine, a thread that has something to do does not sleep, but it
    may have Python's lock, for which the main thread sleeps.

    Args:
        process: the program.
        is_at_button: whether a button may have been pressed by a key last.
    """
    still, tasks = 0, Path(f"/proc/{process.pid}/task")
    while still < (_LOOKS_AT_BUTTON if is_at_button else _LOOKS):
        still = still + 1 if {_state(task) for task in tasks.iterdir()} <= {"S", ""} else 0
        pause(0.02)


def _state(task: Path) -> str:
    """The letter of proc(5) for a thread's state; empty where it has ended."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@dataclass(frozen=True)
class Window:
    """A window on the screen: its number, and its place in pixels."""

    number: int
    x: int
    y: int
    width: int
    height: int


class Desktop:
    """Hands on a display; places are pixels of the screen."""

    def __init__(self, display: str) -> None:
        self.display = display
        self.env = {**os.environ, "DISPLAY": display}

    def do(self, *words: object) -> str:
        """Run an xdotool command; returns its output, empty where it finds nothing."""
        argv = ["xdotool", *map(str, words)]
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=30, check=False).stdout

    def keys_and_texts(self, *words: str) -> None:
        """Press keys and type texts in one go; a word that begins with = is a text."""
        chain: list[object] = []
        for word in words:
            if word.startswith("="):
                chain += ["type", "--delay", 4, "--clearmodifiers", "--args", 1, word[1:]]
            else:
                chain += ["key", "--delay", 2, "--clearmodifiers", word]
        self.do(*chain)

    def keys(self, *names: str) -> None:
        """Press keys one after the other ("ctrl+shift+z", "Return")."""
        self.do("key", "--delay", 2, "--clearmodifiers", *names)

    def type(self, text: str) -> None:
        """Type a text."""
        self.do("type", "--delay", 4, "--clearmodifiers", text)

    def point(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.do("mousemove", round(x), round(y))

    def click(self, x: float, y: float, button: int = 1, times: int = 1) -> None:
        """Click at a place."""
        self.do("mousemove", round(x), round(y), "click", "--repeat", times, "--delay", 40, button)

    def drag(self, *places: tuple[float, float]) -> None:
        """Press at the first place, go along the others, release at the last."""
        words: list[object] = ["mousemove", *map(round, places[0]), "mousedown", 1]
        for before, after in pairwise(places):
            for part in (0.3, 0.7, 1.0):
                at = (round(a + (b - a) * part) for a, b in zip(before, after, strict=True))
                words += ["mousemove", *at, "sleep", "0.01"]
        self.do(*words, "mouseup", 1)

    def find(self, title: str) -> Window | None:
        """The visible window whose title matches a regular expression; the newest of several."""
        for number in reversed(self.do("search", "--onlyvisible", "--name", title).split()):
            output = self.do("getwindowgeometry", "--shell", number)
            geometry = {key: int(value) for key, value in re.findall(r"^([A-Z]+)=(-?\d+)$", output, re.M)}
            if "WIDTH" in geometry:
                return Window(int(number), geometry["X"], geometry["Y"], geometry["WIDTH"], geometry["HEIGHT"])
        return None

    def window(self, title: str) -> Window:
        """The window of such a title, as soon as there is one."""
        return wait_for(lambda: self.find(title), f"a window called {title!r}")

    def window_with_keyboard(self, title: str) -> Window:
        """The window of such a title, as soon as the window manager has given it the keyboard."""

        def find() -> Window | None:
            window = self.find(title)
            is_in_front = window is not None and self.do("getwindowfocus").strip() == str(window.number)
            return window if is_in_front else None

        return wait_for(find, f"a window called {title!r} with the keyboard")

    def gone(self, title: str) -> None:
        """Wait until no window has such a title."""
        wait_for(lambda: self.find(title) is None, f"the end of the window {title!r}")

    def picture(self, path: os.PathLike[str] | str) -> None:
        """Keep a picture of the screen, to find the cause of a failure."""
        from PIL import ImageGrab

        ImageGrab.grab(xdisplay=self.display).save(path)


@contextmanager
def desktop(width: int = 1400, height: int = 900) -> Iterator[Desktop]:
    """A private screen; skips where something for it is missing."""
    if lacks := screens.missing() or ("" if shutil.which("xdotool") else "xdotool"):
        pytest.skip(f"needs {lacks}")
    with screens.screen(width, height) as name:
        yield Desktop(name)
