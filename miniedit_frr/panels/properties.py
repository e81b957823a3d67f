"""The properties of the selection, at the right: a short form of its dialog, and a button that opens the dialog."""

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
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.fields import Context
from miniedit_frr.dialogs.fields.slots import Input
from miniedit_frr.dialogs.form import Form
from miniedit_frr.dialogs.forms.flows import FLOW_PANEL
from miniedit_frr.dialogs.forms.interfaces import node_panel, row_of
from miniedit_frr.dialogs.forms.link import SAME
from miniedit_frr.dialogs.forms.side_panel import ANNOTATION_PANEL, LINK_PANEL
from miniedit_frr.dialogs.locks import LockReason, running_notice, sealed_reason
from miniedit_frr.dialogs.parts import Part, fields_of
from miniedit_frr.dialogs.sheets import NodeSheet
from miniedit_frr.dialogs.subjects import Flows, Links, Nodes, remarks_of
from miniedit_frr.widgets.focus import last_focused

#: Both directions of a link. If they are kept equal, the second one follows the first.
_SIDES = ("a_to_b", "b_to_a")
#: Widgets that are complete after one click.
_AT_ONCE = ("flag", "part", "choice", "checks")


class Properties(ttk.Frame):
    """A form for one node, link or flow.

    A typed value is applied when its field loses the focus, or on Enter. A value picked from a list is applied at once.
    An invalid value is not applied; the error is shown below its field.

    Attributes:
        on_change: called with the shown value and the changed value; for a node, these are sheets.
        on_fault: called with the error of a field that lost the focus.
        on_edit: called when Edit is pressed, which opens the dialog.
        inputs: the variable of each text field, by path.
        form_context: returns the context of the fields.
        is_running: whether a lab runs from the topology; a notice then says when values take effect.
        lock_reason: why a field, or a whole form, is locked besides a running lab.
        sheet_of: returns a node's sheet, with its interfaces.
        same: the switch that keeps both directions of a link equal; None if no link is shown.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent, padding=(round(8 * ui), round(6 * ui)))
        self.on_change: Callable[[Any, Any], None] = lambda old, new: None
        self.on_fault: Callable[[str], None] = lambda text: None
        self.on_edit: Callable[[], None] = lambda: None
        self.form_context: Callable[[], Context] = lambda: None
        self.is_running: Callable[[], bool] = lambda: False
        self.sheet_of: Callable[[Any], NodeSheet] = lambda node: NodeSheet(node=node)
        self.lock_reason: LockReason = sealed_reason
        self._problems: tuple[Problem, ...] = ()
        self._ui = ui
        head = ttk.Frame(self)
        head.pack(fill="x", pady=(0, round(6 * ui)))
        self._title = ttk.Label(head, font="TkHeadingFont", anchor="w")
        self._title.pack(side="left", fill="x", expand=True)
        self.edit = ttk.Button(head, text="Edit…", command=lambda: self.on_edit(), bootstyle="secondary-outline")
        # This frame keeps the height of the head with the button, so that nothing below moves when it appears.
        ttk.Frame(head, width=1, height=self.edit.winfo_reqheight()).pack(side="left")
        self.notice = ttk.Label(self, wraplength=round(280 * ui), justify="left", bootstyle="secondary")
        self._scrolled = ScrolledFrame(self, auto_hide=False, width=round(300 * ui))
        self._scrolled.pack(fill="both", expand=True)
        for part in (self._scrolled, self._scrolled.container):
            part.bind("<Configure>", lambda event: self._show_bar(), add=True)
        self.winfo_toplevel().bind("<FocusIn>", self._see, add=True)
        self._hint = ttk.Label(self._scrolled, wraplength=round(260 * ui), justify="left")
        self._notice_text = ""
        self.form: Form | None = None
        self._draft: FormDraft | None = None
        self._parts: tuple[Part, ...] = ()
        self._value: Value | None = None
        self._times_shown = 0
        # The identity of the last thing with an invalid field, and the error.
        self._told = ("", "", "")
        self.same: ttk.Checkbutton | None = None
        self._is_same = ttk.BooleanVar(self, False)
        self.inputs: dict[str, tk.StringVar] = {}

    def show(self, title: str, value: Value | None, hint: str = "", can_edit: bool = False) -> None:
        """Show a value's fields, or only a title and a hint.

        Args:
            title: the heading.
            value: a node, link, flow or annotation; None to show only the hint.
            hint: the text shown without a value.
            can_edit: whether a dialog exists without a value, such as for several nodes at once.
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
        wrapped = self._form_value(value)
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
        """Show another value in the same form. Invalid texts stay if it is a new value of the same thing."""
        if _identity(wrapped) == _identity(draft.originals[0]):
            draft.keep_faulty()
            draft.rebase((wrapped,), self.form_context())
        else:
            draft.begin((wrapped,), self.form_context())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show problems of the topology beside the fields that they belong to."""
        self._problems = tuple(problems)
        draft, value = self._draft, self._value
        if draft is not None and value is not None:
            if not draft.edited:
                draft.rebase((self._form_value(value),), self.form_context())  # the check has added automatic addresses
            self._remark()

    def _remark(self) -> None:
        if self.form is not None and self._draft is not None:
            self.form.remark(remarks_of(self._problems, partial(_path_of, self._draft.originals[0])))

    def _form_value(self, value: Any) -> Any:
        return value if isinstance(value, Link | Annotation | Flow | None) else self.sheet_of(value)

    def _build(self, wrapped: Any) -> None:
        self._draft = draft = FormDraft((wrapped,), fields_of(self._parts), self.form_context())
        draft.is_locked = self._is_locked
        if isinstance(wrapped, Link):
            self.same = ttk.Checkbutton(self._scrolled, text=SAME, variable=self._is_same, command=self._on_switch,
                                        bootstyle="round-toggle")  # fmt: skip
            self.same.pack(anchor="w", pady=(0, round(4 * self._ui)))
        self.form = Form(self._scrolled, self._parts, draft, self._ui, narrow=True)
        self.form.pack(fill="both", expand=True, padx=(0, round(12 * self._ui)))
        for path, widget in self.form.inputs.items():
            if isinstance(widget, Input):
                if hasattr(widget, "variable"):
                    self.inputs[path.removeprefix("node.")] = widget.variable
                self._bind_keys(path, widget)
        draft.listeners.append(self._on_edit)
        self._remark()

    def refresh(self) -> None:
        """Lock or unlock the fields after a lab has started or stopped."""
        if self.form is not None:
            self.form.refresh()
        self._show_notice()

    def _show_notice(self) -> None:
        """Show a notice about locked fields, if there are any."""
        words = ""
        if self._draft is not None:
            value = self._draft.values[0]
            words = self.lock_reason((value,), ()) or (running_notice(value) if self.is_running() else "")
        if words == self._notice_text:
            return
        self._notice_text = words
        if words:
            self.notice.configure(text=words)
            self.notice.pack(fill="x", before=self._scrolled.container, pady=(0, round(6 * self._ui)))
        else:
            self.notice.pack_forget()

    def _is_locked(self, path: str) -> bool:
        draft = self._draft
        if draft is None:
            return False
        follows = self._keeps_equal and path.startswith(f"{_SIDES[1]}.")
        value, covers = draft.values[0], draft.fields[path].covers
        return follows or bool(self.lock_reason((value,), covers))

    def _bind_keys(self, path: str, widget: Input) -> None:
        for event in ("<Return>", "<KP_Enter>", "<FocusOut>"):
            widget.focus.bind(event, lambda event: self._leave_field(), add=True)
        widget.focus.bind("<Escape>", lambda event: self._restore(path), add=True)
        # A pick from a list is a complete change. The input's own binding has already written it to the draft.
        for box in (widget.focus, getattr(widget, "box", None)):
            if isinstance(box, ttk.Combobox):
                box.bind("<<ComboboxSelected>>", lambda event: self._leave_field(), add=True)

    def _leave_field(self) -> None:
        self.flush()

    def _show_bar(self) -> None:
        """Show the scroll bar whenever a part is hidden, because a cut form looks complete without it."""
        is_cut = self._scrolled.winfo_reqheight() > self._scrolled.container.winfo_height() > 1
        (self._scrolled.show_scrollbars if is_cut else self._scrolled.hide_scrollbars)()

    def _see(self, event: tk.Event[tk.Misc]) -> None:
        """Scroll until the field that has got the keyboard is visible."""
        page, visible_px = self._scrolled, self._scrolled.container.winfo_height()
        # The frames around a field also receive this event.
        if not str(event.widget).startswith(f"{page}.") or event.widget is not last_focused(self):
            return
        top = event.widget.winfo_rooty() - page.winfo_rooty()
        bottom, first = top + event.widget.winfo_height(), page.container.winfo_rooty() - page.winfo_rooty()
        if top < first or bottom > first + visible_px:
            page.yview_moveto(max(0, top if top < first else bottom - visible_px) / max(page.winfo_height(), 1))

    def _restore(self, path: str) -> None:
        if self._draft is not None:
            self._draft.reset(path)

    def focus_first(self) -> None:
        """Move the focus to the first field."""
        if self.form is not None:
            self.form.focus_path(next(iter(self.form.inputs)))

    def _on_edit(self) -> None:
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
        """The widget that contains the fields; other widgets may be placed beside it."""
        container: tk.Widget = self._scrolled.container
        return container

    @property
    def _keeps_equal(self) -> bool:
        return self.same is not None and bool(self._is_same.get())

    def _set_same(self, link: Link) -> None:
        """Set the switch: for another link, on if its directions are equal; for the same link, off once they differ."""
        is_another = not isinstance(self._value, Link) or self._value.id != link.id
        are_equal = link.a_to_b == link.b_to_a
        if is_another or not are_equal:
            self._is_same.set(are_equal)

    def _mirror(self, draft: FormDraft) -> None:
        """Copy texts of the first direction to the second one, if both are kept equal."""
        forward, reverse = _SIDES
        twins = {path.replace(forward, reverse, 1): path for path in draft.fields if path.startswith(f"{forward}.")}
        contents = {twin: draft.content(path) or "" for twin, path in twins.items()}
        differ = {twin: content for twin, content in contents.items() if draft.content(twin) != content}
        if self._keeps_equal and differ:
            draft.put_all(differ)

    def _equal(self, value: Any) -> Any:
        """The value with its second direction equal to the first, if both are kept equal."""
        forward, reverse = _SIDES
        return value.model_copy(update={reverse: getattr(value, forward)}) if self._keeps_equal else value

    def _on_switch(self) -> None:
        """Start or stop keeping both directions equal to the first one."""
        self.flush()
        value = self._value
        if isinstance(value, Link) and self._equal(value) != value:
            self.on_change(value, self._equal(value))
            if isinstance(self._value, Link) and self._value.a_to_b != self._value.b_to_a:
                self._is_same.set(False)  # a running lab rejected the change
        if self.form is not None:
            self.form.refresh()

    @property
    def title(self) -> str:
        """The heading of the panel."""
        return str(self._title.cget("text"))

    @property
    def fault(self) -> str:
        """The error of the first invalid field; empty if all fields are valid."""
        draft = self._draft
        if draft is None or self._value is None:
            return ""
        faults = ((field.label, draft.fault(path)) for path, field in draft.fields.items())
        return next((f"{label}: {fault}" for label, fault in faults if fault), "")

    def focus_fault(self) -> None:
        """Move the focus to the first invalid field, if any."""
        draft, form = self._draft, self.form
        path = next((path for path in draft.fields if draft.fault(path)), "") if draft is not None else ""
        if path and form is not None:
            form.focus_path(path)

    def outdated_fault(self, topology: Topology) -> str:
        """The last reported error, if its thing is not in a topology any more; else an empty text."""
        kind, name, fault = self._told
        things = (*topology.links, *topology.flows, *topology.annotations)
        present = {(node.kind, node.name) for node in topology.nodes} | set(map(_identity, things))
        return "" if (kind, name) in present else fault

    def drop_faulty(self) -> None:
        """Replace invalid texts by the values of the topology."""
        if self._draft is not None:
            self._draft.clear()

    def flush(self) -> bool:
        """Apply the typed values, except invalid ones, and return whether they were accepted."""
        draft, value = self._draft, self._value
        if draft is None or value is None:
            return False
        if self.fault:
            self._told = (*_identity(draft.originals[0]), self.fault)
            self.on_fault(self.fault)
        if draft.values == draft.originals:
            return False
        original, changed = draft.originals[0], self._equal(draft.values[0])
        # No value is set until the changed one is shown, so that nothing is applied twice.
        self._value, times_shown = None, self._times_shown
        draft.keep_faulty()
        self.on_change(original, changed)
        if times_shown == self._times_shown:
            self._value = value
        return times_shown != self._times_shown


def _identity(value: Any) -> tuple[str, str]:
    """The kind, and the name or id, of a form's value."""
    if isinstance(value, NodeSheet):
        return value.node.kind, value.node.name
    return type(value).__name__, value.id


def _path_of(value: Any, problem: Problem) -> str | None:
    """The path of the panel's field that a problem belongs to."""
    if isinstance(value, NodeSheet):
        path = Nodes(value.node.kind, [value.node.name]).path_of(problem)
        return row_of(value, problem.message) if path == "interfaces" else path
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
