"""Custom lines are checked like settings: text that FRR reads as the same configuration has the same problems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.addressing.resolved import resolved
from frrlib.checks.check import Problem, Severity, check
from frrlib.conf.changes import as_own_lines, difference
from frrlib.edits.parts import with_nodes
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.network import Network, end
from frrlib.render.frr import frr_conf
from tests.against_frr.healthy import healthy_network
from tests.against_frr.mistakes.catalogue import MISTAKES, faulty_network

_PROTOCOLS = ("bgp", "ospf", "ospf6", "isis")
#: Mistakes whose lines have no setting: FRR refuses the line; a session has no family; the protocol does not run on the
#: interface; the text has only one of two equal values; or the lines are not read as settings.
_WITHOUT_SETTING = {
    *("bgp undefined peer group", "bgp no common family", "isis family"),
    *("bgp confederation without an identifier", "bgp description of two lines", "ospf6 key"),
    *("bgp session twice", "ospf area twice", "redistribution of a source twice"),
    *("isis interface that does not exist", "ospf interface that does not exist"),
    *("bgp maximum of prefixes", "isis key of link states", "isis overload bit on the only path"),
    *("ospf BFD at one end", "ospf default route in a stub area"),
    *("ospf without an IPv4 address at one end", "ospf6 without an IPv6 address at one end"),
}


def as_text(topology: Topology) -> Topology:
    """The topology with the settings of its protocols as custom lines, which give the same configuration."""
    for node in topology.nodes:
        if isinstance(node, Router) and node.runs_frr:
            plain = node.model_copy(update=dict.fromkeys(_PROTOCOLS))
            without = with_nodes(topology, {node.name: plain})
            lines = as_own_lines(difference(_configuration(without, node.name), _configuration(topology, node.name)))
            topology = with_nodes(topology, {node.name: plain.model_copy(update={"frr_conf": node.frr_conf + lines})})
    return topology


def _configuration(topology: Topology, name: str) -> str:
    filled = resolved(topology)
    node = filled.node(name)
    assert isinstance(node, Router)
    return frr_conf(filled, node)


def _problems(topology: Topology) -> list[Problem]:
    return [problem for problem in check(topology) if problem.severity != Severity.NOTE]


@pytest.mark.parametrize("name", sorted(set(MISTAKES) - _WITHOUT_SETTING))
def test_a_mistake_in_text_is_reported_as_in_settings(name: str) -> None:
    faulty = faulty_network(name, 0)
    places = {(problem.kind, problem.node) for problem in _problems(as_text(faulty.topology))}
    expected = {(problem.kind, problem.node) for problem in _problems(faulty.topology)}
    assert places <= expected
    causes = MISTAKES[name].kinds
    assert {kind for kind, _ in places} & causes == {kind for kind, _ in expected} & causes


@pytest.mark.parametrize("seed", range(60))
def test_healthy_text_has_no_problem(seed: int) -> None:
    topology = healthy_network(seed)
    assert {problem.message for problem in _problems(as_text(topology))} <= {
        problem.message for problem in _problems(topology)
    }


def _routers(first: str, second: str, **interface: int) -> Topology:
    network = Network("Text")
    for name, text in (("r1", first), ("r2", second)):
        network.router(name, frr_conf=text)
    network.link(end("r1", "10.0.0.1/24", **interface), end("r2", "10.0.0.2/24"))
    return network.topology


_OSPF = "router ospf\n network 10.0.0.0/16 area 0\n"
_BGP = "router bgp 6500{}\n no bgp ebgp-requires-policy\n neighbor 10.0.0.{} remote-as 6500{}\n"


@pytest.mark.parametrize(
    ("first", "second", "kind", "node"),
    [
        (_OSPF, _OSPF + "interface r2-eth0\n ip ospf hello-interval 3\n", "ospf-mismatch", "r2"),
        (_OSPF, _OSPF.replace("area 0", "area 1"), "ospf-mismatch", "r2"),
        (_BGP.format(1, 2, 2), "router bgp 65002\n", "one-sided", "r1"),
        (_BGP.format(1, 9, 2), _BGP.format(2, 1, 1), "no-neighbor", "r1"),
        (_BGP.format(1, 2, 3), _BGP.format(2, 1, 1), "wrong-as", "r1"),
        (_BGP.format(1, 2, 2) + " network 1.1.1.0/24\n", _BGP.format(2, 1, 1), "unknown-network", "r1"),
    ],
)
def test_a_problem_of_lines_is_a_warning_at_the_lines(first: str, second: str, kind: str, node: str) -> None:
    problems = [problem for problem in check(_routers(first, second)) if problem.kind == kind]
    places = {(problem.severity, problem.node, problem.field) for problem in problems}
    assert places == {(Severity.WARNING, node, "frr_conf")}


@pytest.mark.parametrize("text", [_OSPF, _BGP.format(1, 2, 2), "router isis x\n net 49.0001.0000.0000.0001.00\n"])
def test_lines_that_agree_have_no_problem(text: str) -> None:
    other = _BGP.format(2, 1, 1) if "bgp" in text else text.replace("0001.00\n", "0002.00\n")
    interface = "interface r{}-eth0\n ip router isis x\n" if "isis" in text else ""
    assert check(_routers(text + interface.format(1), other + interface.format(2))) == []


def test_a_line_resolves_a_mismatch() -> None:
    unequal = _routers(_OSPF + "interface r1-eth0\n ip ospf mtu-ignore\n", _OSPF, mtu_bytes=1400)
    assert [problem.kind for problem in check(unequal)] == ["mtu-mismatch"]
    assert [problem.kind for problem in check(_routers(_OSPF, _OSPF, mtu_bytes=1400))] == [
        "mtu-mismatch",
        "ospf-mismatch",
    ]


_WORDS = """
    router bgp ospf isis ospf6 65001 interface r1-eth0 neighbor 10.0.0.2 remote-as peer-group G activate timers 3 9 net
    network 10.0.0.0/8 area 0 ip ipv6 route address-family unicast no vrf x 49.0001.00 lsp-mtu redistribute connected
    internal hello-interval message-digest-key md5 password exit stub route-map in 99999999999 bgp confederation peers
    identifier router-id fd00::1 :: / cost
"""
_LINES = st.lists(st.sampled_from(_WORDS.split()), max_size=6).map(" ".join)


@given(st.lists(_LINES, max_size=12).map("\n".join))
def test_no_text_keeps_the_check_from_its_end(text: str) -> None:
    check(_routers(text, _BGP.format(2, 1, 1)))
