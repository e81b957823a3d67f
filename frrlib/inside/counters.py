"""A node's TCP counters, and the qdiscs that its packets pass on their way out: evidence for judging a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frrlib.inside import measure
from frrlib.inside.netlink import NETLINK_ROUTE, Message, Netlink
from frrlib.inside.nodes import LabNode

#: Names of HyStart's counters in /proc/net/netstat begin so (tcp_cubic ends slow start by it).
_HYSTART = "TCPHystart"
_GETQDISC = 38


def hystart(node: LabNode) -> dict[str, int]:
    """HyStart's counters in a node, by the kernel's names; empty where the kernel has none."""
    with open(f"/proc/{node.thread.tid}/net/netstat", encoding="ascii") as file:
        rows = [line.split() for line in file]
    # Each group is a row of names and one of numbers.
    counted = {
        name: int(number)
        for names, numbers in zip(rows[::2], rows[1::2], strict=True)
        for name, number in zip(names[1:], numbers[1:], strict=True)
    }
    return {name: number for name, number in counted.items() if name.startswith(_HYSTART)}


def growth(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """The growth of each counter."""
    return {name: number - before.get(name, 0) for name, number in after.items()}


def way_out(node: LabNode, address: str) -> dict[str, Any]:
    """The interface with this address of a node and the kinds of the qdiscs there, the root's first, as
    `{"interface": name, "qdiscs": [kind, ...]}`; nothing where no interface of a link has it."""
    for interface in node.intfList():
        if address in (each.partition("/")[0] for each in interface.addresses):
            return {"interface": interface.name, "qdiscs": _qdiscs(node, interface.index)}
    return {}


def _qdiscs(node: LabNode, index: int) -> list[str]:
    netlink = node.thread.call(Netlink, node.name, NETLINK_ROUTE)
    try:
        request = Message(_GETQDISC, 0, measure.tc_message(0, 0, 0), "its qdiscs")
        found = [measure.Qdisc(bytes(reply.body)) for reply in netlink.dump(request)]
    finally:
        netlink.close()
    mine = [(each.parent != measure.ROOT, each.handle, each.kind) for each in found if each.interface == index]
    return [kind for _, _, kind in sorted(mine)]
