"""TCP settings of a host's kernel, and the comparison with its read-back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, VlanInterface, end
from frrlib.render.hosts import host_differences
from frrlib.render.plan import flow_plans, plan, requested_qdiscs
from frrlib.wire.plan import NodePlan, Plan, RoutePlan
from frrlib.wire.replies import BuildReply, convert_reply


def _topology(**host: Any) -> Topology:
    net = Network("Tuned")
    net.host("h1", **host)
    net.router("r1")
    net.host("h2")
    net.host("h3")
    net.link(
        end("h1", "10.1.0.10/24", "2001:db8:1::10/64", "10.1.0.11/24", "10.9.0.1/32", congestion_control="bbr"),
        end("r1", "10.1.0.1/24", "2001:db8:1::1/64"),
        both=Shape(delay_ms=10),
    )
    net.link(end("h1", "10.3.0.10/24"), "h3", a_to_b=Shape(rate_mbit=5))
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), both=Shape(rate_mbit=10, delay_ms=10))
    net.flow("f", "h1", "h2", congestion_control="")
    return addressed(net.topology)


def _h1(topology: Topology) -> NodePlan:
    return next(node for node in plan(topology).nodes if node.name == "h1")


def test_routes_out_of_the_link_have_its_congestion_control() -> None:
    assert _h1(_topology()).routes == (
        RoutePlan("10.1.0.0/24", interface="h1-eth0", source="10.1.0.10", congestion_control="bbr"),
        RoutePlan("2001:db8:1::/64", interface="h1-eth0", congestion_control="bbr"),
        RoutePlan("0.0.0.0/0", "10.1.0.1", congestion_control="bbr"),
        RoutePlan("::/0", "2001:db8:1::1", congestion_control="bbr"),
    )


def test_windows_are_on_all_routes() -> None:
    routes = _h1(_topology(tcp=TcpTuning(initial_window_packets=20, initial_receive_window_packets=30))).routes
    assert len(routes) == 5
    assert {(route.initial_window_packets, route.initial_receive_window_packets) for route in routes} == {(20, 30)}
    assert [route.congestion_control for route in routes if route.prefix == "10.3.0.0/24"] == [""]


def test_a_vlan_leaves_by_the_first_link() -> None:
    vlans = (VlanInterface(address="10.5.0.1/24", vlan_id=5),)  # type: ignore[arg-type]
    routes = _h1(_topology(vlan_interfaces=vlans)).routes
    assert RoutePlan("10.5.0.0/24", interface="h1-eth0.5", source="10.5.0.1", congestion_control="bbr") in routes


def test_a_host_without_settings_gets_no_sysctls() -> None:
    h2 = next(node for node in plan(_topology()).nodes if node.name == "h2")
    assert not h2.read_back
    assert all(route.via and not route.has_metrics for route in h2.routes)
    assert h2.sysctls["net.ipv4.tcp_no_metrics_save"] == "1"
    assert "net.ipv4.tcp_ecn" not in h2.sysctls


@pytest.mark.parametrize(
    ("tuning", "key", "value"),
    [
        ({"ecn": "off"}, "tcp_ecn", "0"),
        ({"ecn": "on"}, "tcp_ecn", "1"),
        ({"ecn": "answer"}, "tcp_ecn", "2"),
        ({"sack": False}, "tcp_sack", "0"),
        ({"sack": True}, "tcp_sack", "1"),
        ({"slow_start_after_idle": False}, "tcp_slow_start_after_idle", "0"),
        ({"notsent_lowat_bytes": 16_384}, "tcp_notsent_lowat", "16384"),
        ({"saves_metrics": True}, "tcp_no_metrics_save", "0"),
        ({"buffer_bytes": 5_000_000}, "tcp_rmem", "4096 131072 5000000"),
        ({"buffer_bytes": 10_000}, "tcp_wmem", "4096 10000 10000"),
        # 10 Mbit/s and a round trip of 40 ms are 50 kB of data, which take twice the memory in the kernel
        ({"buffer_bdp": 4}, "tcp_rmem", "4096 131072 400000"),
        ({"buffer_bdp": 4}, "tcp_wmem", "4096 16384 400000"),
        ({"buffer_bdp": 0.001}, "tcp_wmem", "4096 4096 4096"),
    ],
)
def test_settings_become_sysctls(tuning: dict[str, Any], key: str, value: str) -> None:
    h1 = _h1(_topology(tcp=TcpTuning(**tuning)))
    assert h1.sysctls[f"net.ipv4.{key}"] == value
    assert h1.read_back


def test_pacing_needs_an_interface_without_a_queue() -> None:
    topology = _topology(tcp=TcpTuning(pacing=True))
    first, second, _ = plan(topology).links
    assert first.a.tc == ("qdisc replace dev h1-eth0 root handle f: fq",)
    assert first.b.tc == ()
    assert not any(" fq" in line for line in second.a.tc)  # it has a rate from h1
    assert [qdisc.kind for qdisc in requested_qdiscs(topology)["h1"]] == ["fq", "tbf", "bfifo"]


def test_a_flow_without_control_has_an_expected_one() -> None:
    (flow,) = flow_plans(_topology(congestion_control="reno"))
    assert flow.congestion_control == ""
    assert (flow.expected_control, flow.expected_by) == ("bbr", "link l1 at h1")


# --- comparing ------------------------------------------------------------------------------------------------------


def _reply(requested: Plan) -> dict[str, Any]:
    """The reply of kernels that have all requested settings."""
    return {
        "kernels": {
            node.name: {"sysctls": dict(node.sysctls), "routes": [msgspec.to_builtins(route) for route in node.routes]}
            for node in requested.nodes
            if node.read_back
        },
        "qdiscs": {}, "cables": {}, "versions": {}, "warnings": [], "failed_commands": {},
    }  # fmt: skip


def _differences(requested: Plan, reply: dict[str, Any]) -> list[str]:
    return host_differences(requested, convert_reply(BuildReply, reply))


def test_a_correct_reply_has_no_difference() -> None:
    requested = plan(_topology(tcp=TcpTuning(buffer_bytes=9000, initial_window_packets=5)))
    reply = _reply(requested)
    kernel = reply["kernels"]["h1"]
    for key, value in kernel["sysctls"].items():
        kernel["sysctls"][key] = value.replace(" ", "\t")
    for route in kernel["routes"]:  # the kernel reports the interface of every route
        route["interface"] = route.get("interface") or "h1-eth0"
    assert _differences(requested, reply) == []


def test_every_difference_is_reported() -> None:
    requested = plan(_topology(tcp=TcpTuning(sack=False)))
    reply = _reply(requested)
    kernel = reply["kernels"]["h1"]
    kernel["sysctls"]["net.ipv4.tcp_sack"] = "1"
    del kernel["sysctls"]["net.ipv4.tcp_no_metrics_save"]
    kernel["routes"][0]["congestion_control"] = "cubic"
    del kernel["routes"][3]
    assert _differences(requested, reply) == [
        "h1: net.ipv4.tcp_no_metrics_save is not there, asked was 1",
        "h1: net.ipv4.tcp_sack is 1, asked was 0",
        "h1: the route 10.1.0.0/24 dev h1-eth0 congctl bbr is 10.1.0.0/24 dev h1-eth0 congctl cubic",
        "h1: the route ::/0 via 2001:db8:1::1 congctl bbr is not there",
    ]


def test_routes_out_of_a_link_that_is_down_may_be_missing() -> None:
    topology = _topology()
    links = (topology.links[0].model_copy(update={"up": False}), *topology.links[1:])
    requested = plan(topology.model_copy(update={"links": links}))
    reply = _reply(requested)
    reply["kernels"]["h1"]["routes"] = []
    assert _differences(requested, reply) == []
