"""Commits typed text before a command acts, so that the visible values are saved, run, checked and exported.

Commands begin in two ways. Lines and keys of the menus call `PendingText.may_act`. All others begin with a press of the
pointer or a key at a widget: buttons, tools, lists, drags, context menus. A bind tag before the widget's own bindings
commits the text first. While a text is invalid, the widget does not receive the press.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial

from miniedit_frr.document.document import Document
from miniedit_frr.edit_commands.canvas import CanvasCommands
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.panels.find import FindBar
from miniedit_frr.panels.properties import Properties

#: Commands that neither read nor write the topology, or ask about invalid text themselves. All others are refused while
#: a field has invalid text.
ALLOWED_WITH_INVALID_TEXT = frozenset(
    {
        "new", "open", "revert", "recover", "quit", "experiments", "undo", "redo", "personal", "keys", "about",
        "zoom_in", "zoom_out", "zoom_reset", "fit", "theme", "side", "scenario", "bottom", "stop", "cancel",
        "run_browser", "live_plots", "config_history", "close_terminals", "properties",
    }
)  # fmt: skip
_TAG = "PendingText"
#: Puts the tag before a widget's other tags as soon as the widget is on the screen.
_TAG_NEW_WIDGETS = f"""
bind all <Map> {{+
    if {{[winfo exists %W] && "{_TAG}" ni [bindtags %W]}} {{bindtags %W [linsert [bindtags %W] 0 {_TAG}]}}
}}
"""
#: Widgets for text, whose keys and presses are typing. A field commits its text when it loses the keyboard.
_FOR_TEXT = frozenset({"Entry", "TEntry", "Text", "TCombobox", "TSpinbox", "Spinbox", "Listbox"})
#: Widgets that only move or switch the view, and menus, whose lines call `may_act`.
_FOR_VIEW = frozenset(
    {"TScrollbar", "Scrollbar", "TPanedwindow", "Panedwindow", "TSizegrip", "TNotebook", "TProgressbar", "Menu"}
)
#: Widgets without an action of their own: a press acts only if a button or key is bound to the widget.
_PLAIN = frozenset({"TFrame", "Frame", "TLabel", "Label", "TLabelframe", "TSeparator", "Tk", "Toplevel"})
#: Keys that act on a widget although they write no character.
_ACTING_KEYS = frozenset({"Left", "Right", "Up", "Down", "Return", "KP_Enter", "Menu", "App", "Delete", "BackSpace"})
_POINTER_BUTTONS = (1, 3)
_CONTROL_OR_ALT = 0x4 | 0x8


class PendingText:
    """The text in the properties panel or on the canvas that is not part of the topology yet.

    Args:
        always_allowed: widgets that act although a text is invalid, with all widgets inside them.
    """

    def __init__(
        self,
        main: MainWindow,
        document: Document,
        files: FileMenu,
        properties: Properties,
        canvas_commands: CanvasCommands,
        find_bar: FindBar,
        always_allowed: tuple[tk.Misc, ...] = (),
    ) -> None:
        self._main, self._document, self._files = main, document, files
        self._properties, self._canvas_commands, self._find_bar = properties, canvas_commands, find_bar
        self._is_committing = self._is_refused = False
        self._always_allowed = tuple(map(str, (properties, *always_allowed)))
        document.commit_typed_text = self.commit_typed_text
        files.before_leaving = self.may_leave
        # A hit that is selected replaces the selection to which the field with the text belongs.
        find_bar.may_select = partial(self.may_act, "find")
        window = main.root
        window.tk.eval(_TAG_NEW_WIDGETS)
        window.bind_class(_TAG, "<ButtonPress>", self._pressed)
        window.bind_class(_TAG, "<ButtonRelease>", self._released)
        window.bind_class(_TAG, "<Key>", self._key)

    def commit_typed_text(self) -> str:
        """Make the typed text an edit. Returns the reason why it is invalid; empty if it is valid or there is none."""
        if self._is_committing:
            return ""
        self._is_committing = True
        try:
            if not self._canvas_commands.writing_fault:
                self._canvas_commands.finish_writing()
            self._properties.flush()
        finally:
            self._is_committing = False
        return self._fault()

    def _fault(self) -> str:
        remedy = "Correct the value, or press Escape in the field"
        if fault := self._canvas_commands.writing_fault:
            return f"{fault}. {remedy}"
        fault = self._properties.fault
        return f"{self._properties.title}, {fault}. {remedy}" if fault else ""

    def may_act(self, command: str) -> bool:
        """Commit the typed text before a command. Returns whether the command may act.

        Args:
            command: its name in the table of menus; empty for a line of a submenu.
        """
        fault = self.commit_typed_text()
        if not fault or command in ALLOWED_WITH_INVALID_TEXT or command.startswith(("label_", "hold_")):
            # The canvas may change under a field with an invalid name.
            self._canvas_commands.finish_writing()
            return True
        self._refuse(fault)
        return False

    def _refuse(self, fault: str) -> None:
        self._main.say(f"{fault}.")
        self._main.root.bell()
        self._focus_fault()

    def _focus_fault(self) -> None:
        if not self._canvas_commands.focus_fault():
            self._properties.focus_fault()

    def may_leave(self) -> bool:
        """Commit the typed text before the topology is closed; ask whether invalid text may be lost."""
        fault = self.commit_typed_text()
        if not fault:
            return True
        if self._files.confirm_text_loss(fault):
            self._canvas_commands.leave_writing()
            self._properties.drop_faulty()
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
        call = self._main.root.tk.call
        kind = str(call("winfo", "class", widget))
        if kind in _FOR_TEXT or kind in _FOR_VIEW or _is_inside(widget, str(self._properties.body)):
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
        bound = map(str, self._main.root.tk.splitlist(self._main.root.tk.call("bind", widget)))
        return kind not in _PLAIN or any("Button" in sequence or "Key" in sequence for sequence in bound)

    def _is_free(self, widget: str) -> bool:
        return any(_is_inside(widget, free) for free in self._always_allowed)


def _is_inside(widget: str, outer: str) -> bool:
    return widget == outer or widget.startswith(f"{outer}.")
