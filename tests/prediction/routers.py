"""Routers and links between them, as values with readable addresses."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface, ip_network
from itertools import pairwise
from typing import Any

from frrlib.model.links import End, Link
from frrlib.model.nodes import Node, Router
from frrlib.model.routing import Ospf, OspfArea, OspfInterface, Redistribution, StaticRoute
from frrlib.model.topology import Topology


def link(number: int, a: str, b: str, **fields: Any) -> Link:
    """A link with addresses 10.9.NUMBER.1 and .2, and fd09:NUMBER::1 and ::2."""

    def end(node: str, last: int) -> End:
        addresses = (ip_interface(f"10.9.{number}.{last}/24"), ip_interface(f"fd09:{number}::{last}/64"))
        return End(node=node, interface=f"{node}-{number}", addresses=addresses)

    return Link(id=f"l{number}", a=end(a, 1), b=end(b, 2), **fields)


def line(*nodes: Node, **fields: Any) -> Topology:
    """Nodes in a row. Link N joins node N and the next one."""
    pairs = pairwise(nodes)
    return Topology(nodes=nodes, links=tuple(link(n, a.name, b.name, **fields) for n, (a, b) in enumerate(pairs, 1)))


def router(number: int, **fields: Any) -> Router:
    """Router rN with loopbacks 10.255.0.N and fd00::N."""
    loopbacks = ip_interface(f"10.255.0.{number}/32"), ip_interface(f"fd00::{number}/128")
    return Router(name=f"r{number}", loopbacks=loopbacks, **fields)


def areas(at: dict[str, str], **fields: Any) -> Ospf:
    """OSPF with these areas of interfaces."""
    return Ospf(interfaces=tuple(OspfInterface(interface=name, area=area) for name, area in at.items()), **fields)


def static(prefix: str, via: str) -> StaticRoute:
    """A static route."""
    return StaticRoute(prefix=ip_network(prefix), via=ip_address(via))


def star() -> Topology:
    """r1 and r2 are the backbone. Behind r1 are area 1 (a stub with a range) and 2 (totally stub), behind r2 areas
    3\n(an NSSA), 4 (a normal one) and 5 (a totally NSSA). r5 and r6 announce a static route, r6 also a default one."""
    kinds = {
        "1": OspfArea(area="1", kind="stub"),
        "2": OspfArea(area="2", kind="totally-stub"),
        "3": OspfArea(area="3", kind="nssa"),
        "5": OspfArea(area="5", kind="totally-nssa"),
    }
    static_routes = (Redistribution(source="static"),)
    ranged = OspfArea(area="1", kind="stub", ranges=(ip_network("10.9.2.0/23"),))
    r5 = areas({"r5-4": "3", "lo": "3"}, areas=(kinds["3"],), redistribute=static_routes)
    r6 = areas({"r6-5": "4", "lo": "4"}, redistribute=static_routes, default_originate=True)
    routers = (
        router(1, ospf=areas({"r1-2": "1", "r1-3": "2"}, areas=(ranged, kinds["2"]))),
        router(2, ospf=areas({"r2-4": "3", "r2-5": "4", "r2-6": "5"}, areas=(kinds["3"], kinds["5"]))),
        router(3, ospf=areas({"r3-2": "1", "lo": "1"}, areas=(kinds["1"],))),
        router(4, ospf=areas({"r4-3": "2", "lo": "2"}, areas=(kinds["2"],))),
        router(5, ospf=r5, static_routes=(static("10.77.0.0/16", "10.9.4.99"),)),
        router(6, ospf=r6, static_routes=(static("10.88.0.0/16", "10.9.5.1"),)),
        router(7, ospf=areas({"r7-6": "5", "lo": "5"}, areas=(kinds["5"],))),
    )
    ends = [("r1", "r2"), ("r1", "r3"), ("r1", "r4"), ("r2", "r5"), ("r2", "r6"), ("r2", "r7")]
    return Topology(nodes=routers, links=tuple(link(n, a, b) for n, (a, b) in enumerate(ends, 1)))
