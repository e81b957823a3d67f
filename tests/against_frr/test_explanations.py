"""Answers about neighbors and routes that are there: each that names a cause is a fault."""

from __future__ import annotations

from frrlib.diagnosis.explanation import Explanation, Step, cause
from frrlib.errors import LabFailed
from tests.against_frr.explanations import false_causes

THERE = Explanation("route to 10.1.0.0/16 at r3", True, (Step("r3", "", "r3 has 10.1.0.0/16."),))
MISSING = Explanation("route to 10.1.0.0/16 at r3", False, (cause("r2", "", "r2 does not forward."),))
BOTH = Explanation("route to 10.1.0.0/16 at r3", True, MISSING.steps)


def test_a_cause_an_absence_and_an_error_are_faults() -> None:
    def fail() -> Explanation:
        raise LabFailed("the lab has ended")

    answers = [("r3 a", lambda: THERE), ("r3 b", lambda: MISSING), ("r3 c", lambda: BOTH), ("r3 d", fail)]
    assert false_causes(answers) == [
        "why r3 b: r2 does not forward.", "why r3 c: r2 does not forward.", "why r3 d: the lab has ended",
    ]  # fmt: skip
