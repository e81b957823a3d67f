"""OSPFv2 and OSPFv3 in `frr.conf`. Areas are set at the interfaces, so that no two lines can contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from frrlib.model.nodes import Router
from frrlib.model.protocols.at_interface import bfd_at, network_type_at
from frrlib.model.routing import Ospf, Ospf6, OspfArea, OspfInterface
from frrlib.render.routing import bfd
from frrlib.render.routing.router_views import RouterPort, RouterView
from frrlib.render.routing.sections import WHY_LAB_TIMERS, Section, redistribution, section


class _Syntax(NamedTuple):
    """The syntax of a version of OSPF in `frr.conf`."""

    version: int
    router: str
    router_id: str
    at_interface: str
    timers: tuple[str, ...]


_OSPF2 = _Syntax(
    4, "router ospf", "ospf router-id", "ip ospf",
    (" timers throttle spf 10 50 500", " timers throttle lsa all 0", " timers lsa min-arrival 0"),
)  # fmt: skip
_OSPF3 = _Syntax(
    6, "router ospf6", "ospf6 router-id", "ipv6 ospf6",
    (" timers throttle spf 10 50 500", " timers lsa min-arrival 0"),
)  # fmt: skip
_STUBS: dict[str, tuple[str, ...]] = {"stub": ("stub",), "totally-stub": ("stub no-summary",), "nssa": ("nssa",)}
#: FRR's lines by IP version and kind of area. OSPFv2 needs two lines for a totally not-so-stubby area.
_KINDS: dict[int, dict[str, tuple[str, ...]]] = {
    4: {**_STUBS, "totally-nssa": ("nssa", "nssa no-summary")},
    6: {**_STUBS, "totally-nssa": ("nssa no-summary",)},
}


def sections(view: RouterView, ospf: Ospf, vrf: str = "") -> Iterator[Section]:
    """The lines of OSPFv2 for a router: a section for each interface that runs it, then the router's section.

    Args:
        view: the router with its interfaces and neighbors.
        ospf: its settings.
        vrf: the VRF of the settings; empty for the default table.
    """
    yield from _sections(view, ospf, vrf, _OSPF2)


def sections6(view: RouterView, ospf: Ospf6, vrf: str = "") -> Iterator[Section]:
    """The same for OSPFv3."""
    yield from _sections(view, ospf, vrf, _OSPF3)


def _sections(view: RouterView, ospf: Ospf | Ospf6, vrf: str, syntax: _Syntax) -> Iterator[Section]:
    ports = view.ports_in(vrf, syntax.version)
    for port in ports:
        yield section(f"interface {port.name}", _interface(view, ospf, port, syntax))
    yield section(syntax.router + (f" vrf {vrf}" if vrf else ""), _router(view, ospf, ports, syntax))


def _router(view: RouterView, ospf: Ospf | Ospf6, ports: tuple[RouterPort, ...], syntax: _Syntax) -> Iterator[str]:
    identity = view.router_id(ospf.router_id)
    if identity:
        yield f" {syntax.router_id} {identity}"
    yield " log-adjacency-changes detail"
    if ospf.lab_timers:
        yield f" {WHY_LAB_TIMERS}"
        yield from syntax.timers
    if ospf.reference_mbit:
        yield f" auto-cost reference-bandwidth {ospf.reference_mbit}"
    if ospf.maximum_paths:
        yield f" maximum-paths {ospf.maximum_paths}"
    for area in ospf.areas:
        yield from _area(area, syntax.version)
    for port in ports:
        if syntax.version == 4 and ospf.at(port.name).network_type == "non-broadcast":
            yield from (f" neighbor {address}" for address in _static_neighbors(port))
    yield from (f" {redistribution(source)}" for source in ospf.redistribute)
    if ospf.default_originate:
        yield " default-information originate always"


def _area(area: OspfArea, version: int) -> Iterator[str]:
    yield from (f" area {area.area} {words}" for words in _KINDS[version].get(area.kind, ()))
    yield from (f" area {area.area} range {prefix}" for prefix in area.ranges if prefix.version == version)


def _static_neighbors(port: RouterPort) -> Iterator[str]:
    """The addresses of neighbors, which must be configured if multicast cannot discover them."""
    networks = [address.network for address in port.addresses if address.version == 4]
    for place in port.neighbors:
        if not isinstance(place.node, Router) or not place.node.ospf:
            continue
        for address in place.end.addresses:
            if any(address.ip in network for network in networks):
                yield str(address.ip)


def _interface(view: RouterView, ospf: Ospf | Ospf6, port: RouterPort, syntax: _Syntax) -> Iterator[str]:
    settings, start = ospf.at(port.name), f" {syntax.at_interface}"
    yield f"{start} area {ospf.area_of(port.name)}"
    if port.ospf_cost:
        yield f"{start} cost {port.ospf_cost}"
    if port.is_loopback:
        return
    if settings.passive or port.is_alone:
        yield f"{start} passive"
        return
    yield from _timers(start, settings.hello_s or ospf.hello_s, settings.dead_s or ospf.dead_s)
    kind = network_type_at(ospf, port.name, alone=port.joins_two)
    if kind != "broadcast" or settings.network_type == "broadcast":  # broadcast is FRR's default
        yield f"{start} network {kind}"
    if settings.priority is not None:
        yield f"{start} priority {settings.priority}"
    yield from [f"{start} mtu-ignore"] if settings.mtu_ignore else []
    if settings.key and syntax.version == 4:
        yield from _authentication(settings)
    if bfd_at(ospf, port.name):
        yield from bfd.bfd_lines(view.router, syntax.at_interface + " bfd")


def _timers(start: str, hello_s: int, dead_s: int) -> Iterator[str]:
    """Both lines or none, since FRR's default dead interval follows the hello interval."""
    if (hello_s, dead_s) != (10, 40):
        yield f"{start} hello-interval {hello_s}"
        yield f"{start} dead-interval {dead_s}"


def _authentication(settings: OspfInterface) -> Iterator[str]:
    if settings.key_id:
        yield " ip ospf authentication message-digest"
        yield f" ip ospf message-digest-key {settings.key_id} md5 {settings.key}"
    else:
        yield " ip ospf authentication"
        yield f" ip ospf authentication-key {settings.key}"
