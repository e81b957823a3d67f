"""Rules on BFD, PIM, LDP and VRFs."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts, Rule, contains, has_own_lines, net_title, router_id
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.at_interface import bfd_at
from frrlib.model.routing import BfdPeer

#: Numbers of the kernel's own routing tables.
_KERNEL_TABLES = {253: "default", 254: "main", 255: "local"}


def bfd_peers(facts: Facts) -> Iterator[Problem]:
    """BFD peers exist, at the configured distance, and have a BFD session in the other direction."""
    for router in facts.routers():
        for peer in router.bfd.peers if router.bfd else ():
            if peer.multihop and peer.local_address is None:
                message = f"{peer.address} is several hops away, but the session has no local address"
                right = "set a local address, such as that of a loopback"
                yield error("bfd-local", router.name, "bfd.peers", message, right)
            own = [address.ip for address in facts.all_addresses(router)]
            if peer.local_address is not None and peer.local_address not in own:
                message = f"the local address {peer.local_address} is not an address of the router"
                yield error("bfd-local", router.name, "bfd.peers", message, "choose an address of the router")
            yield from _bfd_peer(facts, router, peer)


def _bfd_peer(facts: Facts, router: Router, peer: BfdPeer) -> Iterator[Problem]:
    field = "bfd.peers"
    if peer.address.is_link_local:
        return
    other = facts.router_of(peer.address)
    if other is None or other.name == router.name:
        message = f"no other router has the address {peer.address}"
        yield error("bfd-nobody", router.name, field, message, "choose the address of a neighboring router")
        return
    if not peer.multihop and not contains(facts.networks(router.name), peer.address):
        message = f"no interface of the router is in the network of {peer.address}"
        yield error("bfd-far", router.name, field, message, "turn multihop on, and set a local address")
    mine = {address.ip for address in facts.all_addresses(router)}
    if not any(back.address in mine for back in (other.bfd.peers if other.bfd else ())) and not has_own_lines(other):
        message = f"{peer.address} is {other.name}, which has no BFD peer for this router, so the session stays down"
        yield warning("bfd-one-sided", router.name, field, message, f"add this router as a BFD peer of {other.name}")


def bfd_of_protocols(facts: Facts) -> Iterator[Problem]:
    """A protocol uses BFD on both sides of a link or on none."""
    for domain in facts.domains:
        for protocol in ("ospf", "ospf6", "isis"):
            asking: dict[str, bool] = {}
            for place in domain.ends:
                settings = getattr(place.node, protocol, None)
                if settings:
                    name = place.end.interface
                    if not settings.at(name).passive:
                        asking.setdefault(place.end.node, bfd_at(settings, name))
            without = [name for name, asks in asking.items() if not asks]
            if without and any(asking.values()):
                name = next(name for name, asks in asking.items() if asks)
                message = (
                    f"is enabled on {net_title(facts, domain)}, but not at {without[0]}, so the session stays down"
                )
                yield warning("bfd-one-sided", name, f"{protocol}.bfd", message, "set the same on both")


def pim(facts: Facts) -> Iterator[Problem]:
    """Groups are multicast addresses, and a router has the address of the rendezvous point."""
    for router in facts.routers():
        if router.pim is None:
            continue
        for row in router.pim.interfaces:
            for group in row.joins:
                if not group.is_multicast:
                    message = f"{group} is not a multicast address"
                    yield error("no-group", router.name, "pim.interfaces", message, "use a group within 224.0.0.0/4")
        points = router.pim.rendezvous_points
        if not points:
            message = "there is no rendezvous point, so only source-specific groups (232.0.0.0/8) work"
            yield warning("no-rp", router.name, "pim.rendezvous_points", message, "set the same one on all routers")
        for point in points:
            if not point.groups.is_multicast:
                message = f"{point.groups} is not a multicast network"
                right = "use groups within 224.0.0.0/4"
                yield error("no-group", router.name, "pim.rendezvous_points", message, right)
            if facts.router_of(point.address) is None:
                message = f"no router has the address {point.address}"
                right = "use the loopback address of a router"
                yield warning("unknown-rp", router.name, "pim.rendezvous_points", message, right)


def ldp(facts: Facts) -> Iterator[Problem]:
    """The router ID of LDP is a loopback address, and an interior protocol provides the routes that get labels."""
    for router in facts.routers():
        if router.ldp is None:
            continue
        identity = router_id(facts, router, router.ldp.router_id)
        own = [address.ip for address in facts.all_addresses(router)]
        if identity is None:
            message = "there is no IPv4 address from which to derive one"
            yield error("no-router-id", router.name, "ldp.router_id", message, "enter a router ID")
        elif identity not in own:
            message = f"{identity} is not an address of the router, but other routers connect to it"
            yield error("ldp-address", router.name, "ldp.router_id", message, "use a loopback address")
        elif identity not in [address.ip for address in router.loopbacks]:
            message = f"{identity} is not a loopback address, so sessions end when its link goes down"
            yield warning("ldp-loopback", router.name, "ldp.router_id", message, "use a loopback address")
        if not any((router.ospf, router.isis, router.rip, router.static_routes, router.frr_conf.strip())):
            message = "LDP assigns labels to the routes of an interior protocol, but none runs here"
            yield warning("ldp-alone", router.name, "ldp", message, "run OSPF or IS-IS")
        if router.ldp.hold_s <= router.ldp.hello_s:
            message = f"{router.ldp.hold_s} s is not longer than the hello interval of {router.ldp.hello_s} s"
            right = f"use a longer time, such as {3 * router.ldp.hello_s} s"
            yield error("ldp-timers", router.name, "ldp.hold_s", message, right)


def vrfs(facts: Facts) -> Iterator[Problem]:
    """VRFs of a router differ in name and table, and no interface is in two of them."""
    for router in facts.routers():
        links = facts.interface_names(router.name)
        names, tables, where = set[str](), dict[int, str](), dict[str, str]()
        for vrf in router.vrfs:
            if vrf.name in names or vrf.name in ("lo", "default", *links):
                message = f"{vrf.name} is also the name of another VRF or of an interface"
                yield error("vrf-name", router.name, "vrfs", message, "choose another name")
            names.add(vrf.name)
            if vrf.table in _KERNEL_TABLES:
                message = f"{vrf.name} has table {vrf.table}, which the kernel reserves ({_KERNEL_TABLES[vrf.table]})"
                yield error("vrf-table", router.name, "vrfs", message, "choose another table, such as 10")
            elif tables.setdefault(vrf.table, vrf.name) != vrf.name:
                message = f"{vrf.name} and {tables[vrf.table]} both have table {vrf.table}"
                yield error("vrf-table", router.name, "vrfs", message, "give each VRF its own table")
            for name in vrf.interfaces:
                if name not in links:
                    right = f"choose one of {', '.join(links)}" if links else "link the router"
                    message = f"{router.name} has no interface {name}"
                    yield error("no-interface", router.name, "vrfs", message, right)
                elif where.setdefault(name, vrf.name) != vrf.name:
                    message = f"{name} is in both {where[name]} and {vrf.name}"
                    yield error("vrf-interface", router.name, "vrfs", message, "remove it from one of them")
            rows = vrf.ospf.interfaces if vrf.ospf else ()
            for row in rows:
                if row.interface in links and row.interface not in vrf.interfaces:
                    message = f"the OSPF of {vrf.name} lists {row.interface}, which is not in {vrf.name}"
                    yield error("vrf-interface", router.name, "vrfs", message, f"choose an interface of {vrf.name}")


RULES: tuple[Rule, ...] = (bfd_peers, bfd_of_protocols, pim, ldp, vrfs)
