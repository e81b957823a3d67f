"""The interfaces of captures, chosen by their names."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.errors import TopologyError
from frrlib.network.network import Network, end
from frrlib.run.captures import capture_plans, interfaces
from frrlib.run.run import RunSettings


def _network() -> Network:
    net = Network("Captures")
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link(end("h1", interface="wan0"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("h2", interface="wan0"))
    return net


def test_an_interface_is_named_by_its_node_or_alone() -> None:
    topology = addressed(_network().topology)
    plans = capture_plans(topology, ["h1:wan0", "r1-eth1", "r1:r1-eth1"])
    assert [(plan.node, plan.interface) for plan in plans] == [("h1", "wan0"), ("r1", "r1-eth1")]
    assert interfaces(topology, "r1") == ["r1-eth0", "r1-eth1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wan0", r"'wan0' is an interface of h1, h2; use h1:wan0"),
        ("r1-eth7", r"'r1-eth7' is no interface of the topology; use NODE:INTERFACE, as in h1:wan0"),
        ("r9:eth0", r"there is no node 'r9'; use NODE:INTERFACE"),
        ("r1:eth0", r"r1.captures: has no interface 'eth0'; it has r1:r1-eth0, r1:r1-eth1"),
    ],
)
def test_unknown_interfaces_are_refused_with_a_suggestion(name: str, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        capture_plans(addressed(_network().topology), [name])


@pytest.mark.parametrize("hz", [-1, 0.5, 1001])
def test_an_impossible_sampling_rate_is_refused(hz: float) -> None:
    with pytest.raises(ValueError, match=r"sample_hz is .*; use 1 to 1000 samples a second, or 0 for none"):
        RunSettings(sample_hz=hz)
