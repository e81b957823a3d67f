"""Questions of `why` about routes and neighbors that a healthy network has: no answer may name a cause."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from frrlib.addressing.addressing import addressed
from frrlib.diagnosis.explanation import Explanation
from frrlib.diagnosis.neighbors import PROTOCOLS, explain_missing_neighbor
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from tests.against_frr.observation import Observation

#: Questions about routes, and about neighbors, of each network: one takes up to some seconds.
MOST_QUESTIONS = 10

Question = Callable[[], Explanation]


def questions_about(lab: Lab, topology: Topology, observed: Observation, seed: int) -> list[tuple[str, Question]]:
    """Questions about some of the neighbors and routes that are there, each with its subject.

    Args:
        topology: the network of the lab, with settings instead of own lines.
        observed: the state of the lab.
        seed: chooses the questions.
    """
    chance = random.Random(seed)
    questions = _some(_about_neighbors(lab, topology), chance)
    return questions + _some(_about_routes(lab, topology, observed), chance)


def false_causes(questions: Sequence[tuple[str, Question]]) -> list[str]:
    """One line for each question whose answer says that something is missing, or names a cause."""
    faults = []
    for subject, ask in questions:
        try:
            explanation = ask()
        except LabError as error:
            faults.append(f"why {subject}: {error}")
            continue
        if not explanation.is_there or explanation.causes:
            faults.append(f"why {subject}: {explanation}")
    return faults


def _some(questions: Sequence[tuple[str, Question]], chance: random.Random) -> list[tuple[str, Question]]:
    return chance.sample(questions, min(MOST_QUESTIONS, len(questions)))


def _about_neighbors(lab: Lab, topology: Topology) -> list[tuple[str, Question]]:
    complete = addressed(topology)
    subjects = {
        (adjacency.router, adjacency.neighbor, adjacency.protocol, adjacency.vrf)
        for adjacency in expected_adjacencies(complete, known_without_bgp(complete))
        if adjacency.protocol in PROTOCOLS
    }
    return [(" ".join(subject), partial(explain_missing_neighbor, lab, *subject)) for subject in sorted(subjects)]


def _about_routes(lab: Lab, topology: Topology, observed: Observation) -> list[tuple[str, Question]]:
    names = {(router.name, vrf.table): vrf.name for router in topology.routers for vrf in router.vrfs}
    subjects = [
        (router, prefix, names.get((router, table), ""))
        for (router, table), prefixes in sorted(observed.routes.items())
        for prefix in sorted(prefixes)
    ]
    return [(" ".join(subject), partial(explain_missing_route, lab, *subject)) for subject in subjects]
