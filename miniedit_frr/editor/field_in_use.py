"""Takes over typed text before a command acts: what is on the screen is what is saved, run, checked and exported."""

from __future__ import annotations

from miniedit_frr.editor.parts import Parts

#: Commands that neither read nor write the topology, or ask about invalid text themselves; all others refuse to act
#: while a field has invalid text.
GOES_ON = frozenset(
    {
        "new", "open", "revert", "recover", "quit", "experiments", "undo", "redo", "find", "personal", "keys", "about",
        "zoom_in", "zoom_out", "zoom_reset", "fit", "theme", "side", "scenario", "bottom", "stop", "cancel",
        "run_browser", "live_plots", "config_history", "close_terminals", "properties",
    }
)  # fmt: skip


class FieldInUse:
    """The text in the properties panel, or written on the canvas, that is not part of the topology yet."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._is_taking = False
        parts.document.take_over = self.take_over
        parts.files.before_leaving = self.may_leave

    def take_over(self) -> str:
        """Make the typed text an edit; returns why it cannot be one, empty where it is or where there is none."""
        if self._is_taking:
            return ""
        self._is_taking = True
        try:
            self._parts.canvas_commands.finish_writing()
            self._parts.properties.flush()
        finally:
            self._is_taking = False
        return self._fault()

    def _fault(self) -> str:
        fault = self._parts.properties.fault
        return f"{self._parts.properties.title}, {fault}. Correct it, or press Escape in the field" if fault else ""

    def before(self, command: str) -> bool:
        """Take over the typed text before a command; returns whether the command may act.

        Args:
            command: its name in the table of menus; empty for a line of a submenu.
        """
        fault = self.take_over()
        if not fault or command in GOES_ON or command.startswith(("label_", "hold_")):
            return True
        self._parts.say(f"{fault}.")
        self._parts.view.bell()
        self._parts.properties.focus_fault()
        return False

    def may_leave(self) -> bool:
        """Take over the typed text before the topology is closed; asks whether invalid text may be lost."""
        fault = self.take_over()
        if not fault:
            return True
        if self._parts.files.may_lose_text(fault):
            self._parts.properties.drop_faulty()
            return True
        self._parts.properties.focus_fault()
        return False
