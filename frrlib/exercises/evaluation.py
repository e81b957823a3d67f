"""Makes the checks of a chapter: each is repeated until it holds or its time is over, in the lab's own time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from frrlib import wire
from frrlib.checks.check import with_intended_errors
from frrlib.errors import LabError, LabFailed, PlaceError
from frrlib.exercises.check_base import Stage
from frrlib.exercises.checks import Answer, Check
from frrlib.exercises.experiment_checks import AfterFault, FlowControl, Measurement, Winner
from frrlib.exercises.experiments import (
    judge_control,
    judge_measurement,
    judge_winner,
    measure_flows,
    observe_after_fault,
)
from frrlib.exercises.observation import Observation, ObservedLab, judge_answer, observe
from frrlib.expect.expectation import UnmetExpectation, expect
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology

State = Literal["holds", "fails", "not made"]
#: Longest wait for a new lab to converge; a student's network may never converge.
SETTLE_S = 20.0
#: A lab that fails is started again, because a busy machine may be the reason.
_MOST_ATTEMPTS = 2
#: The time in a line of FRR's log. Results have none, so that equal submissions have equal results.
_FRR_TIME = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)? ")
#: Time between two rounds of checks.
_INTERVAL_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

    Attributes:
        check: the check with the values of the student.
        state: "not made" if a check that it needs does not hold.
        seen: what was seen, as a sentence without a full stop.
        is_missing: whether it fails because its route or neighbor is not there at all.
    """

    check: Check
    state: State
    seen: str
    is_missing: bool = False

    @property
    def holds(self) -> bool:
        """Whether the check holds."""
        return self.state == "holds"

    @property
    def points(self) -> int:
        """The points that it earns."""
        return self.check.points if self.holds else 0


#: Starts a lab of a topology for the time of a `with` block.
LabStarter = Callable[[Topology], AbstractContextManager[ObservedLab]]


def nothing(*_: object) -> None:
    """Do nothing."""


def lab_starter(
    place: str = "auto",
    kernel: Path | None = None,
    *,
    virtual_time: bool = False,
    on_lab: Callable[[Lab], object] = nothing,
) -> LabStarter:
    """A function that starts labs with these settings, and waits until they have converged or `SETTLE_S` are over.

    Args:
        on_lab: called with each lab before its start. Another thread can then interrupt it.
    """

    @contextmanager
    def start(topology: Topology) -> Iterator[ObservedLab]:
        runnable = with_intended_errors(topology)
        lab = Lab(runnable, place=place, kernel=kernel, virtual_time=virtual_time)
        on_lab(lab)
        with lab:
            with suppress(LabFailed):
                lab.wait_converged(timeout_s=SETTLE_S)
            yield lab
            lab.ask(
                wire.Execute("", ("true",))
            )  # fails if the lab has ended meanwhile, so that its results do not count

    return start


def evaluate(
    lab: ObservedLab,
    checks: Sequence[Check],
    answers: Mapping[str, str],
    *,
    limits_s: Mapping[str, float] | None = None,
    on_outcome: Callable[[Outcome], object] = nothing,
    before_round: Callable[[], object] = nothing,
) -> list[Outcome]:
    """Make the checks of a chapter.

    Checks are made in their stages: an absence after all other states, because a network in which nothing works yet
    lacks everything; then measurements of flows, and reactions to faults.

    Args:
        lab: the running lab.
        checks: the checks with the values of the student.
        answers: typed answer by id of its check.
        limits_s: time limit by id of a check, instead of its own.
        on_outcome: called with each result as soon as it is final.
        before_round: called before each round. An exception that it raises ends the checks.

    Returns:
        The results in the order of the checks.
    """
    outcomes: dict[str, Outcome] = {}

    def settle(outcome: Outcome) -> None:
        outcomes[outcome.check.id] = outcome
        on_outcome(outcome)

    for stage in (Stage.STATE, Stage.ABSENT):
        group = [check for check in checks if check.stage == stage]
        _Group(lab, group, answers, limits_s or {}, outcomes, settle, before_round).run()
    before_round()
    _measure(lab, [check for check in checks if check.stage == Stage.FLOWS], outcomes, settle)
    for check in checks:
        if isinstance(check, AfterFault):
            before_round()
            unmet = _unmet(check, outcomes)
            settle(_not_made(check, unmet) if unmet else _outcome(check, _after_fault(lab, check)))
    return [outcomes[check.id] for check in checks]


def _measure(
    lab: ObservedLab, checks: Sequence[Check], outcomes: Mapping[str, Outcome], settle: Callable[[Outcome], object]
) -> None:
    """Send the topology's flows once, and judge all checks of them, unless none of these is to be made."""
    run, failure = None, ""
    if any(not _unmet(check, outcomes) for check in checks):
        try:
            run = measure_flows(lab)
        except LabError as error:
            failure = str(error)
    for check in checks:
        unmet = _unmet(check, outcomes)
        if unmet or run is None:
            settle(_not_made(check, unmet) if unmet else Outcome(check, "fails", failure))
        elif isinstance(check, Measurement):
            settle(_outcome(check, judge_measurement(run, check)))
        elif isinstance(check, Winner):
            settle(_outcome(check, judge_winner(run, check)))
        elif isinstance(check, FlowControl):
            settle(_outcome(check, judge_control(run, check)))


def _after_fault(lab: ObservedLab, check: AfterFault) -> Observation:
    """The reaction to a fault. An error of the lab counts as an observation."""
    try:
        return observe_after_fault(lab, check, check.within_s)
    except LabError as error:
        return Observation(False, str(error))


def without_lab(checks: Sequence[Check], answers: Mapping[str, str], reason: str) -> list[Outcome]:
    """The results if the topology cannot run: answers are judged, all other checks fail for this reason."""
    outcomes: dict[str, Outcome] = {}
    for check in checks:
        unmet = _unmet(check, outcomes)
        if unmet:
            outcomes[check.id] = _not_made(check, unmet)
        elif isinstance(check, Answer):
            outcomes[check.id] = _outcome(check, judge_answer(check, answers.get(check.id, "")))
        else:
            outcomes[check.id] = Outcome(check, "fails", reason)
    return [outcomes[check.id] for check in checks]


def evaluate_topology(
    topology: Topology,
    checks: Sequence[Check],
    answers: Mapping[str, str],
    start_lab: LabStarter,
    *,
    limits_s: Mapping[str, float] | None = None,
    on_outcome: Callable[[Outcome], object] = nothing,
    before_round: Callable[[], object] = nothing,
) -> list[Outcome]:
    """Make the checks of a chapter in a new lab of a topology; without a lab if no check needs one.

    A topology that cannot run fails its checks, with the reason. Arguments and result are as for `evaluate`.

    Raises:
        PlaceError: this machine lacks something.
    """
    if not any(check.needs_lab for check in checks):
        return _reported(without_lab(checks, answers, ""), on_outcome)
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        try:
            with start_lab(topology) as lab:
                return evaluate(
                    lab, checks, answers, limits_s=limits_s, on_outcome=on_outcome, before_round=before_round
                )
        except PlaceError:
            raise
        except LabError as error:
            if attempt == _MOST_ATTEMPTS or not isinstance(error, LabFailed):
                reason = f"the topology cannot run: {_FRR_TIME.sub('', str(error))}"
                return _reported(without_lab(checks, answers, reason), on_outcome)
    raise AssertionError("the last attempt returns")


def _reported(outcomes: list[Outcome], on_outcome: Callable[[Outcome], object]) -> list[Outcome]:
    for outcome in outcomes:
        on_outcome(outcome)
    return outcomes


class _Group:
    """Checks that are made at the same time: in every round, each that has no result yet."""

    def __init__(
        self,
        lab: ObservedLab,
        checks: Sequence[Check],
        answers: Mapping[str, str],
        limits_s: Mapping[str, float],
        outcomes: Mapping[str, Outcome],
        settle: Callable[[Outcome], object],
        before_round: Callable[[], object],
    ) -> None:
        self._lab, self._answers, self._limits_s = lab, answers, limits_s
        self._outcomes, self._settle, self._before_round = outcomes, settle, before_round
        self._pending = list(checks)
        #: Time of the first observation of each check; its time limit begins there.
        self._since_s: dict[str, float] = {}

    def run(self) -> None:
        """Make all checks."""
        limit_s = sum(self._limit_s(check) for check in self._pending) + _INTERVAL_S
        with suppress(UnmetExpectation):
            expect(self._round, 0, timeout_s=limit_s, interval_s=_INTERVAL_S)
        for check in self._pending:  # the rounds took longer than all limits together
            self._settle(Outcome(check, "fails", "the time was over"))

    def _limit_s(self, check: Check) -> float:
        return self._limits_s.get(check.id, check.within_s)

    def _round(self) -> int:
        """Make all checks without a result once. Returns the number of those that remain."""
        self._before_round()
        for check in tuple(self._pending):
            self._make(check)
        return len(self._pending)

    def _make(self, check: Check) -> None:
        if any(need not in self._outcomes for need in check.needs):
            return  # a check that it needs has no result yet
        unmet = _unmet(check, self._outcomes)
        if unmet:
            self._end(_not_made(check, unmet))
            return
        if isinstance(check, Answer):
            self._end(_outcome(check, judge_answer(check, self._answers.get(check.id, ""))))
            return
        since_s = self._since_s.setdefault(check.id, self._lab.now_s())
        is_last = self._lab.now_s() - since_s >= self._limit_s(check)
        observation = observe(self._lab, check)
        if observation.holds or is_last:
            self._end(_outcome(check, observation))

    def _end(self, outcome: Outcome) -> None:
        self._pending.remove(outcome.check)
        self._settle(outcome)


def _outcome(check: Check, observation: Observation) -> Outcome:
    return Outcome(check, "holds" if observation.holds else "fails", observation.seen, observation.is_missing)


def _unmet(check: Check, outcomes: Mapping[str, Outcome]) -> list[str]:
    """The titles of checks that a check needs and that do not hold."""
    return [outcomes[need].check.title for need in check.needs if need in outcomes and not outcomes[need].holds]


def _not_made(check: Check, unmet: Sequence[str]) -> Outcome:
    return Outcome(check, "not made", f"it needs: {', '.join(unmet)}")
