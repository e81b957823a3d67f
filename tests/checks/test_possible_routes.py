"""A flow to an end without a possible route is reported. Every possible route suppresses the problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.checks.check import check
from frrlib.checks.facts import facts_of
from frrlib.checks.fix_offers import fix_for
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.prediction.possible_routes import PossibleRoutes
from frrlib.prediction.routes import expected_routes
from tests.checks.problems import GOOD1, GOOD2, bgp, build, link, node, with_flow

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "examples").glob("*.mn"), *(ROOT / "tests" / "data" / "golden").glob("*.mn")])


def unannounced_problems(topology: Topology) -> list[Problem]:
    return [problem for problem in check(topology) if problem.kind == "unannounced"]


def pair(r1: dict[str, Any], r2: dict[str, Any], **fields: Any) -> Topology:
    """h1, r1, r2 and h2 in a row, and a flow."""
    row = build(
        [node("h1", **fields.pop("h1", {})), node("r1", **r1), node("r2", **r2), node("h2")],
        [
            link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24"),
            link(2, "r1=10.9.0.1/24", "r2=10.9.0.2/24"),
            link(3, "r2=10.2.0.1/24", "h2=10.2.0.9/24"),
        ],
        **fields,
    )
    return with_flow(row)


def test_a_network_missing_in_bgp_is_reported_and_fixed() -> None:
    """The link between the routers is announced instead of the hosts' network: all sessions are up, but no packet
    arrives."""
    topology = with_flow(bgp(GOOD1, {**GOOD2, "networks": ["10.9.0.0/24"]}))
    (problem,) = unannounced_problems(topology)
    assert (problem.node, problem.field) == ("r2", "bgp.networks")
    assert "10.2.0.0/24, the network of h2" in problem.message
    assert "r1 will have no route for f" in problem.message
    fix = fix_for(topology, problem)
    assert fix is not None
    router = fix.topology.node("r2")
    assert isinstance(router, Router)
    assert router.bgp is not None
    assert [str(network) for network in router.bgp.networks] == ["10.9.0.0/24", "10.2.0.0/24"]
    assert unannounced_problems(fix.topology) == []
    assert "10.2.0.0/24" in map(str, expected_routes(facts_of(fix.topology).resolved)["r1"])


def test_replies_need_a_route_too() -> None:
    (problem,) = unannounced_problems(with_flow(bgp({**GOOD1, "networks": []}, GOOD2)))
    assert (problem.node, problem.field) == ("r1", "bgp.networks")
    assert "10.1.0.0/24, the network of h1" in problem.message


def test_a_static_route_does_not_cover_the_reverse_direction() -> None:
    with_route = {"static_routes": [{"prefix": "10.2.0.0/24", "via": "10.9.0.2"}]}
    (problem,) = unannounced_problems(pair(with_route, {"daemons": ["zebra"]}))
    assert (problem.node, problem.field) == ("r2", "")
    assert "10.1.0.0/24" in problem.message


def test_each_network_is_reported_once() -> None:
    topology = bgp(GOOD1, {**GOOD2, "networks": []})
    flows = [with_flow(topology).flows[0].model_copy(update={"id": f"f{n}"}) for n in range(5)]
    assert len(unannounced_problems(topology.model_copy(update={"flows": tuple(flows)}))) == 1


OSPF: dict[str, Any] = {"ospf": {}}
BACK = {"static_routes": [{"prefix": "0.0.0.0/0", "via": "10.9.0.1"}]}
AS1, AS2 = {"bgp": {**GOOD1}}, {"bgp": {**GOOD2, "networks": []}}
SILENT = {
    "both announce": pair(AS1, {"bgp": GOOD2}),
    "ospf": pair(OSPF, OSPF),
    "passive at the other router": pair(OSPF, {"ospf": {"interfaces": [{"interface": "r2-eth0", "passive": True}]}}),
    "default routes": pair({"static_routes": [{"prefix": "0.0.0.0/0", "via": "10.9.0.2"}]}, BACK),
    "connected ones are announced": pair(AS1, {"bgp": {**GOOD2, "networks": [],
                                               "redistribute": [{"source": "connected"}]}}),
    "ospf's are announced": pair(AS1, {"bgp": {**GOOD2, "networks": [], "redistribute": [{"source": "ospf"}]},
                                       "ospf": {}}),
    "the kernel's are announced": pair(AS1, {"bgp": {**GOOD2, "networks": [], "redistribute": [{"source": "kernel"}]}}),
    "an aggregate": pair(AS1, {"bgp": {**GOOD2, "networks": [], "aggregates": [{"prefix": "10.2.0.0/16"}]}}),
    "a wider network": pair(AS1, {"bgp": {**GOOD2, "networks": ["10.2.0.0/16"]}}),
    "a default route is announced": pair(AS1, {"bgp": {"asn": 2, "neighbors": [
        {"address": "10.9.0.1", "remote_as": 1, "default_originate": True}]}}),
    "a stub area": pair({"ospf": {"areas": [{"area": "0", "kind": "stub"}]}}, OSPF),
    "custom lines there": pair(AS1, {**AS2, "frr_conf": "router bgp 2\n network 10.2.0.0/24"}),
    "custom lines here": pair({**AS1, "frr_conf": "ip route 10.2.0.0/24 10.9.0.2"}, AS2),
    "a start command": pair(AS1, {**AS2, "start_command": "ip route add 10.1.0.0/24 via 10.9.0.1"}),
    "a host's start command": pair(AS1, AS2, h1={"start_command": "ip route add 10.2.0.0/24 via 10.1.0.2"}),
    "a daemon that has no settings": pair({"daemons": ["babeld"]}, {"daemons": ["babeld"]}),
    "interfaces of the machine": pair(AS1, AS2, h1={"external_interfaces": ["eth7"]}),
}  # fmt: skip


@pytest.mark.parametrize("topology", SILENT.values(), ids=SILENT)
def test_possible_routes_suppress_the_problem(topology: Topology) -> None:
    assert unannounced_problems(topology) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_expected_routes_are_possible(path: Path) -> None:
    """All expected routes, for which labs wait, are possible."""
    facts = facts_of(mn.load(path).topology)
    routes = PossibleRoutes(facts.resolved, facts.domains)
    dropped = {
        (r.name, route.prefix) for r in facts.routers() for route in r.static_routes if isinstance(route.via, str)
    }
    missing = [
        (router, str(prefix))
        for router, prefixes in expected_routes(facts.resolved).items()
        for prefix in prefixes
        if router not in routes.knowing(prefix[0]) and (router, prefix) not in dropped
    ]
    assert missing == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_working_topologies_have_no_problem(path: Path) -> None:
    assert unannounced_problems(mn.load(path).topology) == []
