"""Edits of the values of links while the lab runs: the lab follows at once, and undo reverts both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from frrlib.edits.live_changes import is_alike, live_changes
from frrlib.errors import TopologyError
from frrlib.model.fault_words import settings_of
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.render.faults import fault_plan
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.lab import LiveLab


class LiveLinks:
    """Applies edits of the values of links to the running lab.

    If the lab refuses a change, the edit is undone in the topology, and the applied part of it is undone in the lab.

    Attributes:
        on_follow: called when the links of the lab change, after its topology was updated.
    """

    def __init__(self, document: Document, say: Callable[[str], None], lab: LiveLab) -> None:
        self._document, self._say, self._lab = document, say, lab
        self.on_follow: list[Callable[[], object]] = []
        #: Number of changes that the lab has not reported yet, by link.
        self._awaited: Counter[str] = Counter()
        self._is_going_back = False
        document.listen(self._follow)

    def begin(self) -> None:
        """A lab begins."""
        self._awaited.clear()

    def _faults(self, old: Topology, new: Topology) -> tuple[Fault, ...]:
        """The faults by which the lab follows an edit at once; none if the edit changes more than values of links, or
        links that differ from those of the lab already."""
        lab = self._lab
        try:
            faults = live_changes(old, new)
            topology = with_names(lab.topology)
            for fault in faults:
                fault_plan(topology, fault)
        except TopologyError:
            return ()
        return faults if all(lab.drawing.link(fault.target) == old.link(fault.target) for fault in faults) else ()

    def confirm(self, link: str) -> bool:
        """Handle new values of a link in the lab. Returns whether an edit of the topology caused them."""
        self._awaited[link] -= 1
        if self._awaited[link] >= 0:
            return True
        del self._awaited[link]
        return False

    def _follow(self, old: Topology, new: Topology) -> None:
        lab = self._lab
        if not lab.is_open or lab.is_changing or self._is_going_back or is_alike(old, new):
            return
        faults = self._faults(old, new)
        if not faults:  # the user applies the edit later, see `DrawnChanges`
            return
        changed = {fault.target for fault in faults}
        lab.take_shapes(link for link in new.links if link.id in changed)
        for listener in self.on_follow:
            listener()
        self._apply(faults, 0, old, new)

    def _apply(self, faults: Sequence[Fault], at: int, old: Topology, new: Topology) -> None:
        """Apply one change to the lab, and the next one after its reply."""
        if at == len(faults):
            return
        lab, fault = self._lab, faults[at]
        self._awaited[fault.target] += 1
        self._say(f"{lab.link_title(fault.target)}: {settings_of(fault)}")
        lab.session.ask(lambda lab: lab.fault(fault)).then(
            lambda _: self._apply(faults, at + 1, old, new),
            partial(self._revert, faults[:at], fault, old, new),
        )

    def _revert(self, done: Sequence[Fault], fault: Fault, old: Topology, new: Topology, reason: str) -> None:
        self._awaited[fault.target] -= 1
        lab = self._lab
        self._say(f"{lab.link_title(fault.target)} was not changed: {reason}")
        if self._document.topology.links == new.links:
            self._is_going_back = True
            try:
                self._document.undo()
            finally:
                self._is_going_back = False
        changed = {fault.target for fault in live_changes(old, new)}
        lab.take_shapes(link for link in old.links if link.id in changed)
        self._apply(live_changes(_with_done(old, new, done), old), 0, new, old)


def _with_done(old: Topology, new: Topology, done: Sequence[Fault]) -> Topology:
    """The topology of the lab after only some of the changes were applied."""
    changed = {(fault.target, fault.towards) for fault in done}

    def changed_link(old_link: Link, new_link: Link) -> Link:
        has_forward, has_backward = (
            {(old_link.id, ""), (old_link.id, end.node)} & changed for end in (old_link.b, old_link.a)
        )
        return old_link.model_copy(
            update={
                "a_to_b": (new_link if has_forward else old_link).a_to_b,
                "b_to_a": (new_link if has_backward else old_link).b_to_a,
            }
        )

    return old.model_copy(update={"links": tuple(map(changed_link, old.links, new.links))})
