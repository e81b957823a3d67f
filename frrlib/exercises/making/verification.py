"""Candidates tried in two labs: each must hold in the solution, and none may hold at the start already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from frrlib.errors import PlaceError
from frrlib.exercises.evaluation import LabStarter, Outcome, evaluate, nothing
from frrlib.exercises.making.candidate import LINES, Candidate
from frrlib.exercises.making.candidates import counted_solution
from frrlib.exercises.making.writing import start_with_daemons
from frrlib.lab.virtual_clock import refuse_virtual
from frrlib.model.topology import Topology
from frrlib.places import PlaceName

#: Which of the two topologies a lab has.
Side = Literal["solution", "start"]
#: Time that a check gets which should fail, or whose result does not change any more. The lab has converged before.
_SHORT_S = 3.0


@dataclass(frozen=True)
class CandidateResult:
    """The results of a candidate in the two labs.

    Attributes:
        candidate: the candidate.
        in_solution, at_start: the results, with what was seen.
    """

    candidate: Candidate
    in_solution: Outcome
    at_start: Outcome

    @property
    def is_useful(self) -> bool:
        """Whether it holds in the solution, and fails at the start."""
        return self.in_solution.holds and not self.at_start.holds

    @property
    def problem(self) -> str:
        """Why an exercise should not have it, as a sentence without a full stop; empty if it is useful."""
        if not self.in_solution.holds:
            return f"does not hold in the solution: {self.in_solution.seen}"
        return "holds at the start already" if self.at_start.holds else ""


def verify(
    start: Topology,
    solution: Topology,
    candidates: Sequence[Candidate],
    start_lab: LabStarter,
    on_outcome: Callable[[Side, Outcome], object] = nothing,
    before_round: Callable[[], object] = nothing,
) -> tuple[CandidateResult, ...]:
    """Try candidates in a lab of the solution, then in one of the start.

    Args:
        start, solution: the topologies that the candidates were derived from.
        candidates: the candidates.
        start_lab: starts the labs.
        on_outcome: called with each result.
        before_round: called before each round of checks. An exception that it raises ends the labs.

    Raises:
        ExerciseError: a node or a link was added or removed.
        LabError: a lab cannot run.
    """
    checks = [candidate.check.model_copy(update={"needs": ()}) for candidate in candidates]
    in_solution_s = {c.check.id: _SHORT_S if c.group == LINES else c.check.within_s for c in candidates}
    topologies: dict[Side, Topology] = {
        "solution": counted_solution(start, solution),
        "start": start_with_daemons(start, solution),
    }
    outcomes: dict[Side, list[Outcome]] = {}
    for side, topology in topologies.items():
        before_round()
        limits_s = in_solution_s if side == "solution" else dict.fromkeys(in_solution_s, _SHORT_S)

        def report(outcome: Outcome, side: Side = side) -> None:
            on_outcome(side, outcome)

        with start_lab(topology) as lab:
            outcomes[side] = evaluate(lab, checks, {}, limits_s=limits_s, on_outcome=report, before_round=before_round)
    return tuple(map(CandidateResult, candidates, outcomes["solution"], outcomes["start"]))


def has_virtual_time(place: str, kernel: Path | None) -> bool:
    """Whether labs in a place can run in virtual time, in which waiting costs nothing."""
    if place not in (PlaceName.AUTO, PlaceName.LABKERNEL):
        return False
    try:
        refuse_virtual(kernel)
    except PlaceError:
        return False
    return True
