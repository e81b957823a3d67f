"""A node's counters of TCP and of its queues, and the qdiscs on a path: evidence for the verdict on a run."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from frrlib.agent.network.netlink import NETLINK_ROUTE, Message, Netlink
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.sampling import kernel_statistics

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet
    from frrlib.wire.plan import QueueProbe

#: Names of HyStart's counters in /proc/net/netstat begin with this (tcp_cubic ends slow start by HyStart).
_HYSTART = "TCPHystart"
_GETQDISC = 38
#: The position of the drops in `QdiscStatistics.counts`.
_DROPS = 4


def hystart(node: LabNode) -> dict[str, int]:
    """HyStart's counters in a node, by the kernel's names; empty if the kernel has none."""
    with open(f"/proc/{node.thread.tid}/net/netstat", encoding="ascii") as file:
        rows = [line.split() for line in file]
    # Each group is a row of names and a row of numbers.
    counted = {
        name: int(number)
        for names, numbers in zip(rows[::2], rows[1::2], strict=True)
        for name, number in zip(names[1:], numbers[1:], strict=True)
    }
    return {name: number for name, number in counted.items() if name.startswith(_HYSTART)}


def growth(start: Mapping[str, int], end: Mapping[str, int]) -> dict[str, int]:
    """The growth of each counter."""
    return {name: number - start.get(name, 0) for name, number in end.items()}


def outgoing_interface(node: LabNode, address: str) -> dict[str, Any]:
    """The interface with this address of a node and the kinds of the qdiscs there, the root's first, as
    `{"interface": name, "qdiscs": [kind, ...]}`; empty if no interface of a link has it."""
    for interface in node.intfList():
        if address in (assigned.partition("/")[0] for assigned in interface.addresses):
            return {"interface": interface.name, "qdiscs": _qdiscs(node, interface.index)}
    return {}


def queue_drops(net: LabNet, probes: Iterable[QueueProbe]) -> dict[str, int]:
    """The packets that each queue has dropped, by direction. A queue that cannot be read is left out.

    All qdiscs of a node are read at once, independently of the sampler, whose rows are compared with these numbers.
    """
    drops: dict[str, int] = {}
    by_node: dict[str, list[QueueProbe]] = {}
    for probe in probes:
        by_node.setdefault(probe.node, []).append(probe)
    for name, queues in by_node.items():
        node = net.node(name)
        counted = {(qdisc.interface, qdisc.parent): qdisc.counts[_DROPS] for qdisc in _dump(node) if qdisc.counts}
        for probe in queues:
            with contextlib.suppress(OSError):
                place = node.thread.call(socket.if_nametoindex, probe.interface), _parent(probe.parent)
                if (count := counted.get(place)) is not None:
                    drops[probe.direction] = count
    return drops


def _parent(name: str) -> int:
    """A class ("1:1") as the kernel's number; the root for an empty name."""
    major, _, minor = name.partition(":")
    return int(major, 16) << 16 | int(minor, 16) if name else kernel_statistics.ROOT


def _qdiscs(node: LabNode, index: int) -> list[str]:
    qdiscs = [qdisc for qdisc in _dump(node) if qdisc.interface == index]
    mine = [(qdisc.parent != kernel_statistics.ROOT, qdisc.handle, qdisc.kind) for qdisc in qdiscs]
    return [kind for _, _, kind in sorted(mine)]


def _dump(node: LabNode) -> list[kernel_statistics.QdiscStatistics]:
    """All qdiscs of a node."""
    netlink = node.thread.call(Netlink, node.name, NETLINK_ROUTE)
    try:
        request = Message(_GETQDISC, 0, kernel_statistics.tc_message(0, 0, 0), "its qdiscs")
        return [kernel_statistics.QdiscStatistics(bytes(reply.body)) for reply in netlink.dump(request)]
    finally:
        netlink.close()
