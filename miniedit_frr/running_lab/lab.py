"""The lab of the drawing, for whoever asks it something or tells it to do something. No widget is known here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from frrlib.model.links import Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.detached_labs import new_lab
from miniedit_frr.session.events import LabOrder, LabState, StepProgress
from miniedit_frr.session.session import Session

#: The steps of a run, of which one follows the other; what else is told is a part of one of them.
STEPS = ("place", "boot", "build", "mininet", "converge", "rest", "flows", "figure")


class LiveLab:
    """The state of a lab, as far as it is known.

    Attributes:
        document: the drawing whose lab it is.
        session: the lab in its threads.
        state: how far it is.
        topology: what it was built from, with the links as they were changed since.
        order: what it was started for.
        file: what the drawing was kept in when it was started; None for none.
        place: where it runs; empty as long as it has not told.
        step: the step of the run that goes on; empty between two.
        is_sending: whether it will send flows, or does, and their results are not there yet.
        is_ending: whether somebody has asked for its end.
        is_left: whether somebody has asked that it goes on by itself.

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

    # --- what becomes of it ---

    def begin(self, order: LabOrder) -> None:
        """One begins."""
        self.order, self.topology, self.place, self.step = order, order.topology, "", ""
        self.is_ending = self.is_left = False
        self.is_sending = order.flows

    def stop(self) -> None:
        """Stop it in order; one that does not run yet, or is asked again, at once."""
        self.is_ending = True
        self.session.stop()

    def cancel(self) -> None:
        """End it at once."""
        self.is_ending = True
        self.session.cancel()

    def take_step(self, told: StepProgress) -> None:
        """A step begins or is over."""
        if told.name in STEPS:
            self.step = told.name if told.state == "start" else ""

    def take_links(self, links: tuple[Link, ...]) -> None:
        """It has its links so now."""
        self.topology = self.topology.model_copy(update={"links": links})

    # --- how it is ---

    @property
    def name(self) -> str:
        """The title of the drawing."""
        path = self.document.path
        return self.document.topology.title or (path.stem if path else "untitled")

    @property
    def can_run(self) -> bool:
        """Whether there is something that can be run now."""
        return not self.is_alive and bool(self.document.topology.nodes)

    @property
    def is_alive(self) -> bool:
        """Whether there is a lab, or one that begins or ends."""
        return self.state not in (LabState.IDLE, LabState.FAILED)

    @property
    def is_virtual(self) -> bool:
        """Whether there is a lab in virtual time, of which nothing can be asked."""
        return self.is_alive and self.order.virtual_time

    @property
    def is_open(self) -> bool:
        """Whether it runs and can be asked and told."""
        return self.state is LabState.RUNNING and not self.is_virtual

    @property
    def is_joined(self) -> bool:
        """Whether it was there before this window."""
        return self.state is LabState.RUNNING and bool(self.order.join)

    @property
    def can_leave(self) -> bool:
        """Whether it could go on by itself."""
        return self.state is LabState.RUNNING and not self.sends_flows

    @property
    def sends_flows(self) -> bool:
        """Whether it was started for its flows, or sends some now."""
        return self.order.flows or self.is_sending

    @property
    def can_send(self) -> bool:
        """Whether it runs, sends no flows and can be told to."""
        return self.is_open and not self.is_sending

    # --- what is in it ---

    def daemons(self, node: str) -> tuple[str, ...]:
        """FRR's daemons on a node; none where it runs none."""
        found = self.topology.node(node)
        return daemons(found) if isinstance(found, Router) else ()

    def link_title(self, link: str) -> str:
        """A link by its ends."""
        found = self.topology.link(link)
        return f"{found.a.node} to {found.b.node}" if found else link

    # --- what it is told to do ---

    def set_link(self, link: str, *, up: bool, then: Callable[[], object]) -> None:
        """Give a link carrier or take it away; `then` is called when that is done."""
        self.session.set_link(link, up=up).then(lambda _: then())

    def kill_daemon(self, router: str, daemon: str) -> None:
        """Kill a router's daemon."""
        self.session.ask(lambda lab: lab.kill_daemon(router, daemon)).then(lambda _: None)
