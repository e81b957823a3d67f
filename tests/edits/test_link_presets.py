"""Presets of real links: each is valid, and the user is at the host's end."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check
from frrlib.edits.link_presets import LINK_PRESETS, LinkPreset, with_preset
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Severity
from frrlib.model.topology import Topology


def two_nodes(first: str, second: str) -> Topology:
    kinds = {"h": Host, "r": Router}
    nodes = tuple(kinds[name[0]](name=name) for name in (first, second))
    return Topology(nodes=nodes, links=(Link(id="l1", a=End(node=first), b=End(node=second)),))


def by_name(name: str) -> LinkPreset:
    return next(preset for preset in LINK_PRESETS if preset.name == name)


@pytest.mark.parametrize("preset", LINK_PRESETS, ids=lambda preset: preset.name)
def test_presets_are_valid_and_have_sources(preset: LinkPreset) -> None:
    topology = two_nodes("r1", "r2")
    link = with_preset(topology, topology.links[0], preset)
    problems = check(topology.model_copy(update={"links": (link,)}))
    of_shapes = [problem for problem in problems if problem.field.startswith(("a_to_b", "b_to_a"))]
    assert [problem for problem in of_shapes if problem.severity is not Severity.NOTE] == []
    assert len(preset.source) > 40
    assert preset.source.endswith(".")
    assert preset.is_even == (link.a_to_b == link.b_to_a)


@pytest.mark.parametrize(
    ("first", "second", "down"),
    [("h1", "r1", "b_to_a"), ("r1", "h1", "a_to_b"), ("r1", "r2", "a_to_b"), ("h1", "h2", "a_to_b")],
)
def test_down_is_towards_the_host(first: str, second: str, down: str) -> None:
    topology = two_nodes(first, second)
    link = with_preset(topology, topology.links[0], by_name("ADSL"))
    assert getattr(link, down) == by_name("ADSL").down
    assert {link.a_to_b.rate_mbit, link.b_to_a.rate_mbit} == {8, 1}
