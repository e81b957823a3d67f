"""Neighbor tables of large labs, which the kernel limits.

A kernel has one table of ARP entries and one of IPv6 neighbors for all of its network namespaces. Each holds
`gc_thresh3` entries, 1,024 by default (arp(7)). When it is full, packets to further neighbors are lost: sessions of BGP
and exchanges of OSPF break down, again and again. A lab kernel belongs to its lab, which raises the limit. The kernel
of the machine belongs to its administrator. There, both ends of each link get permanent entries, which the limit does
not count (since Linux 5.0).
"""

from __future__ import annotations

import os
import socket
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.links import LabIntf, LabLink
from frrlib.agent.network.netlink import Message, NetlinkError
from frrlib.agent.network.nodes import LabNode

#: The number of ends of links between hosts and routers from which a lab is large. From half of the limit on
#: (`gc_thresh2`), the kernel removes entries early.
FEWEST_ENDS = 512
#: The limit that a lab kernel gets, and where.
_LIMIT = 1 << 20
_LIMITS = "/proc/sys/net/{}/neigh/default/gc_thresh{}"
_FAMILIES = ("ipv4", "ipv6")
#: The first half of a link-local address.
_PREFIX = bytes((0xFE, 0x80, *bytes(6)))
#: Kinds of nodes that have addresses at their links.
_ADDRESSED = ("host", "router")


def make_room(links: Sequence[LabLink]) -> str:
    """Make room for the neighbors of a lab whose links are up.

    Returns:
        A warning, empty if everything succeeded or nothing is necessary.
    """
    near = [(end, far) for link in links for end, far in (link.ends, link.ends[::-1]) if _is_plain(link)]
    if len(near) < FEWEST_ENDS or _raise_limits():
        return ""
    try:
        _add_entries(near)
    except NetlinkError as error:
        return f"the neighbors of {len(near)} interfaces may exceed the kernel's limit (gc_thresh3): {error}"
    return ""


def link_local(mac: str) -> str:
    """The IPv6 link-local address that the kernel makes from a hardware address (RFC 4291, appendix A)."""
    raw = bytes.fromhex(mac.replace(":", ""))
    return socket.inet_ntop(socket.AF_INET6, _PREFIX + bytes((raw[0] ^ 0x02, *raw[1:3], 0xFF, 0xFE, *raw[3:])))


def _is_plain(link: LabLink) -> bool:
    """Whether a link is up and joins two nodes with addresses."""
    return link.is_up and all(end.node.plan.kind in _ADDRESSED for end in link.ends)


def _raise_limits() -> bool:
    """Raise the limits of a lab kernel; whether that succeeded. The kernel of the machine refuses it."""
    if os.environ.get("LAB_PLACE") != "labkernel":
        return False
    try:
        for family in _FAMILIES:
            for threshold in (3, 2):
                Path(_LIMITS.format(family, threshold)).write_text(f"{_LIMIT}\n", encoding="ascii")
    except OSError:
        return False
    return True


def _add_entries(near: Sequence[tuple[LabIntf, LabIntf]]) -> None:
    """Give each end of a link the addresses of the other end as permanent neighbors. Raises NetlinkError."""
    macs: dict[LabNode, Mapping[int, str]] = {}
    requests: defaultdict[LabNode, list[Message]] = defaultdict(list)
    for end, far in near:
        if far.node not in macs:
            macs[far.node] = dict(map(rtnetlink.parse_mac, far.node.netlink.dump(rtnetlink.links_request())))
        mac = macs[far.node][far.index]
        addresses = [address.partition("/")[0] for address in far.addresses]
        for address in dict.fromkeys((*addresses, link_local(mac))):
            if ":" not in address or not _is_without_ipv6(end):
                requests[end.node].append(rtnetlink.permanent_neighbor(end.index, end.name, address, mac))
    for node, entries in requests.items():
        assert node.netlink is not None
        node.netlink.apply(entries)


def _is_without_ipv6(end: LabIntf) -> bool:
    """Whether the kernel has no IPv6 at an interface."""
    settings = (f"net.ipv6.conf.{scope}.disable_ipv6" for scope in ("all", "default", end.name))
    small = 0 < end.plan.mtu_bytes < rtnetlink.LEAST_IPV6_MTU_BYTES
    return small or any(end.node.plan.sysctls.get(setting) == "1" for setting in settings)
