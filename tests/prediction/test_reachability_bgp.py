"""Routes that are certain by BGP, compared with tables made by hand. Uncertain routes are not expected."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits import generators, routing_presets
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Ospf, end
from frrlib.prediction.routes import connected_networks, expected_routes
from tests.examples import bgp as bgp_examples


def expected(topology: Topology) -> dict[str, set[str]]:
    return {
        name: {str(prefix) for prefix in prefixes} for name, prefixes in expected_routes(addressed(topology)).items()
    }


def row(*routers: dict[str, Any]) -> dict[str, set[str]]:
    """Routers r1, r2, ... in a row. rN has 10.N.0.1/24 on its loopback; links are 10.0.N.N to 10.0.N.(N+1)."""
    net = Network("row")
    for number, fields in enumerate(routers, start=1):
        net.router(f"r{number}", **{"loopbacks": (f"10.{number}.0.1/24",), **fields})
    for number in range(1, len(routers)):
        net.link(
            end(f"r{number}", f"10.0.{number}.{number}/24"), end(f"r{number + 1}", f"10.0.{number}.{number + 1}/24")
        )
    return expected(net.topology)


def speaker(
    number: int, asn: int, *peers: tuple[int, int], to: dict[int, Any] | None = None, **bgp: Any
) -> dict[str, Any]:
    """Settings of a router of the row with sessions to its neighbors, as (number, AS). `to` has more fields of
    sessions."""
    neighbors = [
        {"address": f"10.0.{min(number, peer)}.{peer}", "remote_as": remote, **(to or {}).get(peer, {})}
        for peer, remote in peers
    ]
    return {"bgp": {"asn": asn, "neighbors": neighbors, "networks": (f"10.{number}.0.0/24",), **bgp}}


N1, N2, N3 = (f"10.{n}.0.0/24" for n in (1, 2, 3))
EDGES = speaker(1, 1, (2, 2)), speaker(3, 3, (2, 2))


def middle(to: dict[int, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """r2, in AS 2, between r1 and r3."""
    bgp = fields.pop("bgp", {})
    return {**speaker(2, 2, (1, 1), (3, 3), to=to, **bgp), **fields}


def line_of_three(to: dict[int, Any] | None = None, **fields: Any) -> dict[str, set[str]]:
    return row(EDGES[0], middle(to, **fields), EDGES[1])


def prefix_list(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"prefix_lists": [{"name": "P", "rules": rules}]}


def route_map(*entries: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"route_maps": [{"name": "M", "entries": entries}], **fields}


ALL = {"r1": {N2, N3}, "r2": {N1, N3}, "r3": {N1, N2}}
NO_N1_AT_R3 = {**ALL, "r3": {N2}}
OUT_M, OUT_P = {3: {"route_map_out": "M"}}, {3: {"prefix_list_out": "P"}}
DENY_N1 = {"prefix": N1, "action": "deny"}
ANY = {"prefix": "0.0.0.0/0", "at_most": 32}


@pytest.mark.parametrize(
    ("routes", "expected_tables"),
    [
        pytest.param(line_of_three(), ALL, id="plain"),
        pytest.param(line_of_three({3: {"shutdown": True}}), {"r1": {N2}, "r2": {N1}}, id="shutdown"),
        pytest.param(line_of_three({3: {"password": "x"}}), {"r1": {N2}, "r2": {N1}}, id="password"),
        pytest.param(line_of_three({3: {"families": ["ipv6"]}}), {"r1": {N2}, "r2": {N1}}, id="families"),
        pytest.param(line_of_three(bgp={"requires_policy": True}), {}, id="rfc8212"),
        pytest.param(line_of_three(OUT_P, **prefix_list(DENY_N1, ANY)), NO_N1_AT_R3, id="prefix-list"),
        pytest.param(line_of_three(OUT_P, **prefix_list(ANY)), ALL, id="prefix-list-of-all"),
        pytest.param(line_of_three(OUT_P, **prefix_list({"prefix": "10.0.0.0/8", "at_least": 25})),
                     {**ALL, "r3": set()}, id="too-short"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "set_metric": 3})), ALL, id="changed"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "set_communities": ["no-export"]})), ALL,
                     id="no-export-applies-at-the-next-router"),
        pytest.param(line_of_three({1: {"route_map_in": "M"}},
                                   **route_map({"sequence": 10, "set_communities": ["no-export"]})),
                     NO_N1_AT_R3, id="no-export"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "go_on": True})), ALL, id="goes-on-to-the-end"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "go_on": True},
                                                      {"sequence": 20, "match_prefix_list": "P"}), **prefix_list()),
                     {**ALL, "r3": set()}, id="goes-on-to-an-entry-that-does-not-match"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "match_tag": 5})), {**ALL, "r3": set()},
                     id="tags-are-unknown"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "lines": "match peer 10.0.1.1"})),
                     {**ALL, "r3": set()}, id="custom-lines-are-unknown"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "match_as_path_list": "A"},
                                                      as_path_lists=[{"name": "A", "rules": [{"expression": "^$"}]}])),
                     NO_N1_AT_R3, id="as-path"),
        pytest.param(line_of_three(OUT_M, **route_map({"sequence": 10, "prepend": [3]})), {**ALL, "r3": set()},
                     id="prepended-with-the-receiver"),
        pytest.param(line_of_three({3: {"default_originate": True}}), {**ALL, "r3": {N1, N2, "0.0.0.0/0"}},
                     id="default-originate"),
        pytest.param(line_of_three({3: {"maximum_prefixes": 1}}), {"r1": {N2}, "r2": {N1}, "r3": set()}, id="too-many"),
        pytest.param(line_of_three(bgp={"aggregates": [{"prefix": "10.0.0.0/14", "summary_only": True}]}),
                     {"r1": {"10.0.0.0/14"}, "r2": {N1, N3}, "r3": {"10.0.0.0/14"}}, id="summary-only"),
        pytest.param(line_of_three(bgp={"aggregates": [{"prefix": "10.64.0.0/16"}]}), ALL, id="empty-aggregate"),
        pytest.param(line_of_three(bgp={"networks": [], "redistribute": [{"source": "connected"}]}),
                     {"r1": {N2, N3, "10.0.2.0/24"}, "r2": {N1, N3}, "r3": {N1, N2, "10.0.1.0/24"}},
                     id="redistributed"),
        pytest.param(line_of_three(bgp={"networks": [], "redistribute": [{"source": "connected"}]},
                                   vrfs=[{"name": "red", "interfaces": ["lo"]}]),
                     {"r1": {N3, "10.0.2.0/24"}, "r2": {N1, N3}, "r3": {N1, "10.0.1.0/24"}},
                     id="redistributed-without-a-vrf"),
    ],
)  # fmt: skip
def test_a_line_of_three_systems(routes: dict[str, set[str]], expected_tables: dict[str, set[str]]) -> None:
    assert routes == {name: prefixes for name, prefixes in expected_tables.items() if prefixes}


def inside(number: int, *peers: int, client: tuple[int, ...] = (), **session: Any) -> dict[str, Any]:
    """Sessions within AS 1 between loopbacks."""
    neighbors = [
        {"address": f"10.{peer}.0.1", "remote_as": 1, "update_source": "lo", "route_reflector_client": peer in client,
         **session}
        for peer in peers
    ]  # fmt: skip
    return {"ospf": Ospf(), "bgp": {"asn": 1, "neighbors": neighbors, "networks": [f"10.{number}.7.0/24"]},
            "loopbacks": [f"10.{number}.0.1/32", f"10.{number}.7.1/24"]}  # fmt: skip


def test_sessions_between_loopbacks_need_an_igp() -> None:
    """Sessions between loopbacks are established only with OSPF, which announces these prefixes too."""
    with_igp = row(inside(1, 2), inside(2, 1))
    without = row({**inside(1, 2), "ospf": None}, {**inside(2, 1), "ospf": None})
    assert "10.2.7.0/24" in with_igp["r1"]
    assert without == {}


def received_from_r1(r2: dict[str, Any], *more_routers: dict[str, Any]) -> dict[str, set[str]]:
    """The expected routes if r1 in AS 9 announces N1 to r2. All other routers are in AS 1."""
    r2["bgp"]["neighbors"].append({"address": "10.0.1.1", "remote_as": 9})
    return row(speaker(1, 9, (2, 1)), r2, *more_routers)


def test_ibgp_routes_cross_one_session_without_a_reflector() -> None:
    routes = received_from_r1(inside(2, 3, next_hop_self=True), inside(3, 2, 4), inside(4, 3))
    assert N1 in routes["r3"]
    assert N1 not in routes["r4"]


@pytest.mark.parametrize("clients", [(2,), (4,), (2, 4)])
def test_a_reflector_needs_a_client_on_one_side(clients: tuple[int, ...]) -> None:
    r3 = inside(3, 2, 4, client=clients)
    assert N1 in received_from_r1(inside(2, 3, next_hop_self=True), r3, inside(4, 3))["r4"]


def test_a_route_with_unresolved_next_hop_is_not_expected() -> None:
    def found(**session: Any) -> set[str]:
        """The routes at r3, with static routes between the loopbacks."""
        r2 = {**inside(2, 3, **session), "static_routes": [{"prefix": "10.3.0.1/32", "via": "10.0.2.3"}]}
        r3 = {**inside(3, 2), "static_routes": [{"prefix": "10.2.0.1/32", "via": "10.0.2.2"}]}
        return received_from_r1({**r2, "ospf": None}, {**r3, "ospf": None})["r3"]

    assert N1 not in found()
    assert N1 in found(next_hop_self=True)


def within_as_1(to_r1: dict[str, Any], to_r3: dict[str, Any], **r2: Any) -> set[str]:
    """The expected routes of r1. r1 and r2 are in AS 1, r3 is in AS 2. The fields are those of r2 and its sessions."""
    r1 = speaker(1, 1, (2, 1))
    r2_fields = speaker(2, 1, (1, 1), (3, 2), to={1: {"next_hop_self": True, **to_r1}, 3: to_r3}, **r2.pop("bgp", {}))
    return row(r1, {**r2_fields, **r2}, speaker(3, 2, (2, 1))).get("r1", set())


def test_the_own_as_in_a_path_is_rejected_on_internal_sessions_too() -> None:
    assert within_as_1({}, {}) == {N2, N3}
    assert within_as_1({"route_map_out": "M"}, {}, **route_map({"sequence": 10, "prepend": [1]})) == set()


def test_an_as_set_contains_the_asns_of_all_paths() -> None:
    aggregate = {"bgp": {"aggregates": [{"prefix": "10.0.0.0/8", "as_set": True}]}}
    assert within_as_1({}, {}, **aggregate) == {N2, N3, "10.0.0.0/8"}
    # r3 announces prefixes of r1 and r2 to r2, which accepts them now. Their AS is in the set, and r1 rejects it.
    assert within_as_1({}, {"allow_as_in": 1}, **aggregate) == {N2, N3}


def test_a_default_route_that_may_be_withdrawn_is_not_expected() -> None:
    default = {"default_originate": True}
    alone = row(speaker(1, 1, (2, 2)), middle({1: default}), EDGES[1])
    assert "0.0.0.0/0" in alone["r1"]
    both = row(speaker(1, 1, (2, 2)), middle({1: default}), speaker(3, 3, (2, 2), to={2: default}))
    assert ("0.0.0.0/0" in both["r2"], "0.0.0.0/0" in both["r1"]) == (True, False)


def test_a_loopback_that_is_its_own_next_hop_is_not_propagated() -> None:
    r3 = inside(3, 2)
    r3["bgp"]["networks"] = ["10.3.0.1/32", "10.3.7.0/24"]
    routes = received_from_r1(inside(2, 3), r3)["r1"]
    assert "10.3.7.0/24" in routes
    assert "10.3.0.1/32" not in routes


TABLES = {
    "reflector": {"r7": {"10.5.0.0/24", "10.8.0.0/24"}, "r8": {"10.5.0.0/24", "10.7.0.0/24"}},
    "confederation": {
        "r5": {"10.2.0.0/24", "10.3.0.0/24", "10.255.0.6/32"},
        "r6": {"10.2.0.0/24", "10.3.0.0/24", "10.255.0.5/32"},
    },
    "policy": {
        "r1": {"10.2.0.0/24", "10.3.0.0/24", "10.4.0.0/24", "10.4.1.0/24"},
        "r2": {"10.1.0.0/24", "10.3.0.0/24", "10.4.0.0/24", "10.4.1.0/24", "10.4.9.0/24"},
        "r4": {"10.1.0.0/24", "10.2.0.0/24", "10.3.0.0/24"},
    },
    "unnumbered": {
        "r3": {"10.4.0.0/24", "10.5.0.0/24", "10.255.0.1/32", "10.255.0.2/32", "10.255.0.4/32", "10.255.0.5/32"}
    },
    "dual-stack": {"r3": {"0.0.0.0/0", "10.1.0.0/16", "::/0", "fd00:1::/32"}},
}


@pytest.mark.parametrize("name", TABLES)
def test_routes_of_the_examples(name: str) -> None:
    routes = expected(bgp_examples.ALL[f"bgp-{name}"]())
    assert {router: routes[router] for router in TABLES[name]} == TABLES[name]


def assert_all_prefixes_are_reachable(topology: Topology) -> None:
    full = addressed(topology)
    everything = {a.network for link in full.links for link_end in link.ends for a in link_end.addresses}
    everything |= {a.network for router in full.routers for a in router.loopbacks}
    routes = expected_routes(full)
    for router in full.routers:
        assert everything - connected_networks(full, router.name) == set(routes.get(router.name, ())), router.name


TOPOLOGIES = {
    "grid": (generators.grid(3, 3, hosts=0), 3),
    "ring": (generators.ring(7), 2),
    "line": (generators.line(6), 3),
    "mesh": (generators.full_mesh(6), 3),
}


@pytest.mark.parametrize("igp", ["ospf", "isis"])
@pytest.mark.parametrize("reflectors", [0, 1, 2])
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_grouped_autonomous_systems_reach_all_prefixes(name: str, reflectors: int, igp: Any) -> None:
    topology, size = TOPOLOGIES[name]
    names = [router.name for router in topology.routers]
    groups = [names[start : start + size] for start in range(0, len(names), size)]
    assert_all_prefixes_are_reachable(
        routing_presets.groups_as_systems(topology, groups, reflectors=reflectors, igp=igp)
    )
