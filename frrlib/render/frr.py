"""A router's settings as FRR's configuration: which daemons, and their text.

The whole configuration is one `frr.conf`, as FRR keeps it; `per_daemon` cuts it into the part that each daemon reads
at its start. What each protocol adds is in `frrlib.render.routing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address
from typing import Any

from frrlib.conf.merge import merged
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.routing import bfd, bgp, isis, ospf, others, policy, rip, static
from frrlib.render.routing.daemon_files import at_start, daemons_of, per_daemon
from frrlib.render.routing.router_views import RouterView, RouterViews
from frrlib.render.routing.sections import Section, text_of, top

__all__ = ["RouterViews", "at_start", "daemons", "frr_conf", "per_daemon", "router_id"]

#: Settings of a router or a VRF to the daemon that needs them.
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
#: In which order the daemons are listed; zebra comes first, since all others talk to it.
_ORDER = ("zebra", "staticd", "ospfd", "ospf6d", "bgpd", "isisd", "ripd", "ripngd", "bfdd", "pimd", "ldpd")

#: Settings of a router to what writes them, in the order of FRR's own files.
_IN_DEFAULT_TABLE: dict[str, Callable[[RouterView, Any], Iterator[Section]]] = {
    "ospf": ospf.sections,
    "ospf6": ospf.sections6,
    "isis": isis.sections,
    "rip": rip.sections,
    "ripng": rip.sections6,
    "pim": others.pim,
    "bgp": bgp.sections,
}
#: In which order sections stand; all others follow.
_FIRST = ("key chain", "vrf", "router isis", "interface", "route-map")
#: Times of events are compared with those of the kernel, so seconds are too coarse.
_LOG = ("log timestamp precision 6",)
#: Of 200 routes on their way to the kernel zebra takes no more, and looks again and again, without a pause, whether
#: there is room: with many routers on few processors that starves the very threads which would make room. So where a
#: topology has about as many prefixes, the queue is as long as zebra allows.
_MANY_PREFIXES, _LONG_QUEUE = 150, "zebra dplane limit 10000"


def daemons(router: Router) -> tuple[str, ...]:
    """The daemons that a router needs, zebra first; empty where nothing of FRR runs on it."""
    if not router.runs_frr:
        return ()
    needed: set[str] = {"zebra", *router.daemons}
    needed |= {daemon for field, daemon in _DAEMONS if any(getattr(table, field, None) for table in router.tables)}
    needed |= {"bfdd"} if others.uses_bfd(router) else set()
    needed |= daemons_of(router.frr_conf)
    return tuple(sorted(needed, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))


def frr_conf(topology: Topology, router: Router, around: RouterViews | None = None) -> str:
    """The router's `frr.conf`.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        router: one of its routers.
        around: the same topology, looked up already; saves time where all routers are rendered.
    """
    view = (around or RouterViews(topology)).view(router)
    text = text_of(_in_order(_sections(view)))
    return merged(text, router.frr_conf)


def router_id(topology: Topology, router: Router, asked: IPv4Address | None) -> IPv4Address | None:
    """The router id that the router will have: the asked one, else the lowest loopback, else the lowest address."""
    return RouterViews(topology).view(router).router_id(asked)


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
        yield from others.ldp(view, router.ldp)
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
    """In FRR's own order: single lines, keys, VRFs, interfaces, then what runs on them; with two exceptions.

    IS-IS stands before the interfaces: it takes metrics above 63 there only once it knows of wide ones. Route maps
    stand before BGP: a neighbor whose map is not known yet exchanges no routes until bgpd looks again, after 5 s.
    """

    def rank(section: Section) -> int:
        return next((n for n, start in enumerate(_FIRST) if section.header.startswith(start)), len(_FIRST))

    return sorted(sections, key=lambda s: -1 if not s.header else rank(s))
