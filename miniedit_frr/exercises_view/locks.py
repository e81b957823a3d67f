"""Locks of the drawing of an exercise: its nodes and links stay, and locked nodes keep their settings and addresses.

If students shall find faults themselves, warnings about the drawing are not shown either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from frrlib.exercises.permitted import refused_change
from frrlib.exercises.work import Work
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.locks import is_locked, sealed_reason
from miniedit_frr.dialogs.sheets import NodeSheet
from miniedit_frr.editor.parts import Parts
from miniedit_frr.widgets.deferred import DeferredCall

#: The notice beside locked fields.
_NOTICE = "Locked by the exercise: the settings and addresses of {} are given."


class ExerciseLocks:
    """Refuses edits of locked parts while a work is open, and locks their fields.

    Args:
        say: shows why an edit was refused.
    """

    def __init__(self, parts: Parts, say: Callable[[str], object]) -> None:
        self._document, self._properties, self._say = parts.document, parts.properties, say
        self._checker, self._dialogs = parts.checker, parts.dialogs
        self._start: Topology | None = None
        self._file, self._locked = parts.document.path, frozenset[str]()
        self._drop_refused = DeferredCall(parts.main.root, parts.properties.drop_faulty)
        parts.properties.lock_reason = parts.dialogs.lock_reason = self.reason
        parts.document.restrict_further(self._refuse)

    def begin(self, work: Work) -> None:
        """Apply the locks of a work's exercise to its drawing."""
        self._start, self._file = work.exercise.start(), self._document.path
        content = work.exercise.exercise.content
        self._locked = frozenset(content.all_locked)
        self._checker.errors_only = self._dialogs.errors_only = content.without_problems

    def end(self) -> None:
        """Lock nothing."""
        self._start, self._locked = None, frozenset()
        self._checker.errors_only = self._dialogs.errors_only = False

    def reason(self, values: Sequence[Any], covers: Sequence[str]) -> str:
        """Why a field of a form, or the whole form, is locked; see `LockReason`."""
        names = dict.fromkeys(name for value in values for name in self._locked_names(value, covers))
        return sealed_reason(values, covers) or (_NOTICE.format(", ".join(names)) if names else "")

    def _locked_names(self, value: Any, covers: Sequence[str]) -> Iterator[str]:
        """The locked nodes that a field, or a whole form, is about."""
        if isinstance(value, NodeSheet) and value.node.name in self._locked:
            if not covers or is_locked(value, covers):
                yield value.node.name
        elif isinstance(value, Link):
            for side, end in (("a.", value.a), ("b.", value.b)):
                if end.node in self._locked and (not covers or any(path.startswith(side) for path in covers)):
                    yield end.node

    def _refuse(self, old: Topology, new: Topology) -> str:
        if self._start is None or self._document.path != self._file:
            return ""
        reason = refused_change(self._start, old, new, self._locked)
        if reason:
            self._say(reason)
            self._drop_refused.soon()
        return reason
