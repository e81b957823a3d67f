"""Changes of single settings of a topology, from which mistakes are made."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_interface
from typing import Any

from frrlib.model.nodes import Router
from frrlib.model.routing import BgpNeighbor
from frrlib.model.topology import Topology


def router_of(topology: Topology, name: str) -> Router:
    """The router of a name."""
    return next(router for router in topology.routers if router.name == name)


def change_router(topology: Topology, name: str, **fields: Any) -> Topology:
    """Replace fields of a router; values may be plain data."""
    old = router_of(topology, name)
    new = Router.model_validate({**old.model_dump(exclude_unset=True), **fields})
    return topology.model_copy(update={"nodes": tuple(new if node is old else node for node in topology.nodes)})


def change_protocol(topology: Topology, name: str, protocol: str, **fields: Any) -> Topology:
    """Replace settings of a protocol of a router."""
    settings = getattr(router_of(topology, name), protocol)
    return change_router(topology, name, **{protocol: {**settings.model_dump(exclude_unset=True), **fields}})


def change_interface(topology: Topology, name: str, protocol: str, interface: str, **fields: Any) -> Topology:
    """Replace settings of a protocol at an interface."""
    settings = getattr(router_of(topology, name), protocol)
    rows = [row.model_dump(exclude_unset=True) for row in settings.interfaces]
    if not any(row["interface"] == interface for row in rows):
        rows.append({"interface": interface})
    rows = [{**row, **fields} if row["interface"] == interface else row for row in rows]
    return change_protocol(topology, name, protocol, interfaces=rows)


def change_session(topology: Topology, name: str, address: str, fields: dict[str, Any]) -> Topology:
    """Replace settings of a BGP session."""
    bgp = router_of(topology, name).bgp
    assert bgp is not None
    rows = [
        {**row.model_dump(exclude_unset=True), **fields} if str(row.address) == address else row
        for row in bgp.neighbors
    ]
    return change_protocol(topology, name, "bgp", neighbors=rows)


def remove_session(topology: Topology, name: str, address: str) -> Topology:
    """Remove a BGP session from one of its ends."""
    bgp = router_of(topology, name).bgp
    assert bgp is not None
    return change_protocol(
        topology, name, "bgp", neighbors=[row for row in bgp.neighbors if str(row.address) != address]
    )


def change_end(topology: Topology, name: str, interface: str, change: Callable[[Any], dict[str, Any]]) -> Topology:
    """Replace fields of a link's end; `change` returns them for the present end."""
    links = []
    for link in topology.links:
        update = {
            side: end.model_copy(update=change(end))
            for side, end in (("a", link.a), ("b", link.b))
            if (end.node, end.interface) == (name, interface)
        }
        links.append(link.model_copy(update=update) if update else link)
    return topology.model_copy(update={"links": tuple(links)})


def change_address(topology: Topology, name: str, interface: str, change: Callable[[Any], str]) -> Topology:
    """Replace the IPv4 addresses of an interface; `change` returns the text of the new one."""
    return change_end(
        topology,
        name,
        interface,
        lambda end: {
            "addresses": tuple(
                ip_interface(change(address)) if address.version == 4 else address for address in end.addresses
            )
        },
    )


def sessions_of(topology: Topology) -> list[tuple[Router, BgpNeighbor, Router]]:
    """Every BGP session with an address, from each of its ends: router, settings, router at the other end."""
    owners = {
        address.ip: router
        for router in topology.routers
        for address in (*router.loopbacks, *(a for _, end in topology.ends_at(router.name) for a in end.addresses))
    }
    return [
        (router, neighbor, owners[neighbor.address])
        for router in topology.routers
        if router.bgp
        for neighbor in router.bgp.neighbors
        if neighbor.address in owners
    ]
