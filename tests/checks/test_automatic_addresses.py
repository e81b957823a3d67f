"""Addresses that nobody stated cause no problem."""

from __future__ import annotations

import random

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import Problem, Severity, check
from frrlib.edits import changes, routing_presets
from frrlib.edits import links as linking
from frrlib.errors import TopologyError
from frrlib.model.topology import Preferences, Topology
from tests.checks.problems import build, link

_TOOLS = (
    ("host", "switch"),
    ("host", "switch", "bridge", "router"),
    ("host", "host", "ospf-router", "switch", "bgp-router"),
    ("host", "host", "ospf-router", "legacy-router"),
)
_BASES = ("10.0.0.0/8", "10.0.0.0/24", "192.168.1.0/28", "172.16.0.0/12")


def reported(topology: Topology) -> list[Problem]:
    """Errors and warnings."""
    return [problem for problem in check(topology) if problem.severity != Severity.NOTE]


def automatic_addresses(topology: Topology) -> set[str]:
    """All addresses of a topology without stated ones, without their prefix lengths."""
    links = (end for link in addressed(topology).links for end in link.ends)
    return {str(address.ip) for end in links for address in end.addresses}


def drawn_at_random(chance: random.Random) -> Topology:
    """Nodes of a few kinds with links among them, some of which are parallel; without any stated address."""
    topology = Topology(preferences=Preferences(ip_base=chance.choice(_BASES)))
    tools = chance.choice(_TOOLS)
    for _ in range(chance.randint(2, 9)):
        topology, _ = changes.add_node(topology, chance.choice(tools), 0, 0)
    names = [node.name for node in topology.nodes]
    for _ in range(chance.randint(1, 14)):
        try:
            topology, _ = linking.add_link(topology, *chance.sample(names, 2))
        except TopologyError:
            continue
    return routing_presets.ospf_everywhere(topology) if chance.random() < 0.3 else topology


def test_no_problem_of_a_drawing_without_addresses_is_about_an_address() -> None:
    for seed in range(60):
        topology = drawn_at_random(random.Random(seed))
        invented = automatic_addresses(topology)
        for problem in reported(topology):
            words = problem.message.replace("(", " ").replace(")", " ").replace("/", " ").split()
            assert problem.kind == "unannounced" or not invented & set(words), (seed, problem)
            assert problem.kind not in ("different-networks", "duplicate-address", "overlapping-networks")


@pytest.mark.parametrize("base", _BASES)
def test_further_interfaces_of_hosts_cause_no_problem(base: str) -> None:
    topology = build(
        ["h1", "h2", "h3", "s1", "s2"],
        [link(1, "h1", "s1"), link(2, "h2", "s1"), link(3, "h3", "s2"), link(4, "h1", "s2"), link(5, "h2", "h3")],
    ).model_copy(update={"preferences": Preferences(ip_base=base)})
    assert reported(topology) == []


def test_a_stated_address_outside_of_the_others_network_is_still_reported() -> None:
    hosts = [link(1, "h1=10.0.0.1/24", "s1"), link(2, "h2=10.0.9.1/24", "s1"), link(3, "h3", "s1")]
    (problem,) = reported(build(["h1", "h2", "h3", "s1"], hosts))
    assert (problem.kind, problem.node) == ("different-networks", "h2")


def test_two_links_to_one_net_are_reported_without_addresses() -> None:
    (problem,) = reported(build(["r1", "s1"], [link(1, "r1", "s1"), link(2, "r1", "s1")]))
    assert (problem.kind, problem.node) == ("overlapping-interfaces", "r1")
    assert problem.message == "r1-eth1 and r1-eth0 are on the same net, so both are in its network"


def test_an_automatic_address_in_a_stated_network_does_not_overlap() -> None:
    # h1 gets 10.0.0.1/8 from the preferences on the first link, and an address of the network of h3 on the second
    assert reported(build(["h1", "h2", "h3"], [link(1, "h1", "h2"), link(2, "h1", "h3=10.0.0.7/24")])) == []


def test_a_small_mtu_is_no_error_because_another_net_has_ipv6() -> None:
    topology = build(["h1", "h2", "h3", "h4"], [link(1, "h1=fd00::1/64", "h2"), link(2, "h3", "h4")])
    first, second = topology.links
    small = second.model_copy(update={"a": second.a.model_copy(update={"mtu_bytes": 1000})})
    assert "small-mtu" not in [
        problem.kind for problem in reported(topology.model_copy(update={"links": (first, small)}))
    ]
