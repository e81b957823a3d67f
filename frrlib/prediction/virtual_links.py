"""Virtual links of OSPFv2, which join a router to the backbone across another area (RFC 2328, section 15).

A topology has no setting for them, so they are custom lines of routers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from frrlib.model.nodes import Router
from frrlib.model.protocols.ospf import area_number
from frrlib.model.topology import Topology
from frrlib.prediction.shared_links import is_predictable, router_id

#: A virtual link without settings of its own: the area that it crosses, and the router ID of the other end.
_VIRTUAL_LINK = re.compile(r"^[ \t]*area (\S+) virtual-link (\S+)[ \t]*$", re.MULTILINE)
_BACKBONE = 0


class VirtualLink(NamedTuple):
    """A virtual link that both ends have, seen from one of them.

    Attributes:
        router, peer: the names of its ends.
        area: the number of the area that it crosses.
        peer_id: the router ID of the peer.
    """

    router: str
    peer: str
    area: int
    peer_id: str


def virtual_links(topology: Topology) -> tuple[VirtualLink, ...]:
    """The virtual links that both ends have across a normal area, once from each end.

    Whether the ends reach each other within that area is left to the caller.
    """
    speakers = {router.name: router for router in topology.routers if _may_have_some(router)}
    if not any("virtual-link" in router.frr_conf for router in speakers.values()):
        return ()
    ids = {name: router_id(r, topology, r.ospf.router_id if r.ospf else None) for name, r in speakers.items()}
    names = {identity: name for name, identity in ids.items() if identity}
    stated = {
        VirtualLink(name, names[peer_id], area, peer_id)
        for name, router in speakers.items()
        for area, peer_id in _lines(router)
        if peer_id in names
    }
    both_ways = (link for link in stated if VirtualLink(link.peer, link.router, link.area, ids[link.router]) in stated)
    return tuple(sorted(both_ways))


def _may_have_some(router: Router) -> bool:
    """Whether virtual links of a router are predictable: its lines are about the default table and remove nothing."""
    return router.ospf is not None and is_predictable(router, "ospf") and "router ospf vrf" not in router.frr_conf


def _lines(router: Router) -> Iterator[tuple[int, str]]:
    """The number of the area and the peer's router ID of each virtual link across a normal area."""
    for text, peer_id in _VIRTUAL_LINK.findall(router.frr_conf):
        number = area_number(text)
        if number is not None and number != _BACKBONE and router.ospf and router.ospf.kind_of(number) == "normal":
            yield number, peer_id
