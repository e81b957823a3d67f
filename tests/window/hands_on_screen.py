"""A user who sees only the screen: texts are read from Tk, and pointer and keys go through the X server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from frrlib.picture.scene import Key
from tests.desktop import Desktop
from tests.waiting import PATIENCE_S, wait_for

T = TypeVar("T")


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

    def _rows(self, widget: str, parent: str = "") -> Iterator[tuple[str, int, int]]:
        for item in self._split(self._call(widget, "children", parent)):
            if box := self._split(self._call(widget, "bbox", item)):
                x, y, width, height = map(int, box)
                values = self._split(self._call(widget, "item", item, "-values"))
                for value in (self._call(widget, "item", item, "-text"), *values):
                    yield str(value), x + width // 2, y + height // 2
            yield from self._rows(widget, item)

    def _lines(self, widget: str) -> Iterator[tuple[str, int, int]]:
        wide, high = self._int("width", widget), self._int("height", widget)
        yield str(self._call(widget, "get", "@0,0", f"@{wide},{high}")), wide // 2, high // 2


class ScreenUser:
    """A user who sees only the screen.

    The window's event loop runs in the main thread, and the user in another one. A question, or the choice of a file,
    blocks callbacks of the event loop until it is answered.
    """

    def __init__(self, editor: Any, hands: Desktop) -> None:
        self.editor, self.hands = editor, hands
        self._screen = Screen(editor.window)

    def work(self, deeds: Callable[[], object]) -> None:
        """Call a function in the user's thread, while the window works."""
        window = self.editor.window

        def end() -> None:
            """Close an open question, whose loop nothing else ends, and leave that of the window."""
            if grabbing := str(window.tk.call("grab", "current")):
                window.tk.call("destroy", window.tk.call("winfo", "toplevel", grabbing.split()[0]))
            window.quit()

        def go() -> None:
            try:
                deeds()
            finally:
                window.after(0, end)

        with ThreadPoolExecutor(1) as beside:
            done = beside.submit(go)
            window.mainloop()
            done.result()

    def ask(self, question: Callable[[], T]) -> T:
        """The answer of the window's thread."""
        answer: Future[T] = Future()

        def find() -> None:
            try:
                answer.set_result(question())
            except Exception as error:
                answer.set_exception(error)

        self.editor.window.after(0, find)
        return answer.result(PATIENCE_S)

    # --- seeing ---

    def sees(self, hint: str) -> TextOnScreen | None:
        """The position of a hint on the screen; None if it is not visible."""
        return next((text for text in self._screen.texts() if hint in text.text), None)

    def wait(self, hint: str) -> None:
        """Wait until a hint is on the screen."""
        wait_for(
            lambda: self.ask(lambda: self.sees(hint)), lambda: f"{hint!r} on the screen: {self.ask(self.all_texts)}"
        )

    def all_texts(self) -> str:
        """All texts on the screen, and the log, for the message of a failure."""
        return f"{sorted({text.text for text in self._screen.texts()})}\n{self.editor.log.text.get('1.0', 'end')}"

    def _find(self, label: str) -> tuple[int, int] | None:
        view = self.editor.view
        if sprite := view.scene.nodes.get(Key("node", label)):
            x, y = view.to_widget(sprite.at)
            return view.winfo_rootx() + round(x), view.winfo_rooty() + round(y)
        return next(((text.x, text.y) for text in self._screen.texts() if text.text == label), None)

    def place(self, label: str) -> tuple[int, int]:
        """The place to click for a label: the node of that name, else the visible widget with exactly that text."""
        self.wait(label)
        return wait_for(
            lambda: self.ask(lambda: self._find(label)), lambda: f"{label!r} to click on: {self.ask(self.all_texts)}"
        )

    # --- doing ---

    def click(self, label: str, times: int = 1) -> None:
        """Click on a label."""
        self.hands.click(*self.place(label), times=times)

    def type(self, text: str) -> None:
        """Replace the text of the field with the focus, and wait for the letters.

        A window is on the screen before the window manager gives it the keyboard. Letters until then would go to the
        window behind it.
        """
        wait_for(lambda: self.ask(self._field), lambda: f"a field with the keyboard: {self.ask(self.all_texts)}")
        self.hands.keys("Home", "shift+End")
        self.hands.type(text)
        wait_for(lambda: self.ask(self._typed) == text, lambda: f"{text!r} in a field: {self.ask(self.all_texts)}")

    def _field(self) -> str:
        """The field with the keyboard, in the window in front; empty where another widget has it."""
        call = self.editor.window.tk.call
        widget = str(call("focus", "-displayof", "."))
        is_field = bool(widget) and str(call("winfo", "class", widget)) in ("TEntry", "Entry")
        in_order = map(str, self.editor.window.tk.splitlist(call("wm", "stackorder", ".")))
        *_, front = (window for window in in_order if not call("wm", "overrideredirect", window))  # no tips
        return widget if is_field and str(call("winfo", "toplevel", widget)) == front else ""

    def _typed(self) -> str:
        field = self._field()
        return str(self.editor.window.tk.call(field, "get")) if field else ""
