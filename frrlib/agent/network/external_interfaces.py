"""Interfaces of the machine in nodes. The place moves them into the lab before, and back afterwards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Netlink, NetlinkError
from frrlib.agent.network.nodes import LabNode


def move_in(nodes: Sequence[LabNode]) -> dict[str, list[tuple[int, str]]]:
    """Move every node's external interfaces from the lab into it. Raises NetlinkError if one does not exist.

    Returns:
        Indices and original names of the interfaces by node, since programs in a node may rename them.
    """
    requests = [rtnetlink.move(name, node.thread.net_fd) for node in nodes for name in node.plan.external_interfaces]
    maker = Netlink("")
    try:
        maker.apply(requests)
    finally:
        maker.close()
    return {node.name: _indices(node) for node in nodes if node.netlink is not None}


def _indices(node: LabNode) -> list[tuple[int, str]]:
    assert node.netlink is not None
    links = [rtnetlink.parse_link(reply) for reply in node.netlink.dump(rtnetlink.links_request())]
    return [(index, name) for index, name in links if name in node.plan.external_interfaces]


def move_out(nodes: Sequence[LabNode], indices: Mapping[str, Sequence[tuple[int, str]]]) -> None:
    """Move the interfaces back before their nodes end, since the kernel then removes all but network cards. The
    place searches for interfaces that are elsewhere."""
    lab = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for node in nodes:
            for index, name in indices.get(node.name, ()):
                if node.netlink is not None:
                    with contextlib.suppress(NetlinkError):
                        node.netlink.apply([rtnetlink.move_index(index, name, lab)])
    finally:
        os.close(lab)
