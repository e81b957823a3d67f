"""Fixes of problems: each removes its problem and adds no error."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.checks import file_problems
from frrlib.checks.check import Problem, Severity, check
from frrlib.checks.facts import facts_of
from frrlib.checks.fix_offers import FIXERS, fix_all, fix_for, offer_fix
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, queue_limit_bytes
from frrlib.model.nodes import Bridge, Host, Router
from frrlib.model.protocols.bgp import Bgp
from frrlib.model.protocols.common import Redistribution
from frrlib.model.protocols.vrf import Vrf
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.flow_paths import base_rtt_ms, path
from tests.checks import test_check, test_check_bgp, test_check_pitfalls, test_check_routing, test_check_traffic
from tests.checks.problems import build, link, node
from tests.checks.test_check_pitfalls import TEN, flow
from tests.example_counts import examples
from tests.strategies.topologies import shapes, tcp_tunings, topologies

#: All cases of the rules' tests: topologies with a known problem.
CASES = [
    *(*test_check.CASES, *test_check_bgp.CASES, *test_check_routing.CASES, *test_check_pitfalls.CASES),
    *test_check_traffic.CASES,
]


def _errors(problems: list[Problem]) -> Counter[str]:
    """The number of errors of each kind."""
    return Counter(problem.kind for problem in problems if problem.severity is Severity.ERROR)


def _problem_at(kind: str, name: str, field: str, topology: Topology) -> Problem:
    return next(p for p in check(topology) if (p.kind, p.node, p.field) == (kind, name, field))


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_a_fix_removes_the_problem_and_adds_no_error(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    before = check(topology)
    problem = _problem_at(kind, name, field, topology)
    fix = offer_fix(facts_of(topology), problem)
    if fix is None:
        return
    after = check(fix.topology)
    assert problem not in after
    assert _errors(after) <= _errors(before)
    assert fix_for(topology, problem) == fix
    assert fix.label and "\n" not in fix.label


def test_every_fixer_fixes_a_case() -> None:
    """Each kind that has a fixer is fixed in one of the cases of the rules' tests; files have tests of their own."""
    used = {kind for kind, _, name, field, topology in CASES
            if fix_for(topology, _problem_at(kind, name, field, topology)) is not None}  # fmt: skip
    assert sorted(set(FIXERS) - set(file_problems.SUBJECT.fixers) - used) == []


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(topologies(unique_names=False))
def test_fix_all_never_adds_errors(topology: Topology) -> None:
    before = check(topology)
    after, done = fix_all(topology)
    remaining = check(after)
    assert _errors(remaining) <= _errors(before)
    assert all(fixed.problem.severity is not Severity.NOTE for fixed in done)
    assert bool(done) == (after != topology)
    assert fix_all(after) == (after, [])


def test_a_router_runs_what_its_neighbors_run() -> None:
    """The prediction of adjacencies, which demands equal areas and timers, expects the new neighbor."""
    ospf = {"area": "1", "lab_timers": True, "hello_s": 1, "dead_s": 4}
    routers = [node("r1", ospf=ospf, rip={}), node("r2", ospf=ospf), "r3"]
    topology = build(routers, [link(1, "r1", "r2"), link(2, "r2", "r3")])
    fix = fix_for(topology, _problem_at("no-routes", "r3", "", topology))
    assert fix is not None
    assert fix.label == "run OSPF on r3"
    expected = {(ends.router, ends.neighbor) for ends in expected_adjacencies(addressed(fix.topology), {})}
    assert {("r2", "r3"), ("r3", "r2")} <= expected
    # Beside a router with two protocols there is no single solution.
    topology = build(routers, [link(1, "r1", "r2"), link(2, "r1", "r3")])
    assert fix_for(topology, _problem_at("no-routes", "r3", "", topology)) is None


def test_problems_in_a_vrf_are_reported_but_not_fixed() -> None:
    """A problem does not name the VRF of its router, so no fix can be made."""
    bgp = Bgp(asn=65001, redistribute=(Redistribution(source="bgp"), Redistribution(source="bgp")))
    red = Vrf(name="red", table=100, bgp=bgp)
    topology = Topology(nodes=(Router(name="r1", vrfs=(red,)),))
    assert "own-source" in {problem.kind for problem in check(topology)}
    after, _ = fix_all(topology)
    assert after.node("r1").vrfs == (red,)


@st.composite
def experiments(draw: st.DrawFn) -> Topology:
    """A dumbbell with any shapes and any TCP settings, and flows with paths."""
    links = [
        Link(id=f"l{n}", a=End(node=a), b=End(node=b), a_to_b=draw(shapes), b_to_a=draw(shapes))
        for n, (a, b) in enumerate([("h1", "b1"), ("b1", "r1"), ("r1", "h2"), ("h3", "b1")])
    ]
    hosts = [Host(name=name, tcp=draw(tcp_tunings)) for name in ("h1", "h2", "h3")]
    controls = st.sampled_from(["cubic", "bbr", "dctcp", "reno", ""])
    flows = [
        Flow(id=f"f{n}", source=source, destination="h2", congestion_control=draw(controls),
             duration_s=draw(st.sampled_from([0.5, 1.0, 9.0, 30.0])), start_s=draw(st.sampled_from([0.0, 5.0])))
        for n, source in enumerate(("h1", "h3", "b1"))
    ]  # fmt: skip
    return Topology(nodes=(*hosts, Bridge(name="b1"), Router(name="r1")), links=tuple(links), flows=tuple(flows[:2]))


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(topologies(unique_names=False), experiments()))
def test_fixes_of_notes_add_no_error(topology: Topology) -> None:
    """The list of problems offers a fix for each. Every fix helps, and applying it again changes nothing."""
    facts = facts_of(topology)
    before = check(topology)
    for problem in before[:12] + [note for note in before[12:] if note.severity is Severity.NOTE][:12]:
        fix = offer_fix(facts, problem)
        if fix is None or fix_for(topology, problem) is None:
            continue
        after = check(fix.topology)
        assert problem not in after
        assert _errors(after) <= _errors(before)
        assert fix_for(fix.topology, problem) is None
        assert Topology.model_validate(fix.topology.model_dump()) == fix.topology


def test_a_queue_above_the_largest_limit_is_not_moved_behind_a_bridge() -> None:
    """13.6 GB are more than the largest queue limit."""
    huge = {"rate_mbit": 246_814, "delay_ms": 440, "queue_bdp": 1}
    topology = test_check_pitfalls.dumbbell({}, l1={"a_to_b": huge})
    problem = _problem_at("sender-is-bottleneck", "l1", "a_to_b.rate_mbit", topology)
    assert offer_fix(facts_of(topology), problem) is None


def test_a_fix_that_causes_an_error_is_not_made() -> None:
    """The smaller MTU at both ends of the link would differ from that of the OSPF neighbor behind the switch."""
    topology = build(
        [node("r1", ospf={}), "s1", node("r2", ospf={})],
        [link(1, "r1", "s1", b={"mtu_bytes": 1400}), link(2, "s1", "r2")],
    )
    problem = _problem_at("mtu-mismatch", "l1", "mtu_bytes", topology)
    assert offer_fix(facts_of(topology), problem) is not None
    assert fix_for(topology, problem) is None
    assert fix_all(topology) == (topology, [])


def test_moving_the_delay_keeps_addresses_interfaces_and_path() -> None:
    shape = {**TEN, "queue_bdp": 2, "loss_percent": 1}
    links = [link(1, "h1", "r1", a_to_b=shape, b_to_a={"delay_ms": 7}), link(2, "r1", "h2")]
    topology = build(["h1", "r1", "h2"], links, flows=[flow()])
    fix = fix_for(topology, _problem_at("sender-is-bottleneck", "l1", "a_to_b.rate_mbit", topology))
    assert fix is not None
    before, after = addressed(topology), addressed(fix.topology)

    def ends(value: Topology) -> set[tuple[str, str, tuple[Any, ...]]]:
        listed = [end for joined in value.links for end in joined.ends if end.node in ("h1", "r1", "h2")]
        return {(end.node, end.interface, end.addresses) for end in listed}

    assert ends(after) == ends(before)
    hops, old = path(after, "h1", "h2"), path(before, "h1", "h2")
    assert hops is not None and old is not None
    assert base_rtt_ms(hops) == base_rtt_ms(old) == 27
    assert [(link.id, shape.rate_mbit, shape.delay_ms, shape.loss_percent) for link, shape, _ in hops] == [
        ("l3", None, 20, 0), ("l1", 10, 0, 1), ("l2", None, 0, 0),
    ]  # fmt: skip
    assert queue_limit_bytes(hops[1][1], hops[1][2], 1514) == 67_500  # twice 10 Mbit/s for 27 ms
    assert fix_all(topology) == (topology, [])  # it adds a node, so it is only made on request


def test_sender_is_bottleneck_without_delay_has_no_fix() -> None:
    links = [link(1, "h1", "r1", a_to_b={"rate_mbit": 10}), link(2, "r1", "h2")]
    topology = build(["h1", "r1", "h2"], links, flows=[flow()])
    assert fix_for(topology, _problem_at("sender-is-bottleneck", "l1", "a_to_b.rate_mbit", topology)) is None


def test_a_setting_in_a_command_moves_to_its_field() -> None:
    lines = "touch /tmp/x\nsysctl -w net.ipv4.tcp_congestion_control=bbr\nsysctl -qw net.ipv4.tcp_ecn=1\n"
    lines += "sysctl -w net.ipv4.tcp_no_metrics_save=0\nsysctl -w net.ipv4.tcp_ecn=3"
    topology = build([node("h1", start_command=lines.replace("-qw", "-q -w")), "h2"], [link(1, "h1", "h2")])
    after, done = fix_all(topology)
    (host, _) = after.hosts
    assert (host.congestion_control, host.tcp.ecn, host.tcp.saves_metrics) == ("bbr", "on", True)
    assert host.start_command == "touch /tmp/x\nsysctl -w net.ipv4.tcp_ecn=3"  # no field has this value
    assert {fix.problem.kind for fix in done} == {"tcp-command"}


@pytest.mark.parametrize("line", ["ethtool -K h1-eth0 tso on && ip link", "x=$(ethtool -K h1-eth0 gro on)"])
def test_a_line_with_other_effects_is_kept(line: str) -> None:
    topology = build([node("h1", start_command=line), "h2"], [link(1, "h1", "h2")])
    assert fix_all(topology) == (topology, [])


def test_fix_all_fixes_many_problems_together() -> None:
    topology = build(
        [node("h1", cores="both", cpu_percent=0), "h1", "r1", "h2"],
        [link(1, "h1", "r1", a_to_b={"queue_packets": 9}), link(2, "r1", "h2", b={"mac": "01:00:00:00:00:01"}),
         link(2, "r1", "h9")],
        flows=[flow(duration_s=1.5)],
    )  # fmt: skip
    after, done = fix_all(topology)
    assert [problem for problem in check(after) if problem.severity is Severity.ERROR] == []
    assert len(done) >= 6
    assert after.flows[0].duration_s == 2
