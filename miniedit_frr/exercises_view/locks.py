"""Locks of the drawing of an exercise: its nodes and links stay, and locked nodes keep their settings and addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from frrlib.exercises.permitted import refused_change
from frrlib.exercises.work import Work
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.locks import is_locked
from miniedit_frr.dialogs.sheets import NodeSheet
from miniedit_frr.editor.parts import Parts
from miniedit_frr.widgets.deferred import DeferredCall

#: The notice beside locked fields.
_NOTICE = "The exercise gives the settings and addresses of {}. They are locked."


class ExerciseLocks:
    """Refuses edits of locked parts while a work is open, and locks their fields.

    Args:
        say: shows why an edit was refused.
    """

    def __init__(self, parts: Parts, say: Callable[[str], object]) -> None:
        self._document, self._properties, self._say = parts.document, parts.properties, say
        self._start: Topology | None = None
        self._file, self._locked = parts.document.path, frozenset[str]()
        self._drop_refused = DeferredCall(parts.main.root, parts.properties.drop_faulty)
        parts.properties.lock_reason = self.reason
        parts.document.restrict_further(self._refuse)

    def begin(self, work: Work) -> None:
        """Apply the locks of a work's exercise to its drawing."""
        self._start, self._file = work.exercise.start(), self._document.path
        self._locked = frozenset(work.exercise.exercise.content.locked)

    def end(self) -> None:
        """Lock nothing."""
        self._start, self._locked = None, frozenset()

    def reason(self, value: Any, covers: Sequence[str]) -> str:
        """Why a field of the properties, or its whole form, is locked; see `Properties.lock_reason`."""
        if isinstance(value, NodeSheet) and value.node.name in self._locked:
            return _NOTICE.format(value.node.name) if not covers or is_locked(value, covers) else ""
        if isinstance(value, Link):
            sides = [(side, end.node) for side, end in (("a.", value.a), ("b.", value.b)) if end.node in self._locked]
            names = [name for side, name in sides if not covers or any(path.startswith(side) for path in covers)]
            return _NOTICE.format(" and ".join(names)) if names else ""
        return ""

    def _refuse(self, old: Topology, new: Topology) -> str:
        if self._start is None or self._document.path != self._file:
            return ""
        reason = refused_change(self._start, old, new, self._locked)
        if reason:
            self._say(reason)
            self._drop_refused.soon()
        return reason
