"""Experiments as topologies with positions, title and note, which make the same lab as the case."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.problem import Severity
from miniedit_frr.experiments.topologies import UnknownCase, annotated_topology, find_case, lay_out_nodes
from miniedit_frr.experiments.words import values_text, without_markdown
from tests.experiments.small import SMALL, dumbbell


def test_a_topology_is_described_and_runs_like_its_case() -> None:
    case = find_case(SMALL)
    annotated = annotated_topology(SMALL, case)
    assert annotated.title == "CF5, published-bbr: Two flows share a bottleneck"
    (note,) = annotated.annotations
    for words in ("as published", "BBR, loss 1.5 %", "A. Uthor", "miniedit-frr experiment run CF5"):
        assert words in note.text
    places = {node.name: (node.x, node.y) for node in annotated.nodes}
    assert len(set(places.values())) == 6
    assert note.y > max(y for _, y in places.values()) + 40
    without = {"title": "", "annotations": ()}
    nodes = tuple(node.model_copy(update={"x": 0.0, "y": 0.0}) for node in annotated.nodes)
    assert annotated.model_copy(update={**without, "nodes": nodes}) == case.topology.model_copy(update=without)
    assert [problem for problem in check(annotated) if problem.severity is Severity.ERROR] == []
    assert mn.loads(mn.dumps(annotated)).topology == annotated


def test_a_dumbbell_is_laid_out_from_left_to_right() -> None:
    topology = lay_out_nodes(dumbbell("bbr", 10))
    columns = {
        x: {node.name for node in topology.nodes if node.x == x} for x in sorted({node.x for node in topology.nodes})
    }
    assert list(columns.values()) == [{"h1", "h2"}, {"s1"}, {"s2"}, {"r1", "r2"}]


def test_existing_positions_are_kept() -> None:
    topology = lay_out_nodes(dumbbell("bbr", 10))
    moved = topology.model_copy(
        update={"nodes": tuple(n.model_copy(update={"y": n.y * 2 + 7}) for n in topology.nodes)}
    )
    assert lay_out_nodes(moved) == moved


def test_a_case_is_found_by_its_name() -> None:
    assert find_case(SMALL, "right-cubic").topology.flows[0].congestion_control == "cubic"
    with pytest.raises(UnknownCase, match="did you mean right-cubic"):
        find_case(SMALL, "right-cubik")
    with pytest.raises(UnknownCase, match="choose one of published-bbr, right-cubic"):
        find_case(SMALL, "zzz")


def test_values_as_text() -> None:
    assert values_text({"cc": "cubic", "buffer_bdp": 0.5, "rtt_ms": 40.0}) == "CUBIC, buffer 0.5 BDP, rtt 40 ms"
    assert values_text({"order": "as labelled", "n": 3}) == "order as labelled, n 3"
    assert values_text({}) == ""


def test_markdown_becomes_plain_text() -> None:
    text = "**Two** flows of `tcp_x`\nmeet [here](https://a.b/c_d).\n\n*Then* 2*3:\n- one\n- two"
    assert without_markdown(text) == "Two flows of tcp_x meet here (https://a.b/c_d).\n\nThen 2*3:\n- one\n- two"
