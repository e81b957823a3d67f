"""The read-back of a changed lab, compared with the topology."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from frrlib.changes.plan_difference import PlanDifference
from frrlib.conf.changes import ConfigChange, difference
from frrlib.conf.grammar import key_of
from frrlib.conf.text import joined
from frrlib.model.topology import Topology
from frrlib.render import plan as planning
from frrlib.render.hosts import host_differences
from frrlib.wire.plan import NodePlan, Plan
from frrlib.wire.replies import BuildReply, InterfaceReport, LabChangeReply

#: The beginning of a warning about a router's configuration after a change, behind the router's name.
UNSEEN = "FRR accepted these lines and does not show them"


def deviations(
    topology: Topology, plans: tuple[Plan, Plan], plan_difference: PlanDifference, reply: LabChangeReply
) -> list[str]:
    """The kernels' deviations from a change, one sentence each.

    Args:
        topology: resolved, after the change.
        plans: before and after the change.
        plan_difference: of these plans.
        reply: of the agent.
    """
    touched = {*plan_difference.added_links, *plan_difference.remade_links, *plan_difference.changed_links}
    only_touched = topology.model_copy(update={"links": tuple(link for link in topology.links if link.id in touched)})
    built: BuildReply = {
        "qdiscs": reply["qdiscs"], "kernels": reply["kernels"], "cables": reply["cables"],
        "versions": {}, "warnings": [], "failed_commands": {},
    }  # fmt: skip
    nodes = tuple(node for node in plans[1].nodes if node.name in reply["interfaces"])
    return [
        *planning.qdisc_differences(only_touched, built),
        *host_differences(replace(plans[1], nodes=nodes), built),
        *(text for node in nodes for text in _interface_deviations(node, plans, reply["interfaces"][node.name])),
    ]


def _interface_deviations(
    node: NodePlan, plans: tuple[Plan, Plan], reported: Collection[InterfaceReport]
) -> Iterator[str]:
    """Missing interfaces and addresses, and those that should be gone. A user may have added further ones."""
    actual = {interface["name"]: interface for interface in reported}
    old, new = (_addresses(plan, node.name) for plan in plans)
    for name in old.keys() - new.keys():
        if name in actual:
            yield f"{node.name}: the interface {name} is still there"
    for name, addresses in new.items():
        if name not in actual:
            yield f"{node.name}: the interface {name} does not exist"
            continue
        present = set(actual[name]["addresses"])
        for address in addresses - present:
            yield f"{node.name}: {name} does not have the address {address}"
        for address in (old.get(name, set()) - addresses) & present:
            yield f"{node.name}: {name} still has the address {address}"


def _addresses(plan: Plan, name: str) -> dict[str, set[str]]:
    """The planned addresses of each interface of a node."""
    ends = [end for link in plan.links for end in (link.a, link.b) if end.node == name]
    addresses = {end.name: set(end.addresses) for end in ends}
    for node in plan.nodes:
        if node.name == name:
            addresses["lo"] = set(node.loopbacks)
            addresses |= {f"{vlan.interface}.{vlan.vlan_id}": set[str]() for vlan in node.vlans}
            for vlan in node.vlans:
                addresses[f"{vlan.interface}.{vlan.vlan_id}"] |= set(vlan.addresses)
    return addresses


def unseen_lines(plans: tuple[Plan, Plan], plan_difference: PlanDifference, reply: LabChangeReply) -> list[str]:
    """The changed lines of configuration that routers do not show as changed, one sentence for each router.

    FRR accepted each line. Lines with a value that it shows with no value at all are left out, since it omits
    defaults.
    """
    sentences = []
    for name in plan_difference.routers:
        before, after = (_configuration(plan, name) for plan in plans)
        running = joined(reply["configurations"].get(name, {}).values())
        requested = {(change.section, change.kind, change.line) for change in difference(before, after)}
        open_changes = difference(running, after)
        other_values = {_value_of(change) for change in open_changes if change.kind == "removed"}
        unseen = [
            change
            for change in open_changes
            if (change.section, change.kind, change.line) in requested
            and (change.kind == "removed" or key_of(change.line) is None or _value_of(change) in other_values)
        ]
        if unseen:
            lines = dict.fromkeys(" > ".join((*change.section, change.line)) for change in unseen)
            sentences.append(f"{name}: {UNSEEN}: {'; '.join(lines)}")
    return sentences


def _value_of(change: ConfigChange) -> tuple[tuple[str, ...], str | None]:
    """The section and the subject of a line, which are equal for lines with different values."""
    return change.section, key_of(change.line)


def _configuration(plan: Plan, name: str) -> str:
    frr = next((node.frr for node in plan.nodes if node.name == name), None)
    return frr.files.get("frr.conf", "") if frr is not None else ""
