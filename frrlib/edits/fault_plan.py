"""The plan of faults, kept true while nodes and links come, go and change names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from frrlib.model.faults import OF_INTERFACES, OF_LINKS, Fault
from frrlib.model.topology import Topology

#: A link's end to its node and interface.
Names = Mapping[tuple[str, int, int], tuple[str, str]]


def set_faults(topology: Topology, faults: Iterable[Fault]) -> Topology:
    """Put other faults in the place of all, in the order of their times."""
    return topology.model_copy(update={"faults": tuple(sorted(faults, key=lambda fault: fault.time_s))})


def following(before: Topology, after: Topology, was: Names, now: Names, renamed: Mapping[str, str]) -> Topology:
    """`after` with its faults naming what they named in `before`; those of what is gone are gone.

    Names that meant nothing before stay as they are: `check` tells of them.

    Args:
        was, now: node and interface at each link end, before and after.
        renamed: nodes that have another name in `after`, old to new.
    """
    if not before.faults:
        return after
    interfaces = {f"{node}:{name}": ":".join(now.get(place, ())) for place, (node, name) in was.items()}
    nodes = {node.name: renamed.get(node.name, node.name) for node in before.nodes}
    there = {node.name for node in after.nodes}
    nodes = {old: new if new in there else "" for old, new in nodes.items()}
    gone = {link.id for link in before.links} - {link.id for link in after.links}
    faults = tuple(_followed(before.faults, interfaces, nodes, gone))
    return after if faults == after.faults else after.model_copy(update={"faults": faults})


def with_link_id(topology: Topology, old: str, new: str) -> Topology:
    """The drawing whose faults name a link by its new id."""
    faults = tuple(
        each.model_copy(update={"target": new}) if each.kind in OF_LINKS and each.target == old else each
        for each in topology.faults
    )
    return topology if faults == topology.faults else topology.model_copy(update={"faults": faults})


def _followed(
    faults: Iterable[Fault], interfaces: Mapping[str, str], nodes: Mapping[str, str], gone: set[str]
) -> Iterator[Fault]:
    for fault in faults:
        target, towards = fault.target, nodes.get(fault.towards, fault.towards)
        if fault.kind in OF_LINKS:
            target = "" if target in gone or (fault.towards and not towards) else target
        elif fault.kind in OF_INTERFACES:
            target = interfaces.get(target, target)
        elif fault.kind == "partition":
            target = ",".join(filter(None, (nodes.get(name, name) for name in fault.side)))
        elif fault.node:
            node = nodes.get(fault.node, fault.node)
            target = (f"{node}:{fault.part}" if fault.part else node) if node else ""
        if target or not fault.target:
            same = (target, towards) == (fault.target, fault.towards)
            yield fault if same else fault.model_copy(update={"target": target, "towards": towards})
