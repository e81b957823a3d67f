"""Faults of a running lab, as scripts make them: `lab.link_down("l1")`, `lab.power_cycle("r1")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.lab.node import ANSWER_MARGIN_S
from frrlib.model.faults import Fault, FaultKind
from frrlib.model.topology import Topology
from frrlib.render import faults as rendering
from frrlib.wire.plan import FaultPlan


class FaultMaker:
    """The faults that can be made in a lab. Every method returns when the fault is made, and raises

    - TopologyError: it names what is not there, or its link cannot do that; says what would be right;
    - LabFailed, CommandFailed: the lab did not do it.

    Those with `duration_s` are mended after so many seconds, None for never.
    """

    topology: Topology

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = 60.0) -> wire.Reply:
        """Have the command carried out; a lab knows how."""
        raise NotImplementedError

    def fault(self, fault: Fault) -> None:
        """Make any fault; its time is of no meaning here."""
        shapes = {}
        if fault.kind in ("loss", "link-values"):  # somebody else may have changed the link before
            try:
                shapes = {link: rendering.shapes_of(text) for link, text in self.faults_now()["values"].items()}
            except ValueError:  # what the lab was told to keep, and gives back
                raise LabFailed("the lab does not report the values of its links") from None
        plan = rendering.fault_plan(self.topology, fault, shapes)
        result = self.ask(wire.MakeFault(plan), plan.duration_s + ANSWER_MARGIN_S)
        if said := rendering.value_differences(self.topology, plan, result):
            raise LabFailed("the kernel did not apply the requested values: " + "; ".join(said))

    def faults_now(self) -> wire.ActiveFaults:
        """The faults in force; see `wire.AskFaults`."""
        return self.ask(wire.AskFaults())

    def link_down(self, link: str, duration_s: float | None = None) -> None:
        """Take a link's carrier, at both ends."""
        self._make("link-down", link, duration_s=duration_s)

    def link_up(self, link: str) -> None:
        """Give a link its carrier back."""
        self._make("link-up", link)

    def lose(self, link: str, percent: float = 100.0, duration_s: float | None = None, towards: str = "") -> None:
        """Lose packets of a link, in both directions or only those towards a node. Carrier stays."""
        self._make("loss", link, loss_percent=percent, duration_s=duration_s, towards=towards)

    def set_values(self, link: str, *, towards: str = "", **values: float) -> None:
        """Change a link's values in place, in both directions or only towards a node; see `LinkValues`."""
        self._make("link-values", link, towards=towards, values=values)

    def interface_down(self, node: str, interface: str, duration_s: float | None = None) -> None:
        """Put an interface down, as its administrator does; the other end of its link loses carrier."""
        self._make("interface-down", f"{node}:{interface}", duration_s=duration_s)

    def interface_up(self, node: str, interface: str) -> None:
        """Put an interface up again."""
        self._make("interface-up", f"{node}:{interface}")

    def flap(self, node: str, interface: str, times: int = 1, period_s: float = 1.0) -> None:
        """Let an interface go down and up so often, once in `period_s`. Returns when it has begun."""
        self._make("flap", f"{node}:{interface}", times=times, period_s=period_s)

    def freeze(self, node: str, duration_s: float | None = None) -> None:
        """Stop all processes of a node where they are. Its kernel goes on forwarding."""
        self._make("frozen", node, duration_s=duration_s)

    def thaw(self, node: str) -> None:
        """Let the processes of a frozen node go on."""
        self._make("thawed", node)

    def power_cycle(self, router: str, off_s: float = 1.0) -> None:
        """Take a router's power for so many seconds. Returns when its daemons answer again.

        It comes back with its files of configuration as they are then: what "write memory" has saved is in force,
        other changes in vtysh are gone.
        """
        self._make("power-cycled", router, duration_s=off_s)

    def partition(self, nodes: Iterable[str], duration_s: float | None = None) -> None:
        """Take the carrier of every link between these nodes and all others."""
        self._make("partition", ",".join(nodes), duration_s=duration_s)

    def heal(self) -> None:
        """Give the links that partitions have cut their carrier back."""
        self._make("healed", "")

    def mend(self) -> tuple[Fault, ...]:
        """Put right all that is out of order, but for changed values of links; returns the faults that did it."""
        done = tuple(clearing_faults(self.topology, self.faults_now()))
        for fault in done:
            self.fault(fault)
        return done

    def _make(self, kind: FaultKind, target: str, **fields: Any) -> None:
        self.fault(Fault(kind=kind, target=target, **fields))


def clearing_faults(topology: Topology, state: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults that undo all faults in force, except changed values of links.

    Args:
        state: as `wire.AskFaults` tells it. Links that are drawn without carrier are in order.
    """
    drawn_down = {link.id for link in topology.links if not link.up}
    yield from (Fault(kind="thawed", target=each) for each in state["frozen"])
    yield from (Fault(kind="daemon-continued", target=each) for each in state["stopped"])
    yield from (Fault(kind="daemon-restarted", target=each) for each in state["dead"])
    yield from (Fault(kind="loss", target=each, loss_percent=0) for each in state["lossy"])
    yield from (Fault(kind="interface-up", target=each) for each in state["interfaces_down"])
    yield from (Fault(kind="link-up", target=each) for each in state["links_down"] if each not in drawn_down)


def failures(topology: Topology, plans: Iterable[FaultPlan], result: Mapping[str, Any]) -> list[str]:
    """The planned faults that did not happen as planned, one sentence each.

    Args:
        result: of `wire.RunFlows`.
    """
    said = []
    for plan, made in zip(plans, result.get("faults", ()), strict=False):
        name = f"{plan.fault} {plan.target}".rstrip()
        if made is None:
            said.append(f"{name} was planned for {plan.time_s:g} s, when the flows were over")
        elif "error" in made:
            said.append(str(made["error"]))
        else:
            said += [f"{name}: {each}" for each in rendering.value_differences(topology, plan, made)]
    return said
