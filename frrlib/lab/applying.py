"""Another topology for a running lab: `lab.apply(topology)`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from msgspec import structs

from frrlib import wire
from frrlib.addressing.addressing import addressed
from frrlib.changes.comparison import Change, changes
from frrlib.changes.kept_names import with_kept_names
from frrlib.changes.plan_difference import PlanDifference, plan_difference
from frrlib.changes.read_back import UNSEEN, deviations, unseen_lines
from frrlib.checks.check import refuse_errors
from frrlib.edits.live_changes import live_changes
from frrlib.errors import LabError, LabFailed
from frrlib.lab import faults
from frrlib.lab.built_topology import built_topology
from frrlib.lab.checks import refuse_unsupported
from frrlib.lab.needs import needs_of
from frrlib.lab.program import memory_mib
from frrlib.lab.running_lab import RunningLab
from frrlib.model.topology import Topology
from frrlib.place.base import Place
from frrlib.place.choice import all_places, unmet_needs
from frrlib.places import PlaceName
from frrlib.render.faults import shapes_of
from frrlib.wire.plan import Plan

#: Time limit for a change, and the addition for each node that is new, changed or removed.
CHANGE_TIMEOUT_S, CHANGE_TIMEOUT_PER_NODE_S = 120.0, 5.0
_STOP = "stop the lab and run it again"
_CLEAR = "a fault is in force there; clear it first (`miniedit-frr fault clear`)"


class ChangeableLab(RunningLab, Protocol):
    """A running lab that can be changed.

    Attributes:
        drawn: its topology with all addresses; `topology` is made from it.
        place: where it runs.
        facts, warnings, failed_commands, changing, revision: as in `Lab`.
    """

    drawn: Topology
    place: Place
    facts: dict[str, Any]
    warnings: list[str]
    failed_commands: dict[str, str]
    changing: threading.Lock
    revision: int

    @property
    def is_virtual(self) -> bool:
        """Whether it runs in virtual time."""

    def plan_of(self, topology: Topology) -> Plan:
        """The plan of a resolved topology for this lab's place."""

    def describe(self) -> None:
        """Describe the lab to programs that can join it, if any can."""


@dataclass(frozen=True)
class Comparison:
    """A running lab compared with a topology.

    Attributes:
        drawn, topology: the new topology with all addresses, and as its lab builds it.
        plans: the present plan and the new one.
        difference: of the plans.
        changes: all changes in words, in their order.
    """

    drawn: Topology
    topology: Topology
    plans: tuple[Plan, Plan]
    difference: PlanDifference
    changes: tuple[Change, ...]

    @property
    def refusals(self) -> tuple[Change, ...]:
        """The changes that the lab cannot follow."""
        return tuple(change for change in self.changes if change.refusal)


def compare(lab: ChangeableLab, topology: Topology) -> Comparison:
    """Compare a running lab with a topology. Nothing is changed.

    Args:
        lab: the lab.
        topology: addresses may be missing.

    Raises:
        TopologyError: the topology has errors, or FRR refuses a line of a router's configuration.
        LabFailed: the lab has ended.
    """
    refuse_errors(topology)
    drawn = addressed(with_kept_names(lab.drawn, topology))
    refuse_errors(drawn)
    new = built_topology(drawn, lab.place.abilities())
    state = faults.faults_now(lab)
    present = _with_values(lab.topology, state)
    plans = lab.plan_of(present), lab.plan_of(new)
    difference = plan_difference(*plans)
    if not difference.is_empty:
        refuse_unsupported(new)
    all_changes = (
        *_unmet(lab, present, new),
        *_disturbed(difference, state, present),
        *changes(present, new, plans, difference),
    )
    return Comparison(drawn, new, plans, difference, all_changes)


def apply(lab: ChangeableLab, topology: Topology, *, dry_run: bool = False) -> tuple[Change, ...]:
    """Change a running lab into the lab of another topology. A failed change leaves lab and topology as they were.

    Args:
        lab: the lab.
        topology: addresses may be missing.
        dry_run: whether changes are only listed, also those that the lab cannot follow.

    Returns:
        the changes in their order; none if there is nothing to do.

    Raises:
        TopologyError: the topology has errors.
        LabFailed: the lab cannot follow, which is known before anything happens; or a step failed.
        CommandFailed: a command in the lab failed.
    """
    if lab.is_virtual:
        raise LabFailed(f"a lab in virtual time keeps its topology; {_STOP}")
    with lab.changing:
        comparison = compare(lab, topology)
        if not dry_run:
            make(lab, comparison)
    return comparison.changes


def redraw(lab: ChangeableLab, topology: Topology) -> None:
    """Replace the topology. Its flows and its scenario may differ; values of links may differ if they were changed in
    the running lab before (see `frrlib.edits.live_changes`).

    Raises:
        TopologyError: the topology has errors, or it belongs to another lab.
    """
    refuse_errors(topology)
    complete = addressed(with_kept_names(lab.drawn, topology))
    live_changes(lab.drawn, complete)
    lab.drawn, lab.topology = complete, built_topology(complete, lab.place.abilities())


def adopt(lab: ChangeableLab, topology: Topology) -> None:
    """Replace the topology by one that the lab already equals, such as one with the lines that were typed in vtysh."""
    lab.drawn = addressed(with_kept_names(lab.drawn, topology))
    lab.topology = built_topology(lab.drawn, lab.place.abilities())
    lab.describe()


def take_over(lab: ChangeableLab, drawn: Topology, revision: int) -> None:
    """Use the topology that another program has given to the running lab.

    Args:
        lab: the lab.
        drawn: the topology, with all addresses.
        revision: number of changes that led to it.
    """
    lab.drawn, lab.topology = drawn, built_topology(drawn, lab.place.abilities())
    lab.revision = revision


def make(lab: ChangeableLab, comparison: Comparison) -> None:
    """Change a running lab as compared. A failed change leaves the lab and its topology as they were.

    Raises:
        LabFailed: the lab cannot follow a change, which is refused before anything happens; or a step failed.
        CommandFailed: a command in the lab failed.
    """
    if comparison.refusals:
        raise LabFailed("; ".join(map(str, comparison.refusals)))
    difference = comparison.difference
    if not difference.is_empty:
        change = structs.replace(difference.lab_change(*comparison.plans), revision=lab.revision)
        nodes = {*change.added_nodes, *change.removed_nodes, *change.changed_nodes}
        timeout_s = CHANGE_TIMEOUT_S + CHANGE_TIMEOUT_PER_NODE_S * len(nodes)
        with lab.step("apply"):
            try:
                reply = lab.ask(wire.ChangeLab(change), timeout_s)
                if texts := deviations(comparison.topology, comparison.plans, difference, reply):
                    raise LabFailed("the kernel did not apply the change: " + "; ".join(texts))
            except LabError:
                with suppress(LabError):  # a change that failed in the lab is taken back already
                    lab.ask(wire.EndChange(keep=False), timeout_s)
                raise
            ended = lab.ask(wire.EndChange(keep=True), timeout_s)
        lab.revision += 1
        unseen = unseen_lines(comparison.plans, difference, reply)
        _take_over(lab, change, reply, [*reply["warnings"], *unseen, *ended["warnings"]])
    lab.drawn, lab.topology = comparison.drawn, comparison.topology
    lab.describe()


def _take_over(lab: ChangeableLab, change: wire.LabChange, reply: wire.LabChangeReply, warnings: list[str]) -> None:
    """Enter warnings and failed start commands, and drop those of nodes that are gone or new."""
    gone = {*change.removed_nodes, *change.added_nodes}
    reconfigured = tuple(f"{name}: {UNSEEN}" for name in change.routers)
    earlier = [text for text in lab.warnings if text.partition(":")[0] not in gone]
    lab.warnings = [text for text in earlier if not text.startswith(reconfigured)] + warnings
    lab.failed_commands = {
        **{node: text for node, text in lab.failed_commands.items() if node not in gone},
        **reply["failed_commands"],
    }
    if lab.warnings:
        lab.facts["warnings"] = lab.warnings


def _with_values(topology: Topology, state: wire.ActiveFaults) -> Topology:
    """The topology with the values that its links have now."""
    links = []
    for link in topology.links:
        if text := state["values"].get(link.id):
            try:
                a_to_b, b_to_a = shapes_of(text)
            except ValueError:  # the agent returns texts that it was given to keep
                raise LabFailed("the lab does not report the values of its links") from None
            link = link.model_copy(update={"a_to_b": a_to_b, "b_to_a": b_to_a})
        links.append(link)
    return topology.model_copy(update={"links": tuple(links)})


def _unmet(lab: ChangeableLab, present: Topology, new: Topology) -> Iterator[Change]:
    """New needs that the place of the lab does not meet."""
    before, after = needs_of(present), needs_of(new)
    if before != after:
        place = next((place for place in all_places() if place.name == lab.place.name), None)
        abilities = place.abilities() if place is not None else None
        # The kernel of a lab that was joined may be one that only its starter knows.
        if abilities is not None and abilities.kernel == lab.facts.get("kernel", abilities.kernel):
            already = unmet_needs(before, abilities)
            for need in unmet_needs(after, abilities):
                if need not in already:
                    refusal = f"the lab's place {lab.place.name} does not support it; {_STOP} in another place"
                    yield Change("change", "topology", "", f"the topology needs {need}", refusal=refusal)
    if lab.place.name == PlaceName.LABKERNEL and memory_mib(new) > memory_mib(present):
        available = _memory_mib(lab)
        if memory_mib(new) > available:
            text = f"the topology needs up to {memory_mib(new)} MiB of memory"
            refusal = f"the lab kernel was started with {available} MiB; {_STOP}"
            yield Change("change", "topology", "", text, refusal=refusal)


#: Share of a lab kernel's memory that it keeps for itself at its start, at most.
_KERNELS_SHARE = 0.2


def _memory_mib(lab: ChangeableLab) -> int:
    """The memory that the lab kernel was started with, at most."""
    text = lab.ask(wire.Execute("", ("cat", "/proc/meminfo")))["stdout"]
    words = text.partition("MemTotal:")[2].split()
    return int(int(words[0]) / 1024 / (1 - _KERNELS_SHARE)) if words and words[0].isdigit() else 0


def _disturbed(difference: PlanDifference, state: wire.ActiveFaults, present: Topology) -> Iterator[Change]:
    """Links and nodes that change while a fault is in force there."""
    links = {*difference.removed_links, *difference.remade_links, *difference.changed_links}
    drawn_up = {link.id for link in present.links if link.up}
    ends = {f"{end.node}:{end.interface}": link.id for link in present.links for end in link.ends}
    faulty = {*state["lossy"], *(set(state["links_down"]) & drawn_up)}
    faulty |= {ends[name] for name in state["interfaces_down"] if name in ends}
    for name in sorted(links & faulty):
        yield Change("change", "link", name, f"link {name} changes", refusal=_CLEAR)
    nodes = {*difference.remade_nodes, *difference.changed_nodes, *difference.removed_nodes}
    daemons = (*state["stopped"], *state["dead"])
    for name in sorted(nodes & {*state["frozen"], *(daemon.partition(":")[0] for daemon in daemons)}):
        yield Change("change", "node", name, f"{name} changes", refusal=_CLEAR)
