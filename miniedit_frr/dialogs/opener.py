"""Dialogs on the drawing: opens them, keeps them true to the document, and finds the field of a problem."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from frrlib.edits.new_names import used_flow_ids
from frrlib.errors import TopologyError
from frrlib.model.labels import error_words, with_remedy
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.background_check import Checker, Findings
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.form import Remark
from miniedit_frr.dialogs.locks import is_locked, words_for
from miniedit_frr.dialogs.refusals import Refusals
from miniedit_frr.dialogs.sheets import AskFrr, Lacking, Surroundings, surroundings
from miniedit_frr.dialogs.subjects import Flows, Links, Nodes, Subject, Whole, remarks_of
from miniedit_frr.document.document import Document

#: Columns whose names differ from the field of a problem.
_COLUMNS = {
    "duration_s": "until", "size_bytes": "until", "neighbors": "address", "networks": "value", "course": "settings",
}  # fmt: skip


class DocumentDialog:
    """A dialog on something in the document.

    The document may change underneath: by undo, by a drag, by another dialog. Unedited fields then show the
    drawing's present values, edited ones keep their texts, and the dialog of something deleted says so.
    """

    def __init__(
        self,
        parent: tk.Misc,
        document: Document,
        subject: Subject,
        ui: float,
        around: Callable[[Topology], Surroundings] = surroundings,
        is_running: Callable[[], bool] = lambda: False,
    ) -> None:
        self._document, self.subject, self._around = document, subject, around
        known = around(document.topology)
        values = subject.read(known)
        assert values is not None
        self._is_applying = False
        self.form = FormDialog(
            parent, subject.title(), subject.tabs, values, ui, self._apply, known, self._refusal
        )  # fmt: skip
        self._unlisten = document.listen(self._document_changed)
        self._checker = Checker(self.form.window, self._found)
        self._problems: dict[str, Remark] = {}
        self._refusals = Refusals(self.form.window, self._remark)
        self.form.draft.listeners.append(self._check)
        self._closed: Callable[[], None] = lambda: None
        self.form.on_close = self._gone
        self._is_running = is_running
        self.form.draft.is_locked = self._is_locked
        self.refresh()
        self._check()

    def refresh(self) -> None:
        """Show which fields take input: fewer while a lab runs."""
        self.form.refresh(words_for(self.form.draft.values[0]) if self._is_running() else "")

    def _is_locked(self, path: str) -> bool:
        draft = self.form.draft
        return self._is_running() and is_locked(draft.values[0], draft.fields[path].covers)

    def on_close(self, listener: Callable[[], None]) -> None:
        """Call `listener` after the dialog has closed."""
        self._closed = listener

    def _written(self, values: tuple[Any, ...]) -> Topology:
        return self.subject.write(self._document.topology, self.form.draft.originals, values)

    def _refusal(self, values: tuple[Any, ...]) -> tuple[str, str] | None:
        """Why the drawing cannot take values: a field and words."""
        try:
            written = self._written(values)
        except TopologyError as error:
            words = with_remedy(error.why, error.right)
            path = self.subject.path_of(Problem(severity="error", kind="", node=error.node, field=error.field, why=""))  # type: ignore[arg-type]
            return path or "", words
        refused = self._document.guard(self._document.topology, written)
        return ("", refused) if refused else None

    def _apply(self, values: tuple[Any, ...]) -> str:
        try:
            topology = self._written(values)
        except TopologyError as error:
            return error_words(error, self._document.topology)
        refused = self._document.guard(self._document.topology, topology)
        if not refused:
            self._document.apply(self.subject.label(), topology)
        return refused

    def _document_changed(self, before: Topology, after: Topology) -> None:
        if not (self._document.undo_label or self._document.redo_label):
            # Without a history it is another drawing, whatever its nodes are called.
            self.form.close()
            return
        self.subject.follow(before, after)
        around = self._around(after)
        values = self.subject.read(around)
        form = self.form
        if values is None:
            form.gone(f"{self.subject.title()} is no longer in the drawing.")
            return
        form.window.title(self.subject.title())
        form.draft.rebase(values, around)

    def _check(self) -> None:
        draft = self.form.draft
        self._refusals.ask(draft.context, draft.originals, draft.values)
        if draft.is_right:
            try:
                self._checker.ask(self._written(draft.values))
            except TopologyError:
                return

    def _found(self, findings: Findings) -> None:
        self._problems = remarks_of(findings.problems, self.subject.path_of)
        self._remark()

    def _remark(self) -> None:
        self.form.remark({**self._refusals.remarks, **self._problems})

    def _gone(self) -> None:
        self._unlisten()
        self._checker.close()
        self._refusals.close()
        self._closed()


class Dialogs:
    """Opens dialogs on what is in the drawing; one about the same thing is opened once.

    Args:
        window: the editor's window.
        document: the drawing.
        ui: scaling of the screen.
        selection: what is selected now.

    Attributes:
        open_now: the dialogs that are open.
        congestion_control: says what new flows have.
        lab_timers: says whether protocols that are switched on react at once.
        ask_frr: has FRR read a configuration; None where there is nobody to ask.
        lacking: says which of some queueing disciplines the place lacks; None where nobody knows.
        is_running: says whether a lab runs from the drawing.
    """

    def __init__(self, window: tk.Misc, document: Document, ui: float, selection: Callable[[], Iterable[Key]]) -> None:
        self._window, self._document, self._ui, self._selection = window, document, ui, selection
        self._open: list[DocumentDialog] = []
        self.congestion_control: Callable[[], str] = lambda: "cubic"
        self.lab_timers: Callable[[], bool] = lambda: True
        self.ask_frr: AskFrr | None = None
        self.lacking: Lacking | None = None
        self.is_running: Callable[[], bool] = lambda: False

    def refresh(self) -> None:
        """A lab has begun or ended."""
        for dialog in self._open:
            dialog.refresh()

    def _around(self, topology: Topology) -> Surroundings:
        return surroundings(topology, self.congestion_control(), self.lab_timers(), self.ask_frr, self.lacking)

    @property
    def open_now(self) -> dict[object, DocumentDialog]:
        """The open dialogs, by their present subjects."""
        return {dialog.subject.key: dialog for dialog in self._open}

    def open(self, subject: Subject) -> DocumentDialog:
        """Open a dialog, or bring the one that is open to the front."""
        there = self.open_now.get(subject.key)
        if there is not None:
            there.form.window.deiconify()
            there.form.window.lift()
            there.form.window.focus_set()
            return there
        dialog = DocumentDialog(
            self._window, self._document, subject, self._ui, self._around, lambda: self.is_running()
        )
        self._open.append(dialog)
        dialog.on_close(partial(self._open.remove, dialog))
        return dialog

    def open_key(self, key: Key) -> None:
        """Open the dialog for a double click: for the whole selection, as far as it is of that kind."""
        keys = set(self._selection())
        self.open_keys(keys if key in keys else {key}, key)

    def open_selection(self) -> None:
        """Open the dialog of the selection; if nothing is selected, the drawing's preferences."""
        keys = list(self._selection())
        if keys:
            # A frame around nodes takes the flows between them, too; the nodes are meant.
            self.open_keys(keys, min(keys, key=lambda key: key.kind == "flow"))
        else:
            self.preferences()

    def subject_of(self, keys: Iterable[Key], first: Key) -> Subject | None:
        """The subject of a selection: the things of the first one's kind; None for none."""
        topology = self._document.topology
        if first.kind == "link":
            ids = {key.name for key in keys if key.kind == "link"}
            listed = [link.id for link in topology.links if link.id in ids]
            return Links(listed) if listed else None
        if first.kind == "flow":
            ids = {key.name for key in keys if key.kind == "flow"}
            drawn = [flow.id for flow in topology.flows if flow.id in ids]
            return Flows(drawn) if drawn else None
        node = topology.node(first.name) if first.kind == "node" else None
        if node is None:
            return None
        names = {key.name for key in keys if key.kind == "node"}
        return Nodes(node.kind, [each.name for each in topology.nodes if each.name in names and each.kind == node.kind])

    def open_keys(self, keys: Iterable[Key], first: Key) -> DocumentDialog | None:
        """Open the dialog of some things of the first one's kind."""
        subject = self.subject_of(keys, first)
        return self.open(subject) if subject is not None else None

    def has_dialog(self, keys: Iterable[Key]) -> bool:
        """Whether there is a dialog on the first of some things."""
        listed = list(keys)
        return bool(listed) and self.subject_of(listed, listed[0]) is not None

    def preferences(self) -> None:
        """Open the drawing's preferences."""
        self.open(Whole("preferences"))

    def flows(self) -> None:
        """Open the list of flows."""
        self.open(Whole("flows"))

    def faults(self) -> None:
        """Open the plan of faults."""
        self.open(Whole("faults"))

    def focus_field(self, name: str, field: str, why: str = "") -> bool:
        """Open the dialog of a node, a link or a flow with the keyboard on a field; whether there is such a thing.

        Args:
            name: name of a node, id of a link or of a flow, as in `Problem.node`; empty for the whole drawing.
            field: as in `Problem.field`; empty for none in particular.
            why: words that name the row, in a table.
        """
        topology = self._document.topology
        node = topology.node(name)
        subject: Subject
        if field.partition(".")[0] == "faults":
            subject = Whole("faults")
        elif node is not None:
            subject = Nodes(node.kind, [name])
        elif topology.link(name) is not None:
            subject = Links([name])
        elif field.partition(".")[0] in ("flows", "wait") or name in used_flow_ids(topology):
            subject = Whole("flows")
        elif field.startswith(("preferences", "title")):
            subject = Whole("preferences")
        else:
            return False
        dialog = self.open(subject)
        problem = Problem(severity="note", kind="", node=name, field=field, why="")  # type: ignore[arg-type]
        is_list = subject.key in ("flows", "faults") and field.partition(".")[0] != "wait"
        path = str(subject.key) if is_list else subject.path_of(problem)
        path = field if path is None else path
        if dialog.form.focus_path(path):
            last = field.rpartition(".")[2]
            flow = name.partition(".")[0] if path == "flows" else ""
            dialog.form.focus_row(path, _COLUMNS.get(last, last), f"{flow} {name} {why}")
        return True
