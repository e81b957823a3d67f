"""Sessions of a random user: an editor on a private screen, and a thread that is its user."""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from miniedit_frr.document.document import Document
from tests.random_user.invariants import violations
from tests.random_user.steps import Sight, Step, StepMaker

T = TypeVar("T")
_POLL_MS, _SETTLE_MS = 5, 25
#: A step that blocks the window for longer is reported.
_SLOW_S = 1.0
#: A window that does not answer within this time hangs.
_HANGS_S = 60.0


@dataclass
class Findings:
    """The findings of a session.

    Attributes:
        steps: the steps, as far as they were done.
        faults: the violated conditions and exceptions of the last step; empty for none.
        slow: (number of the step, seconds) of steps that blocked the window for long.
        edits: the number of edits that could be undone at the end.
    """

    steps: list[Step] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    slow: list[tuple[int, float]] = field(default_factory=list)
    edits: int = 0


class RandomUserSession:
    """One editor, and the thread that uses it. `run` ends the process when the user is done, or at the first fault.

    Args:
        folder: a folder for the files of the editor, which is also the current one.
        display: the screen.
        preferences: the preferences of the user, as in their file.
    """

    def __init__(self, folder: Path, display: str, preferences: dict[str, Any]) -> None:
        from miniedit_frr.app.app import Editor

        (folder / "preferences.json").write_text(json.dumps(preferences))
        self._environment = {**os.environ, "DISPLAY": display}
        self.editor = Editor(Document(), folder / "window.json")
        self.findings = Findings()
        self._raised: list[str] = []
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.editor.window.report_callback_exception = self._note_exception
        self.editor.window.geometry("1200x760+0+0")

    def run(self, next_step: Callable[[Sight], Step | None], report: Path) -> None:
        """Carry out all steps, or those up to the first fault, write the findings, and end the process.

        A question or a file dialog may be open then, and would keep the process.
        """
        window = self.editor.window
        window.after(_POLL_MS, self._poll)
        thread = threading.Thread(target=self._use, args=(next_step, report), name="random user", daemon=True)
        window.after(500, thread.start)
        window.mainloop()  # ends if the user closes the window
        thread.join()

    # --- in the window's thread ---

    def _poll(self) -> None:
        while not self._calls.empty():
            self._calls.get()()
        self.editor.window.after(_POLL_MS, self._poll)

    def _note_exception(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        self._raised.append("".join(traceback.format_exception(kind, error, trace)))

    def _sight(self) -> Sight:
        window, view = self.editor.window, self.editor.view
        left, top = view.winfo_rootx(), view.winfo_rooty()
        width, height = view.winfo_width(), view.winfo_height()
        scene = view.scene
        points = [sprite.at for sprite in scene.nodes.values()]
        points += [path[len(path) // 2] for line in scene.connections if (path := scene.path(line))]
        points += [(shape.box.left, shape.box.top) for shape in scene.shapes.values()]
        places = [(round(left + x), round(top + y)) for x, y in map(view.to_widget, points)
                  if 0 <= x < width and 0 <= y < height]  # fmt: skip
        others = [child for child in window.winfo_children() if child.winfo_class() == "Toplevel"]
        boxes = [_box(child) for child in others if child.winfo_viewable()]
        grabbed = window.tk.eval("grab current") if window.winfo_exists() else ""
        has_menu = "Menu" in str(window.tk.eval(f"winfo class {{{grabbed}}}")) if grabbed else False
        return Sight((left, top, width, height), places, boxes, _box(window), has_menu)

    # --- in the user's thread ---

    def _ask(self, function: Callable[[], T], settle_ms: int = 0) -> T:
        """The result of a function that runs in the window's thread, after its pending events."""
        done, results = threading.Event(), list[T]()

        def call() -> None:
            try:
                results.append(function())
            except Exception:
                self._raised.append(traceback.format_exc())
            done.set()

        self._calls.put(lambda: self.editor.window.after(settle_ms, call))  # type: ignore[arg-type, return-value]
        if not done.wait(_HANGS_S) or not results:
            raise TimeoutError("the window does not answer")
        return results[0]

    def _use(self, next_step: Callable[[Sight], Step | None], report: Path) -> None:
        findings = self.findings
        try:
            while not findings.faults and not self.editor.is_closed:
                step = next_step(self._ask(self._sight))
                if step is None:
                    break
                findings.steps.append(step)
                subprocess.run(
                    ["xdotool", *step[1]], env=self._environment, capture_output=True, timeout=30, check=False
                )
                begin_s = time.monotonic()
                faults = self._ask(lambda: list(violations(self.editor)), _SETTLE_MS)
                if (took_s := time.monotonic() - begin_s) > _SLOW_S:
                    findings.slow.append((len(findings.steps), took_s))
                findings.faults = [*self._raised, *faults]
            if not findings.faults and not self.editor.is_closed:
                findings.edits = self._ask(lambda: len(self.editor.document.undo_labels))
                findings.faults = [*self._ask(lambda: list(undo_everything(self.editor))), *self._raised]
        except TimeoutError as error:
            findings.faults = [*self._raised, *([] if self.editor.is_closed else [str(error)])]
        report.write_text(json.dumps(vars(findings)))
        os._exit(0)


def undo_everything(editor: Any) -> list[str]:
    """The faults of undoing all edits and redoing them."""
    document = editor.document
    last = document.topology
    while document.undo():
        pass
    first = document.topology
    while document.redo():
        pass
    faults = [] if document.topology == last else ["redo of everything gives another drawing"]
    while document.undo():
        pass
    return faults if document.topology == first else [*faults, "undo of everything gives another drawing"]


def _box(widget: Any) -> tuple[int, int, int, int]:
    return widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()


def from_seed(seed: int, count: int) -> Callable[[Sight], Step | None]:
    """Steps from a seed, up to a number."""
    maker, done = StepMaker(random.Random(seed)), [0]

    def next_step(sight: Sight) -> Step | None:
        done[0] += 1
        return maker.next(sight) if done[0] <= count else None

    return next_step


def from_list(steps: Sequence[Step]) -> Callable[[Sight], Step | None]:
    """The steps of a list."""
    remaining = iter(steps)
    return lambda sight: next(remaining, None)
