"""A kernel's decision about a packet: the request of `ip route get fibmatch`, and its answer."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Message, Netlink, NetlinkError, Reply, attribute, attributes, number, number_in

#: Numbers by which kernels tell who set a route.
PROTOCOLS = {
    2: "kernel", 3: "boot", 4: "static", 9: "ra", 11: "zebra", 42: "babel", 186: "bgp", 187: "isis", 188: "ospf",
    189: "rip", 190: "ripng", 191: "nhrp", 192: "eigrp", 193: "ldp", 194: "sharp", 195: "pbr", 196: "static",
    197: "ospf6",
}  # fmt: skip
#: Types of routes that end a way, by the kernel's number.
REFUSING = {6: "a blackhole route", 7: "an unreachable route", 8: "a prohibiting route", 9: "a throwing route"}

_DESTINATION, _SOURCE, _IN, _OUT, _PRIORITY, _PREFERRED, _TABLE = 1, 2, 3, 4, 6, 7, 15
_ENCAP_KIND, _ENCAP, _ENCAP_MPLS, _MPLS_LABELS = 21, 22, 1, 1
_FIB_MATCH, _CLONED, _DEAD, _UNICAST, _LOCAL = 0x2000, 0x200, 0x1, 1, (2, 4)
_MASTER, _LINKINFO, _INFO_KIND = 10, 18, 1
_GETADDR, _IFA_ADDRESS, _IFA_LOCAL = 22, 1, 2


class NextHop(NamedTuple):
    """A next hop: its address (empty on the own network), the index of the interface to it, labels that are pushed."""

    gateway: str
    device: int
    labels: str = ""


class FibMatch(NamedTuple):
    """The route that a kernel takes.

    Attributes:
        prefix, protocol: of the route; who set it by name.
        hops: next hops that are alive.
        is_local: whether the packet has arrived.
        refuses: what the route is where it lets nothing pass ("a blackhole route"); empty for others.
        source: the address that packets get which begin here; empty where that was not asked.
    """

    prefix: str
    protocol: str
    hops: tuple[NextHop, ...]
    is_local: bool = False
    refuses: str = ""
    source: str = ""


class KernelInterface(NamedTuple):
    """An interface: its name, the index of what it belongs to (0 for nothing), and whether it is a VRF's device."""

    name: str
    master: int
    is_vrf: bool


def ask(netlink: Netlink, address: str, *, source: str = "", from_interface: int = 0, vrf: int = 0) -> FibMatch:
    """The route to an address, of all equally good next hops.

    Args:
        netlink: of the node.
        source: the sender's address; needed with `from_interface`.
        from_interface: index of the interface by which packets come; 0 where they begin here.
        vrf: index of the VRF's device in which packets begin here; 0 for none.

    Raises:
        NetlinkError: the kernel would not send the packet anywhere; its `code` says why.
    """
    return parse(netlink.ask(_question(address, source, from_interface, vrf, _FIB_MATCH)))


def source_of(netlink: Netlink, address: str, vrf: int = 0) -> str:
    """The address that packets to `address` get which begin here. Raises NetlinkError."""
    return parse(netlink.ask(_question(address, "", 0, vrf, 0))).source


def _question(address: str, source: str, from_interface: int, vrf: int, flags: int) -> Message:
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
    """The route in a message of the kernel."""
    family, length, _, _, _, protocol, _, kind, _ = struct.unpack_from("=BBBBBBBBI", reply.body)
    found = attributes(reply.body[12:])
    prefix = rtnetlink.prefix_text(family, bytes(found.get(_DESTINATION, b"")), length)
    preferred = found.get(_PREFERRED)
    return FibMatch(
        prefix,
        PROTOCOLS.get(protocol, ""),
        tuple(_alive(family, found)) if kind == _UNICAST else (),
        kind in _LOCAL,
        REFUSING.get(kind, ""),
        socket.inet_ntop(family, preferred) if preferred is not None else "",
    )


def _alive(family: int, found: Mapping[int, memoryview]) -> Iterator[NextHop]:
    for each, index, flags in rtnetlink.next_hops(found):
        if not flags & _DEAD:
            yield _hop(family, each, index)


def _hop(family: int, found: Mapping[int, memoryview], index: int) -> NextHop:
    labels = ""
    if _ENCAP in found and struct.unpack("=H", found[_ENCAP_KIND])[0] == _ENCAP_MPLS:
        stack = attributes(found[_ENCAP]).get(_MPLS_LABELS, memoryview(b""))
        labels = "/".join(str(entry >> 12) for (entry,) in struct.iter_unpack("!I", bytes(stack)))
    return NextHop(rtnetlink.gateway(family, found), index, labels)


def refusal(netlink: Netlink, address: str, table: int) -> tuple[str, str]:
    """The best of all routes to an address in a table, where it is one that lets nothing pass: its prefix, and what it
    is. Empty for any other, and for a VRF's last route, which stands for none."""
    raw = rtnetlink.packed(address)
    family, bits = rtnetlink.family_of(raw), 8 * len(raw)
    best: tuple[int, int, str, str] | None = None
    for reply in netlink.dump(rtnetlink.routes_request(family)):
        length, kind, flags = reply.body[1], reply.body[7], struct.unpack_from("=I", reply.body, 8)[0]
        found = attributes(reply.body[12:])
        network = bytes(found.get(_DESTINATION, b"")).ljust(len(raw), b"\0")
        different = int.from_bytes(network, "big") ^ int.from_bytes(raw, "big")
        if number_in(found, _TABLE, reply.body[4]) != table or flags & _CLONED or different >> (bits - length):
            continue
        metric = number_in(found, _PRIORITY)
        what = REFUSING.get(kind, "") if metric < rtnetlink.LAST_METRIC else ""
        if best is None or (-length, metric) < best[:2]:
            best = -length, metric, rtnetlink.prefix_text(family, network, length), what
    return (best[2], best[3]) if best is not None and best[3] else ("", "")


def interfaces(netlink: Netlink) -> dict[int, KernelInterface]:
    """All interfaces by index."""
    found = {}
    for reply in netlink.dump(rtnetlink.links_request()):
        index, name = rtnetlink.parse_link(reply)
        more = attributes(reply.body[16:])
        kind = bytes(attributes(more[_LINKINFO]).get(_INFO_KIND, b"")) if _LINKINFO in more else b""
        found[index] = KernelInterface(name, number_in(more, _MASTER), kind.rstrip(b"\0") == b"vrf")
    return found


def addresses(netlink: Netlink) -> dict[str, set[int]]:
    """All addresses, with the indexes of the interfaces that have them."""
    found: dict[str, set[int]] = {}
    for reply in netlink.dump(Message(_GETADDR, 0, struct.pack("=BBBBI", 0, 0, 0, 0, 0), "list of addresses")):
        family = reply.body[0]
        (index,) = struct.unpack_from("=I", reply.body, 4)
        more = attributes(reply.body[8:])
        raw = more.get(_IFA_LOCAL, more.get(_IFA_ADDRESS))
        if raw is not None:
            found.setdefault(socket.inet_ntop(family, raw), set()).add(index)
    return found


#: The meaning of the kernel's refusals, if no route of its tables gives it.
REASONS = {
    errno.ENETUNREACH: "has no route",
    errno.EHOSTUNREACH: "does not forward packets",
    errno.EXDEV: "drops them: its way back to the sender is by another interface (reverse path filter)",
    errno.EINVAL: "drops them: it takes the sender's address for a wrong one",
    errno.EACCES: "refuses to forward them",
}


def reason(error: NetlinkError) -> str:
    """Why a kernel would not send a packet anywhere, in words that go on after the node's name."""
    return REASONS.get(error.code, f"sends them nowhere: {error}")
