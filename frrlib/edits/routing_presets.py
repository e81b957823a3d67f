"""Routing for all routers of a topology. Presets with autonomous systems are in `autonomous_systems`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from frrlib.addressing.addressing import addressed
from frrlib.edits.autonomous_systems import as_per_router, groups_as_systems
from frrlib.edits.parts import with_each_router
from frrlib.model.base import Value
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import PROTOCOLS
from frrlib.model.routing import Bgp, Isis, Ospf, Ospf6, Rip, Ripng, Vrf
from frrlib.model.topology import Topology

__all__ = [
    "as_per_router",
    "clear_routing",
    "frr_timers_everywhere",
    "groups_as_systems",
    "isis_everywhere",
    "lab_timers_everywhere",
    "limited_to",
    "ospf_everywhere",
    "rip_everywhere",
    "timed",
    "timers",
]

_ROUTING = (*PROTOCOLS, "bfd", "pim", "ldp")
_LISTS = ("daemons", "static_routes", "vrfs", "prefix_lists", "community_lists", "as_path_lists", "route_maps")
#: Lab timers of each protocol, which react at once, by field. Neighbors must agree on hello and dead intervals.
_LAB: dict[type[Value], dict[str, Any]] = {
    Ospf: {"lab_timers": True, "hello_s": 1, "dead_s": 4},
    Ospf6: {"lab_timers": True, "hello_s": 1, "dead_s": 4},
    Isis: {"lab_timers": True, "hello_s": 1, "hello_multiplier": 4},
    Rip: {"update_s": 5, "timeout_s": 15, "garbage_s": 10},
    Ripng: {"update_s": 5, "timeout_s": 15, "garbage_s": 10},
    Bgp: {"connect_retry_s": 1, "coalesce_ms": 0, "advertisement_s": None, "keepalive_s": 3, "hold_s": 9},
}
#: FRR's default timers.
_FRR: dict[type[Value], dict[str, Any]] = {
    Ospf: {"lab_timers": False, "hello_s": 10, "dead_s": 40},
    Ospf6: {"lab_timers": False, "hello_s": 10, "dead_s": 40},
    Isis: {"lab_timers": False, "hello_s": 3, "hello_multiplier": 10},
    Rip: {"update_s": 30, "timeout_s": 180, "garbage_s": 120},
    Ripng: {"update_s": 30, "timeout_s": 180, "garbage_s": 120},
    Bgp: {"connect_retry_s": 120, "coalesce_ms": 1000, "advertisement_s": None, "keepalive_s": None, "hold_s": None},
}
#: Timers of single interfaces or sessions, which are reset to follow the router's.
_SINGLE: dict[str, tuple[str, ...]] = {
    "interfaces": ("hello_s", "dead_s", "hello_multiplier"),
    "neighbors": ("keepalive_s", "hold_s"),
    "unnumbered": ("keepalive_s", "hold_s"),
    "peer_groups": ("keepalive_s", "hold_s"),
}
S = TypeVar("S", bound=Value)
H = TypeVar("H", Router, Vrf)


def ospf_everywhere(topology: Topology, area: str = "0") -> Topology:
    """Run OSPF on all routers, in one area: OSPFv2, and OSPFv3 on routers with IPv6 addresses.

    Routers that already run it keep their settings; BGP is unchanged.

    Args:
        topology: the topology.
        area: the area, as a number or dotted.
    """
    return _everywhere(topology, {4: ("ospf", Ospf(area=area)), 6: ("ospf6", Ospf6(area=area))})


def isis_everywhere(topology: Topology, area: str = "49.0001", level: Literal["1", "2"] = "2") -> Topology:
    """Run IS-IS on all routers, in one area, for IPv4 and IPv6.

    Routers that run it already keep their settings; other protocols stay as they are.

    Args:
        topology: the topology.
        area: first part of the network entity titles.
        level: within the area or between areas; with one area both work.
    """
    settings = Isis(area=area, level=level)
    return with_each_router(topology, lambda router: _with(router, "isis", settings))


def rip_everywhere(topology: Topology) -> Topology:
    """Run RIP on all routers, and RIPng on routers with IPv6 addresses. The maximum distance is 15 hops.

    Routers that already run it keep their settings; other protocols are unchanged.
    """
    return _everywhere(topology, {4: ("rip", Rip()), 6: ("ripng", Ripng())})


def lab_timers_everywhere(topology: Topology) -> Topology:
    """Set lab timers for all routing, with which a failed neighbor is detected after a few seconds. Timers of single
    interfaces and sessions follow their router's."""
    return _timed(topology, is_lab=True)


def frr_timers_everywhere(topology: Topology) -> Topology:
    """Set FRR's default timers for all routing, which protect large networks against overload. Timers of single
    interfaces and sessions follow their router's."""
    return _timed(topology, is_lab=False)


def timers(protocol: type[Value], is_lab: bool) -> Mapping[str, Any]:
    """The timers of a protocol by field: lab timers, or FRR's defaults."""
    return (_LAB if is_lab else _FRR)[protocol]


def timed(settings: S, is_lab: bool) -> S:
    """Settings of a protocol with these timers; single interfaces and sessions follow them."""
    if type(settings) not in _LAB:
        return settings
    return _single(settings.model_copy(update=timers(type(settings), is_lab)))


def clear_routing(topology: Topology) -> Topology:
    """Remove all routing from all routers: protocols, static routes, VRFs, policies, daemons and custom lines.
    Addresses are kept, also those of loopbacks."""
    update = {**dict.fromkeys(_ROUTING), **dict.fromkeys(_LISTS, ()), "frr_conf": ""}
    return with_each_router(topology, lambda router: router.model_copy(update=update))


def limited_to(before: Topology, after: Topology, names: list[str]) -> Topology:
    """The changed topology, with the changes limited to some routers.

    Args:
        before, after: before and after a change of routers' settings, with the same nodes.
        names: the routers that may have changed.
    """
    nodes = tuple(
        new if not isinstance(new, Router) or new.name in names else old
        for old, new in zip(before.nodes, after.nodes, strict=True)
    )
    return after.model_copy(update={"nodes": nodes})


def _with(router: Router, field: str, settings: Value) -> Router:
    return router if getattr(router, field) is not None else router.model_copy(update={field: settings})


def _everywhere(topology: Topology, protocols: Mapping[int, tuple[str, Value]]) -> Topology:
    """Run a protocol on all routers, by IP version; that of IPv6 only on routers with IPv6 addresses."""
    running = with_each_router(topology, lambda router: _with(router, *protocols[4]))
    filled = addressed(running)
    with_ipv6 = {
        end.node for link in filled.links for end in link.ends if any(address.version == 6 for address in end.addresses)
    }
    return with_each_router(
        running, lambda router: _with(router, *protocols[6]) if router.name in with_ipv6 else router
    )


def _timed(topology: Topology, *, is_lab: bool) -> Topology:
    def with_timers(holder: H) -> H:
        spoken = {field: settings for field in PROTOCOLS if (settings := getattr(holder, field, None)) is not None}
        return holder.model_copy(update={field: timed(settings, is_lab) for field, settings in spoken.items()})

    def with_all_timers(router: Router) -> Router:
        return with_timers(router).model_copy(update={"vrfs": tuple(with_timers(vrf) for vrf in router.vrfs)})

    return with_each_router(topology, with_all_timers)


def _single(settings: S) -> S:
    update = {}
    for field, names in _SINGLE.items():
        rows = getattr(settings, field, ())
        if rows:
            update[field] = tuple(
                row.model_copy(update={name: None for name in names if name in type(row).model_fields}) for row in rows
            )
    return settings.model_copy(update=update)
