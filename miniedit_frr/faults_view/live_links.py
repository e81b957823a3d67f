"""Links whose values are edited while the lab runs: the lab follows the drawing, and undo leads both back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from frrlib.edits.live_changes import is_alike, live_changes
from frrlib.errors import TopologyError
from frrlib.model.fault_words import settings_of
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.labels import error_words
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.render.faults import fault_plan
from miniedit_frr.editor.parts import Parts
from miniedit_frr.running_lab.lab import LiveLab


class LiveLinks:
    """Has the lab that runs follow what changes in the drawing.

    A change that the lab does not take is taken back in the drawing too, with what of it was done already.

    Attributes:
        on_follow: called when the lab is about to have other links, which it is known to have then.
    """

    def __init__(self, parts: Parts, lab: LiveLab) -> None:
        self._parts, self._lab = parts, lab
        self.on_follow: list[Callable[[], object]] = []
        #: Changes that the lab has not told of yet, by link.
        self._awaited: Counter[str] = Counter()
        self._is_going_back = False
        parts.document.listen(self._follow)

    def begin(self) -> None:
        """Another lab begins."""
        self._awaited.clear()

    def why_not(self, before: Topology, after: Topology) -> str:
        """Why the drawing must not change so while the lab runs; empty where the lab can follow."""
        try:
            for fault in live_changes(before, after):
                fault_plan(with_names(self._lab.topology), fault)
        except TopologyError as error:
            return error_words(error, self._lab.topology)
        return ""

    def made(self, link: str) -> bool:
        """The lab tells of other values on a link; whether it was the drawing that wanted them."""
        self._awaited[link] -= 1
        if self._awaited[link] >= 0:
            return True
        del self._awaited[link]
        return False

    def _follow(self, before: Topology, after: Topology) -> None:
        lab = self._lab
        if not lab.is_open or self._is_going_back or is_alike(before, after):
            return
        try:
            faults = live_changes(before, after)
        except TopologyError:  # another drawing was opened
            return
        lab.take_links(after.links)
        for listener in self.on_follow:
            listener()
        self._tell(faults, 0, before, after)

    def _tell(self, faults: Sequence[Fault], at: int, before: Topology, after: Topology) -> None:
        """Tell the lab of one change, and of the next when it has been made."""
        if at == len(faults):
            return
        lab, fault = self._lab, faults[at]
        self._awaited[fault.target] += 1
        self._parts.say(f"{lab.link_title(fault.target)}: {settings_of(fault)}")
        lab.session.ask(lambda lab: lab.fault(fault)).then(
            lambda _: self._tell(faults, at + 1, before, after),
            partial(self._refused, faults[:at], fault, before, after),
        )

    def _refused(self, done: Sequence[Fault], fault: Fault, before: Topology, after: Topology, why: str) -> None:
        self._awaited[fault.target] -= 1
        lab = self._lab
        self._parts.say(f"{lab.link_title(fault.target)} was not changed: {why}")
        if self._parts.document.topology.links == after.links:
            self._is_going_back = True
            try:
                self._parts.document.undo()
            finally:
                self._is_going_back = False
        lab.take_links(before.links)
        self._tell(live_changes(_with_done(before, after, done), before), 0, after, before)


def _with_done(before: Topology, after: Topology, done: Sequence[Fault]) -> Topology:
    """The drawing of which the lab is one when only some of the changes have been made."""
    made = {(fault.target, fault.towards) for fault in done}

    def now(old: Link, new: Link) -> Link:
        there, back = ({(old.id, ""), (old.id, end.node)} & made for end in (old.b, old.a))
        return old.model_copy(
            update={"a_to_b": (new if there else old).a_to_b, "b_to_a": (new if back else old).b_to_a}
        )

    return before.model_copy(update={"links": tuple(map(now, before.links, after.links))})
