"""The properties of the selection, at the right: the short form of its dialog, and the way to the whole of it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ttkbootstrap as ttk
from ttkbootstrap.widgets import ScrolledFrame

from frrlib.model.annotations import Annotation
from frrlib.model.base import Value
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.problem import Problem
from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.fields import Context
from miniedit_frr.dialogs.fields.slots import Input
from miniedit_frr.dialogs.form import Form
from miniedit_frr.dialogs.forms.annotation import ANNOTATION_PANEL
from miniedit_frr.dialogs.forms.flows import FLOW_PANEL
from miniedit_frr.dialogs.forms.interfaces import node_panel, row_of
from miniedit_frr.dialogs.forms.link import SAME
from miniedit_frr.dialogs.forms.side_panel import LINK_PANEL
from miniedit_frr.dialogs.locks import is_locked, lock_notice
from miniedit_frr.dialogs.parts import Part, fields_of
from miniedit_frr.dialogs.sheets import NodeSheet
from miniedit_frr.dialogs.subjects import Flows, Links, Nodes, remarks_of

#: Both directions of a link; the second one follows the first where they are kept equal.
_SIDES = ("a_to_b", "b_to_a")
#: Widgets that are complete after one click.
_AT_ONCE = ("flag", "part", "choice", "checks")


class Properties(ttk.Frame):
    """A form for one node, link or flow. A value is handed on when its field is left, on Enter, or at once where it is
    chosen rather than typed; an error is shown below the field, whose value is then not handed on.

    Attributes:
        on_change: called with the value as it was shown, and as it shall be; of a node its sheet.
        on_fault: called with the error of a field that was left.
        on_edit: called for the dialog with all fields.
        inputs: the text of each field that is typed, by path.
        around: what the fields may know of the drawing.
        is_running: says whether a lab runs from the drawing; then most fields take no input.
        sheet_of: a node with its interfaces.
        same: the switch that keeps both directions of a link equal; None where no link is shown.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent, padding=(round(8 * ui), round(6 * ui)))
        self.on_change: Callable[[Any, Any], None] = lambda before, after: None
        self.on_fault: Callable[[str], None] = lambda text: None
        self.on_edit: Callable[[], None] = lambda: None
        self.form_context: Callable[[], Context] = lambda: None
        self.is_running: Callable[[], bool] = lambda: False
        self.sheet_of: Callable[[Any], NodeSheet] = lambda node: NodeSheet(node=node)
        self._problems: tuple[Problem, ...] = ()
        self._ui = ui
        head = ttk.Frame(self)
        head.pack(fill="x", pady=(0, round(6 * ui)))
        self._title = ttk.Label(head, font="TkHeadingFont", anchor="w")
        self._title.pack(side="left", fill="x", expand=True)
        self.edit = ttk.Button(head, text="Edit…", command=lambda: self.on_edit(), bootstyle="secondary-outline")
        # As high as with it, so that nothing below moves or is redrawn when it comes.
        ttk.Frame(head, width=1, height=self.edit.winfo_reqheight()).pack(side="left")
        self._notice = ttk.Label(self, wraplength=round(280 * ui), justify="left", bootstyle="secondary")
        self._scrolled = ScrolledFrame(self, auto_hide=False, width=round(300 * ui))
        self._scrolled.pack(fill="both", expand=True)
        for part in (self._scrolled, self._scrolled.container):
            part.bind("<Configure>", lambda event: self._show_bar(), add=True)
        self._hint = ttk.Label(self._scrolled, wraplength=round(260 * ui), justify="left")
        self._said = ""
        self.form: Form | None = None
        self._draft: FormDraft | None = None
        self._parts: tuple[Part, ...] = ()
        self._value: Value | None = None
        self._times_shown = 0
        self.same: ttk.Checkbutton | None = None
        self._is_same = ttk.BooleanVar(self, False)
        self.inputs: dict[str, tk.StringVar] = {}

    def show(self, title: str, value: Value | None, hint: str = "", can_edit: bool = False) -> None:
        """Show a value's fields, or only a title and a hint.

        Args:
            title: what it is.
            value: a node, a link or a flow; None for none.
            hint: what is said where there is no value.
            can_edit: whether there is a dialog although there is no value, as for several nodes at once.
        """
        if self.flush():
            return
        self._times_shown += 1
        self._title.configure(text=title)
        has_dialog = can_edit or not isinstance(value, Annotation | None)
        if has_dialog and not self.edit.winfo_manager():
            self.edit.pack(side="right")
        elif not has_dialog:
            self.edit.pack_forget()
        wrapped = self._wrapped(value)
        parts = _parts_of(wrapped)
        if isinstance(value, Link):
            self._set_same(value)
        self._value = value
        if value is not None and parts is self._parts and self._draft is not None:
            self._begin_again(self._draft, wrapped)
            self._remark()
            self._show_notice()
            return
        self._parts = parts
        if self.form is not None:
            self.form.destroy()
        if self.same is not None:
            self.same.destroy()
        self.form, self._draft, self.inputs, self.same = None, None, {}, None
        if value is not None:
            self._hint.pack_forget()
            self._build(wrapped)
        else:
            self._hint.configure(text=hint)
            if not self._hint.winfo_manager():
                self._hint.pack(anchor="w")
        self._show_notice()

    def _begin_again(self, draft: FormDraft, wrapped: Any) -> None:
        """Show another value in the same form. Invalid texts stay where it is the same thing with a new value."""
        if _identity(wrapped) == _identity(draft.originals[0]):
            draft.keep_faulty()
            draft.rebase((wrapped,), self.form_context())
        else:
            draft.begin((wrapped,), self.form_context())

    def found(self, problems: Sequence[Problem]) -> None:
        """Show beside the fields their problems in the drawing as a whole."""
        self._problems = tuple(problems)
        draft, value = self._draft, self._value
        if draft is not None and value is not None:
            if not draft.edited:
                draft.rebase((self._wrapped(value),), self.form_context())  # automatic addresses are known now
            self._remark()

    def _remark(self) -> None:
        if self.form is not None and self._draft is not None:
            self.form.remark(remarks_of(self._problems, partial(_path_of, self._draft.originals[0])))

    def _wrapped(self, value: Any) -> Any:
        return value if isinstance(value, Link | Annotation | Flow | None) else self.sheet_of(value)

    def _build(self, wrapped: Any) -> None:
        self._draft = draft = FormDraft((wrapped,), fields_of(self._parts), self.form_context())
        draft.is_locked = self._is_locked
        if isinstance(wrapped, Link):
            self.same = ttk.Checkbutton(self._scrolled, text=SAME, variable=self._is_same, command=self._switched,
                                        bootstyle="round-toggle")  # fmt: skip
            self.same.pack(anchor="w", pady=(0, round(4 * self._ui)))
        self.form = Form(self._scrolled, self._parts, draft, self._ui, narrow=True)
        self.form.pack(fill="both", expand=True, padx=(0, round(12 * self._ui)))
        for path, made in self.form.inputs.items():
            if isinstance(made, Input):
                if hasattr(made, "variable"):
                    self.inputs[path.removeprefix("node.")] = made.variable
                self._bind_keys(path, made)
        draft.listeners.append(self._edited)
        self._remark()

    def refresh(self) -> None:
        """A lab has begun or ended: show which fields take input."""
        if self.form is not None:
            self.form.refresh()
        self._show_notice()

    def _show_notice(self) -> None:
        """Name the fields that take no input now, if there are any."""
        words = lock_notice(self._draft.values[0]) if self._draft is not None and self.is_running() else ""
        if words == self._said:
            return
        self._said = words
        if words:
            self._notice.configure(text=words)
            self._notice.pack(fill="x", before=self._scrolled.container, pady=(0, round(6 * self._ui)))
        else:
            self._notice.pack_forget()

    def _is_locked(self, path: str) -> bool:
        draft = self._draft
        if draft is None:
            return False
        follows = self._keeps_equal and path.startswith(f"{_SIDES[1]}.")
        return follows or (self.is_running() and is_locked(draft.values[0], draft.fields[path].covers))

    def _bind_keys(self, path: str, made: Input) -> None:
        for event in ("<Return>", "<KP_Enter>", "<FocusOut>"):
            made.focus.bind(event, lambda event: self._left(), add=True)
        made.focus.bind("<Escape>", lambda event: self._restore(path), add=True)
        # A pick from a list is a change at once; the input's own binding has written it to the draft by then.
        for box in (made.focus, getattr(made, "box", None)):
            if isinstance(box, ttk.Combobox):
                box.bind("<<ComboboxSelected>>", lambda event: self._left(), add=True)

    def _left(self) -> None:
        self.flush()

    def _show_bar(self) -> None:
        """The bar is there whenever something is out of sight, not only under the pointer: a cut-off form looks
        complete.
        """
        is_cut = self._scrolled.winfo_reqheight() > self._scrolled.container.winfo_height() > 1
        (self._scrolled.show_scrollbars if is_cut else self._scrolled.hide_scrollbars)()

    def _restore(self, path: str) -> None:
        if self._draft is not None:
            self._draft.reset(path)

    def focus_first(self) -> None:
        """Put the keyboard on the first field."""
        if self.form is not None:
            self.form.focus_path(next(iter(self.form.inputs)))

    def _edited(self) -> None:
        draft, form = self._draft, self.form
        if draft is None or form is None:
            return
        self._mirror(draft)
        form.refresh()
        if any(draft.kind(path).widget in _AT_ONCE for path in draft.edited):
            self.flush()

    # --- both directions of a link ---

    @property
    def body(self) -> tk.Widget:
        """The part with the fields; others may stand beside it."""
        found: tk.Widget = self._scrolled.container
        return found

    @property
    def _keeps_equal(self) -> bool:
        return self.same is not None and bool(self._is_same.get())

    def _set_same(self, link: Link) -> None:
        """Keep another link's directions equal if they are; this one's until they differ."""
        is_another = not isinstance(self._value, Link) or self._value.id != link.id
        are_equal = link.a_to_b == link.b_to_a
        if is_another or not are_equal:
            self._is_same.set(are_equal)

    def _mirror(self, draft: FormDraft) -> None:
        """Copy texts typed into the first direction to the second one, where both are kept equal."""
        there, back = _SIDES
        twins = {path.replace(there, back, 1): path for path in draft.fields if path.startswith(f"{there}.")}
        shown = {twin: draft.content(path) or "" for twin, path in twins.items()}
        differ = {twin: content for twin, content in shown.items() if draft.content(twin) != content}
        if self._keeps_equal and differ:
            draft.put_all(differ)

    def _equal(self, value: Any) -> Any:
        """The value with its second direction as the first, where both are kept equal."""
        there, back = _SIDES
        return value.model_copy(update={back: getattr(value, there)}) if self._keeps_equal else value

    def _switched(self) -> None:
        """Keep both directions equal from now on, as the first one is; or no longer."""
        self.flush()
        value = self._value
        if isinstance(value, Link) and self._equal(value) != value:
            self.on_change(value, self._equal(value))
            if isinstance(self._value, Link) and self._value.a_to_b != self._value.b_to_a:
                self._is_same.set(False)  # a lab that runs cannot follow
        if self.form is not None:
            self.form.refresh()

    @property
    def title(self) -> str:
        """The name of the thing whose fields are shown."""
        return str(self._title.cget("text"))

    @property
    def fault(self) -> str:
        """The error of the first invalid field; empty where all are valid."""
        draft = self._draft
        if draft is None or self._value is None:
            return ""
        faults = ((field.label, draft.fault(path)) for path, field in draft.fields.items())
        return next((f"{label}: {why}" for label, why in faults if why), "")

    def focus_fault(self) -> None:
        """Put the keyboard on the first invalid field, if there is one."""
        draft, form = self._draft, self.form
        path = next((path for path in draft.fields if draft.fault(path)), "") if draft is not None else ""
        if path and form is not None:
            form.focus_path(path)

    def drop_faulty(self) -> None:
        """Show the values of the topology again in the place of invalid texts."""
        if self._draft is not None:
            self._draft.clear()

    def flush(self) -> bool:
        """Hand on the typed values; returns whether they were accepted. Invalid ones are left out."""
        draft, value = self._draft, self._value
        if draft is None or value is None:
            return False
        if self.fault:
            self.on_fault(self.fault)
        if draft.values == draft.originals:
            return False
        before, after = draft.originals[0], self._equal(draft.values[0])
        # Until the changed value has come back nothing is shown, so that nothing is handed on twice.
        self._value, shown = None, self._times_shown
        draft.keep_faulty()
        self.on_change(before, after)
        if shown == self._times_shown:
            self._value = value
        return shown != self._times_shown


def _identity(value: Any) -> tuple[str, str]:
    """The kind and the name or id of a value that a form shows."""
    if isinstance(value, NodeSheet):
        return value.node.kind, value.node.name
    return type(value).__name__, value.id


def _path_of(value: Any, problem: Problem) -> str | None:
    """The field of the panel that a problem belongs to."""
    if isinstance(value, NodeSheet):
        path = Nodes(value.node.kind, [value.node.name]).path_of(problem)
        return row_of(value, problem.why) if path == "interfaces" else path
    if isinstance(value, Link | Flow):
        return (Links if isinstance(value, Link) else Flows)([value.id]).path_of(problem)
    return None


def _parts_of(value: Any) -> tuple[Part, ...]:
    if value is None:
        return ()
    if isinstance(value, Annotation):
        return ANNOTATION_PANEL
    if isinstance(value, Flow):
        return FLOW_PANEL
    return LINK_PANEL if isinstance(value, Link) else node_panel(value)
