"""Random healthy networks with BGP, with several protocols, and with VRFs."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.model.topology import Topology
from tests.against_frr.builder import Net, NetworkBuilder, RouterDraft
from tests.against_frr.igp_networks import chance

FIRST_ASN = 65001


def bgp(random: Random) -> Topology:
    """Up to four autonomous systems of one to four routers: OSPF and iBGP within, eBGP between them."""
    builder = NetworkBuilder("BGP", random, random.choice(((4,), (4,), (4, 6))))
    systems: list[list[RouterDraft]] = []
    inner_nets: list[Net] = []
    count = random.randint(1, 4)
    for number in range(count):
        least = 2 if count == 1 else 1
        members = builder.add_routers(random.randint(least, 4))
        inner_nets += builder.connect(members)
        systems.append(members)
        for router in members:
            router.fields["bgp"] = {
                "asn": FIRST_ASN + number,
                "neighbors": [],
                "networks": [builder.loopback(router, version) for version in builder.versions if chance(random, 0.7)],
            }
    for members in systems:
        if len(members) > 1:
            _add_inner_sessions(builder, members)
            for router in members:
                router.fields["ospf"] = {"interfaces": []}
                if 6 in builder.versions:
                    router.fields["ospf6"] = {"interfaces": []}
    pairs = [(systems[random.randrange(position)], members) for position, members in enumerate(systems) if position]
    if len(systems) > 2 and chance(random, 0.5):
        pairs.append(tuple(random.sample(systems, 2)))
    for first, second in pairs:
        _add_outer_session(builder, random.choice(first), random.choice(second))
    return builder.topology()


def _add_inner_sessions(builder: NetworkBuilder, members: list[RouterDraft]) -> None:
    """iBGP between loopbacks: a full mesh, or with the first router as reflector."""
    random = builder.random
    reflects = len(members) > 2 and chance(random, 0.5)
    for version in builder.versions:
        for router in members:
            for peer in members:
                if peer is router or (reflects and members[0] not in (router, peer)):
                    continue
                session: dict[str, Any] = {
                    "address": builder.loopback(peer, version).split("/")[0],
                    "remote_as": router.fields["bgp"]["asn"],
                    "update_source": "lo",
                    "next_hop_self": True,
                }
                if reflects and router is members[0]:
                    session["route_reflector_client"] = True
                router.fields["bgp"]["neighbors"].append(session)


def _add_outer_session(builder: NetworkBuilder, a: RouterDraft, b: RouterDraft) -> None:
    """eBGP over a link of its own, on which no interior protocol speaks."""
    random = builder.random
    net = builder.join(a, b)
    for router in (a, b):
        for protocol in ("ospf", "ospf6"):
            if protocol in router.fields:
                row = {"interface": net.interface_of(router), "passive": True}
                router.fields[protocol]["interfaces"].append(row)
    if chance(random, 0.25):
        for router in (a, b):
            session = {"interface": net.interface_of(router), "families": list(map("ipv{}".format, builder.versions))}
            router.fields["bgp"].setdefault("unnumbered", []).append(session)
        return
    settings: dict[str, Any] = {}
    if chance(random, 0.2):
        settings["password"] = "secret"
    if chance(random, 0.3):
        settings |= {"keepalive_s": 5, "hold_s": 15}
    for version in builder.versions:
        for router, peer in ((a, b), (b, a)):
            session = {"address": net.address(peer, version), "remote_as": peer.fields["bgp"]["asn"], **settings}
            router.fields["bgp"]["neighbors"].append(session)


def redistribution(random: Random) -> Topology:
    """Two domains of different interior protocols that one router joins by redistribution both ways."""
    builder = NetworkBuilder("Redistribution", random)
    border = builder.add_routers(1)[0]
    protocols = random.sample(("ospf", "isis", "rip"), 2)
    for protocol in protocols:
        members = builder.add_routers(random.randint(1, 3))
        nets = builder.connect([border, *members])
        for router in members:
            router.fields[protocol] = _plain(protocol)
        border.fields.setdefault(protocol, {**_plain(protocol), "interfaces": []})
        for other in protocols:
            if other != protocol:
                rows = border.fields.setdefault(other, {**_plain(other), "interfaces": []})["interfaces"]
                rows += [
                    {"interface": net.interface_of(border), "passive": True}
                    for net in nets
                    if any(member is border for member, _ in net.members)
                ]
    for protocol, other in (protocols, protocols[::-1]):
        border.fields[protocol]["redistribute"] = [{"source": other}]
    return builder.topology()


def _plain(protocol: str) -> dict[str, Any]:
    return {"ospf": {"hello_s": 2, "dead_s": 8}, "isis": {"ipv6": False}, "rip": {"update_s": 5}}[protocol]


def vrfs(random: Random) -> Topology:
    """A router in the middle whose VRFs each join customers by OSPF or static routes, kept apart from each other."""
    builder = NetworkBuilder("VRFs", random)
    middle = builder.add_routers(1)[0]
    middle.fields["vrfs"] = []
    for number in range(1, random.randint(1, 3) + 1):
        customers = builder.add_routers(random.randint(1, 3))
        nets = [builder.join(middle, customer) for customer in customers]
        vrf: dict[str, Any] = {
            "name": f"blue{number}",
            "table": 100 + number,
            "interfaces": [net.interface_of(middle) for net in nets],
        }
        if chance(random, 0.6):
            vrf["ospf"] = {"hello_s": 1, "dead_s": 4}
            for customer in customers:
                customer.fields["ospf"] = {"hello_s": 1, "dead_s": 4}
        else:
            vrf["static_routes"] = [
                {"prefix": builder.loopback(customer, 4), "via": net.address(customer, 4)}
                for customer, net in zip(customers, nets, strict=True)
            ]
            for customer, net in zip(customers, nets, strict=True):
                customer.fields["static_routes"] = [{"prefix": "0.0.0.0/0", "via": net.address(middle, 4)}]
        middle.fields["vrfs"].append(vrf)
    return builder.topology()
