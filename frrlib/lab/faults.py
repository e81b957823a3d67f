"""Faults of a running lab, as scripts make them: `lab.link_down("l1")`, `lab.power_cycle("r1")`.

Each public function with a parameter `lab` is a method of `Lab`. It returns when the fault is made, and raises

- TopologyError: the target does not exist, or it does not support the fault; the message names an alternative;
- LabFailed, CommandFailed: the lab could not make the fault.

A fault with `duration_s` is cleared after that time; None means never.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from frrlib import wire
from frrlib.errors import CommandFailed, LabFailed, TopologyError
from frrlib.lab.node import ANSWER_MARGIN_S
from frrlib.lab.running_lab import RunningLab
from frrlib.model.faults import Fault, FaultKind
from frrlib.model.topology import Topology
from frrlib.render import faults as rendering
from frrlib.wire.plan import FaultPlan

#: The kernel's words about a queueing discipline that it does not have.
_UNKNOWN_KIND = "qdisc kind is unknown"


def fault(lab: RunningLab, fault: Fault) -> None:
    """Make any fault now; its `time_s` is ignored."""
    shapes = {}
    if fault.kind in ("loss", "link-values"):  # another client may have changed the link before
        try:
            shapes = {link: rendering.shapes_of(text) for link, text in faults_now(lab)["values"].items()}
        except ValueError:  # the agent returns texts that it was given to keep
            raise LabFailed("the lab does not report the values of its links") from None
    plan = rendering.fault_plan(lab.topology, fault, shapes)
    try:
        result = lab.ask(wire.MakeFault(plan), plan.duration_s + ANSWER_MARGIN_S)
    except CommandFailed as failure:
        if _UNKNOWN_KIND not in str(failure):
            raise
        reason = "cannot change: the kernel of this lab lacks the queueing discipline"
        remedy = "another discipline, or stop the lab and run it in another place or kernel"
        raise TopologyError(reason, node=fault.target, field="queue", remedy=remedy) from failure
    if differences := rendering.value_differences(lab.topology, plan, result):
        raise LabFailed("the kernel did not apply the requested values: " + "; ".join(differences))


def faults_now(lab: RunningLab) -> wire.ActiveFaults:
    """The faults in force; see `wire.AskFaults`."""
    return lab.ask(wire.AskFaults())


def link_down(lab: RunningLab, link: str, duration_s: float | None = None) -> None:
    """Take a link's carrier away, at both ends."""
    _make(lab, "link-down", link, duration_s=duration_s)


def link_up(lab: RunningLab, link: str) -> None:
    """Give a link its carrier back."""
    _make(lab, "link-up", link)


def lose(
    lab: RunningLab, link: str, percent: float = 100.0, duration_s: float | None = None, towards: str = ""
) -> None:
    """Lose packets of a link, in both directions or only those towards a node. Carrier stays."""
    _make(lab, "loss", link, loss_percent=percent, duration_s=duration_s, towards=towards)


def set_values(lab: RunningLab, link: str, *, towards: str = "", **values: Any) -> None:
    """Change a link's values in place, in both directions or only towards a node; see `LinkValues`."""
    _make(lab, "link-values", link, towards=towards, values=values)


def interface_down(lab: RunningLab, node: str, interface: str, duration_s: float | None = None) -> None:
    """Set an interface down, like `ip link set down`; the other end of its link loses carrier."""
    _make(lab, "interface-down", f"{node}:{interface}", duration_s=duration_s)


def interface_up(lab: RunningLab, node: str, interface: str) -> None:
    """Set an interface up again."""
    _make(lab, "interface-up", f"{node}:{interface}")


def flap(lab: RunningLab, node: str, interface: str, times: int = 1, period_s: float = 1.0) -> None:
    """Set an interface down and up `times` times, once every `period_s`. Returns when the first flap has begun."""
    _make(lab, "flap", f"{node}:{interface}", times=times, period_s=period_s)


def freeze(lab: RunningLab, node: str, duration_s: float | None = None) -> None:
    """Stop all processes of a node. Its kernel goes on forwarding."""
    _make(lab, "frozen", node, duration_s=duration_s)


def thaw(lab: RunningLab, node: str) -> None:
    """Continue the processes of a frozen node."""
    _make(lab, "thawed", node)


def power_cycle(lab: RunningLab, router: str, off_s: float = 1.0) -> None:
    """Switch a router off for `off_s` seconds. Returns when its daemons answer again.

    It starts with its configuration files as they are then: changes saved by "write memory" are in force, other changes
    in vtysh are lost.
    """
    _make(lab, "power-cycled", router, duration_s=off_s)


def partition(lab: RunningLab, nodes: Iterable[str], duration_s: float | None = None) -> None:
    """Take the carrier of every link between these nodes and all others."""
    _make(lab, "partition", ",".join(nodes), duration_s=duration_s)


def heal(lab: RunningLab) -> None:
    """Give all links that partitions have cut their carrier back."""
    _make(lab, "healed", "")


def clear_faults(lab: RunningLab) -> tuple[Fault, ...]:
    """Clear all faults in force, except changed values of links. Returns the faults that cleared them."""
    clearing = tuple(clearing_faults(lab.topology, faults_now(lab)))
    for clearing_fault in clearing:
        fault(lab, clearing_fault)
    return clearing


def clearing_faults(topology: Topology, state: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults that undo all faults in force, except changed values of links.

    Args:
        state: as `wire.AskFaults` returns it. Links without carrier in the topology are in order.
    """
    without_carrier = {link.id for link in topology.links if not link.up}
    yield from (Fault(kind="thawed", target=node) for node in state["frozen"])
    yield from (Fault(kind="daemon-continued", target=daemon) for daemon in state["stopped"])
    yield from (Fault(kind="daemon-restarted", target=daemon) for daemon in state["dead"])
    yield from (Fault(kind="loss", target=link, loss_percent=0) for link in state["lossy"])
    yield from (Fault(kind="interface-up", target=interface) for interface in state["interfaces_down"])
    yield from (Fault(kind="link-up", target=link) for link in state["links_down"] if link not in without_carrier)


def failures(topology: Topology, plans: Iterable[FaultPlan], result: Mapping[str, Any]) -> list[str]:
    """The planned faults that did not happen as planned, one sentence each.

    Args:
        result: of `wire.RunFlows`.
    """
    sentences = []
    for plan, fault_result in zip(plans, result.get("faults", ()), strict=False):
        name = f"{plan.fault} {plan.target}".rstrip()
        if fault_result is None:
            sentences.append(f"{name} was planned for {plan.time_s:g} s, after the end of the flows")
        elif "error" in fault_result:
            sentences.append(str(fault_result["error"]))
        else:
            differences = rendering.value_differences(topology, plan, fault_result)
            sentences += [f"{name}: {difference}" for difference in differences]
    return sentences


def _make(lab: RunningLab, kind: FaultKind, target: str, **fields: Any) -> None:
    fault(lab, Fault(kind=kind, target=target, **fields))
