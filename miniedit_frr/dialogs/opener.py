"""Dialogs on the document: opens them, updates them after changes of the document, and finds the field of a problem."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from frrlib.edits.new_names import used_flow_ids
from frrlib.errors import TopologyError
from frrlib.model import problem
from frrlib.model.labels import error_words, with_remedy
from frrlib.model.problem import About
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.background_check import Checker, Findings
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.form import Remark
from miniedit_frr.dialogs.locks import LockReason, running_notice, sealed_reason
from miniedit_frr.dialogs.refusals import Refusals
from miniedit_frr.dialogs.sheets import FormContext, FrrCheck, MissingQdiscs, form_context
from miniedit_frr.dialogs.subjects import Flows, Links, Nodes, Subject, TopologySettings, remarks_of
from miniedit_frr.document.document import Document
from miniedit_frr.widgets.focus import last_focused
from miniedit_frr.widgets.popup import SpacedMenu

#: Columns whose names differ from those of the fields in problems.
_COLUMNS = {
    "duration_s": "until", "size_bytes": "until", "neighbors": "address", "networks": "value", "course": "settings",
}  # fmt: skip


class DocumentDialog:
    """A dialog on a subject in the document.

    The document may change while the dialog is open, by undo, a drag or another dialog. Fields without edits then show
    the new values, and edited fields keep their texts. If the subject was deleted, the dialog shows a message.
    """

    def __init__(
        self,
        parent: tk.Misc,
        document: Document,
        subject: Subject,
        ui: float,
        make_context: Callable[[Topology], FormContext] = form_context,
        is_running: Callable[[], bool] = lambda: False,
        lock_reason: LockReason = sealed_reason,
        errors_only: bool = False,
    ) -> None:
        self._document, self.subject, self._make_context = document, subject, make_context
        context = make_context(document.topology)
        values = subject.read(context)
        assert values is not None
        self._is_applying = False
        self.form = FormDialog(
            parent, subject.title(), subject.tabs, values, ui, self._apply, context, self._refusal
        )  # fmt: skip
        self._unlisten = document.listen(self._document_changed)
        self._checker = Checker(self.form.window, self._show_findings)
        self._checker.errors_only = errors_only
        self._problems: dict[str, Remark] = {}
        self._refusals = Refusals(self.form.window, self._remark)
        self.form.draft.listeners.append(self._check)
        self._closed: Callable[[], None] = lambda: None
        self.form.on_close = self._release
        self._is_running, self._lock_reason = is_running, lock_reason
        self.form.draft.is_locked = self._is_locked
        self.refresh()
        self.form.focus_first()
        self._check()

    def refresh(self) -> None:
        """Lock or unlock the fields, and show when their values take effect."""
        values = self.form.draft.values
        self.form.refresh(running_notice(values[0]) if self._is_running() else "", self._lock_reason(values, ()))

    def _is_locked(self, path: str) -> bool:
        draft = self.form.draft
        return bool(self._lock_reason(draft.values, draft.fields[path].covers))

    def on_close(self, listener: Callable[[], None]) -> None:
        """Call `listener` after the dialog has closed."""
        self._closed = listener

    def _topology_with(self, values: tuple[Any, ...]) -> Topology:
        return self.subject.write(self._document.topology, self.form.draft.originals, values)

    def _refusal(self, values: tuple[Any, ...]) -> tuple[str, str] | None:
        """The field and the reason if the topology refuses the values, else None."""
        try:
            written = self._topology_with(values)
        except TopologyError as error:
            words = with_remedy(error.message, error.remedy)
            path = self.subject.path_of(problem.error("", error.node, error.field, "", about=error.about))
            return path or "", words
        refused = self._document.refusal(written)
        return ("", refused) if refused else None

    def _apply(self, values: tuple[Any, ...]) -> str:
        try:
            topology = self._topology_with(values)
        except TopologyError as error:
            return error_words(error, self._document.topology)
        refused = self._document.refusal(topology)
        if not refused:
            self._document.apply(self.subject.label(), topology)
        return refused

    def _document_changed(self, old: Topology, new: Topology) -> None:
        if not (self._document.undo_label or self._document.redo_label):
            # An empty history means that another topology was opened.
            self.form.close()
            return
        self.subject.follow(old, new)
        context = self._make_context(new)
        values = self.subject.read(context)
        form = self.form
        if values is None:
            form.show_gone(f"{self.subject.title()} is no longer in the drawing.")
            return
        form.window.title(self.subject.title())
        form.draft.rebase(values, context)

    def _check(self) -> None:
        draft = self.form.draft
        self._refusals.ask(draft.context, draft.originals, draft.values)
        if draft.is_valid:
            try:
                self._checker.ask(self._topology_with(draft.values))
            except TopologyError:
                return

    def _show_findings(self, findings: Findings) -> None:
        self._problems = remarks_of(findings.problems, self.subject.path_of)
        self._remark()

    def _remark(self) -> None:
        self.form.remark({**self._refusals.remarks, **self._problems})

    def _release(self) -> None:
        self._unlisten()
        self._checker.close()
        self._refusals.close()
        self._closed()


class Dialogs:
    """Opens dialogs on parts of the document, one dialog per subject.

    Args:
        window: the editor's window.
        document: the document.
        ui: scaling of the screen.
        selection: returns the selected keys.

    Attributes:
        congestion_control: returns the congestion control of new flows.
        lab_timers: whether newly enabled protocols get lab timers.
        check_frr: lets FRR check a configuration; None without FRR.
        lacking: describes missing qdiscs of the place; None if they are unknown.
        is_running: whether a lab runs from the topology.
        added_controls: returns the congestion controls that the user has added for all labs.
        lock_reason: why a field, or a whole form, is locked besides a running lab.
        errors_only: whether new dialogs show no warnings and notes about the topology.
    """

    def __init__(self, window: tk.Misc, document: Document, ui: float, selection: Callable[[], Iterable[Key]]) -> None:
        self._window, self._document, self._ui, self._selection = window, document, ui, selection
        self._open: list[DocumentDialog] = []
        self._menu = SpacedMenu(window)
        self.congestion_control: Callable[[], str] = lambda: "cubic"
        self.lab_timers: Callable[[], bool] = lambda: True
        self.check_frr: FrrCheck | None = None
        self.lacking: MissingQdiscs | None = None
        self.is_running: Callable[[], bool] = lambda: False
        self.added_controls: Callable[[], tuple[str, ...]] = lambda: ()
        self.lock_reason: LockReason = sealed_reason
        self.errors_only = False

    def refresh(self) -> None:
        """Update the locks of all dialogs after a lab has started or stopped."""
        for dialog in self._open:
            dialog.refresh()

    def _make_context(self, topology: Topology) -> FormContext:
        return form_context(
            topology, self.congestion_control(), self.lab_timers(), self.check_frr, self.lacking, self.added_controls()
        )

    @property
    def open_dialogs(self) -> dict[object, DocumentDialog]:
        """The open dialogs, by the keys of their subjects."""
        return {dialog.subject.key: dialog for dialog in self._open}

    def open(self, subject: Subject) -> DocumentDialog:
        """Open a dialog on a subject, or bring its open dialog to the front."""
        existing = self.open_dialogs.get(subject.key)
        if existing is not None:
            window = existing.form.window
            window.deiconify()
            window.lift()
            (last_focused(window) or window).focus_set()  # the keyboard stays in its field
            return existing
        dialog = DocumentDialog(
            self._window, self._document, subject, self._ui, self._make_context, lambda: self.is_running(),
            lambda values, covers: self.lock_reason(values, covers), self.errors_only,
        )  # fmt: skip
        self._open.append(dialog)
        dialog.on_close(partial(self._open.remove, dialog))
        return dialog

    def open_key(self, key: Key) -> None:
        """Open the dialog of a double-clicked key, together with all selected things of its kind."""
        keys = set(self._selection())
        self.open_keys(keys if key in keys else {key}, key)

    def open_selection(self) -> None:
        """Open the dialog of the selection; without a selection, the preferences of the topology.

        A selection of several kinds has a dialog for each kind, so a menu offers them.
        """
        subjects = self.subjects_of(list(self._selection()))
        if len(subjects) > 1:
            self.kinds_menu(subjects).tk_popup(*self._window.winfo_pointerxy())
        elif subjects:
            self.open(subjects[0])
        else:
            self.preferences()

    def subjects_of(self, keys: Sequence[Key]) -> list[Subject]:
        """The subjects of a selection: one for each kind of things, nodes first, then links, then flows."""
        subjects: dict[object, Subject] = {}
        order = ("node", "link", "flow")
        for key in sorted(keys, key=lambda key: order.index(key.kind) if key.kind in order else len(order)):
            subject = self.subject_of(keys, key)
            if subject is not None:
                subjects.setdefault(subject.key, subject)
        return list(subjects.values())

    def kinds_menu(self, subjects: Iterable[Subject]) -> tk.Menu:
        """A menu with a line for the dialog of each subject."""
        self._menu.delete(0, "end")
        for subject in subjects:
            self._menu.add_command(label=f"{subject.title()}…", command=partial(self.open, subject))
        return self._menu

    def subject_of(self, keys: Iterable[Key], first: Key) -> Subject | None:
        """The subject of a selection: all things of the kind of `first`. None for things without a dialog."""
        topology = self._document.topology
        if first.kind == "link":
            ids = {key.name for key in keys if key.kind == "link"}
            link_ids = [link.id for link in topology.links if link.id in ids]
            return Links(link_ids) if link_ids else None
        if first.kind == "flow":
            ids = {key.name for key in keys if key.kind == "flow"}
            flow_ids = [flow.id for flow in topology.flows if flow.id in ids]
            return Flows(flow_ids) if flow_ids else None
        node = topology.node(first.name) if first.kind == "node" else None
        if node is None:
            return None
        names = {key.name for key in keys if key.kind == "node"}
        return Nodes(
            node.kind,
            [candidate.name for candidate in topology.nodes if candidate.name in names and candidate.kind == node.kind],
        )

    def open_keys(self, keys: Iterable[Key], first: Key) -> DocumentDialog | None:
        """Open the dialog of all things of the kind of `first`."""
        subject = self.subject_of(keys, first)
        return self.open(subject) if subject is not None else None

    def has_dialog(self, keys: Iterable[Key]) -> bool:
        """Whether the first of some things has a dialog."""
        listed = list(keys)
        return bool(listed) and self.subject_of(listed, listed[0]) is not None

    def preferences(self) -> None:
        """Open the preferences of the topology."""
        self.open(TopologySettings("preferences"))

    def flows(self) -> None:
        """Open the list of flows."""
        self.open(TopologySettings("flows"))

    def faults(self) -> None:
        """Open the list of planned faults."""
        self.open(TopologySettings("faults"))

    def focus_field(self, name: str, field: str, words: str = "", about: About = "") -> bool:
        """Open the dialog of a node, link or flow with the focus on a field, and return whether the thing exists.

        Args:
            name: name of a node, or id of a link or flow, as in `Problem.node`; empty for the topology.
            field: the field, as in `Problem.field`; empty for no particular field.
            words: words that name the row of a table.
            about: whether a node, a link or a flow is meant, as in `Problem.about`; empty for the first of this name.
        """
        topology = self._document.topology
        node = topology.node(name) if about in ("", "node") else None
        subject: Subject
        if field.partition(".")[0] == "faults":
            subject = TopologySettings("faults")
        elif node is not None:
            subject = Nodes(node.kind, [name])
        elif about in ("", "link") and topology.link(name) is not None:
            subject = Links([name])
        elif field.partition(".")[0] in ("flows", "wait") or name in used_flow_ids(topology):
            subject = TopologySettings("flows")
        elif field.startswith(("preferences", "title")):
            subject = TopologySettings("preferences")
        else:
            return False
        dialog = self.open(subject)
        target = problem.note("", name, field, "", about=about)
        is_list = subject.key in ("flows", "faults") and field.partition(".")[0] != "wait"
        path = str(subject.key) if is_list else subject.path_of(target)
        path = field if path is None else path
        if dialog.form.focus_path(path):
            last = field.rpartition(".")[2]
            flow = name.partition(".")[0] if path == "flows" else ""
            dialog.form.focus_row(path, _COLUMNS.get(last, last), f"{flow} {name} {words}")
        return True
