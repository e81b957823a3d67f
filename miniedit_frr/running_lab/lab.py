"""The state and the actions of the lab in the window. This module uses no widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from frrlib.changes.kept_names import with_kept_names
from frrlib.edits.live_changes import is_alike
from frrlib.model.interface_names import with_names
from frrlib.model.links import Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.detached_labs import new_lab
from miniedit_frr.session.events import LabOrder, LabState, StepProgress
from miniedit_frr.session.session import Session

#: The consecutive steps of a run. All other steps that are reported are parts of these.
STEPS = ("place", "boot", "build", "mininet", "converge", "rest", "flows", "figure")
#: Parts of a topology that a lab is started with, besides nodes, links and preferences.
_STARTED_WITH = ("shown_folders", "copied_folders", "kernel_modules", "kernel_parameters")


def link_title(topology: Topology, link: str) -> str:
    """The title of a link: the names of its nodes; for an unknown link, its id."""
    match = topology.link(link)
    return f"{match.a.node} to {match.b.node}" if match else link


class LiveLab:
    """The known state of a lab.

    Attributes:
        document: the document with the lab's topology.
        session: runs the lab in its threads.
        state: the state of the lab, according to its events.
        topology: the topology of the lab now, with the current settings of the links.
        drawing: the drawing that the lab was made from last. After a change of the running lab, `topology` has all
            names and addresses of the lab, and this is the drawing without those that were left open.
        is_changing: whether it is being changed into the lab of another drawing.
        order: the order that started it.
        file: the file of the topology when the lab was started; None if it had none.
        place: the place where it runs; empty until the lab has reported it.
        step: the current step of the run; empty between two steps.
        is_sending: whether it sends flows, or will, and their results are pending.
        is_ending: whether its end was requested.
        is_left: whether it was detached.

    Args:
        say: shows the error of a failed request that has no callback for it.
        wake: called when a request begins to wait for its reply.
    """

    def __init__(self, document: Document, say: Callable[[str], None], wake: Callable[[], None]) -> None:
        self.document = document
        self.session = Session(lambda topology, **how: new_lab(topology, self.file, **how), say, wake)
        self.state = LabState.IDLE
        self.file: Path | None = document.path
        self.begin(LabOrder(Topology()))

    # --- start and end ---

    def begin(self, order: LabOrder) -> None:
        """Reset the state for a lab that starts."""
        self.order, self.topology, self.place, self.step = order, order.topology, "", ""
        self.drawing = order.topology
        self.is_ending = self.is_left = self.is_changing = False
        self.is_sending = order.flows

    def stop(self) -> None:
        """Stop it with its stop commands. A lab that does not run yet is ended at once, and so is one at the second
        call."""
        self.is_ending = True
        self.session.stop()

    def cancel(self) -> None:
        """End it at once."""
        self.is_ending = True
        self.session.cancel()

    def take_step(self, event: StepProgress) -> None:
        """Store the current step."""
        if event.name in STEPS:
            self.step = event.name if event.state == "start" else ""

    def take_shapes(self, links: Iterable[Link]) -> None:
        """Store the current values of both directions of some links. Links that are not in the lab are skipped."""
        shapes = {link.id: {"a_to_b": link.a_to_b, "b_to_a": link.b_to_a} for link in links}
        self.topology, self.drawing = (
            topology.model_copy(
                update={"links": tuple(link.model_copy(update=shapes.get(link.id, {})) for link in topology.links)}
            )
            for topology in (self.topology, self.drawing)
        )

    def adopt(self, drawing: Topology, drawn: Topology) -> None:
        """The running lab was changed: store the drawing that it was made from, and its topology with all addresses."""
        self.drawing, self.topology = drawing, drawn

    # --- state ---

    @property
    def name(self) -> str:
        """The title of the topology."""
        path = self.document.path
        return self.document.topology.title or (path.stem if path else "untitled")

    @property
    def can_run(self) -> bool:
        """Whether a lab can be started now."""
        return not self.is_alive and bool(self.document.topology.nodes)

    @property
    def is_alive(self) -> bool:
        """Whether a lab runs, starts or stops."""
        return self.state not in (LabState.IDLE, LabState.FAILED)

    @property
    def is_virtual(self) -> bool:
        """Whether there is a lab in virtual time, which accepts no requests."""
        return self.is_alive and self.order.virtual_time

    @property
    def is_open(self) -> bool:
        """Whether it runs and accepts requests."""
        return self.state is LabState.RUNNING and not self.is_virtual

    @property
    def is_joined(self) -> bool:
        """Whether this window joined it."""
        return self.state is LabState.RUNNING and bool(self.order.join)

    @property
    def can_leave(self) -> bool:
        """Whether it can be detached."""
        return self.state is LabState.RUNNING and not self.sends_flows

    @property
    def sends_flows(self) -> bool:
        """Whether it was started with its flows, or sends some now."""
        return self.order.flows or self.is_sending

    @property
    def can_send(self) -> bool:
        """Whether it can send flows now."""
        return self.is_open and not self.is_sending

    @property
    def differs(self) -> bool:
        """Whether the drawing would give another lab than the present one."""
        drawing, topology = self.drawing, self.document.topology
        return drawing is not topology and not (
            is_alike(drawing, topology)
            and all(getattr(drawing, name) == getattr(topology, name) for name in _STARTED_WITH)
        )

    # --- contents ---

    def with_names_of_lab(self, topology: Topology) -> Topology:
        """The topology of the document with the names that its interfaces have in the running lab, or will get there.

        A changed lab keeps the names of its interfaces when an earlier link is removed.

        Args:
            topology: the document's topology, with all names and addresses.
        """
        if not self.is_alive or self.topology is self.order.topology:
            return topology
        named = with_names(with_kept_names(self.topology, self.document.topology))
        names = {(link.id, side): getattr(link, side).interface for link in named.links for side in "ab"}

        def renamed(link: Link) -> Link:
            ends = {
                side: getattr(link, side).model_copy(update={"interface": names[link.id, side]})
                for side in "ab"
                if names.get((link.id, side), "") not in ("", getattr(link, side).interface)
            }
            return link.model_copy(update=ends) if ends else link

        return topology.model_copy(update={"links": tuple(map(renamed, topology.links))})

    def daemons(self, node: str) -> tuple[str, ...]:
        """FRR's daemons on a node; empty for a node without FRR."""
        router = self.topology.node(node)
        return daemons(router) if isinstance(router, Router) else ()

    def link_title(self, link: str) -> str:
        """The title of a link: the names of its nodes."""
        return link_title(self.topology, link)

    # --- actions ---

    def set_link(self, link: str, *, up: bool, then: Callable[[], object]) -> None:
        """Give a link carrier or take it away; `then` is called when that is done."""
        self.session.set_link(link, up=up).then(lambda _: then())

    def kill_daemon(self, router: str, daemon: str) -> None:
        """Kill a router's daemon."""
        self.session.ask(lambda lab: lab.kill_daemon(router, daemon)).then(lambda _: None)
