"""Captures of a run: the interfaces to capture at, and the files in the results folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress

from frrlib.errors import TopologyError
from frrlib.model.names import natural
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from frrlib.results import layout
from frrlib.results.writer import Writer
from frrlib.wire.plan import CapturePlan


def capture_plans(topology: Topology, names: Iterable[str]) -> tuple[CapturePlan, ...]:
    """The named interfaces, each once.

    Args:
        topology: with names of all interfaces, such as that of a `Lab`.
        names: "r1:r1-eth1", or "r1-eth1" if only one node has an interface of that name.

    Raises:
        TopologyError: no interface has this name, or interfaces of several nodes have it.
    """
    places = dict.fromkeys(_place_of(topology, name) for name in names)
    return tuple(CapturePlan(node, interface) for node, interface in places)


def move_captures(writer: Writer) -> None:
    """Move captures from the folder that the lab could write to into the results folder. Only regular files are moved;
    the lab has ended."""
    source = writer.lab_folder / layout.CAPTURES
    if source.is_symlink() or not source.is_dir():
        return
    for path in sorted(source.glob("*.pcap")):
        if path.is_file() and not path.is_symlink():
            target = writer.folder / layout.CAPTURES / path.name
            shutil.move(path, target)
            target.chmod(0o444)
    with suppress(OSError):
        source.rmdir()


def interfaces(topology: Topology, node: str) -> list[str]:
    """The interfaces of a node in natural order, then its VLANs and its interfaces of the machine."""
    linked = [end.interface for _, end in topology.ends_at(node)]
    names, config = sorted(linked, key=natural), topology.node(node)
    if isinstance(config, Host) and linked:
        names += [f"{linked[0]}.{vlan.vlan_id}" for vlan in config.vlan_interfaces]
    if isinstance(config, Host | Switch):
        names += config.external_interfaces
    return names


def _place_of(topology: Topology, name: str) -> tuple[str, str]:
    node, colon, interface = name.rpartition(":")
    names_by_node = {node_name.name: interfaces(topology, node_name.name) for node_name in topology.nodes}
    if not colon:
        owners = [node_name for node_name, names in names_by_node.items() if name in names]
        if len(owners) == 1:
            return owners[0], name
        problem = f"is an interface of {', '.join(owners)}" if owners else "is no interface of the topology"
        remedy = f"use {owners[0]}:{name}" if owners else _example(names_by_node)
        raise TopologyError(f"{name!r} {problem}", field="captures", remedy=remedy)
    if node not in names_by_node:
        raise TopologyError(f"there is no node {node!r}", field="captures", remedy=_example(names_by_node))
    if interface not in names_by_node[node]:
        names = ", ".join(f"{node}:{node_name}" for node_name in names_by_node[node])
        problem = f"has no interface {interface!r}"
        raise TopologyError(problem, node=node, field="captures", remedy=f"it has {names}" if names else "it has none")
    return node, interface


def _example(names_by_node: dict[str, list[str]]) -> str:
    example = next((f"{node}:{names[0]}" for node, names in names_by_node.items() if names), "NODE:INTERFACE")
    return f"use NODE:INTERFACE, as in {example}"
