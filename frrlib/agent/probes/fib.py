"""A kernel's decision about a packet: the request of `ip route get fibmatch`, and its reply."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Message, Netlink, NetlinkError, Reply, attribute, attributes, number, number_in

#: Names of the origins of routes, by the kernel's number.
PROTOCOLS = {
    2: "kernel", 3: "boot", 4: "static", 9: "ra", 11: "zebra", 42: "babel", 186: "bgp", 187: "isis", 188: "ospf",
    189: "rip", 190: "ripng", 191: "nhrp", 192: "eigrp", 193: "ldp", 194: "sharp", 195: "pbr", 196: "static",
    197: "ospf6",
}  # fmt: skip
#: Types of routes that end a path, by the kernel's number.
REFUSING = {6: "a blackhole route", 7: "an unreachable route", 8: "a prohibiting route", 9: "a throwing route"}

_DESTINATION, _SOURCE, _IN, _OUT, _PRIORITY, _PREFERRED, _TABLE = 1, 2, 3, 4, 6, 7, 15
_ENCAP_KIND, _ENCAP, _ENCAP_MPLS, _MPLS_LABELS = 21, 22, 1, 1
_FIB_MATCH, _CLONED, _DEAD, _UNICAST, _LOCAL = 0x2000, 0x200, 0x1, 1, (2, 4)
_MASTER, _LINKINFO, _INFO_KIND = 10, 18, 1
_GETADDR, _IFA_ADDRESS, _IFA_LOCAL = 22, 1, 2


class NextHop(NamedTuple):
    """A next hop: its address (empty on a connected network), the index of the interface to it, and pushed labels."""

    gateway: str
    device: int
    labels: str = ""


class FibMatch(NamedTuple):
    """The route that a kernel uses.

    Attributes:
        prefix, protocol: its prefix, and its origin by name.
        hops: next hops that are alive.
        is_local: whether the packet has arrived.
        refuses: the kind of a route that lets no packet pass ("a blackhole route"); empty for other routes.
        source: the source address of packets from this node; empty if it was not requested.
    """

    prefix: str
    protocol: str
    hops: tuple[NextHop, ...]
    is_local: bool = False
    refuses: str = ""
    source: str = ""


class KernelInterface(NamedTuple):
    """An interface: its name, the index of its bridge or VRF (0 for none), and whether it is a VRF's device."""

    name: str
    master: int
    is_vrf: bool


def ask(netlink: Netlink, address: str, *, source: str = "", from_interface: int = 0, vrf: int = 0) -> FibMatch:
    """The route to an address, with all equally good next hops.

    Args:
        netlink: of the node.
        source: the sender's address; needed with `from_interface`.
        from_interface: index of the interface by which packets arrive; 0 for packets from this node.
        vrf: index of the VRF's device of packets from this node; 0 for none.

    Raises:
        NetlinkError: the kernel would not send the packet; its `code` has the reason.
    """
    return parse(netlink.ask(_route_request(address, source, from_interface, vrf, _FIB_MATCH)))


def source_of(netlink: Netlink, address: str, vrf: int = 0) -> str:
    """The source address of packets from this node to `address`. Raises NetlinkError."""
    return parse(netlink.ask(_route_request(address, "", 0, vrf, 0))).source


def _route_request(address: str, source: str, from_interface: int, vrf: int, flags: int) -> Message:
    raw = rtnetlink.packed(address)
    bits = 8 * len(raw)
    family = rtnetlink.family_of(raw)
    body = struct.pack("=BBBBBBBBI", family, bits, bits if source else 0, 0, 0, 0, 0, 0, flags)
    body += attribute(_DESTINATION, raw)
    body += attribute(_SOURCE, rtnetlink.packed(source)) if source else b""
    body += number(_IN, from_interface) if from_interface else b""
    body += number(_OUT, vrf) if vrf else b""
    return Message(rtnetlink.GETROUTE, 0, body, f"route to {address}")


def parse(reply: Reply) -> FibMatch:
    """The route in a message from the kernel."""
    family, length, _, _, _, protocol, _, kind, _ = struct.unpack_from("=BBBBBBBBI", reply.body)
    values = attributes(reply.body[12:])
    prefix = rtnetlink.prefix_text(family, bytes(values.get(_DESTINATION, b"")), length)
    preferred = values.get(_PREFERRED)
    return FibMatch(
        prefix,
        PROTOCOLS.get(protocol, ""),
        tuple(_alive_hops(family, values)) if kind == _UNICAST else (),
        kind in _LOCAL,
        REFUSING.get(kind, ""),
        socket.inet_ntop(family, preferred) if preferred is not None else "",
    )


def _alive_hops(family: int, values: Mapping[int, memoryview]) -> Iterator[NextHop]:
    for hop, index, flags in rtnetlink.next_hops(values):
        if not flags & _DEAD:
            yield _hop(family, hop, index)


def _hop(family: int, values: Mapping[int, memoryview], index: int) -> NextHop:
    labels = ""
    if _ENCAP in values and struct.unpack("=H", values[_ENCAP_KIND])[0] == _ENCAP_MPLS:
        stack = attributes(values[_ENCAP]).get(_MPLS_LABELS, memoryview(b""))
        labels = "/".join(str(entry >> 12) for (entry,) in struct.iter_unpack("!I", bytes(stack)))
    return NextHop(rtnetlink.gateway(family, values), index, labels)


def refusal(netlink: Netlink, address: str, table: int) -> tuple[str, str]:
    """The best route to an address in a table, if it is one that lets no packet pass: its prefix and its kind. Empty
    texts for any other, and for a VRF's last route, which stands for no route."""
    raw = rtnetlink.packed(address)
    family, bits = rtnetlink.family_of(raw), 8 * len(raw)
    best: tuple[int, int, str, str] | None = None
    for reply in netlink.dump(rtnetlink.routes_request(family)):
        length, kind, flags = reply.body[1], reply.body[7], struct.unpack_from("=I", reply.body, 8)[0]
        values = attributes(reply.body[12:])
        network = bytes(values.get(_DESTINATION, b"")).ljust(len(raw), b"\0")
        different = int.from_bytes(network, "big") ^ int.from_bytes(raw, "big")
        if number_in(values, _TABLE, reply.body[4]) != table or flags & _CLONED or different >> (bits - length):
            continue
        metric = number_in(values, _PRIORITY)
        refusing = REFUSING.get(kind, "") if metric < rtnetlink.LAST_METRIC else ""
        if best is None or (-length, metric) < best[:2]:
            best = -length, metric, rtnetlink.prefix_text(family, network, length), refusing
    return (best[2], best[3]) if best is not None and best[3] else ("", "")


def interfaces(netlink: Netlink) -> dict[int, KernelInterface]:
    """All interfaces by index."""
    by_index = {}
    for reply in netlink.dump(rtnetlink.links_request()):
        index, name = rtnetlink.parse_link(reply)
        values = attributes(reply.body[16:])
        kind = bytes(attributes(values[_LINKINFO]).get(_INFO_KIND, b"")) if _LINKINFO in values else b""
        by_index[index] = KernelInterface(name, number_in(values, _MASTER), kind.rstrip(b"\0") == b"vrf")
    return by_index


def addresses(netlink: Netlink) -> dict[str, set[int]]:
    """All addresses, with the indexes of the interfaces that have them."""
    indexes: dict[str, set[int]] = {}
    for reply in netlink.dump(Message(_GETADDR, 0, struct.pack("=BBBBI", 0, 0, 0, 0, 0), "list of addresses")):
        family = reply.body[0]
        (index,) = struct.unpack_from("=I", reply.body, 4)
        values = attributes(reply.body[8:])
        raw = values.get(_IFA_LOCAL, values.get(_IFA_ADDRESS))
        if raw is not None:
            indexes.setdefault(socket.inet_ntop(family, raw), set()).add(index)
    return indexes


#: The meaning of the kernel's errors, unless a route of its tables explains them.
REASONS = {
    errno.ENETUNREACH: "has no route",
    errno.EHOSTUNREACH: "does not forward packets",
    errno.EXDEV: "drops them: its route back to the sender uses another interface (reverse path filter)",
    errno.EINVAL: "drops them: the sender's address is invalid here",
    errno.EACCES: "refuses to forward them",
}


def reason(error: NetlinkError) -> str:
    """The reason why a kernel would not send a packet, as words that follow the node's name."""
    return REASONS.get(error.code, f"sends them nowhere: {error}")
