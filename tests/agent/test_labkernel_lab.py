"""Delay, loss of carrier, VLANs, bridges and BBR in a lab kernel, which has all modules for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from statistics import median

import pytest

from frrlib import wire
from frrlib.wire import plan
from frrlib.wire.plan import LinkPlan, Plan, VlanPlan
from tests.agent.harness import RunningAgent
from tests.agent.plans import TWO_AS_ROUTES, host, interface, two_as

pytestmark = pytest.mark.lab

QUEUE_BYTES = 30 * 1514
SHAPE = (
    "qdisc replace dev r1-eth1 root handle 1: tbf rate 10mbit burst 4542b limit 400000b",
    f"qdisc replace dev r1-eth1 parent 1:1 handle 10: bfifo limit {QUEUE_BYTES}b",
)
DELAY = ("qdisc replace dev {dev} root handle 1: netem limit 10000 delay 20ms",)


def _plan() -> Plan:
    """The two systems with 20 ms in each direction between them and a second link beside it; a bridge; two hosts on
    a wire."""
    base = two_as(SHAPE, DELAY, DELAY, offloads=False)
    nodes = (
        *base.nodes,
        plan.NodePlan("s1", "bridge"),
        host("h3", vlans=(VlanPlan("h3-eth0", 10, ("192.0.2.3/24",)),)),
        host("h4", vlans=(VlanPlan("h4-eth0", 10, ("192.0.2.4/24",)),)),
        host("h5"),
        host("h6", vlans=(VlanPlan("h6-eth0", 11, ("192.0.3.6/24",)),)),
        host("h7", vlans=(VlanPlan("h7-eth0", 11, ("192.0.3.7/24",)),)),
    )
    bridged = tuple(LinkPlan(f"b{n}", interface(f"h{n}", 0, f"10.9.0.{n}/24"), interface("s1", n)) for n in (3, 4, 5))
    links = (
        *base.links,
        LinkPlan("l4", interface("r1", 2, "10.0.4.1/24", mac="02:00:00:00:04:01"), interface("r2", 2, "10.0.4.2/24")),
        *bridged,
        LinkPlan("direct", interface("h6", 0, "2001:db8:6::6/64"), interface("h7", 0, "2001:db8:6::7/64"), up=False),
    )
    return Plan(nodes, links)


@pytest.fixture(scope="module")
def lab() -> Iterator[RunningAgent]:
    with RunningAgent("labkernel") as inside:
        inside.qdiscs = inside.do(wire.Build(_plan()))["qdiscs"]  # type: ignore[attr-defined]
        inside.do(wire.WaitRoutes(TWO_AS_ROUTES, 60.0))
        yield inside


def _flags(lab: RunningAgent, node: str, name: str) -> set[str]:
    return set(json.loads(lab.run(node, "ip", "-j", "link", "show", name))[0]["flags"])


def test_round_trip_is_twice_the_delay(lab: RunningAgent) -> None:
    lab.do(wire.Ping("h1", "10.2.0.2", 1))  # neighbors are resolved before the measurement
    result = lab.do(wire.Ping("h1", "10.2.0.2", 5, 0.05))
    assert result["received"] == 5 and set(result["ttl"]) == {62}
    # Within a millisecond on an idle machine.
    assert 40.0 <= median(result["rtt_ms"]) < 60.0
    theirs = lab.run("h1", "ping", "-n", "-q", "-i", "0.1", "-c", "3", "10.2.0.2")
    assert float(theirs.split(" = ")[1].split("/")[0]) == pytest.approx(min(result["rtt_ms"]), abs=20)


def test_no_delay_sits_at_a_node(lab: RunningAgent) -> None:
    for node in ("h1", "h2", "r1", "r2"):
        kinds = {entry["kind"] for entry in json.loads(lab.run(node, "tc", "-j", "qdisc", "show"))}
        assert kinds <= {"noqueue", "tbf", "bfifo"}
    assert {entry["kind"] for entry in lab.qdiscs[""]} == {"netem", "ingress"}  # type: ignore[attr-defined]
    delays = [entry["options"]["delay"]["delay"] for entry in lab.qdiscs[""] if entry["kind"] == "netem"]  # type: ignore[attr-defined]
    assert delays == [0.02, 0.02]


def test_queue_limit_counts_the_queue_alone(lab: RunningAgent) -> None:
    """The delayed link carries more than the queue holds, and still the queue fills only to its own limit."""
    flow = plan.FlowPlan("bbr", "h1", "h2", "10.2.0.2", 5201, 40001, "bbr", 0.0, 3.0)
    rival = plan.FlowPlan("cubic", "h1", "h2", "10.2.0.2", 5202, 40002, "cubic", 0.5, 2.5)
    number = lab.send(wire.RunFlows((flow, rival), (plan.QueueProbe("l2:r1-r2", "r1", "r1-eth1"),)))
    lab.event(wire.FlowEvent, lambda e: (e.flow, e.what) == ("cubic", "start"))
    output = lab.run("h1", "ss", "-tin", "sport", "=", ":40001")
    report = lab.answer(number)
    assert report["failures"] == {}
    starts = {e.flow: e.time_s for e in lab.events if isinstance(e, wire.FlowEvent) and e.what == "start"}
    assert starts["cubic"] >= 0.5

    queue = lab.rows("queue")
    fullest = max(row["backlog_bytes"] for row in queue)
    assert QUEUE_BYTES - 2 * 1514 <= fullest <= QUEUE_BYTES
    assert queue[-1]["drops"] > 0
    sent = sum(flow_report["end"]["sum_received"]["bytes"] for flow_report in report["flows"].values())
    assert queue[-1]["sent_bytes"] > sent  # each byte of payload passed the shaper, with its headers

    mine = [row for row in lab.rows("tcp") if (row["flow"], row["side"]) == ("bbr", "sender")]
    late = [row for row in mine if row["bbr_bandwidth_mbit"] and row["bbr_min_rtt_ms"]]  # after its first measurement
    assert len(late) > 100
    assert {row["congestion_control"] for row in late} == {"bbr"} and " bbr " in output
    assert all(row["min_rtt_ms"] >= 40.0 for row in late)
    assert all(row["bbr_min_rtt_ms"] >= 40.0 and row["bbr_cwnd_gain"] > 0 for row in late)
    # A stalled machine hides some of it; a wrong unit, or the rate of another link, would differ by far more.
    assert 9.56 * 0.5 <= max(row["bbr_bandwidth_mbit"] for row in late) <= 9.56 * 1.15
    assert "bbr:(bw:" in output and "mrtt:4" in output
    cubic_rows = [row for row in lab.rows("tcp") if (row["flow"], row["side"]) == ("cubic", "sender")]
    assert all(row["bbr_bandwidth_mbit"] is None for row in cubic_rows)
    due = [int(row["time_s"] * 100 + 1e-3) for row in queue[:-1]]  # the last sample is taken after the end of all flows
    assert due == sorted(set(due))
    _compare_cable_and_processor(lab)
    hystart = report["counters"]["h1"]
    theirs = dict(line.split()[:2] for line in lab.run("h1", "nstat", "-asz", "TcpExtTCPHystart*").splitlines()[1:])
    assert {f"TcpExt{name}": number for name, number in hystart.items()} == {k: int(v) for k, v in theirs.items()}
    assert report["ways_out"]["bbr"] == {"interface": "h1-eth0", "qdiscs": ["noqueue"]}


def _compare_cable_and_processor(lab: RunningAgent) -> None:
    """Packets sent by the queue arrive in the cable behind it, and processor times agree with the kernel's."""
    queue, cable = ([row for row in lab.rows(name) if row["direction"] == "l2:r1-r2"] for name in ("queue", "cable"))
    came = [row["sent_packets"] + row["backlog_packets"] + row["drops"] for row in cable]
    went = [min(queue, key=lambda sample: abs(sample["time_s"] - row["time_s"]))["sent_packets"] for row in cable]
    assert came[-1] - came[0] > 1000 and cable[-1]["drops"] == 0
    assert came[-1] - came[0] == pytest.approx(went[-1] - went[0], abs=30)  # of about 9 packets per sample
    processor = lab.rows("cpu")
    assert {row["where"] for row in processor} == {"lab kernel"} and len(processor) >= 3
    ticks = [int(word) for word in lab.run("h1", "cat", "/proc/stat").splitlines()[0].split()[1:9]]
    later = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / 100, (ticks[3] + ticks[4]) / 100
    busy_idle = [(row["busy_s"], row["idle_s"]) for row in processor]
    assert sum(busy_idle[0]) < sum(busy_idle[-1]) and busy_idle == sorted(busy_idle)
    assert busy_idle[-1][0] <= later[0] and busy_idle[-1][1] <= later[1]
    assert later[0] == pytest.approx(busy_idle[-1][0], rel=0.5)


def test_marks_of_a_shapers_child_are_sampled(lab: RunningAgent) -> None:
    for line in (
        "replace dev r2-eth1 root handle 1: tbf rate 10mbit burst 4542b limit 400000b",
        "replace dev r2-eth1 parent 1:1 handle 10: fq_codel target 1ms interval 5ms ecn",
    ):
        lab.run("r2", "tc", "qdisc", *line.split())
    for node in ("h1", "h2"):
        lab.run(node, "sysctl", "-q", "-w", "net.ipv4.tcp_ecn=1")
    flow = plan.FlowPlan("ecn", "h2", "h1", "10.1.0.2", 5203, 40003, "cubic", 0.0, 1.0)
    report = lab.do(wire.RunFlows((flow,), (plan.QueueProbe("l2:r2-r1", "r2", "r2-eth1"),)))
    assert report["failures"] == {}
    marks = [row["marks"] for row in lab.rows("queue") if row["direction"] == "l2:r2-r1"]
    qdiscs = json.loads(lab.run("r2", "tc", "-j", "-s", "qdisc", "show", "dev", "r2-eth1"))
    (child,) = (entry for entry in qdiscs if entry["kind"] == "fq_codel")
    assert marks[-1] == child["ecn_mark"] > 0
    assert marks == sorted(marks)


def test_both_ends_lose_carrier_on_a_delayed_link(lab: RunningAgent) -> None:
    lab.do(wire.SetLink("l2", False))
    for node in ("r1", "r2"):
        flags = _flags(lab, node, f"{node}-eth1")
        assert "UP" in flags and "LOWER_UP" not in flags
    lost_routes = [("r1", "10.2.0.0/16"), ("r2", "10.1.0.0/16")]
    for node, prefix in lost_routes:
        lab.event(wire.RouteEvent, lambda e, n=node, p=prefix: (e.router, e.prefix, e.added) == (n, p, False))  # type: ignore[misc]
    lab.do(wire.SetLink("l2", True))
    assert all("LOWER_UP" in _flags(lab, node, f"{node}-eth1") for node in ("r1", "r2"))
    lab.do(wire.WaitRoutes(TWO_AS_ROUTES, 60.0))
    assert lab.do(wire.Ping("h1", "2001:db8:2::2", 1))["received"] == 1


def test_parallel_link_works_beside_the_other(lab: RunningAgent) -> None:
    result = lab.do(wire.Ping("r1", "10.0.4.2", 3, 0.05))
    assert result["received"] == 3 and median(result["rtt_ms"]) < 20.0
    (entry,) = json.loads(lab.run("r1", "ip", "-j", "link", "show", "r1-eth2"))
    assert entry["address"] == "02:00:00:00:04:01"


def test_bridge_joins_three_hosts_and_carries_vlans(lab: RunningAgent) -> None:
    for host_number in (4, 5):
        result = lab.do(wire.Ping("h3", f"10.9.0.{host_number}", 1))
        assert result["ttl"] == [64]
    assert lab.do(wire.Ping("h3", "192.0.2.4", 1))["ttl"] == [64]
    (vlan,) = json.loads(lab.run("h3", "ip", "-d", "-j", "link", "show", "h3-eth0.10"))
    assert (vlan["linkinfo"]["info_kind"], vlan["linkinfo"]["info_data"]["id"]) == ("vlan", 10)
    ports = json.loads(lab.run("s1", "ip", "-j", "link", "show", "master", "s1"))
    assert {port["ifname"] for port in ports} == {"s1-eth3", "s1-eth4", "s1-eth5"}


def test_link_that_starts_down_can_come_up(lab: RunningAgent) -> None:
    assert "LOWER_UP" not in _flags(lab, "h6", "h6-eth0")
    assert lab.do(wire.Ping("h6", "2001:db8:6::7", 1, timeout_s=0.2))["received"] == 0
    lab.do(wire.SetLink("direct", True))
    assert lab.do(wire.Ping("h6", "2001:db8:6::7", 1))["ttl"] == [64]
    assert "UP" in _flags(lab, "h6", "h6-eth0.11")
    assert lab.do(wire.Ping("h6", "192.0.3.7", 1))["ttl"] == [64]


def test_stop_ends_the_lab_kernel(lab: RunningAgent) -> None:
    lab.do(wire.Stop())
    assert lab.wait_ended()
    assert (lab.folder / "logs" / "r1-bgpd.log").stat().st_size > 0
