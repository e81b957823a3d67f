"""Every kind of problem of BGP and of policies is found at its place, and valid topologies have none."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.checks.check import Severity, check
from frrlib.model.topology import Topology
from tests.checks.problems import GOOD1, GOOD2, E, W, bgp, build, complaints, link, node, titles, with_flow


def session(address: str = "10.9.0.2", remote_as: int = 2, **fields: Any) -> dict[str, Any]:
    """Settings of a speaker in AS 1 with one session."""
    return {**GOOD1, "neighbors": [{"address": address, "remote_as": remote_as, **fields}]}


def reverse(address: str = "10.9.0.1", remote_as: int = 1, **fields: Any) -> dict[str, Any]:
    """Settings of the speaker at the other end, in AS 2."""
    return {**GOOD2, "neighbors": [{"address": address, "remote_as": remote_as, **fields}]}


def loopback_pair(r1: dict[str, Any], r2: dict[str, Any], **fields: Any) -> Topology:
    """Two routers with OSPF and loopbacks 10.255.0.1 and .2, both in AS 1."""
    settings = [{"asn": 1, "neighbors": [{"remote_as": 1, **session}]} for session in (r1, r2)]
    routers = [
        node(f"r{n}", ospf={}, loopbacks=[f"10.255.0.{n}/32"], bgp={**settings[n - 1], **fields}) for n in (1, 2)
    ]
    return build(routers, [link(1, "r1=10.9.0.1/24", "r2=10.9.0.2/24")])


def unnumbered(*speakers: dict[str, Any] | None, links: int = 1) -> Topology:
    """Routers on one link, or several on a bridge, with unnumbered sessions."""
    routers = [node(f"r{n}", bgp=bgp) for n, bgp in enumerate(speakers, start=1)]
    if len(routers) == 2:
        return build(routers, [link(1, "r1", "r2")])
    return build([*routers, "b1"], [link(n, f"r{n}", "b1") for n in range(1, len(routers) + 1)])


def speaker(asn: int, name: str, **fields: Any) -> dict[str, Any]:
    return {"asn": asn, "unnumbered": [{"interface": name, **fields}]}


def policies(**fields: Any) -> Topology:
    """r1 with policies and one session."""
    return bgp(GOOD1, GOOD2, **fields)


def as_of_three(border: dict[str, Any], **client: Any) -> Topology:
    """r1 in AS 1; r2, r3 and r4 in AS 2, with internal sessions of r3 to r2 and to r4 over their links."""
    speakers = {
        "r1": {"asn": 1, "neighbors": [{"address": "10.1.0.2", "remote_as": 2}], "networks": ["10.255.0.1/32"]},
        "r2": {
            "asn": 2,
            "neighbors": [
                {"address": "10.1.0.1", "remote_as": 1},
                {"address": "10.2.0.3", "remote_as": 2, **border},
            ],
        },
        "r3": {
            "asn": 2,
            "neighbors": [{"address": address, "remote_as": 2, **client} for address in ("10.2.0.2", "10.3.0.4")],
        },
        "r4": {"asn": 2, "neighbors": [{"address": "10.3.0.3", "remote_as": 2}]},
    }
    routers = [node(name, bgp=settings, loopbacks=[f"10.255.0.{name[1]}/32"]) for name, settings in speakers.items()]
    ends = [(n, f"r{n}=10.{n}.0.{n}/24", f"r{n + 1}=10.{n}.0.{n + 1}/24") for n in (1, 2, 3)]
    return build(routers, [link(*row) for row in ends])


PREFIXES = {"name": "P", "rules": [{"prefix": "10.0.0.0/8"}]}
LOOPS1, LOOPS2 = (
    {"address": "10.255.0.2", "update_source": "lo"},
    {"address": "10.255.0.1", "update_source": "lo"},
)
FAR1, FAR2 = ({**session, "remote_as": asn, "multihop": 2} for session, asn in ((LOOPS1, 2), (LOOPS2, 1)))

#: A common mistake: the announced network is the link to the other AS instead of the hosts' network.
TRANSIT = {**GOOD2, "networks": ["10.9.0.0/24"]}

CASES = [
    ("unannounced", W, "r2", "bgp.networks", with_flow(bgp(GOOD1, TRANSIT))),
    ("no-update-source", E, "r1", "bgp.neighbors", bgp(session(update_source="eth7"), GOOD2)),
    ("no-update-source", E, "r1", "bgp.neighbors", bgp(session(update_source="10.77.0.1"), GOOD2)),
    ("wrong-source", E, "r1", "bgp.neighbors", loopback_pair({"address": "10.255.0.2"}, {"address": "10.255.0.1"})),
    ("distant-neighbor", E, "r1", "bgp.neighbors",
     bgp(session("10.2.0.1", update_source="r1-eth0"), reverse("10.1.0.1", multihop=2, update_source="r2-eth1"))),
    ("wrong-password", W, "r1", "bgp.neighbors", bgp(session(password="a"), GOOD2)),
    ("both-passive", W, "r1", "bgp.neighbors", bgp(session(passive=True), reverse(passive=True))),
    ("no-full-mesh", W, "r2", "bgp.neighbors", as_of_three({"next_hop_self": True})),
    ("unreachable-next-hop", W, "r2", "bgp.neighbors",
     as_of_three({"next_hop_self": False}, route_reflector_client=True)),
    ("one-sided-bfd", W, "r1", "bgp.neighbors", bgp(session(bfd=True), GOOD2)),
    ("no-common-family", E, "r1", "bgp.neighbors", bgp(session(families=["ipv6"]), GOOD2)),
    ("no-address", E, "r1", "bgp.neighbors",
     bgp(session(families=["ipv4", "ipv6"]), reverse(families=["ipv6", "ipv4"]))),
    ("foreign-client", E, "r1", "bgp.neighbors", bgp(session(route_reflector_client=True), GOOD2)),
    ("inner-private-as", E, "r1", "bgp.neighbors", loopback_pair({**LOOPS1, "remove_private_as": True}, LOOPS2)),
    ("foreign-client", E, "r1", "bgp.unnumbered",
     unnumbered(speaker(1, "r1-eth0", route_reflector_client=True), speaker(2, "r2-eth0"))),
    ("unnumbered-multihop", E, "r1", "bgp.unnumbered",
     unnumbered(speaker(1, "r1-eth0", multihop=2), speaker(2, "r2-eth0"))),
    ("mixed-group", E, "r1", "bgp.peer_groups",
     bgp({**GOOD1, "peer_groups": [{"name": "G"}],
          "neighbors": [{"address": "10.9.0.2", "remote_as": 2, "peer_group": "G"},
                        {"address": "10.9.0.3", "remote_as": 1, "peer_group": "G"}]}, GOOD2)),
    ("confederation", E, "r1", "bgp.confederation_members",
     bgp({**GOOD1, "confederation_id": 100}, {**GOOD2, "confederation_id": 100, "confederation_members": [1]})),
    ("confederation", E, "r1", "bgp.confederation_id", bgp({**GOOD1, "confederation_members": [2]}, GOOD2)),
    ("confederation", E, "r1", "bgp.confederation_id", bgp({**GOOD1, "confederation_id": 1}, GOOD2)),
    ("wrong-as", W, "r2", "bgp.neighbors", bgp({**GOOD1, "confederation_id": 100}, GOOD2)),
    ("wrong-as", E, "r1", "bgp.neighbors",
     bgp({**session(peer_group="g"), "peer_groups": [{"name": "g", "remote_as": "internal"}]}, GOOD2)),
    ("no-group", E, "r1", "bgp.neighbors", bgp(session(peer_group="g"), GOOD2)),
    ("no-group", E, "r1", "bgp.peer_groups",
     bgp({**GOOD1, "peer_groups": [{"name": "g"}, {"name": "h", "peer_group": "g"}]}, GOOD2)),
    ("duplicate-group", E, "r1", "bgp.peer_groups", bgp({**GOOD1, "peer_groups": [{"name": "g"}] * 2}, GOOD2)),
    ("bgp-timers", E, "r1", "bgp.hold_s", bgp({**GOOD1, "keepalive_s": 9, "hold_s": 9}, GOOD2)),
    ("bgp-timers", E, "r1", "bgp.neighbors", bgp(session(keepalive_s=9, hold_s=3), GOOD2)),
    ("own-source", E, "r1", "bgp.redistribute", bgp({**GOOD1, "redistribute": [{"source": "bgp"}]}, GOOD2)),
    ("no-source", W, "r1", "bgp.redistribute", bgp({**GOOD1, "redistribute": [{"source": "isis"}]}, GOOD2)),
    ("illegal-description", E, "r1", "bgp.peer_groups",
     bgp({**GOOD1, "peer_groups": [{"name": "g", "description": "a\nb"}]}, GOOD2)),
    ("duplicate-neighbor", E, "r1", "bgp.unnumbered",
     unnumbered({"asn": 1, "unnumbered": [{"interface": "r1-eth0"}] * 2}, speaker(2, "r2-eth0"))),
    ("no-interface", E, "r1", "bgp.unnumbered", unnumbered(speaker(1, "eth0"), speaker(2, "r2-eth0"))),
    ("no-neighbor", E, "r1", "bgp.unnumbered",
     build([node("r1", bgp=speaker(1, "r1-eth0")), "h1"], [link(1, "r1", "h1")])),
    ("several-neighbors", E, "r1", "bgp.unnumbered",
     unnumbered(speaker(1, "r1-eth0"), speaker(2, "r2-eth0"), speaker(3, "r3-eth0"))),
    ("one-sided", E, "r1", "bgp.unnumbered", unnumbered(speaker(1, "r1-eth0"), None)),
    ("one-sided", E, "r1", "bgp.unnumbered", unnumbered(speaker(1, "r1-eth0"), {"asn": 2})),
    ("wrong-as", W, "r1", "bgp.unnumbered",
     unnumbered(speaker(1, "r1-eth0"), speaker(1, "r2-eth0", remote_as="internal"))),
    ("no-policy", W, "r1", "bgp.requires_policy",
     bgp({**session(prefix_list_in="P"), "requires_policy": True}, GOOD2, prefix_lists=[PREFIXES])),
    ("no-policy-named", E, "r1", "bgp.neighbors", bgp(session(route_map_in="M"), GOOD2)),
    ("no-policy-named", E, "r1", "bgp.neighbors", bgp(session(as_path_list_out="M"), GOOD2)),
    ("no-policy-named", E, "r1", "bgp.peer_groups",
     bgp({**GOOD1, "peer_groups": [{"name": "g", "prefix_list_out": "M"}]}, GOOD2)),
    ("no-policy-named", E, "r1", "bgp.redistribute",
     bgp({**GOOD1, "redistribute": [{"source": "connected", "route_map": "M"}]}, GOOD2)),
    ("no-policy-named", E, "r1", "route_maps",
     policies(route_maps=[{"name": "M", "entries": [{"sequence": 10, "match_as_path_list": "A"}]}])),
    ("duplicate-policy", E, "r1", "prefix_lists", policies(prefix_lists=[PREFIXES] * 2)),
    ("duplicate-policy", E, "r1", "route_maps",
     policies(route_maps=[{"name": "M", "entries": [{"sequence": 10}, {"sequence": 10}]}])),
    ("mixed-prefix-list", E, "r1", "prefix_lists",
     policies(prefix_lists=[{"name": "P", "rules": [{"prefix": "10.0.0.0/8"}, {"prefix": "fd00::/8"}]}])),
    ("prefix-range", E, "r1", "prefix_lists",
     policies(prefix_lists=[{"name": "P", "rules": [{"prefix": "10.0.0.0/8", "at_most": 7}]}])),
    ("prefix-range", E, "r1", "prefix_lists",
     policies(prefix_lists=[{"name": "P", "rules": [{"prefix": "10.0.0.0/8", "at_least": 33}]}])),
    ("empty-policy", W, "r1", "prefix_lists", policies(prefix_lists=[{"name": "P"}])),
    ("empty-policy", W, "r1", "route_maps", policies(route_maps=[{"name": "M"}])),
    ("empty-policy", W, "r1", "community_lists", policies(community_lists=[{"name": "C"}])),
    *(("illegal-community", E, "r1", "community_lists",
       policies(community_lists=[{"name": "C", "kind": kind, "rules": [{"value": value}]}]))
      for kind, value in (("standard", "65001"), ("standard", "70000:1"), ("large", "1:2"), ("expanded", "("))),
    ("illegal-expression", E, "r1", "as_path_lists",
     policies(as_path_lists=[{"name": "A", "rules": [{"expression": "65001)"}]}])),
    *(("route-map", E, "r1", "route_maps",
       policies(prefix_lists=[PREFIXES], route_maps=[{"name": "M", "entries": [{"sequence": 10, **entry}]}]))
      for entry in ({"match_prefix_list": "P", "match_family": "ipv6"}, {"set_communities": ["x"]},
                    {"lines": "router bgp 5"}, {"action": "deny", "set_metric": 3})),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


DUAL = [node(f"r{n}", bgp={"asn": n, "neighbors": [
    {"address": f"10.9.0.{3 - n}", "remote_as": 3 - n, "families": ["ipv4", "ipv6"]}]}) for n in (1, 2)]  # fmt: skip

GOOD = [
    loopback_pair(LOOPS1, LOOPS2),
    loopback_pair({**LOOPS1, "update_source": "10.255.0.1"}, LOOPS2),
    build(
        [node(f"r{n}", ospf={}, loopbacks=[f"10.255.0.{n}/32"], bgp={"asn": n, "neighbors": [far]})
         for n, far in ((1, FAR1), (2, FAR2))],
        [link(1, "r1=10.9.0.1/24", "r2=10.9.0.2/24")],
    ),
    build(DUAL, [link(1, "r1=10.9.0.1/24=fd00:9::1/64", "r2=10.9.0.2/24=fd00:9::2/64")]),
    unnumbered(speaker(1, "r1-eth0"), speaker(2, "r2-eth0", remote_as=1)),
    unnumbered(speaker(1, "r1-eth0", remote_as="internal"), speaker(1, "r2-eth0", remote_as=1)),
    bgp({**session(), "confederation_id": 100, "confederation_members": [2]},
        {**reverse(), "confederation_id": 100, "confederation_members": [1]}),
    bgp({**GOOD1, "confederation_id": 100}, reverse(remote_as=100)),
    bgp({**session(peer_group="g"), "peer_groups": [{"name": "g", "remote_as": "external", "password": "x"}]},
        reverse(password="x")),
    bgp({**session(prefix_list_in="P", route_map_out="M"), "requires_policy": True}, GOOD2, prefix_lists=[PREFIXES],
        route_maps=[{"name": "M", "entries": [{"sequence": 10, "match_prefix_list": "P",
                                               "set_communities": ["65001:100", "no-export"],
                                               "lines": "set large-community 65001:1:1"}]}]),
]  # fmt: skip


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    assert complaints(topology) == []


def test_sessions_of_a_vrf_use_its_own_interfaces() -> None:
    red = {"name": "red", "interfaces": ["r1-eth0"], "bgp": {"asn": 1, "neighbors": [
        {"address": "10.9.0.2", "remote_as": 2}]}}  # fmt: skip
    correct = build(
        [node("r1", vrfs=[red]), node("r2", bgp=reverse())],
        [link(1, "r1=10.9.0.1/24", "r2=10.9.0.2/24"), link(2, "r2=10.2.0.1/24", "h1=10.2.0.9/24")],
    )
    correct = correct.model_copy(update={"nodes": (*correct.nodes, *build(["h1"]).nodes)})
    assert [str(problem) for problem in check(correct) if problem.kind in {"one-sided", "no-neighbor"}] == []
    blue = {**red, "interfaces": []}
    wrong = correct.model_copy(update={"nodes": (build([node("r1", vrfs=[blue])]).nodes[0], *correct.nodes[1:])})
    assert ("one-sided", E, "r1", "vrfs") in titles(check(wrong))


def test_a_network_may_be_redistributed_into_the_igp_of_the_speaker() -> None:
    far = "10.77.0.0/16"

    def unknown(redistribute: list[dict[str, Any]]) -> bool:
        topology = build(
            [
                node("r0", ospf={"redistribute": redistribute},
                     static_routes=[{"prefix": far, "via": "blackhole"}], rip={}),
                node("r1", ospf={}, bgp={**GOOD1, "networks": ["10.1.0.0/24", far]}),
                node("r2", bgp=GOOD2),
            ],
            [link(1, "r0=10.1.0.9/24", "r1=10.1.0.1/24"), link(2, "r1=10.9.0.1/24", "r2=10.9.0.2/24")],
        )  # fmt: skip
        return ("unknown-network", W, "r1", "bgp.networks") in titles(check(topology))

    assert not unknown([{"source": "static"}])
    assert unknown([]) and unknown([{"source": "rip"}])
