"""Checks are repeated until they hold, depend on each other, and cannot outlive a topology that does not run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from frrlib.errors import LabFailed, PlaceError, TopologyError
from frrlib.exercises.checks import Answer, Ping
from frrlib.exercises.evaluation import Outcome, evaluate, evaluate_topology
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from tests.exercises.samples import PretendedLab

HOSTS = Topology(nodes=(Host(name="h1"), Host(name="h2")))


def ping(check_id: str, destination: str, **fields: Any) -> Ping:
    """A ping from h1 as a check, with a limit that a few readings of the pretended clock exceed."""
    return Ping(kind="ping", id=check_id, title=check_id, source="h1", destination=destination,
                **{"within_s": 6.0, **fields})  # fmt: skip


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.0)


def states(outcomes: list[Outcome]) -> dict[str, str]:
    return {outcome.check.id: outcome.state for outcome in outcomes}


def test_a_check_is_repeated_until_it_holds() -> None:
    lab = PretendedLab(HOSTS, {"10.0.0.1": 1, "10.0.0.3": 3})
    checks = [ping("once", "10.0.0.1"), ping("third", "10.0.0.3", within_s=60)]
    assert states(evaluate(lab, checks, {})) == {"once": "holds", "third": "holds"}  # type: ignore[arg-type]
    assert lab.pings == ["10.0.0.1", "10.0.0.3", "10.0.0.3", "10.0.0.3"]


def test_a_check_fails_when_its_time_is_over() -> None:
    lab = PretendedLab(HOSTS, {})
    (outcome,) = evaluate(lab, [ping("never", "10.0.0.9")], {})  # type: ignore[arg-type]
    assert (outcome.state, outcome.seen) == ("fails", "h1 received 0 of 2 replies from 10.0.0.9")
    assert len(lab.pings) > 1
    lab = PretendedLab(HOSTS, {})
    evaluate(lab, [ping("never", "10.0.0.9")], {}, limits_s={"never": 0.0})  # type: ignore[arg-type]
    assert len(lab.pings) == 1


def test_a_check_waits_for_those_that_it_needs() -> None:
    lab = PretendedLab(HOSTS, {"10.0.0.2": 2, "10.0.0.1": 1})
    checks = [ping("a", "10.0.0.2", within_s=60), ping("b", "10.0.0.1", needs=("a",))]
    assert states(evaluate(lab, checks, {})) == {"a": "holds", "b": "holds"}  # type: ignore[arg-type]
    assert lab.pings == ["10.0.0.2", "10.0.0.2", "10.0.0.1"]


def test_a_check_is_not_made_if_one_that_it_needs_fails() -> None:
    lab = PretendedLab(HOSTS, {"10.0.0.1": 1})
    checks = [ping("a", "10.0.0.9"), ping("b", "10.0.0.1", needs=("a",)), ping("c", "10.0.0.1", needs=("b",))]
    outcomes = evaluate(lab, checks, {})  # type: ignore[arg-type]
    assert states(outcomes) == {"a": "fails", "b": "not made", "c": "not made"}
    assert sum(outcome.points for outcome in outcomes) == 0
    assert set(lab.pings) == {"10.0.0.9"}


def test_an_absence_is_checked_last() -> None:
    lab = PretendedLab(HOSTS, {"10.0.0.2": 3, "10.0.0.5": 1})
    closed = ping("closed", "10.0.0.5", reachable=False, needs=("open",))
    outcomes = evaluate(lab, [closed, ping("open", "10.0.0.2", within_s=60)], {})  # type: ignore[arg-type]
    assert states(outcomes) == {"closed": "fails", "open": "holds"}
    assert lab.pings.index("10.0.0.5") == 3


def test_an_unknown_node_and_an_answer() -> None:
    lab = PretendedLab(HOSTS, {})
    question = Answer(kind="answer", id="q", title="?", expected="3")
    outcomes = evaluate(lab, [ping("gone", "h7"), question], {"q": "3"}, limits_s={"gone": 0})  # type: ignore[arg-type]
    assert [outcome.seen for outcome in outcomes] == ["the topology has no node h7", "the answer is '3'"]


def failing_start(error: Exception) -> Any:
    @contextmanager
    def start(topology: Topology) -> Iterator[PretendedLab]:
        raise error
        yield PretendedLab(topology, {})

    return start


def test_a_topology_that_cannot_run_fails_its_checks_only() -> None:
    start = failing_start(TopologyError("FRR refuses a line", node="r1"))
    question = Answer(kind="answer", id="q", title="?", expected="3")
    outcomes = evaluate_topology(HOSTS, [ping("a", "h2"), ping("b", "h2", needs=("a",)), question], {"q": "3"}, start)
    assert states(outcomes) == {"a": "fails", "b": "not made", "q": "holds"}
    assert outcomes[0].seen == "the topology cannot run: r1: FRR refuses a line"


def test_a_failed_lab_is_started_again() -> None:
    failures = [LabFailed("r1: staticd does not respond")]

    @contextmanager
    def start(topology: Topology) -> Iterator[Any]:
        yield PretendedLab(topology, {"10.0.0.1": 1})
        if failures:  # the lab had ended
            raise failures.pop()

    outcomes = evaluate_topology(HOSTS, [ping("a", "10.0.0.1")], {}, start)
    assert (states(outcomes), failures) == ({"a": "holds"}, [])
    start_twice = failing_start(LabFailed("r1: staticd does not respond"))
    (outcome,) = evaluate_topology(HOSTS, [ping("a", "10.0.0.1")], {}, start_twice)
    assert outcome.seen == "the topology cannot run: r1: staticd does not respond"


def test_a_machine_without_labs_is_no_fault_of_a_student() -> None:
    with pytest.raises(PlaceError):
        evaluate_topology(HOSTS, [ping("a", "h2")], {}, failing_start(PlaceError("FRR is missing")))


def test_answers_alone_need_no_lab() -> None:
    question = Answer(kind="answer", id="q", title="?", expected="3")
    outcomes = evaluate_topology(HOSTS, [question], {}, failing_start(AssertionError("no lab is needed")))
    assert states(outcomes) == {"q": "fails"}
