"""Mininet's named topologies, compared with Mininet's own classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from frrlib.checks.check import check
from frrlib.edits import mininet_topologies
from frrlib.errors import TopologyError
from frrlib.model.interface_names import with_names
from frrlib.model.links import Shape
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology

SPECS = [
    "minimal", "single", "single,5", "single,k=1", "reversed", "reversed,4", "linear", "linear,4", "linear,3,2",
    "linear,k=2,n=3", "linear,3,0", "tree", "tree,2,3", "tree,depth=3", "tree,fanout=4", "tree,fanout=1,depth=4",
    "torus,3,3", "torus,3,4,2", "torus,x=4,y=3",
]  # fmt: skip


def of_mininet(spec: str) -> Any:
    """Mininet's object of that name, made by the function of its command line."""
    topo = pytest.importorskip("mininet.topo")
    topolib = pytest.importorskip("mininet.topolib")
    util = pytest.importorskip("mininet.util")
    classes = {
        "minimal": topo.MinimalTopo, "linear": topo.LinearTopo, "reversed": topo.SingleSwitchReversedTopo,
        "single": topo.SingleSwitchTopo, "tree": topolib.TreeTopo, "torus": topolib.TorusTopo,
    }  # fmt: skip
    return util.buildTopo(classes, spec)


@pytest.mark.parametrize("spec", SPECS)
def test_nodes_and_links_equal_mininets(spec: str) -> None:
    theirs, ours = of_mininet(spec), mininet_topologies.topology_of(spec)
    assert [node.name for node in ours.nodes if isinstance(node, Switch)] == theirs.switches(sort=False)
    assert sorted(host.name for host in ours.hosts) == sorted(theirs.hosts())
    assert Counter(tuple(sorted((link.a.node, link.b.node))) for link in ours.links) == Counter(
        tuple(sorted(pair)) for pair in theirs.links()
    )
    dpids = {name: theirs.nodeInfo(name).get("dpid", "") for name in theirs.switches()}
    assert {node.name: node.dpid for node in ours.nodes if isinstance(node, Switch)} == dpids


@pytest.mark.parametrize("spec", ["reversed,4", "single,4"])
def test_ports_equal_mininets(spec: str) -> None:
    theirs = of_mininet(spec)
    ports = {f"s1-eth{theirs.port('s1', host)[0]}": host for host in theirs.hosts()}
    named = with_names(mininet_topologies.topology_of(spec))
    assert (
        sorted(link.b.interface for link in named.links)
        == [link.b.interface for link in named.links][:: -1 if spec.startswith("reversed") else 1]
    )
    if spec.startswith("reversed"):
        assert {link.b.interface: link.a.node for link in named.links} == ports


@pytest.mark.parametrize("spec", SPECS)
def test_every_switch_has_the_controller_and_nodes_do_not_overlap(spec: str) -> None:
    topology = mininet_topologies.topology_of(spec)
    assert [node.name for node in topology.nodes if isinstance(node, Controller)] == ["c0"]
    assert all(node.controllers == ("c0",) for node in topology.nodes if isinstance(node, Switch))
    spots = [(node.x, node.y) for node in topology.nodes]
    assert min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for i, a in enumerate(spots) for b in spots[:i]) >= 40
    assert all(x >= 0 and y >= 0 for x, y in spots)
    bare = mininet_topologies.topology_of(spec, controller=False)
    assert not [node for node in bare.nodes if isinstance(node, Controller) or getattr(node, "controllers", ())]
    assert not [problem for problem in check(bare) if problem.severity == "error" and problem.kind != "ring"]


def test_none_is_empty_and_a_shape_applies_to_every_link() -> None:
    assert mininet_topologies.topology_of("none") == Topology()
    shape = Shape(rate_mbit=10, delay_ms=5)
    assert {(link.a_to_b, link.b_to_a) for link in mininet_topologies.topology_of("linear,3", shape).links} == {
        (shape, shape)
    }
    assert isinstance(mininet_topologies.topology_of("minimal").nodes[-1], Host)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ring", "not a topology"), ("", "not a topology"), ("single,0", "at least 1"), ("single,k=-3", "at least 1"),
        ("single,2,3", "no parameter"), ("single,n=2", "no parameter"), ("tree,deep", "whole number"),
        ("tree,depth=1e3", "whole number"), ("torus", "is missing"), ("torus,2,3", "at least 3"),
        ("linear,99999,9", "too large"), ("tree,99999999,9", "too large"), ("tree,9,999999999", "too large"),
        ("none,3", "no parameter"), ("minimal,2", "no parameter"),
    ],
)  # fmt: skip
def test_an_invalid_name_is_rejected_with_a_reason(spec: str, words: str) -> None:
    with pytest.raises(TopologyError, match=words):
        mininet_topologies.topology_of(spec)


def test_the_usage_names_all_topologies() -> None:
    assert "tree,depth=1,fanout=2" in mininet_topologies.usage()
    for spec in mininet_topologies.usage().split("; "):
        assert mininet_topologies.topology_of(spec) == mininet_topologies.topology_of(spec)


@pytest.mark.parametrize("spec", ["tree,3,2", "tree,2,3", "linear,4", "torus,3,3"])
def test_control_links_do_not_cross_other_switches(spec: str) -> None:
    topology = mininet_topologies.topology_of(spec)
    positions = {node.name: complex(node.x, node.y) for node in topology.nodes}
    switches = {node.name for node in topology.nodes if isinstance(node, Switch)}
    for switch in switches:
        direction = positions[switch] - positions["c0"]
        for other_switch in switches - {switch}:
            apart = (positions[other_switch] - positions["c0"]) / direction
            assert not (0 < apart.real < 1 and abs(apart.imag) * abs(direction) < 10), (switch, other_switch)
