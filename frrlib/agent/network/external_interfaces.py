"""Interfaces of the machine in nodes: the place has brought them into the lab, and takes them from there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Netlink, NetlinkError
from frrlib.agent.network.nodes import LabNode


def bring(nodes: Sequence[LabNode]) -> dict[str, list[tuple[int, str]]]:
    """Move every node's external interfaces from the lab to it. Raises NetlinkError where one is not there.

    Returns:
        By node, their indices and names in it: what runs there may call them otherwise, and others by their names.
    """
    asked = [rtnetlink.move(name, node.thread.net_fd) for node in nodes for name in node.plan.external_interfaces]
    maker = Netlink("")
    try:
        maker.apply(asked)
    finally:
        maker.close()
    return {node.name: _indices(node) for node in nodes if node.netlink is not None}


def _indices(node: LabNode) -> list[tuple[int, str]]:
    assert node.netlink is not None
    found = [rtnetlink.parse_link(reply) for reply in node.netlink.dump(rtnetlink.links_request())]
    return [(index, name) for index, name in found if name in node.plan.external_interfaces]


def take(nodes: Sequence[LabNode], brought: Mapping[str, Sequence[tuple[int, str]]]) -> None:
    """Move them back, before their nodes end and the kernel removes with them what is no network card. The place looks
    for what is not where it was."""
    lab = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for node in nodes:
            for index, name in brought.get(node.name, ()):
                if node.netlink is not None:
                    with contextlib.suppress(NetlinkError):
                        node.netlink.apply([rtnetlink.move_index(index, name, lab)])
    finally:
        os.close(lab)
