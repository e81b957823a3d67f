"""Networks with one mistake: `check` names the place and the cause, and reports nothing in healthy networks."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from tests.against_frr.healthy import healthy_network
from tests.against_frr.mistakes import MISTAKES, faulty_network

SEEDS = (1, 2)


def serious_problems(topology: Topology) -> list[Problem]:
    return [problem for problem in check(topology) if problem.severity is not Severity.NOTE]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_reported_at_its_place(name: str) -> None:
    for seed in SEEDS:
        faulty = faulty_network(name, seed)
        problems = serious_problems(faulty.topology)
        causes = [p for p in problems if p.kind in MISTAKES[name].kinds and p.node in faulty.places]
        assert causes, (seed, problems)


@pytest.mark.parametrize("seed", range(1, 41))
def test_a_healthy_network_has_no_problem(seed: int) -> None:
    assert serious_problems(healthy_network(seed)) == []
