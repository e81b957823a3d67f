"""Takes over typed text before a command acts: the screen shows the values that are saved, run, checked and exported.

Commands come in by two ways. Lines and keys of the menus call `FieldInUse.before`. All other ways begin with a press of
the pointer or a key at a widget: buttons, tools, lists, drags, context menus. A bind tag in front of the widget's own
bindings takes the text over first, and keeps the press from the widget while a text is invalid.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial

from miniedit_frr.editor.parts import Parts

#: Commands that neither read nor write the topology, or ask about invalid text themselves; all others refuse to act
#: while a field has invalid text.
ALLOWED_WITH_INVALID_TEXT = frozenset(
    {
        "new", "open", "revert", "recover", "quit", "experiments", "undo", "redo", "personal", "keys", "about",
        "zoom_in", "zoom_out", "zoom_reset", "fit", "theme", "side", "scenario", "bottom", "stop", "cancel",
        "run_browser", "live_plots", "config_history", "close_terminals", "properties",
    }
)  # fmt: skip
_TAG = "FieldInUse"
#: Puts the tag in front of a widget's other tags as soon as the widget is on the screen.
_TAG_NEW_WIDGETS = f"""
bind all <Map> {{+
    if {{[winfo exists %W] && "{_TAG}" ni [bindtags %W]}} {{bindtags %W [linsert [bindtags %W] 0 {_TAG}]}}
}}
"""
#: Widgets for text, whose keys and presses are typing. Leaving the field in use takes its text over.
_FOR_TEXT = frozenset({"Entry", "TEntry", "Text", "TCombobox", "TSpinbox", "Spinbox", "Listbox"})
#: Widgets that only move or switch the view. Lines of menus have their own way in.
_FOR_VIEW = frozenset(
    {"TScrollbar", "Scrollbar", "TPanedwindow", "Panedwindow", "TSizegrip", "TNotebook", "TProgressbar", "Menu"}
)
#: Widgets that do nothing when they are pressed, unless something is bound to a button of theirs.
_PLAIN = frozenset({"TFrame", "Frame", "TLabel", "Label", "TLabelframe", "TSeparator", "Tk", "Toplevel"})
#: Keys that act on a widget although they write no character.
_ACTING_KEYS = frozenset({"Left", "Right", "Up", "Down", "Return", "KP_Enter", "Menu", "App", "Delete", "BackSpace"})
_POINTER_BUTTONS = (1, 3)
_CONTROL_OR_ALT = 0x4 | 0x8


class PendingText:
    """The text in the properties panel, or written on the canvas, that is not part of the topology yet.

    Args:
        parts: the window.
        goes_on: widgets that act although a text is invalid, with all widgets inside them.
    """

    def __init__(self, parts: Parts, always_allowed: tuple[tk.Misc, ...] = ()) -> None:
        self._parts = parts
        self._is_taking = self._is_refused = False
        self._goes_on = tuple(map(str, (parts.properties, parts.status, *always_allowed)))
        parts.document.commit_typed_text = self.commit_typed_text
        parts.files.before_leaving = self.may_leave
        # A selected hit takes the place of the thing whose field has the text.
        parts.find_bar.may_select = partial(self.may_act, "find")
        window = parts.window
        window.tk.eval(_TAG_NEW_WIDGETS)
        window.bind_class(_TAG, "<ButtonPress>", self._pressed)
        window.bind_class(_TAG, "<ButtonRelease>", self._released)
        window.bind_class(_TAG, "<Key>", self._key)

    def commit_typed_text(self) -> str:
        """Make the typed text an edit; returns why it cannot be one, empty where it is or where there is none."""
        if self._is_taking:
            return ""
        self._is_taking = True
        try:
            if not self._parts.canvas_commands.writing_fault:
                self._parts.canvas_commands.finish_writing()
            self._parts.properties.flush()
        finally:
            self._is_taking = False
        return self._fault()

    def _fault(self) -> str:
        remedy = "Correct the value, or press Escape in the field"
        if fault := self._parts.canvas_commands.writing_fault:
            return f"{fault}. {remedy}"
        fault = self._parts.properties.fault
        return f"{self._parts.properties.title}, {fault}. {remedy}" if fault else ""

    def may_act(self, command: str) -> bool:
        """Take over the typed text before a command; returns whether the command may act.

        Args:
            command: its name in the table of menus; empty for a line of a submenu.
        """
        fault = self.commit_typed_text()
        if not fault or command in ALLOWED_WITH_INVALID_TEXT or command.startswith(("label_", "hold_")):
            # The canvas may change under a field with a wrong name.
            self._parts.canvas_commands.finish_writing()
            return True
        self._refuse(fault)
        return False

    def _refuse(self, fault: str) -> None:
        self._parts.say(f"{fault}.")
        self._parts.view.bell()
        self._focus_fault()

    def _focus_fault(self) -> None:
        if not self._parts.canvas_commands.focus_fault():
            self._parts.properties.focus_fault()

    def may_leave(self) -> bool:
        """Take over the typed text before the topology is closed; asks whether invalid text may be lost."""
        fault = self.commit_typed_text()
        if not fault:
            return True
        if self._parts.files.confirm_text_loss(fault):
            self._parts.canvas_commands.leave_writing()
            self._parts.properties.drop_faulty()
            return True
        self._focus_fault()
        return False

    # --- presses and keys at widgets ---

    def _pressed(self, event: tk.Event) -> str | None:
        if event.num not in _POINTER_BUTTONS:
            return None  # the wheel, and the button that moves the view
        self._is_refused = not self._may_act(str(event.widget))
        return "break" if self._is_refused else None

    def _released(self, event: tk.Event) -> str | None:
        is_refused, self._is_refused = self._is_refused, False
        return "break" if is_refused else None

    def _key(self, event: tk.Event) -> str | None:
        is_text = event.char != "" and event.char.isprintable()
        if int(event.state) & _CONTROL_OR_ALT or not (is_text or event.keysym in _ACTING_KEYS):
            return None
        return None if self._may_act(str(event.widget)) else "break"

    def _may_act(self, widget: str) -> bool:
        """Take over the typed text before a widget acts; returns whether it may act."""
        call = self._parts.window.tk.call
        kind = str(call("winfo", "class", widget))
        if kind in _FOR_TEXT or kind in _FOR_VIEW or _is_inside(widget, str(self._parts.properties.body)):
            return True
        if not self._acts(widget, kind):
            return True
        fault = self.commit_typed_text()
        # Windows beside the topology have values of their own. The run, the export and the save ask again.
        if not fault or str(call("winfo", "toplevel", widget)) != "." or self._is_free(widget):
            return True
        self._refuse(fault)
        return False

    def _acts(self, widget: str, kind: str) -> bool:
        bound = map(str, self._parts.window.tk.splitlist(self._parts.window.tk.call("bind", widget)))
        return kind not in _PLAIN or any("Button" in sequence or "Key" in sequence for sequence in bound)

    def _is_free(self, widget: str) -> bool:
        return any(_is_inside(widget, free) for free in self._goes_on)


def _is_inside(widget: str, outer: str) -> bool:
    return widget == outer or widget.startswith(f"{outer}.")
