"""One seed: a network, its lab, and the differences from the prediction."""

from __future__ import annotations

import time
from dataclasses import dataclass

from frrlib.checks.check import check
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.model.problem import Severity
from frrlib.model.topology import Topology
from tests.against_frr.comparison import differences, too_much
from tests.against_frr.explanations import Question, false_causes, questions_about
from tests.against_frr.healthy import healthy_network, kind_of, network_with_settings
from tests.against_frr.observation import Observation, observe_at_rest
from tests.against_frr.records import Record, digest_of


@dataclass(frozen=True)
class Trial:
    """The result of one seed.

    Attributes:
        record: the seed and the observation; None if the lab failed.
        faults: one line for each fault.
        seconds: real time that it took.
        explained: the number of neighbors and routes that were explained.
    """

    seed: int
    kind: str
    record: Record | None
    faults: tuple[str, ...]
    seconds: float = 0.0
    explained: int = 0

    def __str__(self) -> str:
        lines = [f"seed {self.seed} {self.kind}, {self.seconds:.1f} s: {'differs' if self.faults else 'agrees'}"]
        return "\n    ".join([*lines, *self.faults])


def try_healthy(seed: int, kind: str, place: str, virtual_time: bool, *, asks_why: bool = False) -> Trial:
    """Check a healthy network, run it, wait for convergence, and compare it with its prediction.

    Args:
        asks_why: whether routes and neighbors that are there are also explained.
    """
    begin_s = time.monotonic()
    topology = healthy_network(seed, kind)
    record, faults = None, []
    questions: list[tuple[str, Question]] = []
    try:
        with Lab(topology, place=place, virtual_time=virtual_time) as lab:
            try:
                lab.wait_converged(timeout_s=120)
            except LabError as error:
                faults.append(f"wait: {error}")
            observation = observe_at_rest(lab)
            if asks_why:
                questions = questions_about(lab, network_with_settings(seed, kind, topology), observation, seed)
                faults += false_causes(questions)
        record = Record(seed, kind or kind_of(seed), digest_of(topology), observation)
        faults += faults_of(topology, observation, network_with_settings(seed, kind, topology))
    except LabError as error:
        faults.append(f"lab: {error}")
    seconds = time.monotonic() - begin_s
    return Trial(seed, kind or kind_of(seed), record, tuple(faults), seconds, len(questions))


def faults_of(topology: Topology, observation: Observation, with_settings: Topology) -> list[str]:
    """The problems that `check` reports in a healthy network, and the differences from the prediction.

    Args:
        topology: the network of the lab.
        observation: the state of the lab.
        with_settings: the same network with settings instead of own lines, whose prediction is complete.
    """
    problems = [f"check: {problem}" for problem in check(topology) if problem.severity is not Severity.NOTE]
    return problems + too_much(topology, with_settings) + differences(with_settings, observation)


def compare_again(record: Record) -> Trial:
    """Compare a stored observation with the present prediction."""
    topology = healthy_network(record.seed, record.kind)
    if digest_of(topology) != record.digest:
        faults = ["the seed makes another network than when this was recorded; record it anew"]
    else:
        faults = faults_of(topology, record.observation, network_with_settings(record.seed, record.kind, topology))
    return Trial(record.seed, record.kind, record, tuple(faults))
