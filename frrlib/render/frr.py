"""A router's settings as FRR's configuration: its daemons and its `frr.conf`.

The configuration is one `frr.conf`, as in FRR. `per_daemon` splits it into the parts that the daemons read at their
start. The sections of the protocols are in `frrlib.render.routing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address
from typing import Any

from frrlib.conf.merge import merged
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.routing import bfd, bgp, isis, ospf, pim_ldp, policy, rip, static
from frrlib.render.routing.daemon_files import at_start, daemons_of, per_daemon
from frrlib.render.routing.router_views import RouterView, RouterViews
from frrlib.render.routing.sections import Section, text_of, top

__all__ = ["RouterViews", "at_start", "daemons", "frr_conf", "per_daemon", "router_id"]

#: The daemon that each setting of a router or a VRF needs.
_DAEMONS = (
    ("static_routes", "staticd"),
    ("ospf", "ospfd"),
    ("ospf6", "ospf6d"),
    ("isis", "isisd"),
    ("rip", "ripd"),
    ("ripng", "ripngd"),
    ("bgp", "bgpd"),
    ("bfd", "bfdd"),
    ("pim", "pimd"),
    ("ldp", "ldpd"),
)
#: The order of daemons; zebra is first, since all others connect to it.
_ORDER = ("zebra", "staticd", "ospfd", "ospf6d", "bgpd", "isisd", "ripd", "ripngd", "bfdd", "pimd", "ldpd")

#: The function that renders each setting of a router, in the order of FRR's own files.
_IN_DEFAULT_TABLE: dict[str, Callable[[RouterView, Any], Iterator[Section]]] = {
    "ospf": ospf.sections,
    "ospf6": ospf.sections6,
    "isis": isis.sections,
    "rip": rip.sections,
    "ripng": rip.sections6,
    "pim": pim_ldp.pim,
    "bgp": bgp.sections,
}
#: The order of sections; all others follow.
_FIRST = ("key chain", "vrf", "router isis", "interface", "route-map")
#: Times of events are compared with those of the kernel, so seconds are too coarse.
_LOG = ("log timestamp precision 6",)
#: When zebra's queue of 200 routes for the kernel is full, zebra polls it without a pause. With many routers on few
#: processors this starves the threads that would empty it. A topology with about as many prefixes therefore gets the
#: longest queue that zebra allows.
_MANY_PREFIXES, _LONG_QUEUE = 150, "zebra dplane limit 10000"


def daemons(router: Router) -> tuple[str, ...]:
    """The daemons that a router needs, zebra first; empty if it does not run FRR."""
    if not router.runs_frr:
        return ()
    needed: set[str] = {"zebra", *router.daemons}
    needed |= {daemon for field, daemon in _DAEMONS if any(getattr(table, field, None) for table in router.tables)}
    needed |= {"bfdd"} if bfd.uses_bfd(router) else set()
    needed |= daemons_of(router.frr_conf)
    return tuple(sorted(needed, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))


def frr_conf(topology: Topology, router: Router, views: RouterViews | None = None) -> str:
    """The router's `frr.conf`.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        router: one of its routers.
        views: the views of the topology's routers; reusing them saves time when all routers are rendered.
    """
    view = (views or RouterViews(topology)).view(router)
    text = text_of(_in_order(_sections(view)))
    return merged(text, router.frr_conf)


def frr_confs(topology: Topology) -> dict[str, str]:
    """The `frr.conf` of every router that runs FRR, by name; `topology` as for `frr_conf`."""
    views = RouterViews(topology)
    return {router.name: frr_conf(topology, router, views) for router in topology.routers if router.runs_frr}


def router_id(topology: Topology, router: Router, stated: IPv4Address | None) -> IPv4Address | None:
    """The effective router ID: the stated one, else the lowest loopback, else the lowest address."""
    return RouterViews(topology).view(router).router_id(stated)


def _sections(view: RouterView) -> Iterator[Section]:
    router = view.router
    yield top("frr defaults traditional", f"hostname {router.name}", *_LOG)
    if view.prefixes > _MANY_PREFIXES:
        yield top(_LONG_QUEUE)
    yield from static.sections(router)
    for field, sections in _IN_DEFAULT_TABLE.items():
        if settings := getattr(router, field):
            yield from sections(view, settings)
    yield from _in_vrfs(view)
    if router.ldp:
        yield from pim_ldp.ldp(view, router.ldp)
    yield from policy.sections(router)
    if router.bfd:
        yield from bfd.sections(router.bfd)


def _in_vrfs(view: RouterView) -> Iterator[Section]:
    for vrf in view.router.vrfs:
        if vrf.ospf:
            yield from ospf.sections(view, vrf.ospf, vrf.name)
        if vrf.bgp:
            yield from bgp.sections(view, vrf.bgp, vrf.name)


def _in_order(sections: Iterator[Section]) -> list[Section]:
    """Sort sections in FRR's own order (single lines, keys, VRFs, interfaces, protocols), with two exceptions.

    IS-IS precedes the interfaces: it accepts their metrics above 63 only after wide metrics are enabled. Route maps
    precede BGP: a neighbor with an undefined route map exchanges no routes until bgpd's next check, after 5 s.
    """

    def rank(section: Section) -> int:
        return next((n for n, start in enumerate(_FIRST) if section.header.startswith(start)), len(_FIRST))

    return sorted(sections, key=lambda s: -1 if not s.header else rank(s))
