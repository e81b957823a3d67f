"""The examples have the expected content and no problems."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.addressing.domains import broadcast_domains
from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.flows import Flow
from tests.examples.data import ALL, EXAMPLES, ospf_multihop


def test_every_example_is_defined_as_a_value() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.mn")} == ALL.keys()


@pytest.mark.parametrize("name", ALL)
def test_the_file_equals_the_value(name: str) -> None:
    path = EXAMPLES / f"{name}.mn"
    loaded = mn.load(path)
    assert loaded.topology == ALL[name](), "python -m tests.examples.data"
    assert mn.dumps(loaded.topology) == path.read_text(encoding="utf-8")
    assert not loaded.warnings


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mn")), ids=lambda path: path.stem)
def test_no_example_has_a_problem(path: object) -> None:
    loaded = mn.load(path)  # type: ignore[arg-type]
    assert [
        str(problem) for problem in [*loaded.warnings, *check(loaded.topology)] if problem.severity == "error"
    ] == []


def test_a_flow_in_the_first_lab_has_no_problem() -> None:
    flow = Flow(id="f1", source="h1", destination="h2", congestion_control="cubic")
    assert check(ALL["two-hosts"]().model_copy(update={"flows": (flow,)})) == []


def test_the_path_of_the_ospf_flows_has_several_hops() -> None:
    """The hops are counted on the graph itself."""
    topology = addressed(ospf_multihop())
    neighbors: dict[str, set[str]] = {}
    for domain in broadcast_domains(topology):
        nodes = {place.end.node for place in domain.ends}
        for name in nodes:
            neighbors.setdefault(name, set()).update(nodes - {name})
    hops, front = 0, {"h1"}
    while "h2" not in front:
        front |= {neighbor for name in front for neighbor in neighbors[name]}
        hops += 1
    assert hops == 5  # h1 r1 r2 r3 r6 h2
