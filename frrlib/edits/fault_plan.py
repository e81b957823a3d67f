"""The planned faults, updated when nodes and links are added, deleted and renamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from frrlib.model.faults import OF_INTERFACES, OF_LINKS, Fault
from frrlib.model.topology import Topology

#: Node and interface by link end.
Names = Mapping[tuple[str, int, int], tuple[str, str]]


def set_faults(topology: Topology, faults: Iterable[Fault]) -> Topology:
    """Replace all planned faults; they are sorted by time."""
    return topology.model_copy(update={"faults": tuple(sorted(faults, key=lambda fault: fault.time_s))})


def following(before: Topology, after: Topology, was: Names, now: Names, renamed: Mapping[str, str]) -> Topology:
    """`after` with its faults targeting the same objects as in `before`; faults of deleted objects are removed.

    Names without an object stay; `check` reports them.

    Args:
        before, after: the topology before and after an edit.
        was, now: node and interface at each link end, before and after.
        renamed: new names of renamed nodes by old ones.
    """
    if not before.faults:
        return after
    interfaces = {f"{node}:{name}": ":".join(now.get(place, ())) for place, (node, name) in was.items()}
    nodes = {node.name: renamed.get(node.name, node.name) for node in before.nodes}
    remaining = {node.name for node in after.nodes}
    nodes = {old: new if new in remaining else "" for old, new in nodes.items()}
    removed = {link.id for link in before.links} - {link.id for link in after.links}
    faults = tuple(_followed(before.faults, interfaces, nodes, removed))
    return after if faults == after.faults else after.model_copy(update={"faults": faults})


def with_link_id(topology: Topology, old: str, new: str) -> Topology:
    """The topology with a link's new ID in its faults."""
    faults = tuple(
        fault.model_copy(update={"target": new}) if fault.kind in OF_LINKS and fault.target == old else fault
        for fault in topology.faults
    )
    return topology if faults == topology.faults else topology.model_copy(update={"faults": faults})


def _followed(
    faults: Iterable[Fault], interfaces: Mapping[str, str], nodes: Mapping[str, str], removed: set[str]
) -> Iterator[Fault]:
    for fault in faults:
        target, towards = fault.target, nodes.get(fault.towards, fault.towards)
        if fault.kind in OF_LINKS:
            target = "" if target in removed or (fault.towards and not towards) else target
        elif fault.kind in OF_INTERFACES:
            target = interfaces.get(target, target)
        elif fault.kind == "partition":
            target = ",".join(filter(None, (nodes.get(name, name) for name in fault.side)))
        elif fault.node:
            node = nodes.get(fault.node, fault.node)
            target = (f"{node}:{fault.part}" if fault.part else node) if node else ""
        if target or not fault.target:
            is_same = (target, towards) == (fault.target, fault.towards)
            yield fault if is_same else fault.model_copy(update={"target": target, "towards": towards})
