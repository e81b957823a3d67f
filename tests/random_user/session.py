"""Sessions of a random user: an editor on a private screen, and a thread that is its user."""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import random
import subprocess
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from tests.random_user.canvas_labels import avoidable_overlaps
from tests.random_user.focus import FocusWatch
from tests.random_user.invariants import violations
from tests.random_user.pulse import Pulse
from tests.random_user.resources import Resources, leaks, resources_of
from tests.random_user.settings import Findings, SessionSettings, steps_of
from tests.random_user.steps import Sight, Step, StepMaker
from tests.waiting import PATIENCE_S, pause

T = TypeVar("T")
NextStep = Callable[[Sight], Step | None]
_POLL_MS, _SETTLE_MS = 5, 25
#: A step that blocks the window for longer is reported.
_SLOW_S = 1.0
#: A condition is violated if this many looks in a row find it so, with this time between them.
_LOOKS, _LOOK_S = 12, 0.25
#: The number of times that open windows are closed by Escape at the end, before they are closed by their own command.
_ESCAPES = 8


class RecordedDocument(Document):
    """A document that keeps the drawing at the start of its history, as its caller gave it.

    Attributes:
        start: the drawing to which undo of everything leads back.
        changes: the number of changes of the drawing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.start, self.changes = Topology(), 0
        self.listen(self._count)

    def _count(self, old: Topology, new: Topology) -> None:
        self.changes += old != new

    def new(self) -> None:
        """Begin with an empty drawing."""
        super().new()
        self.start = Topology()

    def begin(self, label: str, topology: Topology) -> None:
        """Begin with a ready drawing, which undo takes away."""
        super().begin(label, topology)
        self.start = Topology()

    def open(self, path: Path) -> None:
        """Begin with the drawing of a file."""
        super().open(path)
        self.start = self.topology

    def recover(self, topology: Topology, path: Path | None, digest: str) -> None:
        """Begin with unsaved work."""
        super().recover(topology, path, digest)
        self.start = topology


class RandomUserSession:
    """One editor, and the thread that uses it. `run` ends the process when the user is done, or at the first fault.

    Args:
        folder: a folder for the files of the editor, for the journal of the steps and for the report.
        display: the screen.
        settings: the settings of the session.
    """

    def __init__(self, folder: Path, display: str, settings: SessionSettings) -> None:
        from miniedit_frr.app.app import Editor

        (folder / "preferences.json").write_text(json.dumps(settings.preferences()))
        self._folder, self._settings = folder, settings
        self._environment = {**os.environ, "DISPLAY": display}
        self.document = RecordedDocument()
        self.editor = Editor(self.document, folder / "window.json")
        self.findings = Findings()
        self._focus = FocusWatch(self.editor)
        self._raised: list[str] = []
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._pulse = Pulse()
        self.editor.window.report_callback_exception = self._note_exception
        self.editor.window.geometry(f"{settings.width - 80}x{settings.height - 40}+0+0")

    def run(self, next_step: NextStep) -> None:
        """Carry out all steps, or those up to the first fault, write the report, and end the process.

        A question or a file dialog may be open then, and would keep the process.
        """
        window = self.editor.window
        window.after(_POLL_MS, self._poll)
        thread = threading.Thread(target=self._use, args=(next_step,), name="random user", daemon=True)
        window.after(500, thread.start)
        window.mainloop()  # ends if the user closes the window
        thread.join()

    # --- in the window's thread ---

    def _poll(self) -> None:
        self._pulse.beat()
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
        boxes = [box for name in _other_windows(window) if (box := _box_of_window(window, name))]
        grabbed = window.tk.eval("grab current") if window.winfo_exists() else ""
        has_menu = "Menu" in str(window.tk.eval(f"winfo class {{{grabbed}}}")) if grabbed else False
        screen = self._settings.width, self._settings.height
        return Sight((left, top, width, height), places, boxes, _box(window), has_menu, screen)

    def _look(self) -> tuple[float, list[str]]:
        """The longest time for which the last step blocked the window, and the violated conditions."""
        blocked_s = self._pulse.longest_s()
        editor = self.editor
        faults = [*violations(editor), *avoidable_overlaps(editor.view), *self._focus.violations()]
        self._pulse.begin()  # the time of the checks is not the window's
        return blocked_s, faults

    def _aim(self) -> Sight:
        """The sight before a step."""
        sight = self._sight()
        self._pulse.begin()
        return sight

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

        def later() -> None:
            self.editor.window.after(settle_ms, call)

        self._calls.put(later)
        end_s = time.monotonic() + PATIENCE_S
        while not done.wait(_LOOK_S):
            if self.editor.is_closed or time.monotonic() > end_s:
                raise TimeoutError(f"{_stacks()}the window does not answer")
        if not results:
            raise TimeoutError("the function failed")
        return results[0]

    def _use(self, next_step: NextStep) -> None:
        findings = self.findings
        try:
            with (self._folder / "steps.jsonl").open("w") as journal:
                before = self._ask(lambda: resources_of(self.editor))
                while not findings.faults and not self.editor.is_closed:
                    _watch()
                    step = next_step(self._ask(self._aim))
                    if step is None:
                        break
                    findings.steps.append(step)
                    print(json.dumps(step), file=journal, flush=True)
                    self._do(step[1])
                    self._check()
            if not findings.faults and not self.editor.is_closed:
                _watch()
                self._end(before)
        except TimeoutError as error:
            findings.faults = [*self._raised, *([] if self.editor.is_closed else [str(error)])]
        findings.edits = self.document.changes
        (self._folder / "report.json").write_text(json.dumps(asdict(findings)))
        os._exit(0)

    def _do(self, words: Sequence[str]) -> None:
        argv = ["xdotool", *words]
        try:
            subprocess.run(argv, env=self._environment, capture_output=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{_stacks()}xdotool does not end") from None

    def _check(self) -> None:
        """Note the faults after a step."""
        findings = self.findings
        blocked_s, faults = self._ask(self._look, _SETTLE_MS)
        if blocked_s > _SLOW_S:
            findings.slow.append((len(findings.steps), round(blocked_s, 1)))
        findings.faults = [*(self._lasting(lambda: self._look()[1]) if faults else ()), *self._raised]

    def _lasting(self, look: Callable[[], list[str]]) -> list[str]:
        """The faults that are still there after a while: the window manager and the checks in threads need a moment."""
        faults = self._ask(look)
        for _ in range(_LOOKS):
            if not faults or self.editor.is_closed:
                break
            pause(_LOOK_S)
            faults = self._ask(look)
        return faults

    def _end(self, before: Resources) -> None:
        """The conditions at the end: undo and redo of everything, and nothing is left open."""
        document, findings = self.document, self.findings
        for _ in range(_ESCAPES):
            if not self._ask(lambda: self._sight().windows or self._sight().has_menu):
                break
            self._do(["key", "Escape"])
        self._ask(lambda: _close_windows(self.editor.window))
        findings.undone = self._ask(lambda: len(document.undo_labels))
        faults = self._ask(lambda: undo_everything(document, self.editor.lab_controller.is_alive))
        findings.faults = [*faults, *self._lasting(lambda: [*violations(self.editor)]), *self._raised]
        if not findings.faults and not self._settings.labs:
            self._ask(document.new)
            leaked = self._lasting(lambda: leaks(before, resources_of(self.editor)))
            findings.faults = [*leaked, *self._raised]


def _watch() -> None:
    """End the process with the stacks of its threads on its standard error if the next step never ends.

    This concerns a window that keeps Python's lock; otherwise the user notices first. It is renewed by each step, since
    a long session is no fault.
    """
    faulthandler.dump_traceback_later(3 * PATIENCE_S, exit=True)


def _stacks() -> str:
    """The stacks of all threads."""
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        return file.read()


def _other_windows(window: Any) -> list[str]:
    """The names of all windows besides the main one, also of those that Tcl made, such as file dialogs."""
    tk = window.tk
    found, waiting = list[str](), ["."]
    while waiting:
        children = [str(name) for name in tk.splitlist(tk.call("winfo", "children", waiting.pop()))]
        waiting += children
        found += [
            name
            for name in children
            if str(tk.call("winfo", "toplevel", name)) == name and str(tk.call("winfo", "class", name)) != "Menu"
        ]
    return found


def _box_of_window(window: Any, name: str) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of a window; None if it is hidden."""
    tk = window.tk
    if not int(tk.call("winfo", "viewable", name)):
        return None
    left, top, width, height = (int(tk.call("winfo", part, name)) for part in ("rootx", "rooty", "width", "height"))
    return left, top, width, height


def _close_windows(window: Any) -> None:
    """Close the windows besides the main one by their own commands."""
    tk = window.tk
    for name in _other_windows(window):
        if not int(tk.call("winfo", "exists", name)) or str(tk.call("winfo", "class", name)) == "ComboboxPopdown":
            continue
        if int(tk.call("winfo", "viewable", name)):
            command = tk.call("wm", "protocol", name, "WM_DELETE_WINDOW")
            tk.eval(str(command) or f"destroy {name}")


def undo_everything(document: RecordedDocument, may_refuse: bool = False) -> list[str]:
    """The faults of undoing all edits and redoing them.

    Args:
        may_refuse: whether a running lab may refuse to follow an edit.
    """
    document.commit_typed_text()  # it would become an edit at the first undo
    last, count = document.topology, len(document.undo_labels)
    faults = _undo_to_start(document, may_refuse)
    for _ in range(count):  # and no edits that the user has undone
        document.redo()
    if document.topology != last and not (may_refuse and document.redo_label):
        faults.append("redo of everything gives another drawing")
    return [*faults, *_undo_to_start(document, may_refuse)]


def _undo_to_start(document: RecordedDocument, may_refuse: bool) -> list[str]:
    while document.undo():
        pass
    if document.undo_label:
        return [] if may_refuse else [f"undo of {document.undo_label} is refused"]
    return [] if document.topology == document.start else ["undo of everything gives another drawing"]


def _box(widget: Any) -> tuple[int, int, int, int]:
    return widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()


def from_seed(seed: int, count: int) -> NextStep:
    """Steps from a seed, up to a number."""
    maker, done = StepMaker(random.Random(seed)), [0]

    def next_step(sight: Sight) -> Step | None:
        done[0] += 1
        return maker.next(sight) if done[0] <= count else None

    return next_step


def from_list(steps: Sequence[Step]) -> NextStep:
    """The steps of a list."""
    remaining = iter(steps)
    return lambda sight: next(remaining, None)


def run_job(folder: Path) -> int:
    """Run the session of `job.json` in a folder. Returns the exit status."""
    job = json.loads((folder / "job.json").read_text())
    listed, seed, count = (job["steps"][name] for name in ("listed", "seed", "count"))
    source = from_seed(seed, count) if listed is None else from_list(steps_of(listed))
    RandomUserSession(folder, job["display"], SessionSettings(**job["settings"])).run(source)
    return 0
