"""Links, addresses and routes as netlink requests.

Interfaces are spoken of by index: whoever makes one chooses its index, so that everything about a node can be asked in
one go without looking anything up in between.
"""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

from frrlib.inside.netlink import CREATE, EXCL, REPLACE, Message, Reply, attribute, attributes, nest, number, text

NEWLINK, DELLINK, NEWADDR, NEWROUTE, DELROUTE, GETROUTE = 16, 17, 20, 24, 25, 26
NEWQDISC, GETQDISC, NEWTFILTER = 36, 38, 44
#: Multicast groups (bit masks) that tell of links and routes.
GROUP_LINK, GROUP_IPV4_ROUTE, GROUP_IPV6_ROUTE = 0x1, 0x40, 0x400
MAIN_TABLE = 254

_ADDRESS, _IFNAME, _MTU, _LINK, _MASTER, _LINKINFO, _NET_NS_FD = 1, 3, 4, 5, 10, 18, 28
_INFO_KIND, _INFO_DATA = 1, 2
_UP = 0x1
_NODAD = 0x02
_INGRESS_PARENT, _INGRESS_HANDLE = 0xFFFFFFF1, 0xFFFF0000


class End(NamedTuple):
    """One end of a veth pair.

    Attributes:
        name: name of the interface.
        number: its index there.
        mtu_bytes: its MTU, 0 for the default.
        mac: its hardware address, empty for a random one.
        namespace: descriptor of the network namespace in which it is born.
    """

    name: str
    number: int
    mtu_bytes: int
    mac: str
    namespace: int


def packed(address: str) -> bytes:
    """The address as 4 or 16 bytes. Raises OSError for anything else."""
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


def family_of(raw: bytes) -> int:
    """The address family of 4 or 16 bytes."""
    return socket.AF_INET if len(raw) == 4 else socket.AF_INET6


def prefix_text(family: int, raw: bytes, length: int) -> str:
    """A prefix as text ("10.1.0.0/16"); short `raw` is filled with zeros."""
    return f"{socket.inet_ntop(family, raw.ljust(4 if family == socket.AF_INET else 16, bytes(1)))}/{length}"


def network(prefix: str) -> str:
    """The prefix as the kernel writes it: host bits cleared, shortest text ("10.0.0.1/16" gives "10.0.0.0/16")."""
    address, _, length_text = prefix.partition("/")
    raw = packed(address)
    bits = 8 * len(raw)
    length = int(length_text) if length_text else bits
    masked = int.from_bytes(raw, "big") >> (bits - length) << (bits - length)
    return prefix_text(family_of(raw), masked.to_bytes(len(raw), "big"), length)


def veth(a: End, b: End) -> Message:
    """A veth pair whose ends are born in their namespaces, with their names and indexes."""
    peer = nest(_INFO_DATA, attribute(1, _link_body(b.number) + _end(b)))
    body = _link_body(a.number) + _end(a) + nest(_LINKINFO, text(_INFO_KIND, "veth"), peer)
    return Message(NEWLINK, CREATE | EXCL, body, f"link {a.name} - {b.name}")


def bridge(name: str, index: int, stp: bool) -> Message:
    """A bridge, with or without the spanning tree protocol."""
    data = nest(_INFO_DATA, number(5, int(stp)))
    body = _link_body(index) + text(_IFNAME, name) + nest(_LINKINFO, text(_INFO_KIND, "bridge"), data)
    return Message(NEWLINK, CREATE | EXCL, body, f"bridge {name}")


def vlan(name: str, index: int, lower: int, vlan_id: int) -> Message:
    """A VLAN sub-interface of the interface with index `lower`."""
    data = nest(_INFO_DATA, attribute(1, struct.pack("=H", vlan_id)))
    information = nest(_LINKINFO, text(_INFO_KIND, "vlan"), data)
    body = _link_body(index) + text(_IFNAME, name) + number(_LINK, lower) + information
    return Message(NEWLINK, CREATE | EXCL, body, f"VLAN interface {name}")


def set_up(index: int, name: str, up: bool) -> Message:
    """The interface up or down."""
    body = struct.pack("=BxHiII", 0, 0, index, _UP if up else 0, _UP)
    return Message(NEWLINK, 0, body, f"{name} {'up' if up else 'down'}")


def move(name: str, namespace: int) -> Message:
    """The interface of that name into another network namespace, given by an open descriptor."""
    body = _link_body(0) + text(_IFNAME, name) + number(_NET_NS_FD, namespace)
    return Message(NEWLINK, 0, body, f"{name} into a node")


def set_master(index: int, name: str, master: int) -> Message:
    """The interface as a port of the bridge with index `master`."""
    return Message(NEWLINK, 0, _link_body(index) + number(_MASTER, master), f"{name} as a bridge's port")


def add_address(index: int, name: str, address: str) -> Message:
    """An address with prefix length; IPv6 without duplicate address detection, which would delay it by a second."""
    host, _, length = address.partition("/")
    raw = packed(host)
    bits = int(length) if length else 8 * len(raw)
    body = struct.pack("=BBBBI", family_of(raw), bits, _NODAD, 0, index) + attribute(2, raw) + attribute(1, raw)
    if len(raw) == 4 and bits < 31:
        host_bits = (1 << (32 - bits)) - 1
        body += attribute(4, (int.from_bytes(raw, "big") | host_bits).to_bytes(4, "big"))
    return Message(NEWADDR, CREATE | EXCL, body, f"address {address} at {name}")


def add_route(prefix: str, via: str) -> Message:
    """A route to `prefix` via a neighbour's address, in place of an equal one."""
    address, length = network(prefix).split("/")
    raw, gateway = packed(address), packed(via)
    body = struct.pack("=BBBBBBBBI", family_of(raw), int(length), 0, 0, MAIN_TABLE, 4, 0, 1, 0)
    body += attribute(1, raw) + attribute(5, gateway)
    return Message(NEWROUTE, CREATE | REPLACE, body, f"route {prefix} via {via}")


def ingress(index: int, name: str) -> Message:
    """The qdisc to which filters for arriving packets are tied."""
    body = _tc_body(index, _INGRESS_HANDLE, _INGRESS_PARENT, 0) + text(1, "ingress")
    return Message(NEWQDISC, CREATE | EXCL, body, f"ingress qdisc at {name}")


def redirect(index: int, name: str, target: int) -> Message:
    """Every packet that arrives at the interface leaves by the one with index `target`, through its root qdisc."""
    stolen, egress_redirect, all_protocols, preference = 4, 1, 0x0300, 1
    mirred = struct.pack("=IIiiiiI", 0, 0, stolen, 0, 0, egress_redirect, target)
    action = nest(1, text(1, "mirred"), nest(2, attribute(2, mirred)))
    options = nest(2, nest(2, action))
    body = _tc_body(index, 0, _INGRESS_HANDLE, preference << 16 | all_protocols) + text(1, "matchall") + options
    return Message(NEWTFILTER, CREATE | EXCL, body, f"redirection of what arrives at {name}")


def routes_request(family: int) -> Message:
    """A dump of all routes of an address family."""
    return Message(GETROUTE, 0, struct.pack("=BBBBBBBBI", family, *bytes(7), 0), "list of routes")


def parse_route(reply: Reply) -> tuple[str, int] | None:
    """Prefix and metric of a unicast (or discarding) route of the main table; None for any other message."""
    if reply.type not in (NEWROUTE, DELROUTE):
        return None
    family, length, _, _, table, _, _, kind, flags = struct.unpack_from("=BBBBBBBBI", reply.body)
    cloned = 0x200
    if table != MAIN_TABLE or flags & cloned or kind not in (1, 6, 7):
        return None
    found = attributes(reply.body[12:])
    metric = struct.unpack("=I", found[6])[0] if 6 in found else 0
    return prefix_text(family, bytes(found.get(1, b"")), length), metric


def _link_body(index: int) -> bytes:
    return struct.pack("=BxHiII", 0, 0, index, 0, 0)


def _tc_body(index: int, handle: int, parent: int, info: int) -> bytes:
    return struct.pack("=BxxxiIII", 0, index, handle, parent, info)


def _end(end: End) -> bytes:
    parts = text(_IFNAME, end.name) + number(_NET_NS_FD, end.namespace)
    parts += number(_MTU, end.mtu_bytes) if end.mtu_bytes else b""
    parts += attribute(_ADDRESS, bytes.fromhex(end.mac.replace(":", ""))) if end.mac else b""
    return parts
