"""The needs of a topology, and the reports about switches that can only be bridges."""

from __future__ import annotations

import pytest

from frrlib.lab.needs import heavy_load, modules_for, needs_of, plain_bridges
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Node, Router, Switch
from frrlib.model.topology import Preferences, Sflow, Topology
from frrlib.place.base import Abilities
from frrlib.place.choice import Needs

C0 = Controller(name="c0")
SFLOW = Preferences(sflow=Sflow(target="10.0.0.1:6343"))


@pytest.mark.parametrize(
    ("node", "field", "expected"),
    [
        (Host(name="h1", scheduler="cfs", cpu_percent=20), "cpu_limits", True),
        (Host(name="h1", scheduler="rt", cpu_percent=20), "cpu_limits", True),
        (Host(name="h1", scheduler="host", cpu_percent=20), "cpu_limits", False),
        (Host(name="h1", cores="0, 2-3"), "cpus", 4),
        (Host(name="h1"), "cpus", 1),
        (Host(name="h1", external_interfaces=("eth1",)), "external_interfaces", ("eth1",)),
        (Switch(name="s1", external_interfaces=("eth1",)), "external_interfaces", ("eth1",)),
        (Switch(name="s1"), "open_vswitch", False),
        (Switch(name="s1", controllers=("c0",)), "open_vswitch", True),
        (Switch(name="s1", dpid="7"), "open_vswitch", True),
        (Switch(name="s1", dpctl_port="6634"), "open_vswitch", True),
        (Switch(name="s1", management_address="10.0.0.9"), "open_vswitch", True),
        (Switch(name="s1", sflow=True), "open_vswitch", True),
        (Switch(name="s1", netflow=True), "open_vswitch", False),
        (Switch(name="s1", management_address="10.0.0.9"), "device_types", {"veth", "bridge", "tun"}),
    ],
)
def test_needs_of_a_node(node: Node, field: str, expected: object) -> None:
    assert getattr(needs_of(Topology(nodes=(node, C0), preferences=SFLOW)), field) == expected


def test_a_device_type_needs_the_module_of_its_name() -> None:
    modules = modules_for(Needs(device_types=frozenset({"veth", "tun", "vlan", "bridge"})))
    assert modules == ("veth", "ipv6", "bridge", "8021q")


def test_switches_that_can_only_be_bridges_are_named() -> None:
    topology = Topology(nodes=(Switch(name="s1"), Switch(name="s2")))
    without, having = Abilities("x", True), Abilities("x", True, open_vswitch=True)
    report = plain_bridges(topology, without)
    assert "s1, s2 run as plain bridges" in report and "apt-get install openvswitch-switch" in report
    assert plain_bridges(topology, having) == plain_bridges(Topology(nodes=(C0,)), without) == ""


@pytest.mark.parametrize(
    ("rate_mbit", "starts_s", "place", "words"),
    [
        (150, (0, 0), "labkernel", "300 Mbit/s"),  # both at once
        (150, (0, 20), "labkernel", ""),  # one after the other
        (150, (0, 0), "namespace", ""),
        (150, (0, 0), "elsewhere", ""),
        (1500, (0, 5), "root", "3000 Mbit/s"),
    ],
)
def test_a_load_that_may_be_too_high_for_a_place_is_reported(
    rate_mbit: float, starts_s: tuple[float, float], place: str, words: str
) -> None:
    """Two pairs of hosts, each with a bottleneck of its own, and flows of 10 s."""
    links, flows = [], []
    for pair, start_s in enumerate(starts_s):
        a, b = f"h{2 * pair}", f"h{2 * pair + 1}"
        links += [
            Link(id=f"in{pair}", a=End(node=a), b=End(node="r")),
            Link(id=f"out{pair}", a=End(node="r"), b=End(node=b), a_to_b=Shape(rate_mbit=rate_mbit)),
        ]
        flows.append(Flow(id=f"f{pair}", source=a, destination=b, start_s=start_s))
    nodes = (*(Host(name=f"h{number}") for number in range(4)), Router(name="r"))
    report = heavy_load(Topology(nodes=nodes, links=tuple(links), flows=tuple(flows)), place)
    assert (words in report) if words else not report
