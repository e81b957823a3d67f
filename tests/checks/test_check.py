"""Every kind of problem is found at its place, with its severity, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from frrlib.checks.check import SUBJECTS, Severity, check, refuse_errors
from frrlib.checks.facts import facts_of
from frrlib.errors import TopologyError
from frrlib.model.impairments import FourStates, Impairments
from frrlib.model.queues import Cake, Choke, FqCodel, Red, Sfq
from frrlib.model.topology import Topology
from tests.checks import test_check_bgp, test_check_paths, test_check_pitfalls, test_check_routing, test_check_traffic
from tests.checks.problems import GOOD1, GOOD2, E, N, W, bgp, build, complaints, link, node, peer, titles
from tests.example_counts import examples
from tests.strategies.topologies import topologies


def shaped(**shape: Any) -> Topology:
    return build(["h1", "h2"], [link(1, "h1", "h2", a_to_b=shape, b_to_a={"delay_ms": 10})])


def flow(source: str, destination: str, name: str = "f", **fields: Any) -> dict[str, Any]:
    return {"id": name, "source": source, "destination": destination, **fields}


def ospf(r1: dict[str, Any], r2: dict[str, Any], **fields: Any) -> Topology:
    return build([node("r1", ospf=r1), node("r2", ospf=r2)], [link(1, "r1", "r2", **fields)])


PAIR = ["h1", "h2"]
RING = [link(1, "s1", "s2"), link(2, "s2", "s3"), link(3, "s3", "s1")]

#: kind, severity, node and field of a problem, and a topology that has it.
CASES: list[tuple[str, Severity, str, str, Topology]] = [
    ("duplicate-name", E, "h1", "name", build(["h1", "h1"])),
    ("duplicate-link", E, "l1", "id", build(PAIR, [link(1, "h1", "h2"), link(1, "h1", "h2")])),
    ("duplicate-flow", E, "f.1", "id",
     build(PAIR, [link(1, "h1", "h2")], flows=[flow("h1", "h2", count=2), flow("h1", "h2", "f.1")])),
    ("illegal-name", E, "h 1", "name", build(["h 1"])),
    ("illegal-name", E, "lo", "name", build([{"kind": "host", "name": "lo"}])),
    ("illegal-name", E, "s_with_a_long_name", "name", build(["s_with_a_long_name"])),
    ("illegal-interface", E, "h1", "interface", build(PAIR, [link(1, "h1", "h2", a={"interface": "x" * 16})])),
    ("duplicate-interface", E, "h1", "interface",
     build(PAIR, [link(n, "h1", "h2", a={"interface": "eth0"}) for n in (1, 2)])),
    ("duplicate-interface", E, "s1", "interface", build(["s1", "h1"], [link(1, "s1", "h1", a={"interface": "s1"})])),
    ("loose-link", E, "l1", "b.node", build(["h1"], [link(1, "h1", "h9")])),
    ("link-to-itself", E, "l1", "", build(["r1"], [link(1, "r1", "r1")])),
    ("controller-link", E, "l1", "", build(["h1", "c0"], [link(1, "h1", "c0")])),
    ("controller-link", E, "l1", "", build(["s1", "c0"], [link(1, "c0", "s1")])),
    ("no-controller", E, "s1", "controllers", build([node("s1", controllers=["c0"])])),
    ("no-controller", E, "s1", "controllers", build([node("s1", controllers=["h1"]), "h1"])),
    ("no-controller", N, "s1", "controllers", build(["s1"])),
    ("switch-type", N, "s1", "switch_type", build([node("s1", switch_type="ivs")])),
    ("switch-type", N, "s1", "switch_type", build(["s1"], preferences={"switch_type": "user"})),
    ("illegal-port", E, "s1", "dpctl_port", build([node("s1", dpctl_port="66340")])),
    ("illegal-port", E, "", "preferences.dpctl", build(["s1", "s2"], preferences={"dpctl": "65535"})),
    ("duplicate-port", W, "s2", "dpctl_port", build([node(name, dpctl_port="6634") for name in ("s1", "s2")])),
    ("duplicate-port", W, "s1", "dpctl_port", build([node("c0"), node("s1", dpctl_port="6633")])),
    ("shared-port", N, "c1", "port", build(["c0", "c1"])),
    ("duplicate-interface", E, "s2", "interface",
     build(["s1", "s2", "h1"], [link(n, f"s{n}", "h1", a={"interface": "trunk"}) for n in (1, 2)])),
    ("illegal-address", E, "s1", "management_address", build([node("s1", management_address="10.0.0")])),
    ("duplicate-address", W, "s1", "management_address",
     build([node("s1", management_address="10.0.0.1"), "h1"], [link(1, "h1=10.0.0.1/24", "s1")])),
    ("no-collector", N, "s1", "sflow", build([node("s1", sflow=True)])),
    ("illegal-target", E, "", "preferences.netflow.target", build([], preferences={"netflow": {"target": "here"}})),
    ("illegal-number", E, "", "preferences.sflow.sampling", build([], preferences={"sflow": {"sampling": "all"}})),
    ("no-openflow-version", N, "", "preferences.openflow", build(["s1"], preferences={"openflow": {"of10": False}})),
    ("illegal-address", E, "c0", "address", build([node("c0", controller_type="remote", address="onos")])),
    ("unreachable-controller", W, "c0", "address",
     build([node("c0", controller_type="remote", address="172.17.0.7")])),
    ("unreachable-controller", W, "s1", "management_address",
     build([node("c0", controller_type="inband", address="10.0.0.1"), node("s1", controllers=["c0"]), "h1"],
             [link(1, "h1=10.0.0.1/24", "s1")])),
    ("ssl", N, "c0", "protocol", build([node("c0", controller_type="remote", protocol="ssl")])),
    ("illegal-dpid", E, "s1", "dpid", build([node("s1", dpid="00:00")])),
    ("duplicate-dpid", E, "s2", "dpid", build(["s1", node("s2", dpid="01")])),
    ("duplicate-dpid", W, "s1a1", "dpid", build(["s1", "s1a1"])),
    ("illegal-dpid", E, "s1", "dpid", build([node("s1", dpid="xyz")])),
    ("no-dpid", W, "s", "dpid", build(["s"])),
    ("no-dpid", W, "s0", "dpid", build(["s0"])),  # Open vSwitch refuses 0
    ("unconnected", N, "h1", "", build(["h1"])),
    ("switching-loop", W, "l3", "", build(["s1", "s2", "s3"], RING)),
    ("switching-loop", W, "l2", "", build(["s1", "b2"], [link(1, "s1", "b2"), link(2, "b2", "s1")])),
    ("queue-without-rate", E, "l1", "a_to_b.queue_packets", shaped(queue_packets=10)),
    ("below-resolution", E, "l1", "a_to_b.delay_ms", build(PAIR, [link(1, "h1", "h2", a_to_b={"delay_ms": 1e-4})])),
    ("below-resolution", E, "l1", "b_to_a.loss_percent",
     build(PAIR, [link(1, "h1", "h2", b_to_a={"loss_percent": 1e-8})])),
    ("bdp-without-delay", E, "l1", "a_to_b.queue_bdp",
     build(PAIR, [link(1, "h1", "h2", a_to_b={"rate_mbit": 1, "queue_bdp": 1})])),
    ("queue-without-rate", E, "l1", "a_to_b.queue", shaped(queue=FqCodel())),
    ("short-burst", E, "l1", "a_to_b.queue.burst_packets",
     shaped(rate_mbit=1, queue=Red(min_bytes=20_000, burst_packets=19))),
    ("mark-beyond-queue", E, "l1", "a_to_b.queue.max_bytes",
     shaped(rate_mbit=1, queue_bytes=60_000, queue=Red(max_bytes=60_001))),
    ("mark-beyond-queue", E, "l1", "a_to_b.queue.max_packets",
     shaped(rate_mbit=1, queue_packets=20, queue=Choke(max_packets=21))),
    ("mark-beyond-queue", E, "l1", "a_to_b.queue_packets",
     shaped(rate_mbit=1, queue_packets=101, queue=Sfq(depth_packets=10, flows=10))),
    ("memory-limit", N, "l1", "a_to_b.queue_packets", shaped(rate_mbit=1, queue_packets=100, queue=Cake())),
    ("own-commands", N, "l1", "a_to_b.qdiscs", shaped(qdiscs=("root fq maxrate 1000mbit",))),
    ("delay-limits-rate", W, "l1", "a_to_b.qdiscs", shaped(qdiscs=(
        "root handle 1: tbf rate 150mbit burst 30kb limit 1mb", "parent 1:1 netem delay 100ms"))),
    ("delay-limits-rate", N, "l1", "a_to_b.qdiscs", shaped(qdiscs=("root netem delay 100ms",))),
    ("own-values", E, "l1", "faults.target",
     build(PAIR, [link(1, "h1", "h2", a_to_b={"qdiscs": ("root fq",)})],
             faults=[{"kind": "link-values", "target": "l1", "values": {"rate_mbit": 1}}])),
    ("large-burst", W, "l1", "a_to_b.burst_frames", shaped(rate_mbit=1, burst_frames=4)),
    ("low-peak-rate", W, "l1", "a_to_b.peak_rate_mbit", shaped(rate_mbit=10, peak_rate_mbit=10)),
    ("two-losses", E, "l1", "a_to_b.loss_percent",
     shaped(loss_percent=1, impairments=Impairments(four_states=FourStates(p13_percent=1)))),
    ("reorder-without-delay", E, "l1", "a_to_b.impairments.reorder_percent",
     shaped(impairments=Impairments(reorder_percent=1))),
    ("no-jitter", W, "l1", "a_to_b.impairments.jitter_distribution",
     shaped(delay_ms=1, impairments=Impairments(jitter_distribution="pareto"))),
    ("no-full-frame", W, "l1", "a_to_b.queue_packets", shaped(rate_mbit=1, queue_packets=1, queue={"kind": "cake"})),
    ("no-full-frame", W, "l1", "a_to_b.queue.memory_limit_bytes", shaped(
        rate_mbit=1, queue={"kind": "fq_codel", "memory_limit_bytes": 1514})),
    ("no-full-frame", W, "l1", "a_to_b.qdiscs", shaped(qdiscs=("root tbf rate 1mbit burst 1500 limit 9kb",))),
    ("no-full-frame", W, "l1", "a_to_b.qdiscs", shaped(qdiscs=(
        "root handle 1: stab linklayer atm tbf rate 1mbit burst 1600b limit 1mb", "parent 1:1 bfifo limit 1kb"))),
    ("small-queue", E, "l1", "a_to_b.queue_bytes", shaped(rate_mbit=1, queue_bytes=1513)),
    ("small-queue", W, "l1", "a_to_b.queue_ms", shaped(rate_mbit=1, queue_ms=1)),
    ("small-queue", W, "l1", "a_to_b.queue_bdp", shaped(rate_mbit=1, queue_bdp=0.5)),
    ("much-jitter", W, "l1", "a_to_b.jitter_ms", shaped(jitter_ms=2, delay_ms=1)),
    ("reordering", N, "l1", "a_to_b.jitter_ms", shaped(jitter_ms=1, delay_ms=5)),
    ("all-lost", W, "l1", "a_to_b.loss_percent", shaped(loss_percent=100)),
    ("mtu-mismatch", W, "l1", "mtu_bytes", build(PAIR, [link(1, "h1", "h2", a={"mtu_bytes": 1400})])),
    ("speedup", N, "l1", "speedup_mbit",
     build(["h1", "s1"], [link(1, "h1", "s1", b_to_a={"rate_mbit": 10}, speedup_mbit=50)])),
    ("offloads-on", W, "l1", "a.offloads",
     build(PAIR, [link(1, "h1", "h2", a={"offloads": True}, a_to_b={"delay_ms": 1})])),
    ("small-mtu", E, "l1", "a.mtu_bytes",
     build(PAIR, [link(1, "h1=fd00::1/64", "h2", a={"mtu_bytes": 1000}, b={"mtu_bytes": 1000})])),
    ("illegal-mac", E, "l1", "a.mac", build(PAIR, [link(1, "h1", "h2", a={"mac": "01:00:00:00:00:01"})])),
    ("duplicate-mac", E, "l1", "b.mac",
     build(PAIR, [link(1, "h1", "h2", a={"mac": "02:00:00:00:00:0A"}, b={"mac": "02:00:00:00:00:0a"})])),
    ("no-address", E, "h3", "addresses",
     build(["h1", "h2", "h3", "s1"], [link(1, "h1=10.0.0.1/30", "s1"), link(2, "h2", "s1"), link(3, "h3", "s1")])),
    ("unusable-address", E, "h1", "addresses", build(PAIR, [link(1, "h1=10.0.0.0/24", "h2")])),
    ("unusable-address", E, "h1", "addresses", build(PAIR, [link(1, "h1=10.0.0.255/24", "h2")])),
    ("unusable-address", E, "h1", "addresses", build(PAIR, [link(1, "h1=224.0.0.1/24", "h2")])),
    ("unusable-address", E, "r1", "loopbacks", build([node("r1", loopbacks=["0.0.0.0/32"])])),
    ("lonely-address", W, "h1", "addresses", build(PAIR, [link(1, "h1=10.0.0.1/32", "h2")])),
    ("duplicate-address", E, "h2", "addresses", build(PAIR, [link(1, "h1=10.0.0.1/24", "h2=10.0.0.1/24")])),
    ("duplicate-address", E, "h1", "addresses", build(PAIR, [link(1, "h1=10.0.0.1/24=10.0.0.1/24", "h2")])),
    ("duplicate-address", E, "h1", "addresses", build(PAIR, [link(1, "h1=fd00::1/64=fd00::1/65", "h2")])),
    ("duplicate-address", E, "r1", "loopbacks", build([node("r1", loopbacks=["1.1.1.1/32", "1.1.1.1/32"])])),
    ("duplicate-address", W, "h3", "addresses",
     build([*PAIR, "h3", "h4"], [link(1, "h1=10.0.0.1/24", "h2"), link(2, "h3=10.0.0.1/24", "h4")])),
    ("duplicate-address", W, "r2", "loopbacks",
     build([node("r1", loopbacks=["1.1.1.1/32"]), node("r2", loopbacks=["1.1.1.1/32"])])),
    ("different-networks", W, "h1", "addresses", build(PAIR, [link(1, "h1=10.0.0.1/24", "h2=10.0.1.1/24")])),
    ("overlapping-networks", W, "", "addresses",
     build([*PAIR, "r1"], [link(1, "h1=10.0.0.1/8", "r1"), link(2, "h2=10.0.2.1/24", "r1")])),
    ("overlapping-interfaces", W, "r1", "addresses",
     build([*PAIR, "r1"], [link(1, "h1=10.0.0.1/8", "r1=10.0.0.2/8"), link(2, "h2=10.0.2.1/24", "r1=10.0.2.2/24")])),
    ("overlapping-interfaces", W, "r1", "addresses", build(["s1", "r1"], [link(1, "s1", "r1"), link(2, "s1", "r1")])),
    ("no-default-route", N, "h1", "default_route", build(PAIR, [link(1, "h1", "h2"), link(2, "h1", "h2")])),
    ("own-gateway", E, "h1", "default_route",
     build([node("h1", default_route="10.0.0.1"), "h2"], [link(1, "h1=10.0.0.1/24", "h2")])),
    ("far-gateway", E, "h1", "default_route",
     build([node("h1", default_route="10.0.1.1"), "h2"], [link(1, "h1=10.0.0.1/24", "h2")])),
    ("far-gateway", E, "h1", "default_route", build([node("h1", default_route="10.0.1.1")])),
    ("unusable-address", E, "h1", "default_route",
     build([node("h1", default_route="10.0.0.255"), "h2"], [link(1, "h1=10.0.0.1/24", "h2")])),
    ("no-gateway", W, "h1", "default_route",
     build([node("h1", default_route="10.0.0.9"), "h2"], [link(1, "h1=10.0.0.1/24", "h2")])),
    ("loose-vlan", E, "h1", "vlan_interfaces",
     build([node("h1", vlan_interfaces=[{"address": "10.0.0.1/24", "vlan_id": 5}])])),
    ("duplicate-vlan", E, "h1", "vlan_interfaces",
     build([node("h1", vlan_interfaces=[{"address": f"10.0.{n}.1/24", "vlan_id": 5} for n in (1, 2)]), "h2"],
             [link(1, "h1", "h2")])),
    ("illegal-interface", E, "h1", "vlan_interfaces",
     build([node("h1", vlan_interfaces=[{"address": "10.9.0.1/24", "vlan_id": 100}]), "h2"],
             [link(1, "h1", "h2", a={"interface": "twelve_chars"})])),
    ("duplicate-address", W, "h1", "vlan_interfaces",
     build([node("h1", vlan_interfaces=[{"address": "10.9.0.1/24", "vlan_id": 100}]), "h2"],
             [link(1, "h1=10.9.0.1/24", "h2")])),
    ("illegal-ip-base", W, "", "preferences.ip_base", build([], preferences={"ip_base": "ten"})),
    ("mixed-route", E, "r1", "static_routes",
     build([node("r1", static_routes=[{"prefix": "::/0", "via": "10.0.0.1"}])])),
    ("own-gateway", E, "r1", "static_routes",
     build([node("r1", static_routes=[{"prefix": "10.1.0.0/16", "via": "10.0.0.1"}]), "h1"],
             [link(1, "r1=10.0.0.1/24", "h1")])),
    ("far-gateway", E, "r1", "static_routes",
     build([node("r1", static_routes=[{"prefix": "10.1.0.0/16", "via": "10.5.0.1"}]), "h1"],
             [link(1, "r1=10.0.0.1/24", "h1")])),
    ("no-gateway", W, "r1", "static_routes",
     build([node("r1", static_routes=[{"prefix": "10.1.0.0/16", "via": "10.0.0.77"}]), "h1"],
             [link(1, "r1=10.0.0.1/24", "h1")])),
    ("no-routes", W, "r1", "", build(["r1", "r2"], [link(1, "r1", "r2")])),
    ("ospf-timers", E, "r1", "ospf.dead_s", ospf({"hello_s": 4, "dead_s": 4}, {"hello_s": 4, "dead_s": 4})),
    ("illegal-area", E, "r1", "ospf.area", ospf({"area": "backbone"}, {})),
    ("no-interface", E, "r1", "ospf.interfaces", ospf({"interfaces": [{"interface": "r1-eth7", "passive": True}]}, {})),
    ("no-interface", E, "r1", "ospf.interfaces", ospf({"interfaces": [{"interface": "r1-eth7", "area": "1"}]}, {})),
    ("ospf-alone", W, "r1", "ospf", build([node("r1", ospf={})])),
    ("ospf-mismatch", E, "r2", "ospf.hello_s", ospf({"hello_s": 5}, {})),
    ("ospf-mismatch", E, "r2", "ospf.dead_s", ospf({"dead_s": 41}, {})),
    ("ospf-mismatch", E, "r2", "ospf.area", ospf({"area": "1"}, {})),
    ("ospf-mismatch", E, "r2", "ospf.point_to_point", ospf({"point_to_point": False}, {})),
    ("ospf-mismatch", E, "r2", "mtu_bytes", ospf({}, {}, a={"mtu_bytes": 1400})),
    ("no-router-id", E, "r1", "ospf.router_id",
     build([node("r1", ospf={}, loopbacks=["fd00::1/128"]), "h1"], [link(1, "r1=fd00:1::1/64", "h1")])),
    ("duplicate-router-id", E, "r2", "ospf.router_id", ospf({"router_id": "1.1.1.1"}, {"router_id": "1.1.1.1"})),
    ("unused-cost", N, "r1", "ospf_cost", build(["r1", "h1"], [link(1, "r1", "h1", a={"ospf_cost": 5})])),
    ("no-neighbor", E, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.9.0.77", 2)}, GOOD2)),
    ("no-neighbor", E, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.1.0.9", 2)}, GOOD2)),
    ("no-neighbor", E, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.9.0.1", 2)}, GOOD2)),
    ("no-neighbor", W, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": []}, GOOD2)),
    ("duplicate-neighbor", E, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.9.0.2", 2) * 2}, GOOD2)),
    ("wrong-as", W, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.9.0.2", 3)}, GOOD2)),
    ("one-sided", E, "r1", "bgp.neighbors", bgp(GOOD1, {**GOOD2, "neighbors": []})),
    ("one-sided", E, "r1", "bgp.neighbors", bgp(GOOD1, None)),
    ("distant-neighbor", E, "r1", "bgp.neighbors", bgp({**GOOD1, "neighbors": peer("10.2.0.1", 2)}, GOOD2)),
    ("distant-neighbor", W, "r1", "bgp.neighbors",
     bgp({**GOOD1, "asn": 2, "neighbors": peer("10.2.0.1", 2)}, {**GOOD2, "neighbors": peer("10.9.0.1", 2)})),
    ("unknown-network", E, "r1", "bgp.networks", bgp({**GOOD1, "networks": ["10.1.0.0/16"]}, GOOD2)),
    ("unknown-network", W, "r1", "bgp.networks", bgp({**GOOD1, "networks": ["10.1.0.0/16"]}, GOOD2, ospf={})),
    ("no-policy", W, "r1", "bgp.requires_policy", bgp({**GOOD1, "requires_policy": True}, GOOD2)),
    ("illegal-description", E, "r1", "bgp.neighbors",
     bgp({**GOOD1, "neighbors": [{"address": "10.9.0.2", "remote_as": 2, "description": "a\nno router bgp"}]}, GOOD2)),
    ("flow-to-itself", E, "f", "destination", build(PAIR, [link(1, "h1", "h2")], flows=[flow("h1", "h1")])),
    ("no-node", E, "f", "source", build(PAIR, [link(1, "h1", "h2")], flows=[flow("h9", "h1")])),
    ("no-end-system", E, "f", "destination", build(["h1", "s1"], [link(1, "h1", "s1")], flows=[flow("h1", "s1")])),
    ("no-address", E, "f", "destination", build(["h1", "h2", "s1"], [link(1, "h1", "s1")], flows=[flow("h1", "h2")])),
    ("fraction", E, "f", "duration_s",
     build(PAIR, [link(1, "h1", "h2")], flows=[{**flow("h1", "h2"), "duration_s": 1.5}])),
    ("no-path", E, "f", "",
     build([*PAIR, "h3"], [link(1, "h1", "h3"), link(2, "h3", "h2")], flows=[flow("h1", "h2")])),
    ("path-down", W, "f", "", build(PAIR, [link(1, "h1", "h2", up=False)], flows=[flow("h1", "h2")])),
    ("no-default-route", W, "f", "",
     build([*PAIR, "h3", "h4", "s1"], [link(1, "h1=10.0.0.1/24", "s1"), link(2, "h2=10.0.1.1/24", "s1"),
                                         link(3, "h3=10.0.0.3/24", "s1"), link(4, "h4=10.0.1.4/24", "s1")],
             flows=[flow("h1", "h2")])),
    ("many-flows", E, "", "flows",
     build(PAIR, [link(1, "h1", "h2")], flows=[flow("h1", "h2", f"f{n}", count=1000) for n in range(26)])),
    ("command", N, "h1", "start_command", build([node("h1", start_command="touch /tmp/x")])),
    ("external-interface", N, "h1", "external_interfaces", build([node("h1", external_interfaces=["eth1"])])),
    ("illegal-interface", E, "h1", "external_interfaces", build([node("h1", external_interfaces=["my eth"])])),
    ("duplicate-interface", E, "h2", "external_interfaces",
     build([node(name, external_interfaces=["eth1"]) for name in PAIR])),
    ("duplicate-interface", E, "h1", "external_interfaces",
     build([node("h1", external_interfaces=["h1-eth0"]), "h2"], [link(1, "h1", "h2")])),
    ("cpu-not-limited", N, "h1", "scheduler", build([node("h1", cpu_percent=10)])),
    ("rt-as-cfs", N, "h1", "scheduler", build([node("h1", cpu_percent=10, scheduler="rt")])),
    ("illegal-cores", E, "h1", "cores", build([node("h1", cores="3-1")])),
    ("illegal-congestion-control", E, "h1", "congestion_control", build([node("h1", congestion_control="B B R")])),
    ("illegal-congestion-control", E, "l1", "a.congestion_control",
     build(PAIR, [link(1, "h1", "h2", a={"congestion_control": "B B R"})])),
    ("congestion-control-place", E, "l1", "b.congestion_control",
     build(["h1", "r1"], [link(1, "h1", "r1", b={"congestion_control": "bbr"})])),
    ("bbr-without-fq", N, "h1", "tcp.pacing", build([node("h1", congestion_control="bbr")])),
    ("pacing-at-queues", N, "h1", "tcp.pacing",
     build([node("h1", tcp={"pacing": True}), "h2"], [link(1, "h1", "h2", a_to_b={"rate_mbit": 1})])),
    ("bdp-without-delay", E, "h1", "tcp.buffer_bdp", build([node("h1", tcp={"buffer_bdp": 1})])),
    ("small-buffer", W, "h1", "tcp.buffer_bytes",
     build([node("h1", tcp={"buffer_bytes": 9000}), "h2"],
             [link(1, "h1", "h2", a_to_b={"rate_mbit": 10, "delay_ms": 10})],
             flows=[{"id": "f", "source": "h1", "destination": "h2"}])),
    ("saved-metrics", N, "h1", "tcp.saves_metrics",
     build([node("h1", tcp={"saves_metrics": True}), "h2"], [link(1, "h1", "h2")],
             flows=[{"id": "f", "source": "h1", "destination": "h2"}])),
    *(("illegal-directory", E, "h1", "private_directories", build([node("h1", private_directories=[directory])]))
      for directory in ({"path": "/"}, {"path": "/proc/1"}, {"path": "/a/../etc"}, {"path": "/a", "persistent": "../x"},
                   {"path": "/a", "persistent": "/"})),
    ("kept-directory", N, "h1", "private_directories",
     build([node("h1", private_directories=[{"path": "/a", "persistent": "/tmp/%(name)s"}])])),
    ("no-cpu", W, "h1", "cpu_percent", build([node("h1", cpu_percent=0)])),
    ("illegal-cores", E, "h1", "cores", build([node("h1", cores="both")])),
    ("illegal-directory", E, "h1", "private_directories", build([node("h1", private_directories=[{"path": "var"}])])),
    ("illegal-directory", E, "h1", "private_directories",
     build([node("h1", private_directories=[{"path": "/a"}, {"path": "/a"}])])),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


GOOD = [
    build(PAIR, [link(1, "h1", "h2"), link(2, "h1=192.168.7.1/24", "h2=192.168.7.2/24")]),
    build(["s1", "s2", node("b3", stp=True)], [link(1, "s1", "s2"), link(2, "s2", "b3"), link(3, "b3", "s1")]),
    build(["s1", "s2", "s3"], [*RING[:2], {**RING[2], "up": False}]),
    shaped(rate_mbit=10, delay_ms=10, queue_bdp=1),
    shaped(rate_mbit=10, queue_ms=100),
    build(PAIR, [link(1, "h1=10.0.0.1/24", "h2=10.0.0.2/8")]),
    build(PAIR, [link(1, "h1=10.0.0.0/31", "h2=10.0.0.1/31")]),
    ospf({}, {}),
    ospf({"area": "1"}, {"area": "0.0.0.1"}),
    ospf(
        {"interfaces": [{"interface": "r1-eth0", "passive": True}]},
        {"hello_s": 1, "dead_s": 4, "interfaces": [{"interface": "r2-eth0", "passive": True}]},
    ),
    bgp(GOOD1, GOOD2),
    bgp({**GOOD1, "neighbors": peer("10.2.0.1", 2)}, GOOD2,
        frr_conf="ip route 10.2.0.0/24 10.9.0.2\nrouter bgp 1\n neighbor 10.2.0.1 ebgp-multihop 2"),
    build(["h1", "r1", "h2"], [link(1, "h1", "r1"), link(2, "r1", "h2")],
            flows=[flow("h1", "h2"), flow("r1", "h2", "g")]),
    build([node("h1", cores="0-1, 3", cpu_percent=50), "h2"], [link(1, "h1", "h2")]),
]  # fmt: skip


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    assert complaints(topology) == []


_LINK_DOWN = {"kind": "link-down", "time_s": 1, "target": "l9"}
#: Problems of faults, each with a topology that has it. `tests/model/test_faults.py` has more of them.
FAULT_CASES = [
    ("no-target", build(PAIR, faults=[_LINK_DOWN])),
    ("no-flows", build(PAIR, faults=[_LINK_DOWN])),
]
_OTHERS = (test_check_bgp, test_check_paths, test_check_routing, test_check_pitfalls, test_check_traffic)


def all_cases() -> list[tuple[str, Topology]]:
    """The topologies of all tests of rules, each with the kind of its problem."""
    rows = (row for cases in (CASES, *(module.CASES for module in _OTHERS)) for row in cases)
    return [*((kind, topology) for kind, *_, topology in rows), *FAULT_CASES]


def test_every_kind_of_the_rules_has_a_case() -> None:
    """Exceptions are the kinds that are found only when a topology is rendered, see `frrlib/lab/checks.py`."""
    kinds = [kind.name for subject in SUBJECTS for kind in subject.kinds]
    assert len(kinds) == len(set(kinds)) > 150
    assert set(kinds) == {kind for kind, _ in all_cases()} | {"refused-line", "no-fault"}


def test_every_rule_yields_the_kinds_of_its_decorator_and_no_others() -> None:
    declared = {rule: {kind.name for kind in kinds} for subject in SUBJECTS for rule, kinds in subject.rules.items()}
    yielded = {rule: set[str]() for rule in declared}
    topologies_of_cases = [topology for _, topology in all_cases()]
    for topology in topologies_of_cases:
        facts = facts_of(topology)
        for rule, kinds in yielded.items():
            kinds.update(problem.kind for problem in rule(facts))
    assert yielded == declared


def test_a_number_between_any_white_space_is_read() -> None:
    topology = Topology()
    sflow = topology.preferences.sflow.model_copy(update={"header": "128\x1c"})
    preferences = topology.preferences.model_copy(update={"sflow": sflow})
    assert check(topology.model_copy(update={"preferences": preferences})) == []


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(topologies(unique_names=False))
def test_check_never_raises_and_lists_errors_first(topology: Topology) -> None:
    problems = check(topology)
    order = [list(Severity).index(problem.severity) for problem in problems]
    assert order == sorted(order)
    assert len(set(problems)) == len(problems)
    assert all(problem.message and "\n" not in problem.kind for problem in problems)


def test_all_problems_are_reported_at_once() -> None:
    topology = build(["h1", "h1", "h 2"], [link(1, "h1", "h9"), link(1, "h1", "h1")])
    kinds = {problem.kind for problem in check(topology)}
    assert {"duplicate-name", "illegal-name", "loose-link", "duplicate-link", "link-to-itself"} <= kinds


def test_errors_are_refused_but_not_warnings() -> None:
    refuse_errors(build(["s1", "s2", "s3"], RING))
    with pytest.raises(TopologyError, match=r"h1.name: 2 nodes have this name \(2 more errors\); give each"):
        refuse_errors(build(["h1", "h1", "h 2", "h 3"]))
