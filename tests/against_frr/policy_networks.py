"""Random healthy networks with BGP between many systems: confederations, policies, and unnumbered sessions."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.model.topology import Topology
from tests.against_frr.builder import NetworkBuilder, RouterDraft
from tests.against_frr.igp_networks import chance

FIRST_ASN, CONFEDERATION = 65001, 64999
PREFERENCES, WEIGHTS = (50, 150, 200), (0, 10, 500)
COMMUNITIES = ("64999:1", "64999:2", "no-export")


def confederations(random: Random) -> Topology:
    """A confederation of two to four members of one to three routers each, and up to two other systems outside."""
    builder = NetworkBuilder("BGP confederation", random)
    members: list[list[RouterDraft]] = []
    for number in range(random.randint(2, 4)):
        routers = builder.add_routers(random.randint(1, 3))
        builder.connect(routers)
        members.append(routers)
        _start_bgp(builder, routers, FIRST_ASN + number)
        _join_inside(builder, routers)
    asns = [FIRST_ASN + number for number in range(len(members))]
    for number, routers in enumerate(members):
        for router in routers:
            router.fields["bgp"] |= {
                "confederation_id": CONFEDERATION,
                "confederation_members": [asn for asn in asns if asn != FIRST_ASN + number],
            }
        if number:
            _join_outside(builder, random.choice(members[random.randrange(number)]), random.choice(routers), {})
    for number in range(random.randint(0, 2)):
        outside = builder.add_routers(1)
        _start_bgp(builder, outside, FIRST_ASN + 100 + number)
        _join_outside(builder, random.choice(random.choice(members)), outside[0], {})
    return builder.topology()


def policies(random: Random) -> Topology:
    """Systems of one or two routers in a random graph, with prefix lists and route maps at their sessions."""
    builder = NetworkBuilder("BGP policies", random)
    systems = []
    for number in range(random.randint(2, 5)):
        routers = builder.add_routers(random.randint(1, 2))
        builder.connect(routers, lans=False)
        systems.append(routers)
        _start_bgp(builder, routers, FIRST_ASN + number)
        _join_inside(builder, routers)
    pairs = [(systems[random.randrange(number)], routers) for number, routers in enumerate(systems) if number]
    for _ in range(random.randint(0, 2)):
        first, second = random.sample(systems, 2)
        pairs.append((first, second))
    for first, second in pairs:
        a, b = random.choice(first), random.choice(second)
        _join_outside(builder, a, b, {a.name: _policy(builder, a), b.name: _policy(builder, b)})
    return builder.topology()


def unnumbered(random: Random) -> Topology:
    """A fabric of routers, each in a system of its own, with unnumbered sessions over links that may be parallel."""
    builder = NetworkBuilder("Unnumbered BGP", random, random.choice(((4,), (6,), (4, 6))), parallel_share=0.4)
    routers = builder.add_routers(random.randint(2, 6))
    nets = builder.connect(routers, lans=False)
    for number, router in enumerate(routers):
        _start_bgp(builder, [router], FIRST_ASN + number)
        router.fields["bgp"]["unnumbered"] = []
        if chance(random, 0.5):
            router.fields["bgp"] |= {"maximum_paths": random.choice((1, 4)), "multipath_relax": chance(random, 0.5)}
    for net in nets:
        timers = {"keepalive_s": 5, "hold_s": 15} if chance(random, 0.3) else {}
        for router, interface in net.members:
            peer = next(member for member, _ in net.members if member is not router)
            remote_as = "external" if chance(random, 0.5) else peer.fields["bgp"]["asn"]
            session = {"interface": interface, "remote_as": remote_as, **timers}
            session["families"] = [f"ipv{version}" for version in builder.versions]
            router.fields["bgp"]["unnumbered"].append(session)
    return builder.topology()


def _start_bgp(builder: NetworkBuilder, routers: list[RouterDraft], asn: int) -> None:
    for router in routers:
        networks = [builder.loopback(router, version) for version in builder.versions if chance(builder.random, 0.8)]
        router.fields["bgp"] = {"asn": asn, "neighbors": [], "networks": networks}
        if 4 not in builder.versions:
            router.fields["bgp"]["router_id"] = f"10.255.0.{router.number}"


def _join_inside(builder: NetworkBuilder, routers: list[RouterDraft]) -> None:
    """OSPF, and internal sessions between all loopbacks."""
    for router in routers if len(routers) > 1 else ():
        router.fields["ospf"] = {"interfaces": []}
        router.fields["bgp"]["neighbors"] += [
            {
                "address": builder.loopback(peer, 4).split("/")[0],
                "remote_as": peer.fields["bgp"]["asn"],
                "update_source": "lo",
                "next_hop_self": True,
            }
            for peer in routers
            if peer is not router
        ]


def _join_outside(builder: NetworkBuilder, a: RouterDraft, b: RouterDraft, settings: dict[str, dict[str, Any]]) -> None:
    """A link of its own with a session to another system, or to another member of the confederation."""
    net = builder.join(a, b)
    for router, peer in ((a, b), (b, a)):
        if "ospf" in router.fields:
            router.fields["ospf"]["interfaces"].append({"interface": net.interface_of(router), "passive": True})
        own, other = router.fields["bgp"], peer.fields["bgp"]
        is_inside = "confederation_id" in own and "confederation_id" in other
        session = {
            "address": net.address(peer, 4),
            "remote_as": other["asn"] if is_inside else other.get("confederation_id", other["asn"]),
            **settings.get(router.name, {}),
        }
        if is_inside:
            session["next_hop_self"] = True
        own["neighbors"].append(session)


def _policy(builder: NetworkBuilder, router: RouterDraft) -> dict[str, Any]:
    """Policies of one session of a router, whose lists and maps it gets, too."""
    random, fields = builder.random, router.fields
    number = len(fields["bgp"]["neighbors"])
    session: dict[str, Any] = {}
    if chance(random, 0.4):
        name = f"list{number}"
        fields.setdefault("prefix_lists", []).append({"name": name, "rules": _prefix_rules(builder)})
        session[random.choice(("prefix_list_in", "prefix_list_out"))] = name
    if chance(random, 0.3):
        name = f"marked{number}"
        rules = [{"action": random.choice(("permit", "permit", "deny")), "value": random.choice(COMMUNITIES)}]
        fields.setdefault("community_lists", []).append({"name": name, "rules": rules})
    for direction in ("in", "out"):
        if chance(random, 0.5):
            name = f"map{number}{direction}"
            fields.setdefault("route_maps", []).append({"name": name, "entries": _entries(router, random, number)})
            session[f"route_map_{direction}"] = name
    if chance(random, 0.2):
        session["weight"] = random.choice(WEIGHTS)
    return session


def _prefix_rules(builder: NetworkBuilder) -> list[dict[str, Any]]:
    """Loopbacks that are denied, and all others, which are permitted as single addresses or of any length."""
    random = builder.random
    denied = random.sample(builder.routers, min(len(builder.routers), random.randint(0, 2)))
    rules: list[dict[str, Any]] = [{"action": "deny", "prefix": builder.loopback(each, 4)} for each in denied]
    last = (
        {"prefix": "10.255.0.0/24", "at_least": 32} if chance(random, 0.5) else {"prefix": "0.0.0.0/0", "at_most": 32}
    )
    return [*rules, last]


def _entries(router: RouterDraft, random: Random, number: int) -> list[dict[str, Any]]:
    """One to three entries, of which the last one matches everything."""
    entries = []
    for sequence in range(10, 10 * random.randint(1, 3) + 1, 10):
        entry: dict[str, Any] = {"sequence": sequence, "action": "deny" if chance(random, 0.15) else "permit"}
        names = [row["name"] for row in router.fields.get("prefix_lists", ())]
        if names and chance(random, 0.4):
            entry["match_prefix_list"] = random.choice(names)
        names = [row["name"] for row in router.fields.get("community_lists", ())]
        if names and chance(random, 0.4):
            entry["match_community_list"] = random.choice(names)
        if entry["action"] == "permit":
            entry |= _set_values(router, random)
        entries.append(entry)
    return [*entries, {"sequence": 100, **_set_values(router, random)}]


def _set_values(router: RouterDraft, random: Random) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if chance(random, 0.3):
        values["set_local_preference"] = random.choice(PREFERENCES)
    if chance(random, 0.2):
        values["set_metric"] = random.choice((0, 10, 100))
    if chance(random, 0.2):
        values["prepend"] = [router.fields["bgp"]["asn"]] * random.randint(1, 3)
    if chance(random, 0.3):
        values |= {"set_communities": [random.choice(COMMUNITIES)], "add_communities": chance(random, 0.5)}
    return values
