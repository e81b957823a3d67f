"""Rules on BFD, PIM, LDP and VRFs."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.at_interface import bfd_at
from frrlib.model.routing import BfdPeer
from frrlib.model.rules.facts import Facts, Rule, contains, has_own_lines, net_title, router_id

#: Numbers of the kernel's own tables.
_KERNEL_TABLES = {253: "default", 254: "main", 255: "local"}


def bfd_peers(facts: Facts) -> Iterator[Problem]:
    """Neighbours that BFD watches are there, at the distance that is stated, and watch as well."""
    for router in facts.routers():
        for peer in router.bfd.peers if router.bfd else ():
            if peer.multihop and peer.local_address is None:
                why = f"{peer.address} is several hops away, and this router's end of the session is not stated"
                yield error("bfd-local", router.name, "bfd.peers", why, "a local address, such as that of a loopback")
            own = [address.ip for address in facts.all_addresses(router)]
            if peer.local_address is not None and peer.local_address not in own:
                why = f"{peer.local_address} is no address of the router"
                yield error("bfd-local", router.name, "bfd.peers", why, "one of its own")
            yield from _bfd_peer(facts, router, peer)


def _bfd_peer(facts: Facts, router: Router, peer: BfdPeer) -> Iterator[Problem]:
    field = "bfd.peers"
    if peer.address.is_link_local:
        return
    other = facts.router_of(peer.address)
    if other is None or other.name == router.name:
        why = f"no other router has the address {peer.address}"
        yield error("bfd-nobody", router.name, field, why, "the address of a neighbouring router")
        return
    if not peer.multihop and not contains(facts.networks(router.name), peer.address):
        why = f"no interface is in the network of {peer.address}"
        yield error("bfd-far", router.name, field, why, "a peer several hops away, with a local address")
    mine = {address.ip for address in facts.all_addresses(router)}
    if not any(back.address in mine for back in (other.bfd.peers if other.bfd else ())) and not has_own_lines(other):
        why = f"{peer.address} is {other.name}, which does not watch this router: the session stays down"
        yield warning("bfd-one-sided", router.name, field, why, "a peer there, too")


def bfd_of_protocols(facts: Facts) -> Iterator[Problem]:
    """A protocol that asks for BFD on one side of a link does so on the other."""
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
                why = f"asks for BFD on {net_title(facts, domain)}, and {without[0]} does not: the session stays down"
                yield warning("bfd-one-sided", name, f"{protocol}.bfd", why, "the same on both")


def pim(facts: Facts) -> Iterator[Problem]:
    """Groups are multicast addresses, and somebody is the rendezvous point."""
    for router in facts.routers():
        if router.pim is None:
            continue
        for row in router.pim.interfaces:
            for group in row.joins:
                if not group.is_multicast:
                    why = f"{group} is no multicast address"
                    yield error("no-group", router.name, "pim.interfaces", why, "within 224.0.0.0/4")
        points = router.pim.rendezvous_points
        if not points:
            why = "names no rendezvous point, so only source-specific groups (232.0.0.0/8) work"
            yield warning("no-rp", router.name, "pim.rendezvous_points", why, "the same one on all routers")
        for point in points:
            if not point.groups.is_multicast:
                yield error("no-group", router.name, "pim.rendezvous_points", f"{point.groups} is not multicast")
            if facts.router_of(point.address) is None:
                why = f"no router has the address {point.address}"
                yield warning("unknown-rp", router.name, "pim.rendezvous_points", why, "a router's loopback address")


def ldp(facts: Facts) -> Iterator[Problem]:
    """LDP has an address of its own that others know a way to, by a protocol whose routes get the labels."""
    for router in facts.routers():
        if router.ldp is None:
            continue
        identity = router_id(facts, router, router.ldp.router_id)
        own = [address.ip for address in facts.all_addresses(router)]
        if identity is None:
            yield error("no-router-id", router.name, "ldp.router_id", "there is no IPv4 address to take one from")
        elif identity not in own:
            why = f"{identity} is no address of the router, and sessions go to it"
            yield error("ldp-address", router.name, "ldp.router_id", why, "a loopback address")
        elif identity not in [address.ip for address in router.loopbacks]:
            why = f"{identity} is no loopback address: sessions end with its link"
            yield warning("ldp-loopback", router.name, "ldp.router_id", why, "a loopback address")
        if not any((router.ospf, router.isis, router.rip, router.static_routes, router.frr_conf.strip())):
            why = "gives labels to the routes of an interior protocol, and none runs here"
            yield warning("ldp-alone", router.name, "ldp", why, "OSPF or IS-IS")
        if router.ldp.hold_s <= router.ldp.hello_s:
            why = f"is {router.ldp.hold_s} s, not more than the hello interval of {router.ldp.hello_s} s"
            yield error("ldp-timers", router.name, "ldp.hold_s", why, f"such as {3 * router.ldp.hello_s} s")


def vrfs(facts: Facts) -> Iterator[Problem]:
    """VRFs of a router differ in name and table, and no interface is in two of them."""
    for router in facts.routers():
        links = facts.interface_names(router.name)
        names, tables, where = set[str](), dict[int, str](), dict[str, str]()
        for vrf in router.vrfs:
            if vrf.name in names or vrf.name in ("lo", "default", *links):
                why = f"{vrf.name} is the name of another VRF or interface"
                yield error("vrf-name", router.name, "vrfs", why, "another one")
            names.add(vrf.name)
            if vrf.table in _KERNEL_TABLES:
                why = f"{vrf.name} has table {vrf.table}, which is the kernel's own ({_KERNEL_TABLES[vrf.table]})"
                yield error("vrf-table", router.name, "vrfs", why, "such as 10")
            elif tables.setdefault(vrf.table, vrf.name) != vrf.name:
                why = f"{vrf.name} has table {vrf.table}, as {tables[vrf.table]}"
                yield error("vrf-table", router.name, "vrfs", why, "a table of its own")
            for name in vrf.interfaces:
                if name not in links:
                    right = f"one of {', '.join(links)}" if links else "link the router"
                    yield error("no-interface", router.name, "vrfs", f"has no interface {name}", right)
                elif where.setdefault(name, vrf.name) != vrf.name:
                    yield error("vrf-interface", router.name, "vrfs", f"{name} is in {where[name]} and {vrf.name}")
            rows = vrf.ospf.interfaces if vrf.ospf else ()
            for row in rows:
                if row.interface in links and row.interface not in vrf.interfaces:
                    why = f"{row.interface} is not in {vrf.name}, whose OSPF names it"
                    yield error("vrf-interface", router.name, "vrfs", why, "one of its interfaces")


RULES: tuple[Rule, ...] = (bfd_peers, bfd_of_protocols, pim, ldp, vrfs)
