"""Written topologies are read back equal, with any other content in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Router, Switch
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology
from tests.example_counts import examples
from tests.strategies.topologies import topologies

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=examples(120), suppress_health_check=_SLOW)
@given(topologies())
def test_every_topology_is_read_back_equal(topology: Topology) -> None:
    text = mn.dumps(topology)
    assert mn.loads(text).topology == topology
    assert mn.dumps(mn.loads(text).topology) == text


@settings(max_examples=examples(60), suppress_health_check=_SLOW)
@given(topologies(unique_names=False))
def test_only_repeated_names_are_refused(topology: Topology) -> None:
    names = [node.name for node in topology.nodes]
    if len(set(names)) == len(names):
        mn.dumps(topology)
    else:
        with pytest.raises(TopologyError, match="nodes have this name"):
            mn.dumps(topology)


def _everywhere(document: dict[str, Any], extra: dict[str, Any]) -> None:
    """Put unknown keys at every level."""
    application = document["application"]
    for level in (document, application, *(application[key] for key in ("sflow", "netflow", "openFlowVersions"))):
        level.update(extra)
    for key in ("hosts", "switches", "controllers", "links"):
        for entry in document[key]:
            entry.update(extra)
            entry["opts"].update(extra)


def _contains(container: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(container, dict) and all(
            key in container and _contains(container[key], part[key]) for key in part
        )
    if isinstance(part, list):
        return isinstance(container, list) and len(container) == len(part) and all(map(_contains, container, part))
    return bool(container == part)


PLAIN = Topology(
    nodes=(Host(name="h1", number=1), Switch(name="s1", number=1, controllers=("c0",)), Controller(name="c0")),
    links=(Link(id="l1", a=End(node="h1"), b=End(node="s1")),),
)


@given(st.dictionaries(st.text(min_size=1).map("x-{}".format), st.integers() | st.lists(st.text()), max_size=3))
def test_unknown_keys_are_kept_at_every_level(extra: dict[str, Any]) -> None:
    document = json.loads(mn.dumps(PLAIN))
    del document["miniedit_frr"]
    _everywhere(document, extra)
    loaded = mn.loads(json.dumps(document))
    assert _contains(json.loads(mn.dumps(loaded.topology)), document)
    assert any(problem.kind == "unknown-keys" for problem in loaded.warnings) == bool(extra)


def test_miniedits_values_are_only_under_miniedits_keys() -> None:
    shape = Shape(rate_mbit=10, delay_ms=20, loss_percent=2, jitter_ms=0.5, queue_packets=100)
    link = Link(id="l1", a=End(node="h1"), b=End(node="r1"), a_to_b=shape, b_to_a=shape)
    topology = Topology(nodes=(Host(name="h1", number=1), Router(name="r1", number=1)), links=(link,))
    document = json.loads(mn.dumps(topology))
    assert document["miniedit_frr"] == {"schema": 1}
    opts = {"bw": 10, "delay": "20ms", "jitter": "0.5ms", "loss": 2, "max_queue_size": 100}
    assert document["links"] == [{"src": "h1", "dest": "r1", "opts": opts}]
    assert document["switches"][0]["opts"] == {"hostname": "r1", "nodeNum": 1, "switchType": "legacyRouter"}


def test_values_that_miniedit_rounds_are_exact_under_our_key() -> None:
    link = Link(
        id="l1", a=End(node="h1"), b=End(node="r1"), a_to_b=Shape(rate_mbit=2.5, loss_percent=0.4), b_to_a=Shape()
    )
    topology = Topology(nodes=(Host(name="h1", number=1), Router(name="r1", number=1, ospf=Ospf())), links=(link,))
    document = json.loads(mn.dumps(topology))
    assert document["links"][0]["opts"] == {"bw": 2}
    assert document["miniedit_frr"]["links"] == [
        {"link": ["h1", "r1"], "a_to_b": {"rate_mbit": 2.5, "loss_percent": 0.4}, "b_to_a": {"rate_mbit": None}}
    ]
    assert document["miniedit_frr"]["nodes"] == {"r1": {"ospf": {}}}


def test_fields_of_deleted_nodes_are_left_out_with_a_warning() -> None:
    topology = Topology(
        nodes=(Host(name="h1", number=1), Router(name="r1", number=1, ospf=Ospf())),
        links=(Link(id="l7", a=End(node="h1"), b=End(node="r1")),),
    )
    document = json.loads(mn.dumps(topology))
    document["switches"], document["links"] = [], []
    loaded = mn.loads(json.dumps(document))
    assert loaded.topology == Topology(nodes=(Host(name="h1", number=1),))
    assert [problem.field for problem in loaded.warnings] == ["miniedit_frr.nodes.r1", "miniedit_frr.links[0]"]
