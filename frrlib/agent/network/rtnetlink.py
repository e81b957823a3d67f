"""Links, addresses and routes as netlink requests.

Requests name interfaces by index. The code that makes an interface chooses its index, so all settings of a node can be
requested at once without look-ups in between.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from frrlib.agent.network.netlink import (
    APPEND,
    CREATE,
    EXCL,
    REPLACE,
    Message,
    Reply,
    attribute,
    attributes,
    nest,
    number,
    number_in,
    text,
)

NEWLINK, DELLINK, GETLINK, NEWADDR, DELADDR, GETADDR = 16, 17, 18, 20, 21, 22
NEWROUTE, DELROUTE, GETROUTE = 24, 25, 26
NEWRULE, DELRULE = 32, 33
NEWNEIGH, SETNEIGHTBL = 28, 67
NEWQDISC, GETQDISC, NEWTFILTER = 36, 38, 44
#: Multicast groups (bit masks) for events of links and routes.
GROUP_LINK, GROUP_IPV4_ROUTE, GROUP_IPV6_ROUTE = 0x1, 0x40, 0x400
MAIN_TABLE = 254
BGP_PORT = 179
#: struct tcmsg: family, index of the interface, handle, parent, info.
TC_BODY = struct.Struct("=BxxxiIII")
FAMILIES = (socket.AF_INET, socket.AF_INET6)
#: IPv6 requires this MTU of an interface.
LEAST_IPV6_MTU_BYTES = 1280

_ADDRESS, _IFNAME, _MTU, _LINK, _MASTER, _LINKINFO, _NET_NS_FD = 1, 3, 4, 5, 10, 18, 28
_INFO_KIND, _INFO_DATA = 1, 2
_OUT, _GATEWAY, _PRIORITY, _SOURCE, _METRICS, _MULTIPATH, _TABLE, _VIA = 4, 5, 6, 7, 8, 9, 15, 18
_INITIAL_WINDOW, _INITIAL_RECEIVE_WINDOW, _CONTROL = 11, 14, 16
_LINK_SCOPE, _BY_KERNEL, _CONNECTED6_METRIC = 253, 2, 256
_UNICAST, _DISCARDS, _UNREACHABLE_ROUTE = 1, 6, 7
_LOCAL_TABLE, _CLONED = 255, 0x200
#: Metric of a VRF's last route, from the kernel's documentation of VRFs.
LAST_METRIC = 4_278_198_272
_RULE_TO, _RULE_PREFERENCE, _RULE_PROTOCOL, _RULE_PORTS = 1, 6, 22, 24
_PROHIBIT = 8
#: Attributes of neighbor tables (linux/neighbour.h), and the tables' names.
_TABLE_NAME, _TABLE_PARAMETERS = 1, 6
_OF_INTERFACE, _UNICAST_PROBES, _MULTICAST_PROBES = 1, 10, 11
_NEIGHBOR_ADDRESS, _NEIGHBOR_MAC, _PERMANENT = 1, 2, 0x80
_NEIGHBOR_TABLES: Mapping[int, str] = {socket.AF_INET: "arp_cache", socket.AF_INET6: "ndisc_cache"}
#: Lower than the preference of the kernel's rule for VRFs, 1000.
_PREFERENCE = 500
_UP = 0x1
_NODAD, _NO_PREFIX_ROUTE = 0x02, 0x200
_IFA_FLAGS = 8
_INGRESS_PARENT, _INGRESS_HANDLE = 0xFFFFFFF1, 0xFFFF0000


class KernelRoute(NamedTuple):
    """A route of a kernel's table, except local and cached ones.

    Attributes:
        prefix: "10.1.0.0/16".
        metric: 0 if it has none.
        table: number of its table.
        hops: next hops as (address, index of the interface); an empty address for a connected network, no hop for a
            route that discards packets.
        protocol: its origin, as the kernel numbers them.
    """

    prefix: str
    metric: int
    table: int = MAIN_TABLE
    hops: tuple[tuple[str, int], ...] = ()
    protocol: int = 0


class VethEnd(NamedTuple):
    """One end of a veth pair.

    Attributes:
        name: name of the interface.
        number: its index there.
        mtu_bytes: its MTU, 0 for the default.
        mac: its hardware address, empty for a random one.
        namespace: descriptor of the network namespace in which it is created.
    """

    name: str
    number: int
    mtu_bytes: int
    mac: str
    namespace: int


def packed(address: str) -> bytes:
    """The address as 4 or 16 bytes. Raises OSError for other texts."""
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


def family_of(raw: bytes) -> int:
    """The address family of 4 or 16 bytes."""
    return socket.AF_INET if len(raw) == 4 else socket.AF_INET6


def prefix_text(family: int, raw: bytes, length: int) -> str:
    """A prefix as text ("10.1.0.0/16"); short `raw` is filled with zeros."""
    return f"{socket.inet_ntop(family, raw.ljust(4 if family == socket.AF_INET else 16, bytes(1)))}/{length}"


def network(prefix: str) -> str:
    """The prefix in the kernel's form: host bits cleared, shortest text ("10.0.0.1/16" gives "10.0.0.0/16")."""
    address, _, length_text = prefix.partition("/")
    raw = packed(address)
    bits = 8 * len(raw)
    length = int(length_text) if length_text else bits
    masked = int.from_bytes(raw, "big") >> (bits - length) << (bits - length)
    return prefix_text(family_of(raw), masked.to_bytes(len(raw), "big"), length)


def networks(prefixes: Iterable[str]) -> dict[str, str]:
    """Prefixes to their kernel's form, each computed once."""
    return {prefix: network(prefix) for prefix in set(prefixes)}


def veth(a: VethEnd, b: VethEnd) -> Message:
    """A veth pair, each end created in its namespace, with its name and index."""
    peer = nest(_INFO_DATA, attribute(1, _link_body(b.number) + _end(b)))
    body = _link_body(a.number) + _end(a) + nest(_LINKINFO, text(_INFO_KIND, "veth"), peer)
    return Message(NEWLINK, CREATE | EXCL, body, f"link {a.name} - {b.name}")


def bridge(name: str, index: int, stp: bool) -> Message:
    """A bridge, with or without the spanning tree protocol."""
    data = nest(_INFO_DATA, number(5, int(stp)))
    body = _link_body(index) + text(_IFNAME, name) + nest(_LINKINFO, text(_INFO_KIND, "bridge"), data)
    return Message(NEWLINK, CREATE | EXCL, body, f"bridge {name}")


def vrf(name: str, index: int, table: int) -> Message:
    """The device of a VRF. Its interfaces use the routing table with that number."""
    data = nest(_INFO_DATA, number(1, table))
    body = _link_body(index) + text(_IFNAME, name) + nest(_LINKINFO, text(_INFO_KIND, "vrf"), data)
    return Message(NEWLINK, CREATE | EXCL, body, f"VRF {name}")


def unreachable_default(family: int, table: int) -> Message:
    """The last route of a VRF's table, which keeps lookups from continuing in the main table."""
    body = struct.pack("=BBBBBBBBI", family, 0, 0, 0, 0, 4, 0, _UNREACHABLE_ROUTE, 0)
    body += number(_TABLE, table) + number(_PRIORITY, LAST_METRIC)
    return Message(NEWROUTE, CREATE | REPLACE, body, f"last route of table {table}")


def vlan(name: str, index: int, lower: int, vlan_id: int) -> Message:
    """A VLAN sub-interface of the interface with index `lower`."""
    data = nest(_INFO_DATA, attribute(1, struct.pack("=H", vlan_id)))
    information = nest(_LINKINFO, text(_INFO_KIND, "vlan"), data)
    body = _link_body(index) + text(_IFNAME, name) + number(_LINK, lower) + information
    return Message(NEWLINK, CREATE | EXCL, body, f"VLAN interface {name}")


def neighbor_probes(index: int, name: str, family: int, probes: int) -> Message:
    """The number of solicitations, one per second, after which a neighbor at the interface counts as unreachable."""
    numbers = number(_OF_INTERFACE, index) + number(_UNICAST_PROBES, probes) + number(_MULTICAST_PROBES, probes)
    body = struct.pack("=Bxxx", family) + text(_TABLE_NAME, _NEIGHBOR_TABLES[family]) + nest(_TABLE_PARAMETERS, numbers)
    return Message(SETNEIGHTBL, 0, body, f"{probes} requests for hardware addresses at {name}")


def permanent_neighbor(index: int, name: str, address: str, mac: str) -> Message:
    """The hardware address of a neighbor at an interface, which the kernel keeps without asking the neighbor."""
    raw = packed(address)
    body = struct.pack("=BxxxiHBB", family_of(raw), index, _PERMANENT, 0, 0)
    body += attribute(_NEIGHBOR_ADDRESS, raw) + attribute(_NEIGHBOR_MAC, bytes.fromhex(mac.replace(":", "")))
    return Message(NEWNEIGH, CREATE | REPLACE, body, f"neighbor {address} at {name}")


def set_up(index: int, name: str, up: bool) -> Message:
    """Set the interface up or down."""
    body = struct.pack("=BxHiII", 0, 0, index, _UP if up else 0, _UP)
    return Message(NEWLINK, 0, body, f"{name} {'up' if up else 'down'}")


def move(name: str, namespace: int) -> Message:
    """Move the interface of that name into another network namespace, given by an open descriptor."""
    body = _link_body(0) + text(_IFNAME, name) + number(_NET_NS_FD, namespace)
    return Message(NEWLINK, 0, body, f"{name} into a node")


def move_index(index: int, name: str, namespace: int) -> Message:
    """Move the interface with that index, whatever its present name, into another network namespace."""
    return Message(NEWLINK, 0, _link_body(index) + number(_NET_NS_FD, namespace), f"{name} out of a node")


def set_master(index: int, name: str, master: int) -> Message:
    """Make the interface a part of the bridge or the VRF with index `master`."""
    return Message(NEWLINK, 0, _link_body(index) + number(_MASTER, master), f"{name} as a part of a bridge or VRF")


def add_address(index: int, name: str, address: str, with_route: bool = True, *, again: bool = False) -> Message:
    """An address with prefix length; IPv6 without duplicate address detection, which would delay it by a second.

    Args:
        index, name: of the interface.
        address: "10.0.0.1/16".
        with_route: whether the kernel makes a route to its network.
        again: whether the interface has the address already. The kernel then only announces it.
    """
    host, _, length = address.partition("/")
    raw = packed(host)
    bits = int(length) if length else 8 * len(raw)
    body = struct.pack("=BBBBI", family_of(raw), bits, _NODAD, 0, index) + attribute(2, raw) + attribute(1, raw)
    body += b"" if with_route else number(_IFA_FLAGS, _NODAD | _NO_PREFIX_ROUTE)
    if len(raw) == 4 and bits < 31:
        host_bits = (1 << (32 - bits)) - 1
        body += attribute(4, (int.from_bytes(raw, "big") | host_bits).to_bytes(4, "big"))
    return Message(NEWADDR, CREATE | (REPLACE if again else EXCL), body, f"address {address} at {name}")


def delete_address(index: int, name: str, address: str) -> Message:
    """The removal of an address with prefix length."""
    host, _, length = address.partition("/")
    raw = packed(host)
    bits = int(length) if length else 8 * len(raw)
    body = struct.pack("=BBBBI", family_of(raw), bits, 0, 0, index) + attribute(2, raw) + attribute(1, raw)
    return Message(DELADDR, 0, body, f"removal of the address {address} at {name}")


def delete_link(index: int, name: str) -> Message:
    """The removal of an interface; a veth pair disappears with either end."""
    return Message(DELLINK, 0, _link_body(index), f"removal of {name}")


def delete_route(prefix: str, via: str) -> Message:
    """The removal of a route that `add_route` has added."""
    address, length = network(prefix).split("/")
    raw = packed(address)
    body = struct.pack("=BBBBBBBBI", family_of(raw), int(length), 0, 0, MAIN_TABLE, 0, 0, 0, 0)
    return Message(DELROUTE, 0, body + attribute(1, raw) + attribute(5, packed(via)), f"removal of the route {prefix}")


def add_route(prefix: str, via: str, metrics: bytes = b"") -> Message:
    """A route to `prefix` via a neighbor's address; replaces an equal one. `metrics` as returned by `tcp_metrics`."""
    address, length = network(prefix).split("/")
    raw, gateway = packed(address), packed(via)
    body = struct.pack("=BBBBBBBBI", family_of(raw), int(length), 0, 0, MAIN_TABLE, 4, 0, 1, 0)
    body += attribute(1, raw) + attribute(5, gateway) + metrics
    return Message(NEWROUTE, CREATE | REPLACE, body, f"route {prefix} via {via}")


def refuse_connections(address: str, port: int, *, held: bool) -> Message:
    """A rule that refuses the node's own TCP connections to a port of an address ("10.0.0.2"), or its removal."""
    raw = packed(address)
    body = struct.pack("=BBBBBBBBI", family_of(raw), 8 * len(raw), 0, 0, 0, 0, 0, _PROHIBIT, 0)
    body += attribute(_RULE_TO, raw) + number(_RULE_PREFERENCE, _PREFERENCE)
    body += attribute(_RULE_PROTOCOL, bytes([socket.IPPROTO_TCP])) + attribute(
        _RULE_PORTS, struct.pack("=HH", port, port)
    )
    kind, flags = (NEWRULE, CREATE | EXCL) if held else (DELRULE, 0)
    return Message(kind, flags, body, f"connections to port {port} of {address} {'refused' if held else 'allowed'}")


def connected_route(prefix: str, index: int, source: str, metrics: bytes) -> Message:
    """The kernel's own kind of route to a network at an interface, appended to equal routes of other interfaces.

    The kernel refuses a route that exists already (EEXIST).
    """
    address, length = network(prefix).split("/")
    raw = packed(address)
    scope = _LINK_SCOPE if len(raw) == 4 else 0
    body = struct.pack("=BBBBBBBBI", family_of(raw), int(length), 0, 0, MAIN_TABLE, _BY_KERNEL, scope, 1, 0)
    body += attribute(1, raw) + number(_OUT, index) + metrics
    body += attribute(_SOURCE, packed(source)) if source else b""
    body += number(_PRIORITY, _CONNECTED6_METRIC) if len(raw) == 16 else b""
    return Message(NEWROUTE, CREATE | APPEND, body, f"route to the network {prefix}")


def tcp_metrics(congestion_control: str, initial_window: int, initial_receive_window: int) -> bytes:
    """A route's TCP settings as an attribute, without empty and zero settings; no bytes if all are."""
    parts = [text(_CONTROL, congestion_control)] if congestion_control else []
    windows = ((_INITIAL_WINDOW, initial_window), (_INITIAL_RECEIVE_WINDOW, initial_receive_window))
    parts += [number(kind, value) for kind, value in windows if value]
    return nest(_METRICS, *parts) if parts else b""


def ingress(index: int, name: str) -> Message:
    """The qdisc for filters of arriving packets."""
    body = tc_body(index, _INGRESS_HANDLE, _INGRESS_PARENT, 0) + text(1, "ingress")
    return Message(NEWQDISC, CREATE | EXCL, body, f"ingress qdisc at {name}")


def redirect(index: int, name: str, target: int) -> Message:
    """Redirect every packet that arrives at the interface to the root qdisc of the interface with index `target`."""
    stolen, egress_redirect, all_protocols, preference = 4, 1, 0x0300, 1
    mirred = struct.pack("=IIiiiiI", 0, 0, stolen, 0, 0, egress_redirect, target)
    action = nest(1, text(1, "mirred"), nest(2, attribute(2, mirred)))
    options = nest(2, nest(2, action))
    body = tc_body(index, 0, _INGRESS_HANDLE, preference << 16 | all_protocols) + text(1, "matchall") + options
    return Message(NEWTFILTER, CREATE | EXCL, body, f"redirection of what arrives at {name}")


def routes_request(family: int) -> Message:
    """A dump of all routes of an address family."""
    return Message(GETROUTE, 0, struct.pack("=BBBBBBBBI", family, *bytes(7), 0), "list of routes")


def links_request() -> Message:
    """A dump of all interfaces."""
    return Message(GETLINK, 0, _link_body(0), "list of interfaces")


def parse_link(reply: Reply) -> tuple[int, str]:
    """Index and name of an interface."""
    (index,) = struct.unpack_from("=i", reply.body, 4)
    return index, bytes(attributes(reply.body[16:]).get(_IFNAME, b"")).rstrip(b"\0").decode(errors="replace")


def parse_mac(reply: Reply) -> tuple[int, str]:
    """Index and hardware address of an interface."""
    (index,) = struct.unpack_from("=i", reply.body, 4)
    return index, bytes(attributes(reply.body[16:]).get(_ADDRESS, b"")).hex(":")


def parse_mtu(reply: Reply) -> int:
    """The MTU of an interface in bytes."""
    return number_in(attributes(reply.body[16:]), _MTU)


def addresses_request() -> Message:
    """A dump of all addresses."""
    return Message(GETADDR, 0, struct.pack("=BBBBI", socket.AF_UNSPEC, 0, 0, 0, 0), "list of addresses")


def parse_address(reply: Reply) -> tuple[int, str]:
    """Index of the interface, and the address with prefix length."""
    family, length, _, _, index = struct.unpack_from("=BBBBI", reply.body)
    values = attributes(reply.body[8:])
    raw = bytes(values.get(2, values.get(1, b"")))
    return index, f"{socket.inet_ntop(family, raw)}/{length}" if raw else ""


def parse_route(reply: Reply) -> KernelRoute | None:
    """A unicast (or discarding) route of any table; None for any other message."""
    if reply.type not in (NEWROUTE, DELROUTE):
        return None
    family, length, _, _, table, protocol, _, kind, flags = struct.unpack_from("=BBBBBBBBI", reply.body)
    if flags & _CLONED or kind not in (_UNICAST, _DISCARDS, _UNREACHABLE_ROUTE):
        return None
    values = attributes(reply.body[12:])
    table, metric = number_in(values, _TABLE, table), number_in(values, _PRIORITY)
    if table == _LOCAL_TABLE or (kind == _UNREACHABLE_ROUTE and metric >= LAST_METRIC):
        return None
    hops = tuple((gateway(family, hop), index) for hop, index, _ in next_hops(values)) if kind == _UNICAST else ()
    return KernelRoute(prefix_text(family, bytes(values.get(1, b"")), length), metric, table, hops, protocol)


def parse_tcp_metrics(reply: Reply) -> tuple[str, int, int]:
    """A route's settings from `tcp_metrics`: its congestion control, initial window, initial receive window."""
    values = attributes(attributes(reply.body[12:]).get(_METRICS, b""))
    control = bytes(values.get(_CONTROL, b"")).rstrip(b"\0").decode(errors="replace")
    return control, number_in(values, _INITIAL_WINDOW), number_in(values, _INITIAL_RECEIVE_WINDOW)


def next_hops(values: Mapping[int, memoryview]) -> Iterator[tuple[Mapping[int, memoryview], int, int]]:
    """The next hops of a route, one or a list: attributes, index of the interface, flags."""
    if _MULTIPATH not in values:
        if _OUT in values:
            yield values, number_in(values, _OUT), 0
        return
    remaining = values[_MULTIPATH]
    while len(remaining) >= 8:
        length, flags, _, index = struct.unpack_from("=HBBi", remaining)
        if length < 8:
            return
        yield attributes(remaining[8:length]), index, flags
        remaining = remaining[(length + 3) & ~3 :]


def gateway(family: int, values: Mapping[int, memoryview]) -> str:
    """The next hop's address in a route's attributes; empty if there is none."""
    if _GATEWAY in values:
        return socket.inet_ntop(family, values[_GATEWAY])
    if _VIA in values:  # of the other address family, which comes first (RFC 5549)
        raw = bytes(values[_VIA])[2:]
        return socket.inet_ntop(family_of(raw), raw)
    return ""


def _link_body(index: int) -> bytes:
    return struct.pack("=BxHiII", 0, 0, index, 0, 0)


def tc_body(index: int, handle: int, parent: int, info: int) -> bytes:
    """The beginning of a message about a qdisc or a class."""
    return TC_BODY.pack(socket.AF_UNSPEC, index, handle, parent, info)


def _end(end: VethEnd) -> bytes:
    parts = text(_IFNAME, end.name) + number(_NET_NS_FD, end.namespace)
    parts += number(_MTU, end.mtu_bytes) if end.mtu_bytes else b""
    parts += attribute(_ADDRESS, bytes.fromhex(end.mac.replace(":", ""))) if end.mac else b""
    return parts
