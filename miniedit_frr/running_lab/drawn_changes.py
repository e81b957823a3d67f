"""Edits while the lab runs: the drawing is compared with the lab, and the user has the differences made in the lab.

Edits wait for the user, as changed lines wait for a commit in a router's configuration: a router without its links or a
half-typed neighbor must not disturb the network, and several edits are one change, which fails or succeeds as a whole.
Users may choose that the lab gets each edit at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from frrlib.addressing.addressing import addressed
from frrlib.changes.kept_names import with_kept_names
from frrlib.edits.changes import replace_node
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.model.nodes import LOOKS, Node, Router
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.change_words import (
    applied_text,
    changes_text,
    count_changes,
    detail_lines,
    main_changes,
    pending_text,
    refused_text,
)
from miniedit_frr.running_lab.lab import LiveLab, link_title
from miniedit_frr.session import changing
from miniedit_frr.session.changing import ChangedLab, LabDifference
from miniedit_frr.session.events import LabState
from miniedit_frr.session.pending import ignore

#: Pause after an edit before the drawing is compared, so that quick edits are compared once.
PAUSE_MS = 300
_VIRTUAL = (
    "The drawing differs from the running lab. A lab in virtual time cannot change, because its run would not be "
    "repeatable. The next run uses the drawing."
)
_STARTING = "The drawing was changed after the start of the lab. The changes can be applied when the lab is up."
_SENDING = "The drawing differs from the running lab. Changes can be applied when the flows have ended."
#: The beginning of a notice after a change by another program.
_ELSEWHERE = "Another program has changed the running lab; Revert draws it as it is. "


@dataclass(frozen=True)
class Notice:
    """What the window says about the differences.

    Attributes:
        text: one sentence or a few.
        details: all changes, one a line; empty for none.
        can_apply: whether the lab can follow all of them.
        is_busy: whether the lab is being changed.
    """

    text: str
    details: str = ""
    can_apply: bool = False
    is_busy: bool = False


class DrawnChanges:
    """The differences between the drawing and the running lab.

    Attributes:
        notice: the present notice; None if drawing and lab are alike, or no lab runs.
        on_applied: called with each change of the lab, after the state of the lab was updated.
        applies_at_once: returns whether the lab gets each edit without a command of the user.

    Args:
        say: shows a message.
        defer: makes a function that calls another one once, after a pause in ms, however often it is called before.
        show: shows a notice, or none.
        may_run: whether the user agrees that the lab runs the programs of the drawing.
    """

    def __init__(
        self,
        document: Document,
        lab: LiveLab,
        say: Callable[[str], object],
        defer: Callable[[Callable[[], object]], Callable[[int], object]],
        show: Callable[[Notice | None], object],
        may_run: Callable[[Topology], bool],
    ) -> None:
        self._document, self._lab, self._say = document, lab, say
        self._compare_after, self._show, self._may_run = defer(self._compare), show, may_run
        self.notice: Notice | None = None
        self.on_applied: list[Callable[[ChangedLab], object]] = []
        self.applies_at_once: Callable[[], bool] = lambda: False
        self._is_asking = False
        #: The number of changes in the notice.
        self._count = 0
        #: Whether another program has changed the lab since drawing and lab were alike.
        self._is_changed_elsewhere = False
        #: The drawing that the lab could not be changed into, and the reason.
        self._failed: tuple[Topology, str] | None = None
        #: The drawing whose programs the user does not let the lab run.
        self._declined: Topology | None = None
        document.listen(lambda old, new: self.follow())

    # --- comparison ---

    def follow(self) -> None:
        """The drawing, or the state of the lab, has changed: compare them soon."""
        if self._lab.is_alive or self.notice is not None:
            self._compare_after(PAUSE_MS)

    def _compare(self) -> None:
        lab, topology = self._lab, self._document.topology
        if lab.state not in (LabState.STARTING, LabState.RUNNING) or not lab.differs:
            self._failed, self._is_changed_elsewhere = None, False
            self._set(None)
        elif lab.is_changing or self._is_asking:
            return  # its end compares again
        elif reason := self._obstacle():
            self._set(Notice(reason))
        elif self._failed is not None and self._failed[0] is topology:
            self._set(Notice(self._failed[1]))
        else:
            self._is_asking = True
            request = lab.session.ask(partial(changing.compare, topology=topology))
            request.then(partial(self._compared, topology), self._not_compared)

    def _obstacle(self) -> str:
        """Why no change can be applied now; empty if one can."""
        if self._lab.is_virtual:
            return _VIRTUAL
        if not self._lab.is_open:
            return _STARTING
        return _SENDING if self._lab.is_sending else ""

    def _compared(self, topology: Topology, difference: LabDifference) -> None:
        self._is_asking = False
        lab = self._lab
        if self._document.topology is not topology:
            self.follow()
        elif difference.error:
            self._set(Notice(f"The drawing differs from the running lab, and cannot be applied: {difference.error}"))
        elif not difference.changes:  # they differ in nothing that a lab contains
            lab.drawing, self._is_changed_elsewhere = topology, False
            self._set(None)
        else:
            changes, refusals = difference.changes, difference.refusals
            main = main_changes(changes, lab.drawing, topology)
            text = refused_text(refusals) if refusals else pending_text(main, self._title)
            self._count = count_changes(main)
            at_once = self.applies_at_once() and not refusals and not self._is_changed_elsewhere
            if at_once and self._declined is not topology and self._apply(topology):
                return
            elsewhere = _ELSEWHERE if self._is_changed_elsewhere else ""
            self._set(Notice(f"{elsewhere}{text}", detail_lines(changes), can_apply=not refusals))

    def _not_compared(self, reason: str) -> None:
        self._is_asking = False
        self.follow()

    def _set(self, notice: Notice | None) -> None:
        if notice != self.notice:
            self.notice = notice
            self._show(notice)

    def _title(self, link: str) -> str:
        topology = self._document.topology
        return link_title(topology if topology.link(link) else self._lab.topology, link)

    # --- commands ---

    @property
    def can_apply(self) -> bool:
        """Whether the drawing has changes that the lab can follow, as far as that is known."""
        if self._lab.is_changing or self._obstacle() or not self._lab.differs:
            return False
        return self.notice is None or self.notice.can_apply

    def apply(self) -> None:
        """Change the running lab into the lab of the drawing, in the background."""
        lab, document = self._lab, self._document
        if fault := document.commit_typed_text():
            self._say(f"{fault}. Then the changes can be applied.")
        elif lab.is_changing:
            self._say("The running lab is being changed. Later edits can be applied when that is done.")
        elif reason := self._obstacle():
            self._say(reason)
        elif not lab.differs:
            self._say("The running lab is as drawn.")
        else:
            self._apply(document.topology)

    def start_frr(self, router: str) -> None:
        """Start FRR on a router without it, in the drawing and in the running lab, with all other edits."""
        topology = self._document.topology
        node = topology.node(router)
        if isinstance(node, Router):
            with_frr = node.model_copy(update={"daemons": ("zebra", "staticd")})
            self._document.apply(f"Start FRR on {router}", replace_node(topology, router, with_frr))
            self.apply()

    def _apply(self, topology: Topology) -> bool:
        """Begin the change. Returns False if the user does not agree that the lab runs the drawing's programs."""
        lab = self._lab
        if is_agreed := self._may_run(topology):
            lab.is_changing, self._failed = True, None
            number = self._count if self.notice is not None and self._count else 0
            what = changes_text(number) if number else "the changes"
            self._say(f"Applying {what} to the running lab …")
            self._set(Notice(f"Applying {what} to the running lab …", is_busy=True))
            request = lab.session.ask(partial(changing.apply, topology=topology))
            request.then(partial(self._applied, topology), partial(self._not_applied, topology))
        else:
            self._declined = topology
            self._say("The changes were not applied.")
        return is_agreed

    def _applied(self, topology: Topology, changed: ChangedLab) -> None:
        lab = self._lab
        text = applied_text(main_changes(changed.changes, lab.drawing, topology), self._title)
        lab.is_changing = False
        lab.adopt(topology, changed.drawn)
        for listener in self.on_applied:
            listener(changed)
        self._say(text)
        self._compare()

    def _not_applied(self, topology: Topology, reason: str) -> None:
        lab = self._lab
        lab.is_changing = False
        if lab.is_open and not lab.is_ending:
            text = f"The changes were not applied, and the running lab is as before. {reason}"
            self._failed = topology, text
            self._say(text)
        self._compare()

    def take_over(self, drawn: Topology) -> None:
        """Another program has given the lab this topology: update the state of the lab, and compare."""
        lab = self._lab
        lab.adopt(with_drawn_parts(drawn, self._document.topology), drawn)
        self._is_changed_elsewhere = True
        down = frozenset(link.id for link in drawn.links if not link.up)
        for listener in self.on_applied:
            listener(ChangedLab((), drawn, links_down=down))
        self._say("Another program has changed the running lab.")
        self._compare()

    def adopt_lines(self, old: Topology, new: Topology) -> None:
        """The drawing gets lines that somebody has typed on routers of the running lab.

        Args:
            old, new: the drawing before and after that. Routers that differ from the lab in more than these lines
                still differ afterwards.
        """
        lab = self._lab
        if not lab.is_open:
            return
        before = {node.name: node.without_looks for node in old.nodes}
        after = {node.name: node for node in new.nodes}
        nodes = tuple(
            after.get(node.name, node) if before.get(node.name) == node.without_looks else node
            for node in lab.drawing.nodes
        )
        lab.drawing = lab.drawing.model_copy(update={"nodes": nodes})
        lab.session.ask(partial(Lab.adopt, topology=lab.drawing)).then(ignore, ignore)

    def revert(self) -> None:
        """Make the drawing equal to the running lab again, as one edit. Positions, notes and new flows stay."""
        if self._lab.is_alive and self._lab.differs:
            self._document.apply("Revert to Running Lab", reverted(self._document.topology, self._lab.drawing))


def with_drawn_parts(drawn: Topology, topology: Topology) -> Topology:
    """A lab's topology with the nodes and links of the drawing that give the same ones, as they are drawn.

    Args:
        drawn: the lab's topology, with all names and addresses.
        topology: the drawing.
    """
    try:
        complete = addressed(with_kept_names(drawn, topology))
    except TopologyError:  # the drawing is not finished
        return drawn
    drawn_nodes = {node.name: node for node in topology.nodes}
    drawn_links = {link.id: link for link in topology.links}
    nodes = {node.name: node.without_looks for node in complete.nodes}
    links = {link.id: link for link in complete.links}
    return drawn.model_copy(
        update={
            "nodes": tuple(
                drawn_nodes[node.name] if nodes.get(node.name) == node.without_looks else node for node in drawn.nodes
            ),
            "links": tuple(drawn_links[link.id] if links.get(link.id) == link else link for link in drawn.links),
        }
    )


def reverted(topology: Topology, drawing: Topology) -> Topology:
    """A drawing with the nodes and links of an earlier one. Looks of nodes, notes and flows between its nodes stay."""
    present = {node.name: node for node in topology.nodes}

    def with_present_looks(node: Node) -> Node:
        looks = present.get(node.name)
        return node.model_copy(update={name: getattr(looks, name) for name in LOOKS}) if looks is not None else node

    names = {node.name for node in drawing.nodes}
    present_flows = tuple(flow for flow in topology.flows if {flow.source, flow.destination} <= names)
    present_ids, drawn_ids = {flow.id for flow in present_flows}, {flow.id for flow in topology.flows}
    lost = tuple(  # flows that the drawing lost with a node, or whose node has another name there
        flow for flow in drawing.flows
        if flow.id not in present_ids and (flow.id in drawn_ids or not {flow.source, flow.destination} <= {*present})
    )  # fmt: skip
    same_parts = names == {*present} and {link.id for link in topology.links} == {link.id for link in drawing.links}
    return drawing.model_copy(
        update={
            "nodes": tuple(map(with_present_looks, drawing.nodes)), "flows": (*present_flows, *lost),
            "title": topology.title,
            "faults": topology.faults if same_parts else drawing.faults, "annotations": topology.annotations,
            "wait": topology.wait, "intended_problems": topology.intended_problems,
        }
    )  # fmt: skip
