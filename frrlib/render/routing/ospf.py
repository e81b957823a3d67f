"""OSPFv2 and OSPFv3 as `frr.conf` has them. Areas stand at the interface, so that no two lines can disagree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from frrlib.model.nodes import Router
from frrlib.model.protocols.at_interface import bfd_at, network_type_at
from frrlib.model.routing import Ospf, Ospf6, OspfArea, OspfInterface
from frrlib.render.routing import bfd
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import WHY_LAB_TIMERS, Section, redistribution, section


class _Tongue(NamedTuple):
    """How a version of OSPF is spoken to."""

    version: int
    router: str
    router_id: str
    at_interface: str
    timers: tuple[str, ...]


_OSPF2 = _Tongue(
    4, "router ospf", "ospf router-id", "ip ospf",
    (" timers throttle spf 10 50 500", " timers throttle lsa all 0", " timers lsa min-arrival 0"),
)  # fmt: skip
_OSPF3 = _Tongue(
    6, "router ospf6", "ospf6 router-id", "ipv6 ospf6",
    (" timers throttle spf 10 50 500", " timers lsa min-arrival 0"),
)  # fmt: skip
_STUBS: dict[str, tuple[str, ...]] = {"stub": ("stub",), "totally-stub": ("stub no-summary",), "nssa": ("nssa",)}
#: IP version to kinds of areas to the lines that FRR has for them. OSPFv2 says twice that an area is not so stubby.
_KINDS: dict[int, dict[str, tuple[str, ...]]] = {
    4: {**_STUBS, "totally-nssa": ("nssa", "nssa no-summary")},
    6: {**_STUBS, "totally-nssa": ("nssa no-summary",)},
}


def sections(view: RouterView, ospf: Ospf, vrf: str = "") -> Iterator[Section]:
    """The lines of OSPFv2 for a router: a section per interface that takes part, then its own.

    Args:
        view: the router and what is around it.
        ospf: its settings.
        vrf: the VRF whose settings they are; empty for the default table.
    """
    yield from _sections(view, ospf, vrf, _OSPF2)


def sections6(view: RouterView, ospf: Ospf6, vrf: str = "") -> Iterator[Section]:
    """The same for OSPFv3."""
    yield from _sections(view, ospf, vrf, _OSPF3)


def _sections(view: RouterView, ospf: Ospf | Ospf6, vrf: str, tongue: _Tongue) -> Iterator[Section]:
    ports = view.ports_in(vrf, tongue.version)
    for port in ports:
        yield section(f"interface {port.name}", _interface(view, ospf, port, tongue))
    yield section(tongue.router + (f" vrf {vrf}" if vrf else ""), _router(view, ospf, ports, tongue))


def _router(view: RouterView, ospf: Ospf | Ospf6, ports: tuple[RouterPort, ...], tongue: _Tongue) -> Iterator[str]:
    identity = view.router_id(ospf.router_id)
    if identity:
        yield f" {tongue.router_id} {identity}"
    yield " log-adjacency-changes detail"
    if ospf.lab_timers:
        yield f" {WHY_LAB_TIMERS}"
        yield from tongue.timers
    if ospf.reference_mbit:
        yield f" auto-cost reference-bandwidth {ospf.reference_mbit}"
    if ospf.maximum_paths:
        yield f" maximum-paths {ospf.maximum_paths}"
    for area in ospf.areas:
        yield from _area(area, tongue.version)
    for port in ports:
        if tongue.version == 4 and ospf.at(port.name).network_type == "non-broadcast":
            yield from (f" neighbor {address}" for address in _heard_by(port))
    yield from (f" {redistribution(each)}" for each in ospf.redistribute)
    if ospf.default_originate:
        yield " default-information originate always"


def _area(area: OspfArea, version: int) -> Iterator[str]:
    yield from (f" area {area.area} {words}" for words in _KINDS[version].get(area.kind, ()))
    yield from (f" area {area.area} range {prefix}" for prefix in area.ranges if prefix.version == version)


def _heard_by(port: RouterPort) -> Iterator[str]:
    """Addresses of the neighbours that a router must be told where it cannot find them by multicast."""
    networks = [address.network for address in port.addresses if address.version == 4]
    for place in port.neighbors:
        if not isinstance(place.node, Router) or not place.node.ospf:
            continue
        for address in place.end.addresses:
            if any(address.ip in network for network in networks):
                yield str(address.ip)


def _interface(view: RouterView, ospf: Ospf | Ospf6, port: RouterPort, tongue: _Tongue) -> Iterator[str]:
    own, say = ospf.at(port.name), f" {tongue.at_interface}"
    yield f"{say} area {ospf.area_of(port.name)}"
    if port.ospf_cost:
        yield f"{say} cost {port.ospf_cost}"
    if port.is_loopback:
        return
    if own.passive or port.is_alone:
        yield f"{say} passive"
        return
    yield from _timers(say, own.hello_s or ospf.hello_s, own.dead_s or ospf.dead_s)
    kind = network_type_at(ospf, port.name, alone=port.joins_two)
    if kind != "broadcast" or own.network_type == "broadcast":  # which it is unless told otherwise
        yield f"{say} network {kind}"
    if own.priority is not None:
        yield f"{say} priority {own.priority}"
    if own.key and tongue.version == 4:
        yield from _authentication(own)
    if bfd_at(ospf, port.name):
        yield from bfd.bfd_lines(view.router, tongue.at_interface + " bfd")


def _timers(say: str, hello_s: int, dead_s: int) -> Iterator[str]:
    """Both or neither: FRR's own dead interval follows the hello interval."""
    if (hello_s, dead_s) != (10, 40):
        yield f"{say} hello-interval {hello_s}"
        yield f"{say} dead-interval {dead_s}"


def _authentication(own: OspfInterface) -> Iterator[str]:
    if own.key_id:
        yield " ip ospf authentication message-digest"
        yield f" ip ospf message-digest-key {own.key_id} md5 {own.key}"
    else:
        yield " ip ospf authentication"
        yield f" ip ospf authentication-key {own.key}"
