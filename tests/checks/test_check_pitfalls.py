"""Pitfalls of congestion control are reported at their place, with numbers that match a calculation by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import Severity, check
from frrlib.checks.subjects.bottlenecks import most_simultaneous
from frrlib.checks.subjects.ecn import marks
from frrlib.edits.generators import grid
from frrlib.formats import mn
from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.problem import Problem
from frrlib.model.queues import DISCIPLINES
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import PathFinder, path
from tests.checks.problems import E, N, W, build, link, node, titles

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def dumbbell(
    forward: dict[str, Any] | None = None,
    reverse: dict[str, Any] | None = None,
    flows: list[dict[str, Any]] | None = None,
    h1: dict[str, Any] | None = None,
    h2: dict[str, Any] | None = None,
    **fields: Any,
) -> Topology:
    """h1 - r1 - r2 - h2: the shape is that of l2 in the middle. The other links have none."""
    middle = {"a_to_b": forward if forward is not None else {"rate_mbit": 10, "delay_ms": 20}, "b_to_a": reverse or {}}
    return build(
        [node("h1", **(h1 or {})), "r1", "r2", node("h2", **(h2 or {}))],
        [link(1, "h1", "r1", **fields.pop("l1", {})), link(2, "r1", "r2", **middle), link(3, "r2", "h2")],
        flows=flows if flows is not None else [flow()],
        **fields,
    )


def flow(name: str = "f", **fields: Any) -> dict[str, Any]:
    return {"id": name, "source": "h1", "destination": "h2", "duration_s": 30, **fields}


def two_hop_path(name: str, **first: Any) -> Topology:
    """h1 - NAME - r1 - h2, with the bottleneck behind NAME."""
    links = [link(1, "h1", name, a_to_b=first), link(2, name, "r1", a_to_b=TEN), link(3, "r1", "h2")]
    return build(["h1", name, "r1", "h2"], links, flows=[flow()])


#: 10 Mbit/s and 20 ms: 25 kB.
TEN = {"rate_mbit": 10, "delay_ms": 20}
CODEL = {"kind": "codel", "ecn": True}
VARIED = {"kind": "varied", "target": "l2", "time_s": 1, "duration_s": 10}


def varied(**course: Any) -> list[dict[str, Any]]:
    return [{**VARIED, "course": course}]


CASES: list[tuple[str, Severity, str, str, Topology]] = [
    ("sender-is-bottleneck", W, "l1", "a_to_b.rate_mbit", dumbbell({}, l1={"a_to_b": TEN})),
    ("sender-is-bottleneck", W, "l1", "b_to_a.rate_mbit",
     build(["h1", "h2"], [link(1, "h2=10.0.0.2/8", "h1=10.0.0.1/8", b_to_a=TEN)], flows=[flow()])),
    ("sender-is-bottleneck", W, "l2", "a_to_b.rate_mbit", two_hop_path("b1")),
    ("queue-below-bdp", N, "l2", "a_to_b.queue_packets", dumbbell({**TEN, "queue_packets": 5})),
    ("queue-below-bdp", N, "l2", "a_to_b.queue_bdp",
     dumbbell({**TEN, "queue_bdp": 1}, l1={"a_to_b": {"delay_ms": 100}})),
    ("large-queue", N, "l2", "a_to_b.queue_packets", dumbbell({"rate_mbit": 10, "delay_ms": 1})),
    ("large-queue", N, "l2", "a_to_b.queue_ms", dumbbell({**TEN, "queue_ms": 300})),
    ("isolated-flows", N, "l2", "a_to_b.queue",
     dumbbell({**TEN, "queue": {"kind": "fq_codel"}}, flows=[flow(), flow("g")])),
    ("ack-bottleneck", N, "l2", "b_to_a.rate_mbit", dumbbell(reverse={"rate_mbit": 0.2})),
    ("marks-unasked", N, "l2", "a_to_b.queue", dumbbell({**TEN, "queue": CODEL})),
    ("no-marks", N, "h1", "tcp.ecn", dumbbell({**TEN, "queue": {"kind": "codel"}}, h1={"tcp": {"ecn": "on"}})),
    ("marks-unasked", N, "l2", "a_to_b.queue",
     dumbbell({**TEN, "queue": CODEL}, flows=[flow(ecn=False)], h1={"tcp": {"ecn": "on"}})),
    ("marks-unasked", N, "l2", "a_to_b.queue",
     dumbbell({**TEN, "queue": CODEL}, flows=[flow(opened_by="destination")], h1={"tcp": {"ecn": "on"}})),
    ("no-marks", N, "f", "ecn", dumbbell({**TEN, "queue": {"kind": "codel"}}, flows=[flow(ecn=True)])),
    ("no-marks", N, "h2", "tcp.ecn",
     dumbbell(flows=[flow(opened_by="destination")], h2={"tcp": {"ecn": "on"}})),
    ("ecn-refused", W, "f", "ecn",
     dumbbell({**TEN, "queue": CODEL}, flows=[flow(ecn=True)], h2={"tcp": {"ecn": "off"}})),
    ("scalable-in-classic", W, "l2", "a_to_b.queue",
     dumbbell({**TEN, "queue": {"kind": "dualpi2"}}, flows=[flow(congestion_control="dctcp")])),
    ("classic-in-scalable", W, "f", "ecn",
     dumbbell({**TEN, "queue": {"kind": "dualpi2", "any_ect": True}}, h1={"tcp": {"ecn": "on"}})),
    ("dctcp-without-marks", W, "f", "congestion_control",
     dumbbell({**TEN, "queue": {"kind": "red"}}, flows=[flow(congestion_control="dctcp")])),
    ("dctcp-without-marks", W, "f", "congestion_control", dumbbell(flows=[flow(congestion_control="prague")])),
    ("no-bottleneck", N, "f", "", dumbbell({})),
    ("no-base-rtt", N, "f", "", dumbbell({"rate_mbit": 10})),
    ("short-flow", N, "f", "duration_s", dumbbell({"rate_mbit": 10, "delay_ms": 300}, flows=[flow(duration_s=5)])),
    ("short-flow", N, "f", "duration_s", dumbbell({"rate_mbit": 1000, "delay_ms": 500}, flows=[flow(duration_s=10)])),
    ("bbr-without-fq", N, "h1", "tcp.pacing", dumbbell(flows=[flow(congestion_control="bbr")])),
    ("late", W, "l2", "faults.time_s", dumbbell(faults=[{"kind": "link-down", "target": "l2", "time_s": 40}])),
    ("outlasts", W, "l2", "faults.duration_s",
     dumbbell(faults=[{"kind": "link-down", "target": "l2", "time_s": 25, "duration_s": 10}])),
    ("short-bbr", N, "f", "duration_s", dumbbell(flows=[flow(duration_s=9, congestion_control="bbr")])),
    ("module-name", E, "work/mine.c", "kernel_modules.0", dumbbell(kernel_modules=["work/mine.c"])),
    ("module-twice", E, "b/tcp_mine.c", "kernel_modules.1", dumbbell(kernel_modules=["tcp_mine.c", "b/tcp_mine.c"])),
    ("parameter-twice", E, "tcp_cubic.beta", "kernel_parameters.1",
     dumbbell(kernel_parameters=[{"name": "tcp_cubic.beta", "value": value} for value in (1, 2)])),
    ("unused-parameter", W, "tcp_bbr3.beta", "kernel_parameters.0",
     dumbbell(kernel_parameters=[{"name": "tcp_bbr3.beta", "value": 200}])),
    ("buffer-below-queue", N, "h1", "tcp.buffer_bytes",
     dumbbell({**TEN, "queue_bdp": 2}, h1={"tcp": {"buffer_bytes": 100_000}})),
    ("small-buffer", W, "h2", "tcp.buffer_bytes", dumbbell(h2={"tcp": {"buffer_bytes": 20_000}})),
    ("path-mtu", N, "l1", "mtu_bytes",
     build(["h1", "r1", "h2"],
             [link(1, "h1", "r1"), link(2, "r1", "h2", a={"mtu_bytes": 1400}, b={"mtu_bytes": 1400}, a_to_b=TEN)],
             flows=[flow()])),
    ("loss-both-ways", N, "l2", "b_to_a.loss_percent", dumbbell({**TEN, "loss_percent": 1}, {"loss_percent": 1})),
    ("slow-frame", W, "l2", "a_to_b.rate_mbit", dumbbell({"rate_mbit": 0.05, "delay_ms": 20})),
    ("slow-frame", W, "l2", "faults.course", dumbbell(faults=varied(pattern="square", low=0.01, high=1, period_s=4))),
    ("fast-course", N, "l2", "faults.course",
     dumbbell({"rate_mbit": 10, "delay_ms": 100}, faults=varied(pattern="square", low=1, high=2, period_s=0.1))),
    ("fast-course", N, "l2", "faults.course",
     dumbbell(faults=varied(pattern="trace", points=[[0, 1], [0.01, 2], [5, 3]]))),
    ("tc-command", W, "h1", "start_command",
     build([node("h1", start_command="tc qdisc add dev h1-eth0 root netem delay 20ms")])),
    ("offload-command", W, "h1", "start_command", build([node("h1", start_command="ethtool -K h1-eth0 tso on")])),
    ("tcp-command", W, "h1", "start_command",
     build([node("h1", start_command="sysctl -w net.ipv4.tcp_congestion_control=bbr")])),
    ("tcp-command", W, "r1", "start_command",
     build([node("r1", start_command="echo 0 > /proc/sys/net/ipv4/tcp_no_metrics_save")])),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


KINDS = {kind for kind, *_ in CASES} - {"small-buffer", "bbr-without-fq"}
GOOD = [
    dumbbell(),
    two_hop_path("b1", delay_ms=1),
    two_hop_path("s1"),
    two_hop_path("r2"),
    dumbbell({**TEN, "queue_bdp": 1}),
    dumbbell({**TEN, "queue_bdp": 0.1}),  # said in so many words
    dumbbell({**TEN, "queue_packets": 17}),
    dumbbell({**TEN, "queue_packets": 9}, flows=[flow(count=4)]),  # 17 by the root of four
    dumbbell({**TEN, "queue_packets": 2, "queue": {"kind": "fq_codel"}}),
    dumbbell({**TEN, "queue": {"kind": "fq_codel"}}, flows=[flow(duration_s=10), flow("g", start_s=10)]),
    dumbbell({**TEN, "queue": {"kind": "cake", "isolation": "flowblind"}}, flows=[flow(), flow("g")]),
    dumbbell({**TEN, "queue": CODEL}, h1={"tcp": {"ecn": "on"}}),
    dumbbell({**TEN, "queue": {"kind": "fq_codel"}}, h1={"tcp": {"ecn": "on"}}),
    dumbbell({**TEN, "queue": CODEL}, flows=[flow(congestion_control="dctcp")]),
    dumbbell({**TEN, "queue": CODEL}, flows=[flow(congestion_control="dctcp")], h2={"tcp": {"ecn": "off"}}),
    dumbbell({**TEN, "queue": CODEL}, flows=[flow(ecn=True)]),
    dumbbell({**TEN, "queue": {"kind": "dualpi2"}}, flows=[flow(ecn=True)]),
    dumbbell({**TEN, "queue": {"kind": "dualpi2"}}, flows=[flow(congestion_control="prague"), flow("g")]),
    dumbbell(
        {**TEN, "queue": {"kind": "dualpi2", "any_ect": True}},
        flows=[flow(congestion_control="dctcp"), flow("g", ecn=False)],
        h1={"tcp": {"ecn": "on"}},
    ),
    dumbbell({**TEN, "queue": CODEL}, flows=[flow(ecn=True, traffic={"kind": "constant-rate", "rate_mbit": 1})]),
    dumbbell({**TEN, "queue": {"kind": "codel"}}, flows=[flow(ecn=False)], h1={"tcp": {"ecn": "on"}}),
    dumbbell(reverse={"rate_mbit": 0.22}),
    dumbbell({}, faults=varied(pattern="square", low=1, high=2, period_s=4)),
    dumbbell(faults=varied(pattern="ramp", low=1, high=2, step_s=0.01)),
    dumbbell({"rate_mbit": 10, "delay_ms": 300, "queue_bdp": 1}, flows=[flow(duration_s=6)]),
    dumbbell({**TEN, "loss_percent": 1}, {"loss_percent": 100}),
    build([node("h1", start_command="tc qdisc show\nethtool -K h1-eth0 tso off\nsysctl net.core.rmem_max")]),
]


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    assert [str(problem) for problem in check(topology) if problem.kind in KINDS] == []


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.mn")), ids=lambda path: path.stem)
def test_examples_have_only_the_pitfalls_that_they_demonstrate(file: Path) -> None:
    expected = {"two-as-no-delay": {"no-base-rtt"}}.get(file.stem, set())
    assert {problem.kind for problem in check(mn.load(file).topology)} - {"bbr-without-fq"} == expected


def _only_problem(kind: str, topology: Topology) -> Problem:
    (single,) = [problem for problem in check(topology) if problem.kind == kind]
    return single


def test_numbers_in_messages_match_a_calculation_by_hand() -> None:
    # 10 Mbit/s for an RTT of 120 ms are 150 kB; the link's own 20 ms are 25 kB.
    small = _only_problem("queue-below-bdp", dumbbell({**TEN, "queue_bdp": 1}, l1={"a_to_b": {"delay_ms": 100}}))
    assert "is 25 kB, 0.17 BDP of" in small.message and "150 kB" in small.message
    # 3000 frames of 1514 bytes at 10 Mbit/s: 3634 ms.
    large = _only_problem("large-queue", dumbbell({**TEN, "queue_packets": 3000}))
    assert "it adds 3.63e+03 ms" in large.message
    # Of 100 round trips 99 * 99 / 100 arrive.
    lossy = _only_problem("loss-both-ways", dumbbell({**TEN, "loss_percent": 1}, {"loss_percent": 1}))
    assert "1.99 % of round trips fail" in lossy.message
    # One ACK of 66 bytes for two frames of 1514: 10 Mbit/s need 0.218 Mbit/s.
    assert _only_problem("ack-bottleneck", dumbbell(reverse={"rate_mbit": 0.2})).remedy == "set 0.218 Mbit/s or more"
    # 12.112 kbit in 50 kbit/s: 242 ms.
    assert "takes 242 ms" in _only_problem("slow-frame", dumbbell({"rate_mbit": 0.05, "delay_ms": 20})).message
    # 1 Gbit/s and 500 ms: 62.5 MB, 43163 packets: 10 of them doubled 13 times, 6.5 s; twice that is more than 20 RTTs.
    quick = dumbbell({"rate_mbit": 1000, "delay_ms": 500}, flows=[flow(duration_s=10)])
    assert _only_problem("short-flow", quick).remedy == "use 13 s or more"


def test_simultaneous_flows_are_counted_over_time() -> None:
    flows = dumbbell(flows=[
        flow("a", start_s=0, duration_s=10, count=2),
        flow("b", start_s=10, duration_s=10, count=3),  # begins when the first end
        flow("c", start_s=15, duration_s=None, size_bytes=10**6),
    ]).flows  # fmt: skip
    assert most_simultaneous(flows) == 4
    assert most_simultaneous(flows[:2]) == 3


def test_disciplines_that_mark_by_default() -> None:
    """As in `tc`: fq_codel, cake and DualPI2 mark by default, the others only with `ecn`."""
    assert {kind for kind, discipline in DISCIPLINES.items() if marks(discipline())} == {"fq_codel", "cake", "dualpi2"}
    with_switch = {kind for kind, discipline in DISCIPLINES.items() if "ecn" in discipline.model_fields}
    assert with_switch == {"codel", "fq_codel", "pie", "fq_pie", "red", "choke"}
    assert all(marks(DISCIPLINES[kind](ecn=True)) for kind in with_switch)


def test_path_finder_returns_the_same_paths_as_single_searches() -> None:
    topology = addressed(grid(4, 4, hosts=1))
    hosts = [host.name for host in topology.hosts]
    roads = PathFinder(topology)
    for source in hosts[::5]:
        for destination in hosts:
            assert roads.path(source, destination) == path(topology, source, destination)
    # Links on a shortest path in a grid: the steps between both routers, and one at each end.
    spot = {router.name: (round(router.x), round(router.y)) for router in topology.routers}
    at = {name: next(link.other(name).node for link, _ in topology.ends_at(name)) for name in hosts}
    pitch = min(x for x, _ in spot.values() if x != min(x for x, _ in spot.values())) - min(x for x, _ in spot.values())
    for destination in hosts[1:]:
        (x0, y0), (x1, y1) = spot[at[hosts[0]]], spot[at[destination]]
        hops = roads.path(hosts[0], destination)
        assert hops is not None and len(hops) == (abs(x1 - x0) + abs(y1 - y0)) / pitch + 2


def test_frame_sizes_match_those_of_tc() -> None:
    assert FULL_FRAME_BYTES == 1500 + 14


def test_a_command_in_a_miniedit_file_is_reported(tmp_path: Path) -> None:
    lines = "tc qdisc replace dev h1-eth0 root handle 1: tbf rate 10mbit burst 15k latency 50ms"
    text = mn.dumps(build([node("h1", start_command=lines)]))
    assert re.search(r'"startCommand": "tc qdisc', text)
    assert E not in {problem.severity for problem in check(mn.loads(text.encode(), "x.mn").topology)}
    assert _only_problem("tc-command", mn.loads(text.encode(), "x.mn").topology).node == "h1"
