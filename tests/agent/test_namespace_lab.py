"""A two-router lab on the running kernel, compared with the output of ip, tc, ss, vtysh and ping."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib import wire
from frrlib.wire import plan
from tests.agent.harness import RequestRefused, RunningAgent
from tests.agent.plans import TWO_AS_ROUTES, two_as

pytestmark = pytest.mark.lab

SHAPE = (
    "qdisc replace dev r1-eth1 root handle 1: tbf rate 20mbit burst 4542b limit 400000b",
    "qdisc replace dev r1-eth1 parent 1:1 handle 10: bfifo limit 75700b",
)


@pytest.fixture(scope="module")
def lab() -> Iterator[RunningAgent]:
    """h1 - r1 - r2 - h2 with BGP, 20 Mbit/s from r1 to r2 with a queue of 50 full frames."""
    with RunningAgent() as inside:
        inside.qdiscs = inside.do(wire.Build(two_as(SHAPE, offloads=False)))["qdiscs"]  # type: ignore[attr-defined]
        inside.seconds = inside.do(wire.WaitRoutes(TWO_AS_ROUTES, 30.0))["seconds"]  # type: ignore[attr-defined]
        yield inside


def test_ready_has_version_and_kernel(lab: RunningAgent) -> None:
    assert lab.ready.version == wire.WIRE_VERSION
    assert lab.ready.facts["kernel"] == lab.run("", "uname", "-r").strip()


def test_interfaces_have_their_addresses(lab: RunningAgent) -> None:
    links = json.loads(lab.run("r1", "ip", "-j", "address", "show"))
    addresses = {
        entry["ifname"]: {f"{a['local']}/{a['prefixlen']}" for a in entry["addr_info"] if a["scope"] == "global"}
        for entry in links
    }
    assert addresses["r1-eth0"] == {"10.1.0.1/16", "2001:db8:1::1/64"}
    assert addresses["r1-eth1"] == {"10.0.0.1/24", "2001:db8::1/64"}
    flags = {entry["ifname"]: entry["flags"] for entry in links}
    assert all({"UP", "LOWER_UP"} <= set(flags[name]) for name in ("lo", "r1-eth0", "r1-eth1"))
    assert "tentative" not in lab.run("r1", "ip", "address")


def test_routes_of_plan_and_of_bgp_are_in_the_kernel(lab: RunningAgent) -> None:
    (default,) = json.loads(lab.run("h1", "ip", "-j", "route", "show", "default"))
    assert (default["gateway"], default["dev"]) == ("10.1.0.1", "h1-eth0")
    (learnt,) = json.loads(lab.run("r1", "ip", "-j", "route", "show", "10.2.0.0/16"))
    assert (learnt["gateway"], learnt["protocol"]) == ("10.0.0.2", "bgp")
    assert set(lab.seconds) == {"r1", "r2"}  # type: ignore[attr-defined]
    lab.event(wire.RouteEvent, lambda e: (e.router, e.prefix, e.added) == ("r1", "10.2.0.0/16", True))


def test_each_node_has_names_and_files_of_its_own(lab: RunningAgent) -> None:
    assert lab.run("r2", "hostname").strip() == "r2"
    assert lab.run("", "ip", "netns", "exec", "h2", "cat", "/sys/class/net/h2-eth0/mtu").strip() == "1500"
    assert "hostname r1" in lab.run("r1", "cat", "/etc/frr/frr.conf")
    # a folder of one router is not visible in the other
    lab.run("r1", "touch", "/run/frr/only-here")
    assert "only-here" not in lab.run("r2", "ls", "/run/frr")
    assert lab.do(wire.Execute("h1", ("cat", "/proc/sys/net/ipv4/tcp_no_metrics_save")))["stdout"] == "1\n"


def test_qdiscs_are_read_back(lab: RunningAgent) -> None:
    (shaped,) = (entry for entry in lab.qdiscs["r1"] if entry["kind"] == "tbf")  # type: ignore[attr-defined]
    assert shaped["options"]["rate"] == 20e6 / 8
    (queue,) = (entry for entry in lab.qdiscs["r1"] if entry["kind"] == "bfifo")  # type: ignore[attr-defined]
    assert queue["options"]["limit"] == 75700
    assert set(lab.qdiscs) == {"r1"}  # type: ignore[attr-defined]


def test_offloads_are_off_on_shaped_links(lab: RunningAgent) -> None:
    from frrlib.agent.network import offloads

    assert set(offloads.COMMANDS) == {"tso", "gso", "gro"}
    ours = (
        "import sys; sys.path.insert(0, '/run/lab/code'); from frrlib.agent.network import offloads; "
        "print(offloads.read('r1-eth1'), offloads.read('lo'))"
    )
    output = lab.run("r1", "python3", "-c", ours)
    assert output.count("False") == 3 and output.count("True") == 3  # the loopback interface keeps its offloads


def test_ping_agrees_with_the_ping_program(lab: RunningAgent) -> None:
    ours = lab.do(wire.Ping("h1", "10.2.0.2", 3, 0.05))
    assert (ours["sent"], ours["received"], ours["ttl"]) == (3, 3, [62, 62, 62])
    theirs = lab.run("h1", "ping", "-c", "1", "10.2.0.2")
    assert "ttl=62" in theirs
    assert lab.do(wire.Ping("h1", "2001:db8:2::2", 1))["ttl"] == [62]
    nobody = lab.do(wire.Ping("h1", "10.2.0.77", 1, timeout_s=0.2))
    assert (nobody["sent"], nobody["received"], nobody["rtt_ms"]) == (1, 0, [])


def test_vtysh_answers_and_its_refusals_are_failures(lab: RunningAgent) -> None:
    summary = json.loads(lab.do(wire.Vtysh("r1", ("show ip bgp summary json",)))["text"])
    assert summary["ipv4Unicast"]["peers"]["10.0.0.2"]["state"] == "Established"
    for wrong in ("show nonsense", "show"):
        with pytest.raises(RequestRefused) as caught:
            lab.do(wire.Vtysh("r1", (wrong,)))
        assert caught.value.failed.kind == "command"
    with pytest.raises(RequestRefused, match="h1 does not run FRR"):
        lab.do(wire.Vtysh("h1", ("show version",)))


def test_running_configuration_can_be_written(lab: RunningAgent) -> None:
    assert "router bgp 65002" in lab.do(wire.Vtysh("r2", ("show running-config",)))["text"]
    assert "[OK]" in lab.do(wire.Vtysh("r2", ("write",)))["text"]
    assert "router bgp 65002" in lab.run("r2", "cat", "/etc/frr/frr.conf")


def test_samples_of_a_flow_agree_with_ss_and_tc(lab: RunningAgent) -> None:
    flow = plan.FlowPlan("f1", "h1", "h2", "10.2.0.2", 5201, 40001, "cubic", 0.2, 2.0)
    number = lab.send(wire.RunFlows((flow,), (plan.QueueProbe("l2:r1-r2", "r1", "r1-eth1"),)))
    lab.event(wire.FlowEvent, lambda e: (e.flow, e.what) == ("f1", "start"))
    lab.event(wire.Samples, lambda s: s.table == "tcp" and any(row[4] > 20 for row in s.rows))
    output = lab.run("h1", "ss", "-tin", "sport", "=", ":40001")
    report = lab.answer(number)
    assert report["failures"] == {} and set(report["flows"]) == {"f1"}

    sender = [row for row in lab.rows("tcp") if row["side"] == "sender"]
    assert {row["congestion_control"] for row in sender[5:]} == {"cubic"}
    received = max(row["bytes_received"] for row in lab.rows("tcp") if row["side"] == "receiver")
    said_bytes = report["flows"]["f1"]["end"]["sum_received"]["bytes"]
    # iperf3 may stop counting before queued packets have arrived.
    assert 0.98 * said_bytes <= received <= 1.02 * said_bytes + 75_700
    _agree_with_ss(output, sender)

    queue = lab.rows("queue")
    counted = json.loads(lab.run("r1", "tc", "-j", "-s", "qdisc", "show", "dev", "r1-eth1"))
    (root,) = (entry for entry in counted if entry["kind"] == "tbf")
    assert root["bytes"] >= queue[-1]["sent_bytes"] > root["bytes"] - 50_000
    assert queue[-1]["drops"] == root["drops"] > 0
    assert 70_000 < max(row["backlog_bytes"] for row in queue) <= 75700  # the child's limit alone
    assert {row["direction"] for row in queue} == {"l2:r1-r2"}


def _agree_with_ss(output: str, sender: list[dict[str, Any]]) -> None:
    """Some sample has the values that ss printed at a moment in between."""
    mss, acked = (int(re.search(rf"\b{name}:(\d+)", output)[1]) for name in ("mss", "bytes_acked"))  # type: ignore[index]
    assert {row["mss_bytes"] for row in sender[5:]} == {mss}
    earlier = max((row for row in sender if row["bytes_acked"] <= acked), key=lambda row: row["bytes_acked"])
    later = min((row for row in sender if row["bytes_acked"] >= acked), key=lambda row: row["bytes_acked"])
    rtt_ms = float(re.search(r"\brtt:([\d.]+)/", output)[1])  # type: ignore[index]
    cwnd = int(re.search(r"\bcwnd:(\d+)", output)[1])  # type: ignore[index]
    for column, value, slack in (("srtt_ms", rtt_ms, 3.0), ("cwnd_packets", cwnd, 4.0)):
        low, high = sorted((earlier[column], later[column]))
        assert low - slack <= value <= high + slack
    min_rtt_ms = float(re.search(r"\bminrtt:([\d.]+)", output)[1])  # type: ignore[index]
    assert later["min_rtt_ms"] <= min_rtt_ms + 0.001


def test_samples_come_a_hundred_times_a_second_without_bunching(lab: RunningAgent) -> None:
    begun = len(lab.rows("queue"))
    flow = plan.FlowPlan("f2", "h2", "h1", "10.1.0.2", 5202, 40002, "reno", 0.0, 1.0)
    report = lab.do(wire.RunFlows((flow,), (plan.QueueProbe("l2:r1-r2", "r1", "r1-eth1"),)))
    # The last sample is taken after the end of the flows, whenever that is.
    *times, last_s = (row["time_s"] for row in lab.rows("queue")[begun:])
    assert last_s >= times[-1]
    due = [int(time_s * 100 + 1e-3) for time_s in times]
    assert due == sorted(set(due))  # no sample twice, none before its time
    assert all(time_s >= number / 100 - 1e-3 for time_s, number in zip(times, range(len(times)), strict=True))
    costs = report["samplers"].values()
    assert costs and all(cost["cpu_s"] > 0 and 0 < cost["busy_s"] < cost["seconds"] for cost in costs)
    # Every due time has a sample or is counted as left out.
    assert max(cost["taken"] for cost in costs) >= len(times)
    assert all(cost["taken"] + cost["left_out"] >= int(times[-1] * 100) for cost in costs)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"congestion_control": "nonsense"}, "h1: this kernel has no congestion control 'nonsense'; it has"),
        ({"address": "203.0.113.1"}, "h2: the server of flow x ended"),
        ({"source": "h9"}, "no node 'h9'"),
    ],
)
def test_wrong_flows_are_refused_before_any_starts(lab: RunningAgent, change: dict[str, Any], reason: str) -> None:
    values = {"source": "h1", "destination": "h2", "address": "10.2.0.2", "congestion_control": "reno", **change}
    wrong = plan.FlowPlan("x", port=5203, source_port=40003, duration_s=1.0, **values)
    valid = plan.FlowPlan("right", "h1", "h2", "10.2.0.2", 5204, 40004, "reno", 0.0, 1.0)
    with pytest.raises(RequestRefused) as caught:
        lab.do(wire.RunFlows((valid, wrong)))
    assert caught.value.failed.kind == "lab" and reason in caught.value.failed.reason
    assert not any(isinstance(event, wire.FlowEvent) and event.flow == "right" for event in lab.events)


def test_flow_that_cannot_connect_fails_alone(lab: RunningAgent) -> None:
    good = plan.FlowPlan("good", "h1", "h2", "10.2.0.2", 5205, 40005, "reno", 0.0, 0.0, 50_000)
    bad = plan.FlowPlan("bad", "h1", "h2", "10.2.0.2", 5206, 40006, "reno", 0.0, 0.5)
    blocker = "import socket, time; s = socket.socket(); s.bind(('10.1.0.2', 40006)); s.listen(); time.sleep(1)"
    holder = lab.send(wire.Execute("h1", ("python3", "-c", blocker)))
    while ":40006" not in lab.run("h1", "ss", "-tln"):
        pass
    report = lab.do(wire.RunFlows((good, bad)))
    assert set(report["failures"]) == {"bad"} and "bad" in report["failures"]["bad"]
    assert report["flows"]["good"]["end"]["sum_sent"]["bytes"] >= 50_000
    assert lab.event(wire.FlowEvent, lambda e: e.flow == "bad" and e.what == "failed").text
    lab.answer(holder)


def test_requests_are_served_in_parallel(lab: RunningAgent) -> None:
    slow = lab.send(wire.Execute("h1", ("sleep", "1")))
    assert lab.run("h1", "echo", "quick") == "quick\n"
    assert slow not in lab._answers
    lab.answer(slow)
    with pytest.raises(RequestRefused, match=r"did not end within 0\.1 s"):
        lab.do(wire.Execute("h2", ("sleep", "9"), 0.1))


def test_missing_route_is_named(lab: RunningAgent) -> None:
    with pytest.raises(RequestRefused, match=r"after 0\.1 s r2 has no route to 198\.51\.100\.0/24"):
        lab.do(wire.WaitRoutes({"r1": ("10.2.0.0/16",), "r2": ("198.51.100.0/24",)}, 0.1))


def test_a_link_loses_its_routes_with_its_carrier_and_regains_them(lab: RunningAgent) -> None:
    lab.do(wire.SetLink("l2", False))
    state = {node: json.loads(lab.run(node, "ip", "-j", "link", "show", f"{node}-eth1"))[0] for node in ("r1", "r2")}
    assert all("LOWER_UP" not in entry["flags"] for entry in state.values())
    for node, prefix in (("r1", "10.2.0.0/16"), ("r2", "10.1.0.0/16")):
        lab.event(wire.RouteEvent, lambda e, n=node, p=prefix: (e.router, e.prefix, e.added) == (n, p, False))  # type: ignore[misc]
    assert lab.do(wire.Ping("h1", "10.2.0.2", 1, timeout_s=0.2))["received"] == 0
    lab.do(wire.SetLink("l2", True))
    lab.do(wire.WaitRoutes(TWO_AS_ROUTES, 30.0))
    assert lab.do(wire.Ping("h1", "10.2.0.2", 1))["received"] == 1
    assert "2001:db8::1/64" in lab.run("r1", "ip", "address")  # static IPv6 addresses survive
    # a host's default route is set again when its own link comes back
    lab.do(wire.SetLink("l1", False))
    lab.do(wire.SetLink("l1", True))
    assert "10.1.0.1" in lab.run("h1", "ip", "route", "show", "default")


def test_death_of_a_daemon_is_reported_with_its_log(lab: RunningAgent) -> None:
    lab.do(wire.KillDaemon("r2", "bgpd"))
    died = lab.event(wire.DaemonExit, lambda _: True)
    assert (died.router, died.daemon, died.status) == ("r2", "bgpd", -9)
    assert "starting" in died.log
    lab.event(wire.RouteEvent, lambda e: (e.router, e.prefix, e.added) == ("r1", "10.2.0.0/16", False), 30.0)
    lab.do(wire.KillDaemon("r2", "bgpd"))  # it is already dead, as requested
    with pytest.raises(RequestRefused, match="r2: does not run bgpd"):
        lab.do(wire.KillDaemon("r2", "bgpd", 19))


def test_stop_keeps_logs_and_ends_the_lab(lab: RunningAgent) -> None:
    lab.do(wire.Stop())
    assert lab.wait_ended()
    logs = {path.name: path.read_text() for path in (lab.folder / "logs").glob("*.log")}
    assert {"r1-zebra.log", "r1-bgpd.log", "r2-zebra.log", "r2-bgpd.log"} <= set(logs)
    assert "bgpd" in logs["r1-bgpd.log"]
    assert [event for event in lab.events if isinstance(event, wire.DaemonExit)][1:] == []  # only the killed one
