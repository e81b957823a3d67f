"""The first time: `docs/first-time.md`, read as a script and walked by pointer and keys at a window with a real lab.

A step's **bold** words must be on the screen: those before its arrow when the step begins or where it clicks, those
after it when it is done. The test reads the screen from Tk, widget by widget, without the editor's help.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

from frrlib.formats import mn
from frrlib.picture.scene import Key
from frrlib.results.read import open_results
from miniedit_frr.document.document import Document
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from tests.desktop import Desktop
from tests.screens import missing
from tests.waiting import PATIENCE_S, wait_for
from tests.window.hands_on_window import editor_on

T = TypeVar("T")
pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(400)]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "first-time.md"
_BOLD = re.compile(r"\*\*(.+?)\*\*")
#: The actions of a step, in the words of the page.
_DEEDS = re.compile(
    r"[Cc]lick below \*\*(?P<below>.+?)\*\*|[Cc]lick \*\*(?P<click>.+?)\*\*"
    r"|Drag from \*\*(?P<source>.+?)\*\* to \*\*(?P<target>.+?)\*\*"
    r"|Type `(?P<text>.+?)` and press `(?P<key>.+?)`"
)
#: How far below a node another one is put, in units of the canvas.
_BELOW = 110


class Step(NamedTuple):
    """One numbered step: the words on screen at first, the actions, the words on screen then."""

    number: int
    first: tuple[str, ...]
    deeds: tuple[re.Match[str], ...]
    then: tuple[str, ...]


def steps_of(page: str) -> list[Step]:
    """The numbered steps of a page, in its order."""
    steps = []
    for number, text in re.findall(r"^(\d+)\. (.+?)(?=\n\n|\n\d+\. |\Z)", page, re.M | re.S):
        actions, arrow, results = " ".join(text.split()).partition("→")
        assert arrow, f"step {number} does not say what comes of it"
        steps.append(
            Step(
                int(number),
                tuple(_BOLD.findall(_DEEDS.sub("", actions))),
                tuple(_DEEDS.finditer(actions)),
                tuple(_BOLD.findall(results)),
            )
        )
    return steps


@dataclass(frozen=True)
class TextOnScreen:
    """A text on the screen, its widget, and the middle of the text in pixels of the screen."""

    text: str
    widget: str
    x: int
    y: int


class Screen:
    """The visible content of a program's windows, read from Tk."""

    def __init__(self, window: Any) -> None:
        self._call: Callable[..., Any] = window.tk.call
        self._split = window.tk.splitlist
        self._ways = {
            "Canvas": self._canvas, "Menu": self._menu, "TNotebook": self._tabs, "Treeview": self._rows,
            "Text": self._lines,
        }  # fmt: skip

    def texts(self) -> Iterator[TextOnScreen]:
        """All texts, those of the windows in front first."""
        tops = [widget for widget in self._below(".") if self._is_window(widget) and self._int("viewable", widget)]
        order = list(self._split(self._call("wm", "stackorder", ".")))
        rank = {name: index for index, name in enumerate(order)}
        for top in sorted(tops, key=lambda top: rank.get(top, len(order)), reverse=True):
            for widget in self._below(top, across=False):
                yield from self._of(widget)

    # --- widgets ---

    def _is_window(self, widget: str) -> bool:
        return str(self._call("winfo", "toplevel", widget)) == widget

    def _below(self, top: str, across: bool = True) -> Iterator[str]:
        yield top
        for child in map(str, self._split(self._call("winfo", "children", top))):
            if across or not self._is_window(child):
                yield from self._below(child, across)

    def _int(self, property_name: str, widget: str) -> int:
        return int(self._call("winfo", property_name, widget))

    def _of(self, widget: str) -> Iterator[TextOnScreen]:
        if not self._int("viewable", widget):
            return
        plain = self._title if self._is_window(widget) else self._plain
        find_texts = self._ways.get(str(self._call("winfo", "class", widget)), plain)
        for text, x, y in find_texts(widget):
            seen = TextOnScreen(
                " ".join(text.split()), widget, self._int("rootx", widget) + x, self._int("rooty", widget) + y
            )
            if seen.text and self._is_on_top(seen):
                yield seen

    def _is_on_top(self, seen: TextOnScreen) -> bool:
        """Whether no other window or widget is over the text, and no edge cuts it off."""
        if self._is_window(seen.widget) and str(self._call("winfo", "class", seen.widget)) != "Menu":
            return True  # a title, which is on the frame
        return str(self._call("winfo", "containing", seen.x, seen.y)) == seen.widget

    # --- what they say: a text, and its middle within the widget ---

    def _plain(self, widget: str) -> Iterator[tuple[str, int, int]]:
        middle = self._int("width", widget) // 2, self._int("height", widget) // 2
        options = {str(self._split(option)[0]) for option in self._split(self._call(widget, "configure"))}
        if "-text" in options:
            yield str(self._call(widget, "cget", "-text")), *middle
        elif str(self._call("winfo", "class", widget)) in ("TEntry", "Entry", "TCombobox", "TSpinbox", "Spinbox"):
            yield str(self._call(widget, "get")), *middle

    def _title(self, widget: str) -> Iterator[tuple[str, int, int]]:
        yield str(self._call("wm", "title", widget)), 0, 0

    def _canvas(self, widget: str) -> Iterator[tuple[str, int, int]]:
        left, top = float(self._call(widget, "canvasx", 0)), float(self._call(widget, "canvasy", 0))
        for item in self._split(self._call(widget, "find", "all")):
            is_text = str(self._call(widget, "type", item)) == "text"
            if is_text and str(self._call(widget, "itemcget", item, "-state")) != "hidden":
                box = [float(edge) for edge in self._split(self._call(widget, "bbox", item))]
                if box:
                    middle = (box[0] + box[2]) / 2 - left, (box[1] + box[3]) / 2 - top
                    yield str(self._call(widget, "itemcget", item, "-text")), *map(round, middle)

    def _menu(self, widget: str) -> Iterator[tuple[str, int, int]]:
        last = self._call(widget, "index", "end")
        if str(last) in ("none", ""):
            return
        is_bar = str(self._call(widget, "cget", "-type")) == "menubar"
        for index in range(int(last) + 1):
            if str(self._call(widget, "type", index)) != "separator":
                x, y = (int(self._call(widget, f"{axis}position", index)) for axis in "xy")
                yield str(self._call(widget, "entrycget", index, "-label")), x + 12, y + (8 if is_bar else 10)

    def _tabs(self, widget: str) -> Iterator[tuple[str, int, int]]:
        middles: dict[str, list[int]] = {}
        for x in range(0, self._int("width", widget), 4):
            middles.setdefault(str(self._call(widget, "index", f"@{x},12")), []).append(x)
        for index, tab in enumerate(self._split(self._call(widget, "tabs"))):
            if places := middles.get(str(index)):
                yield str(self._call(widget, "tab", tab, "-text")), sum(places) // len(places), 12

    def _rows(self, widget: str) -> Iterator[tuple[str, int, int]]:
        for item in self._split(self._call(widget, "children", "")):
            if box := self._split(self._call(widget, "bbox", item)):
                x, y, width, height = map(int, box)
                for value in self._split(self._call(widget, "item", item, "-values")):
                    yield str(value), x + width // 2, y + height // 2

    def _lines(self, widget: str) -> Iterator[tuple[str, int, int]]:
        wide, high = self._int("width", widget), self._int("height", widget)
        yield str(self._call(widget, "get", "@0,0", f"@{wide},{high}")), wide // 2, high // 2


class Reader:
    """A reader who follows the page and sees only the screen.

    The window's event loop runs in the main thread, and the reader in another one. A question for a file name blocks
    callbacks of the event loop until it is answered.
    """

    def __init__(self, editor: Any, hands: Desktop) -> None:
        self._editor, self._hands = editor, hands
        self._screen = Screen(editor.window)

    def walk(self, steps: Iterable[Step]) -> None:
        """All steps, while the window works."""
        window = self._editor.window

        def go() -> None:
            try:
                for step in steps:
                    self._step(step)
            except BaseException:
                self._hands.keys("Escape")  # closes an open question
                raise
            finally:
                window.after(0, window.quit)

        with ThreadPoolExecutor(1) as beside:
            walked = beside.submit(go)
            window.mainloop()
            walked.result()

    def _ask(self, question: Callable[[], T]) -> T:
        """The answer of the window's thread."""
        answer: Future[T] = Future()

        def find() -> None:
            try:
                answer.set_result(question())
            except Exception as error:
                answer.set_exception(error)

        self._editor.window.after(0, find)
        return answer.result(PATIENCE_S)

    # --- seeing ---

    def sees(self, hint: str) -> TextOnScreen | None:
        """The position of a hint on the screen; None if it is not visible."""
        return next((text for text in self._screen.texts() if hint in text.text), None)

    def _wait(self, hint: str) -> None:
        wait_for(lambda: self._ask(lambda: self.sees(hint)), lambda: f"{hint!r} on the screen: {self._ask(self._all)}")

    def _all(self) -> str:
        return f"{sorted({text.text for text in self._screen.texts()})}\n{self._editor.log.text.get('1.0', 'end')}"

    def _find(self, label: str) -> tuple[int, int] | None:
        view = self._editor.view
        if sprite := view.scene.nodes.get(Key("node", label)):
            x, y = view.to_widget(sprite.at)
            return view.winfo_rootx() + round(x), view.winfo_rooty() + round(y)
        return next(((text.x, text.y) for text in self._screen.texts() if text.text == label), None)

    def _place(self, label: str) -> tuple[int, int]:
        """The place to click for a label: the node of that name, else the visible widget with exactly that text."""
        self._wait(label)
        return wait_for(
            lambda: self._ask(lambda: self._find(label)), lambda: f"{label!r} to click on: {self._ask(self._all)}"
        )

    # --- doing ---

    def _step(self, step: Step) -> None:
        assert step.deeds, f"step {step.number} does not say what to do"
        for hint in step.first:
            self._wait(hint)
        for deed in step.deeds:
            self._do(deed)
        for hint in step.then:
            self._wait(hint)

    def _do(self, deed: re.Match[str]) -> None:
        words, hands = deed.groupdict(), self._hands
        if words["click"]:
            hands.click(*self._place(words["click"]))
        elif words["below"]:
            x, y = self._place(words["below"])
            hands.click(x, y + _BELOW)
        elif words["source"]:
            hands.drag(self._place(words["source"]), self._place(words["target"]))
        else:
            self._type(words["text"])
            hands.keys(words["key"])

    def _type(self, text: str) -> None:
        """Type into the field with the focus, and wait for the letters.

        A window is on the screen before the window manager gives it the keyboard. Letters until then would go to the
        window behind it.
        """
        wait_for(lambda: self._ask(self._field), lambda: f"a field with the keyboard: {self._ask(self._all)}")
        self._hands.type(text)
        wait_for(lambda: self._ask(self._typed) == text, lambda: f"{text!r} in a field: {self._ask(self._all)}")

    def _field(self) -> str:
        """The field with the keyboard, in the window in front; empty where another widget has it."""
        call = self._editor.window.tk.call
        widget = str(call("focus", "-displayof", "."))
        is_field = bool(widget) and str(call("winfo", "class", widget)) in ("TEntry", "Entry")
        front = str(self._editor.window.tk.splitlist(call("wm", "stackorder", "."))[-1])
        return widget if is_field and str(call("winfo", "toplevel", widget)) == front else ""

    def _typed(self) -> str:
        field = self._field()
        return str(self._editor.window.tk.call(field, "get")) if field else ""


@pytest.fixture
def reader(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    if lacks := missing() or ("" if shutil.which("xdotool") else "xdotool"):
        pytest.skip(f"needs {lacks}")
    monkeypatch.chdir(tmp_path)
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(results_folder=str(tmp_path / "results")))
    with editor_on(Document(), tmp_path, "1270x850") as editor:
        try:
            yield Reader(editor, Desktop(display))
        finally:
            editor.lab_controller.session.close()
            wait_for(lambda: not editor.lab_controller.is_alive, "the end of the lab", editor.window.update)


def test_the_steps_of_the_page_work_in_the_window(reader: Reader, tmp_path: Path) -> None:
    steps = steps_of(PAGE.read_text(encoding="utf-8"))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    reader.walk(steps)
    topology = mn.load(tmp_path / "first.mn").topology
    assert {node.name for node in topology.nodes} == {"h1", "h2", "h3", "s1"}
    assert [(flow.source, flow.destination) for flow in topology.flows] == [("h1", "h2")]
    (folder,) = (tmp_path / "results").iterdir()
    assert len(open_results(folder).tcp["side"]) > 100


def test_texts_out_of_sight_are_not_found(reader: Reader) -> None:
    """Words that are absent, come later only, or are out of sight are not seen."""
    assert reader.sees("Two hosts and a switch")
    assert not reader.sees("Three hosts and a switch")
    assert not reader.sees("The lab is running in")
    page = reader._editor.start_page.page
    page.place(relx=3.0)
    reader._editor.window.update()
    assert not reader.sees("Two hosts and a switch")


def test_a_step_of_the_page_is_parsed() -> None:
    text = "# T\n\n7. See **A b**,\n   click **X**, then click below **y**. → **Z** and\n   **w**.\n\nEnd.\n"
    (step,) = steps_of(text)
    assert (step.number, step.first, step.then) == (7, ("A b",), ("Z", "w"))
    assert [deed["click"] or deed["below"] for deed in step.deeds] == ["X", "y"]
