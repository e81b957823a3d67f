"""Captures of a run: which interfaces are meant, and where their files go."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress

from frrlib.errors import TopologyError
from frrlib.model.names import natural
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from frrlib.results import layout
from frrlib.results.folder import Writer
from frrlib.wire.plan import CapturePlan


def capture_plans(topology: Topology, names: Iterable[str]) -> tuple[CapturePlan, ...]:
    """The interfaces that are meant, each once.

    Args:
        topology: its interfaces named, as a `Lab` has it.
        names: "r1:r1-eth1", or "r1-eth1" where only one node has an interface of that name.

    Raises:
        TopologyError: a name says no interface of the drawing, or of several nodes.
    """
    found = dict.fromkeys(_meant(topology, name) for name in names)
    return tuple(CapturePlan(node, interface) for node, interface in found)


def move_captures(writer: Writer) -> None:
    """Move captures out of the folder that the lab could write, as is done with its logs: the lab has ended, and a link
    or a folder in the place of a file stays."""
    written = writer.lab_folder / layout.CAPTURES
    if written.is_symlink() or not written.is_dir():
        return
    for path in sorted(written.glob("*.pcap")):
        if path.is_file() and not path.is_symlink():
            kept = writer.folder / layout.CAPTURES / path.name
            shutil.move(path, kept)
            kept.chmod(0o444)
    with suppress(OSError):
        written.rmdir()


def interfaces(topology: Topology, node: str) -> list[str]:
    """The interfaces of a node, eth0 before eth1, then VLANs and those that the machine lends."""
    linked = [end.interface for _, end in topology.ends_at(node)]
    found, drawn = sorted(linked, key=natural), topology.node(node)
    if isinstance(drawn, Host) and linked:
        found += [f"{linked[0]}.{each.vlan_id}" for each in drawn.vlan_interfaces]
    if isinstance(drawn, Host | Switch):
        found += drawn.external_interfaces
    return found


def _meant(topology: Topology, name: str) -> tuple[str, str]:
    node, colon, interface = name.rpartition(":")
    every = {each.name: interfaces(topology, each.name) for each in topology.nodes}
    if not colon:
        having = [each for each, there in every.items() if name in there]
        if len(having) == 1:
            return having[0], name
        why = f"is an interface of {', '.join(having)}" if having else "is no interface of the drawing"
        right = f"right would be {having[0]}:{name}" if having else _right(every)
        raise TopologyError(f"{name!r} {why}", field="captures", right=right)
    if node not in every:
        raise TopologyError(f"there is no node {node!r}", field="captures", right=_right(every))
    if interface not in every[node]:
        there = ", ".join(f"{node}:{each}" for each in every[node])
        why = f"has no interface {interface!r}"
        raise TopologyError(why, node=node, field="captures", right=f"it has {there}" if there else "it has none")
    return node, interface


def _right(every: dict[str, list[str]]) -> str:
    example = next((f"{node}:{there[0]}" for node, there in every.items() if there), "NODE:INTERFACE")
    return f"right would be NODE:INTERFACE, as in {example}"
