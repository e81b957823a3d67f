"""Networks with one mistake: `check` names place, field and cause, and it reports nothing in healthy networks."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.checks.check import check
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from tests.against_frr.healthy import healthy_network
from tests.against_frr.mistakes.catalogue import MISTAKES, faulty_network
from tests.against_frr.mistakes.choices import sessions, with_hosts

ROOT = Path(__file__).parents[2]
SEEDS = (1, 2)


def serious_problems(topology: Topology) -> list[Problem]:
    return [problem for problem in check(topology) if problem.severity is not Severity.NOTE]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_reported_at_its_place(name: str) -> None:
    for seed in SEEDS:
        faulty = faulty_network(name, seed)
        problems = serious_problems(faulty.topology)
        made = MISTAKES[name]
        causes = [p for p in problems if p.kind in made.kinds and p.node in faulty.places and p.field in made.fields]
        assert causes, (seed, problems)


@pytest.mark.parametrize("seed", range(1, 41))
def test_a_healthy_network_has_no_problem(seed: int) -> None:
    assert serious_problems(healthy_network(seed)) == []


@pytest.mark.parametrize("seed", range(1, 21))
def test_a_flow_between_systems_has_its_routes_without_a_mistake(seed: int) -> None:
    topology = healthy_network(seed, "bgp")
    found = list(sessions(topology, external=True))
    if found:
        with_flow = with_hosts(topology, found[0].router.name, found[-1].peer.name)
        kinds = {problem.kind for problem in check(with_flow)}
        assert not kinds & {"filtered-route", "own-as-in-path", "unannounced", "no-path"}


def test_the_document_states_the_number_of_mistakes() -> None:
    text = " ".join((ROOT / "docs" / "testing.md").read_text().split())
    assert f"have one of {len(MISTAKES)} mistakes each" in text
