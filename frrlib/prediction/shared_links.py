"""The interfaces of routers that hear each other, and those that agree on a protocol.

Two ends agree on a protocol when nothing that the drawing says keeps them from becoming neighbours. Where free lines of
`frr.conf` take something away, the drawing does not decide it and they do not count as agreeing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address

from pydantic import ValidationError

from frrlib.addressing.domains import broadcast_domains
from frrlib.model.base import Address
from frrlib.model.frames import USUAL_MTU_BYTES
from frrlib.model.nodes import Router
from frrlib.model.protocols.at_interface import network_type_at
from frrlib.model.protocols.ospf import area_number
from frrlib.model.routing import Isis, Network, Ospf, Ospf6, StaticRoute
from frrlib.model.topology import Topology

#: In free lines, what may take away what the drawing brings about.
_TAKES_AWAY = re.compile(r"^\s*no |passive|shutdown|distribute-list|filter-list|import-list|export-list", re.MULTILINE)
#: The names of protocols in free lines.
_WORDS = {
    "ospf": r"ospf\b",
    "ospf6": r"ospf6\b",
    "isis": r"isis\b",
    "rip": r"\brip\b",
    "ripng": r"\bripng\b",
    "pim": r"\bpim\b",
    "ldp": r"\bldp\b",
    "bgp": r"\bbgp\b",
}


@dataclass(frozen=True, eq=False)
class RouterInterface:
    """An interface of a router that has carrier, or its loopback.

    Attributes:
        router: that has it.
        name: its name; "lo" for the loopback.
        addresses: its addresses.
        vrf: the VRF that it belongs to; empty for the default table.
        mtu_bytes: its MTU.
    """

    router: Router
    name: str
    addresses: tuple[Address, ...]
    vrf: str = ""
    mtu_bytes: int = USUAL_MTU_BYTES

    def has(self, version: int) -> bool:
        """Whether it has an address of IP version 4 or 6."""
        return any(address.version == version for address in self.addresses)

    def networks(self, version: int) -> set[Network]:
        """The networks of its addresses of an IP version."""
        return {address.network for address in self.addresses if address.version == version}

    def inside(self, version: int, networks: set[Network]) -> Address | None:
        """Its first address in one of the networks."""
        mine = (address for address in self.addresses if address.version == version)
        return next((address for address in mine if address.network in networks), None)


@dataclass(frozen=True, eq=False)
class InterfacePair:
    """Two ports that hear each other; every pair is there in both directions.

    Attributes:
        here, there: the ports.
        alone: whether one cable joins them and nothing else.
    """

    local: RouterInterface
    remote: RouterInterface
    alone: bool

    @property
    def in_one_network(self) -> bool:
        """Whether both have an IPv4 address in the same network."""
        return bool(self.local.networks(4) & self.remote.networks(4))


def router_interfaces(topology: Topology) -> tuple[RouterInterface, ...]:
    """All ports of all routers, each router's loopback first. Interfaces without carrier are left out."""
    found = []
    for router in topology.routers:
        if router.loopbacks:
            found.append(RouterInterface(router, "lo", router.loopbacks, router.vrf_of("lo")))
        for link, end in topology.ends_at(router.name):
            if link.up:
                vrf = router.vrf_of(end.interface)
                found.append(RouterInterface(router, end.interface, end.addresses, vrf, end.real_mtu_bytes))
    return tuple(found)


def interface_pairs(topology: Topology, there: tuple[RouterInterface, ...]) -> tuple[InterfacePair, ...]:
    """All pairs of ports that hear each other.

    Args:
        topology: with names and addresses filled in.
        there: all `router_interfaces` of it.
    """
    by_name = {(port.router.name, port.name): port for port in there}
    lit = topology.model_copy(update={"links": tuple(link for link in topology.links if link.up)})
    found = []
    for domain in broadcast_domains(lit):
        places = [by_name[each.node.name, each.end.interface] for each in domain.ends if isinstance(each.node, Router)]
        found += [InterfacePair(a, b, domain.joins_two_routers) for a in places for b in places if a is not b]
    return tuple(found)


def is_predictable(router: Router, protocol: str) -> bool:
    """Whether free lines of `frr.conf` leave alone what the drawing says of a protocol."""
    text = router.frr_conf
    return not (text.strip() and re.search(_WORDS[protocol], text) and _TAKES_AWAY.search(text))


def own_static_routes(router: Router) -> tuple[StaticRoute, ...]:
    """The plain ones among free lines of `frr.conf` (`ip route PREFIX NEXTHOP`), where no line takes one away and none
    is about a VRF."""
    text = router.frr_conf
    if re.search(r"^(no ip(v6)? route|vrf) ", text, re.MULTILINE):
        return ()
    found = []
    for prefix, via in re.findall(r"^ip(?:v6)? route (\S+) (\S+)[ \t]*$", text, re.MULTILINE):
        with suppress(ValidationError):  # a name of an interface, say
            found.append(StaticRoute(prefix=prefix, via=via))
    return tuple(found)


def router_id(router: Router, topology: Topology, asked: IPv4Address | None) -> str:
    """The router id that a router will have, where a protocol asks for one or for none; empty where it has none."""
    found = router.identity(asked, (each for _, end in topology.ends_at(router.name) for each in end.addresses))
    return str(found or "")


# --- what two ends must agree on --------------------------------------------------------------------------------------


def ospf_of(port: RouterInterface) -> Ospf | None:
    """OSPFv2 of the table that a port belongs to; None where it does not speak it."""
    spoken = next((vrf.ospf for vrf in port.router.vrfs if vrf.name == port.vrf), port.router.ospf)
    return spoken if spoken and port.has(4) and is_predictable(port.router, "ospf") else None


def ospf6_of(port: RouterInterface) -> Ospf6 | None:
    """OSPFv3 of a port; None where it does not speak it."""
    spoken = port.router.ospf6
    return spoken if spoken and not port.vrf and port.has(6) and is_predictable(port.router, "ospf6") else None


def isis_of(port: RouterInterface) -> Isis | None:
    """IS-IS of a port; None where it does not speak it."""
    spoken = port.router.isis
    if spoken is None or port.vrf or not is_predictable(port.router, "isis"):
        return None
    return spoken if (spoken.ipv4 and port.has(4)) or (spoken.ipv6 and port.has(6)) else None


def ospf_agree(joint: InterfacePair, of: Callable[[RouterInterface], Ospf | Ospf6 | None] = ospf_of) -> bool:
    """Whether two ports become neighbours by OSPF.

    Args:
        joint: the ports.
        of: `ospf_of` or `ospf6_of`.
    """
    here, there = (_ospf_terms(port, of, joint) for port in (joint.local, joint.remote))
    if here is None or here != there or joint.local.mtu_bytes != joint.remote.mtu_bytes:
        return False
    return of is ospf6_of or joint.in_one_network


def _ospf_terms(
    port: RouterInterface, of: Callable[[RouterInterface], Ospf | Ospf6 | None], joint: InterfacePair
) -> tuple[object, ...] | None:
    """All that the other end must have alike; None where the port forms no adjacency."""
    ospf = of(port)
    own = ospf.at(port.name) if ospf else None
    if ospf is None or own is None or own.passive:
        return None
    kind = network_type_at(ospf, port.name, alone=joint.alone)
    area = area_number(ospf.area_of(port.name))
    if area is None or (own.priority == 0 and joint.alone and kind in ("broadcast", "non-broadcast")):
        return None  # who is never elected needs another who is; on a LAN there may be one
    timers = own.hello_s or ospf.hello_s, own.dead_s or ospf.dead_s
    return area, ospf.kind_of(area).removeprefix("totally-"), kind, timers, own.key, own.key_id if own.key else 0


def isis_levels(joint: InterfacePair) -> tuple[int, ...]:
    """At which levels two ports become neighbours by IS-IS; empty for none."""
    here, there = (_isis_terms(port, joint) for port in (joint.local, joint.remote))
    if here is None or here != there or joint.local.mtu_bytes != joint.remote.mtu_bytes or not isis_families(joint):
        return ()
    one, other = isis_of(joint.local), isis_of(joint.remote)
    assert one is not None
    assert other is not None
    levels = _levels(one, joint.local) & _levels(other, joint.remote)
    return tuple(sorted(levels if one.area.lower() == other.area.lower() else levels - {1}))


def isis_families(joint: InterfacePair) -> tuple[int, ...]:
    """The IP versions that both ports carry by IS-IS, IPv4 in one network."""
    one, other = isis_of(joint.local), isis_of(joint.remote)
    if one is None or other is None:
        return ()
    v4 = one.ipv4 and other.ipv4 and joint.in_one_network
    v6 = one.ipv6 and other.ipv6 and joint.local.has(6) and joint.remote.has(6)
    if (one.ipv4 and joint.local.has(4)) != (other.ipv4 and joint.remote.has(4)):
        return ()  # what a neighbour with other families is worth is a matter of the version
    return (*((4,) if v4 else ()), *((6,) if v6 else ()))


def _isis_terms(port: RouterInterface, joint: InterfacePair) -> tuple[object, ...] | None:
    isis = isis_of(port)
    own = isis.at(port.name) if isis else None
    if isis is None or own is None or own.passive:
        return None
    return network_type_at(isis, port.name, alone=joint.alone), own.key


def _levels(isis: Isis, port: RouterInterface) -> set[int]:
    of_port = isis.at(port.name).level or isis.level
    return {int(each) for each in isis.level.split("-")} & {int(each) for each in of_port.split("-")}


def pim_agree(joint: InterfacePair) -> bool:
    """Whether two ports become neighbours by PIM."""
    for port in (joint.local, joint.remote):
        pim = port.router.pim
        if pim is None or port.vrf or not pim.at(port.name).pim or not is_predictable(port.router, "pim"):
            return False
    return joint.in_one_network


def ldp_agree(joint: InterfacePair) -> bool:
    """Whether two ports discover each other by LDP."""
    for port in (joint.local, joint.remote):
        ldp = port.router.ldp
        if ldp is None or port.vrf or not is_predictable(port.router, "ldp"):
            return False
        if ldp.interfaces and port.name not in ldp.interfaces:
            return False
    return joint.in_one_network


def rip_accepts(joint: InterfacePair, version: int) -> bool:
    """Whether what `here` announces by RIP (IP version 4) or RIPng (6) is taken by `there`."""
    terms = []
    for port in (joint.local, joint.remote):
        rip = port.router.rip if version == 4 else port.router.ripng
        if rip is None or port.vrf or not is_predictable(port.router, "rip" if version == 4 else "ripng"):
            return False
        own = rip.at(port.name)
        terms.append((own.key, own.key_id if own.key else 0))
        if port is joint.local and own.passive:
            return False
    if terms[0] != terms[1]:
        return False
    if version == 6:
        return joint.local.has(6) and joint.remote.has(6)
    return joint.in_one_network
