"""Interfaces of the machine in nodes: the place has brought them into the lab, and takes them from there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from frrlib.inside import rtnetlink
from frrlib.inside.netlink import Netlink
from frrlib.inside.nodes import LabNode


def bring(nodes: Sequence[LabNode]) -> None:
    """Move every node's external interfaces from the lab to it. Raises NetlinkError where one is not there."""
    asked = [rtnetlink.move(name, node.thread.net_fd) for node in nodes for name in node.plan.external_interfaces]
    maker = Netlink("")
    try:
        maker.apply(asked)
    finally:
        maker.close()


def take(nodes: Sequence[LabNode]) -> None:
    """Move them back, before their nodes end and the kernel removes with them what is no network card."""
    lab = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for node in nodes:
            if node.netlink is not None:
                node.netlink.apply([rtnetlink.move(name, lab) for name in node.plan.external_interfaces])
    finally:
        os.close(lab)
