"""Typed answers: numbers with units and a tolerance, and words. A wrong one does not reveal the right one."""

from __future__ import annotations

import re

import pytest

from frrlib.exercises.checks import Answer
from frrlib.exercises.observation import judge_answer


def question(**fields: object) -> Answer:
    """A question."""
    return Answer.model_validate({"kind": "answer", "id": "q", "title": "?", **fields})


BDP = question(expected="50000", unit="bytes", tolerance_percent=2)


@pytest.mark.parametrize(
    "typed", ["50000 bytes", "50 kB", "50_000 B", "50 000 bytes", "400 kbit", "5e4 byte", "50.9 kB"]
)
def test_equal_amounts_are_right(typed: str) -> None:
    assert judge_answer(BDP, typed).holds


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "no answer yet"),
        ("50000", "has no unit"),
        ("50000 bit", "50000 bit is wrong"),
        ("51.1 kB", "is wrong"),
        ("50 ms", "a different kind"),
        ("50 furlongs", "no known unit"),
        ("many bytes", "is no number"),
        ("nan bytes", "is no number"),
        ("1e999 bytes", "too large"),
        ("1" * 10_000, "too large|is no number|has no unit"),
    ],
)
def test_wrong_answers_have_a_reason(typed: str, reason: str) -> None:
    observation = judge_answer(BDP, typed)
    assert not observation.holds
    assert re.search(reason, observation.seen)
    assert len(observation.seen) < 400


def test_a_plain_number_and_a_word() -> None:
    assert judge_answer(question(expected="62"), " 62 ").holds
    assert judge_answer(question(expected="62"), "62.0").holds
    assert not judge_answer(question(expected="62"), "62 hops").holds
    assert judge_answer(question(expected="path vector", others=["path-vector"]), "Path  Vector").holds
    wrong = judge_answer(question(expected="path vector"), "link state")
    assert (wrong.holds, "vector" in wrong.seen) == (False, False)


def test_a_reason_does_not_reveal_the_number() -> None:
    assert "50000" not in judge_answer(BDP, "7 bytes").seen
