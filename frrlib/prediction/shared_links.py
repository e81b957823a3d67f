"""Pairs of router interfaces on one net, and the protocols on which both agree.

Two ends agree on a protocol if no setting of the topology keeps them from becoming neighbors. If free lines of
`frr.conf` may remove settings, the topology does not determine the result, and the ends do not count as agreeing.
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

#: Free lines that may remove effects of settings.
_REMOVING_LINES = re.compile(
    r"^\s*no |passive|shutdown|distribute-list|filter-list|import-list|export-list", re.MULTILINE
)
#: Patterns of the protocols' names in free lines.
_PROTOCOL_PATTERNS = {
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
    """An interface of a router with carrier, or its loopback.

    Attributes:
        router: the router.
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
    """Two interfaces on one net. Every pair exists in both directions.

    Attributes:
        local, remote: the interfaces.
        alone: whether their net has only these two routers.
    """

    local: RouterInterface
    remote: RouterInterface
    alone: bool

    @property
    def in_one_network(self) -> bool:
        """Whether both have an IPv4 address in the same network."""
        return bool(self.local.networks(4) & self.remote.networks(4))


def router_interfaces(topology: Topology) -> tuple[RouterInterface, ...]:
    """All interfaces of all routers, each router's loopback first. Interfaces without carrier are left out."""
    interfaces = []
    for router in topology.routers:
        if router.loopbacks:
            interfaces.append(RouterInterface(router, "lo", router.loopbacks, router.vrf_of("lo")))
        for link, end in topology.ends_at(router.name):
            if link.up:
                vrf = router.vrf_of(end.interface)
                interfaces.append(RouterInterface(router, end.interface, end.addresses, vrf, end.real_mtu_bytes))
    return tuple(interfaces)


def interface_pairs(topology: Topology, interfaces: tuple[RouterInterface, ...]) -> tuple[InterfacePair, ...]:
    """All pairs of interfaces on one net.

    Args:
        topology: with names and addresses filled in.
        interfaces: all its `router_interfaces`.
    """
    by_name = {(port.router.name, port.name): port for port in interfaces}
    lit = topology.model_copy(update={"links": tuple(link for link in topology.links if link.up)})
    pairs = []
    for domain in broadcast_domains(lit):
        places = [
            by_name[place.node.name, place.end.interface] for place in domain.ends if isinstance(place.node, Router)
        ]
        pairs += [InterfacePair(a, b, domain.joins_two_routers) for a in places for b in places if a is not b]
    return tuple(pairs)


def is_predictable(router: Router, protocol: str) -> bool:
    """Whether free lines of `frr.conf` leave the settings of a protocol unchanged."""
    return not (mentions(router, protocol) and _REMOVING_LINES.search(router.frr_conf))


def mentions(router: Router, protocol: str) -> bool:
    """Whether free lines of `frr.conf` are about a protocol."""
    return bool(router.frr_conf.strip() and re.search(_PROTOCOL_PATTERNS[protocol], router.frr_conf))


def own_static_routes(router: Router) -> tuple[StaticRoute, ...]:
    """The static routes in free lines of `frr.conf` (`ip route PREFIX NEXTHOP`); none if a line removes a route or is
    about a VRF."""
    text = router.frr_conf
    if re.search(r"^(no ip(v6)? route|vrf) ", text, re.MULTILINE):
        return ()
    routes = []
    for prefix, via in re.findall(r"^ip(?:v6)? route (\S+) (\S+)[ \t]*$", text, re.MULTILINE):
        with suppress(ValidationError):  # such as the name of an interface
            routes.append(StaticRoute(prefix=prefix, via=via))
    return tuple(routes)


def router_id(router: Router, topology: Topology, configured: IPv4Address | None) -> str:
    """The router ID of a protocol: the configured one, or the derived one; empty if the router has none."""
    identity = router.identity(
        configured, (address for _, end in topology.ends_at(router.name) for address in end.addresses)
    )
    return str(identity or "")


# --- what two ends must agree on --------------------------------------------------------------------------------------


def ospf_of(interface: RouterInterface) -> Ospf | None:
    """OSPFv2 of the table of an interface; None if it does not run there."""
    settings = next((vrf.ospf for vrf in interface.router.vrfs if vrf.name == interface.vrf), interface.router.ospf)
    return settings if settings and interface.has(4) and is_predictable(interface.router, "ospf") else None


def ospf6_of(interface: RouterInterface) -> Ospf6 | None:
    """OSPFv3 of an interface; None if it does not run there."""
    settings = interface.router.ospf6
    return (
        settings
        if settings and not interface.vrf and interface.has(6) and is_predictable(interface.router, "ospf6")
        else None
    )


def isis_of(interface: RouterInterface) -> Isis | None:
    """IS-IS of an interface; None if it does not run there."""
    settings = interface.router.isis
    if settings is None or interface.vrf or not is_predictable(interface.router, "isis"):
        return None
    return settings if (settings.ipv4 and interface.has(4)) or (settings.ipv6 and interface.has(6)) else None


def ospf_agree(pair: InterfacePair, settings_of: Callable[[RouterInterface], Ospf | Ospf6 | None] = ospf_of) -> bool:
    """Whether two interfaces become neighbors by OSPF.

    Args:
        pair: the interfaces.
        settings_of: `ospf_of` or `ospf6_of`.
    """
    local_terms, remote_terms = (_ospf_terms(interface, settings_of, pair) for interface in (pair.local, pair.remote))
    if local_terms is None or local_terms != remote_terms or not _ospf_accepts_mtu(pair, settings_of):
        return False
    return settings_of is ospf6_of or pair.in_one_network


def _ospf_accepts_mtu(pair: InterfacePair, settings_of: Callable[[RouterInterface], Ospf | Ospf6 | None]) -> bool:
    """Whether the MTUs are equal, or the end with the smaller one ignores that (RFC 2328, section 10.6)."""
    if pair.local.mtu_bytes == pair.remote.mtu_bytes:
        return True
    smaller = min(pair.local, pair.remote, key=lambda interface: interface.mtu_bytes)
    ospf = settings_of(smaller)
    return ospf is not None and ospf.at(smaller.name).mtu_ignore


def _ospf_terms(
    interface: RouterInterface, settings_of: Callable[[RouterInterface], Ospf | Ospf6 | None], pair: InterfacePair
) -> tuple[object, ...] | None:
    """The values that must be the same at the other end; None if the interface forms no adjacency."""
    ospf = settings_of(interface)
    row = ospf.at(interface.name) if ospf else None
    if ospf is None or row is None or row.passive:
        return None
    kind = network_type_at(ospf, interface.name, alone=pair.alone)
    area = area_number(ospf.area_of(interface.name))
    if area is None or (row.priority == 0 and pair.alone and kind in ("broadcast", "non-broadcast")):
        return None  # it is never elected, so it needs another router that is, which a LAN may have
    timers = row.hello_s or ospf.hello_s, row.dead_s or ospf.dead_s
    return area, ospf.kind_of(area).removeprefix("totally-"), kind, timers, row.key, row.key_id if row.key else 0


def isis_levels(pair: InterfacePair) -> tuple[int, ...]:
    """The levels at which two interfaces become neighbors by IS-IS."""
    local_terms, remote_terms = (_isis_terms(interface, pair) for interface in (pair.local, pair.remote))
    if (
        local_terms is None
        or local_terms != remote_terms
        or pair.local.mtu_bytes != pair.remote.mtu_bytes
        or not isis_families(pair)
    ):
        return ()
    local_isis, remote_isis = isis_of(pair.local), isis_of(pair.remote)
    assert local_isis is not None
    assert remote_isis is not None
    if pair.local.mtu_bytes < max(local_isis.least_mtu_bytes, remote_isis.least_mtu_bytes):
        return ()
    levels = _levels_at(local_isis, pair.local) & _levels_at(remote_isis, pair.remote)
    return tuple(sorted(levels if local_isis.area.lower() == remote_isis.area.lower() else levels - {1}))


def isis_families(pair: InterfacePair) -> tuple[int, ...]:
    """The IP versions that both interfaces route by IS-IS; IPv4 needs a common network."""
    local_isis, remote_isis = isis_of(pair.local), isis_of(pair.remote)
    if local_isis is None or remote_isis is None:
        return ()
    v4 = local_isis.ipv4 and remote_isis.ipv4 and pair.in_one_network
    v6 = local_isis.ipv6 and remote_isis.ipv6 and pair.local.has(6) and pair.remote.has(6)
    if (local_isis.ipv4 and pair.local.has(4)) != (remote_isis.ipv4 and pair.remote.has(4)):
        return ()  # the effect of different families depends on the version of FRR
    return (*((4,) if v4 else ()), *((6,) if v6 else ()))


def _isis_terms(interface: RouterInterface, pair: InterfacePair) -> tuple[object, ...] | None:
    isis = isis_of(interface)
    row = isis.at(interface.name) if isis else None
    if isis is None or row is None or row.passive:
        return None
    return network_type_at(isis, interface.name, alone=pair.alone), row.key


def _levels_at(isis: Isis, interface: RouterInterface) -> set[int]:
    of_port = isis.at(interface.name).level or isis.level
    return {int(level) for level in isis.level.split("-")} & {int(level) for level in of_port.split("-")}


def pim_agree(pair: InterfacePair) -> bool:
    """Whether two interfaces become neighbors by PIM."""
    for interface in (pair.local, pair.remote):
        pim = interface.router.pim
        if (
            pim is None
            or interface.vrf
            or not pim.at(interface.name).pim
            or not is_predictable(interface.router, "pim")
        ):
            return False
    return pair.in_one_network


def ldp_agree(pair: InterfacePair) -> bool:
    """Whether two interfaces discover each other by LDP."""
    for interface in (pair.local, pair.remote):
        ldp = interface.router.ldp
        if ldp is None or interface.vrf or not is_predictable(interface.router, "ldp"):
            return False
        if ldp.interfaces and interface.name not in ldp.interfaces:
            return False
    return pair.in_one_network


def rip_accepts(pair: InterfacePair, version: int) -> bool:
    """Whether `remote` accepts the announcements of `local` by RIP (IP version 4) or RIPng (6)."""
    terms = []
    for interface in (pair.local, pair.remote):
        rip = interface.router.rip if version == 4 else interface.router.ripng
        if rip is None or interface.vrf or not is_predictable(interface.router, "rip" if version == 4 else "ripng"):
            return False
        row = rip.at(interface.name)
        terms.append((row.key, row.key_id if row.key else 0))
        if interface is pair.local and row.passive:
            return False
    if terms[0] != terms[1]:
        return False
    if version == 6:
        return pair.local.has(6) and pair.remote.has(6)
    return pair.in_one_network
