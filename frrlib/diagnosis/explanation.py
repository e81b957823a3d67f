"""An explanation: the steps that work, then the step that fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """A fact that was read from a lab.

    Attributes:
        node: the node that it is about; empty for the whole lab.
        interface: its interface; empty for none.
        sentence: the fact, for people.
        remedy: an instruction for people; empty if nothing is wrong, or no remedy is known.
        is_cause: whether it is a reason for the missing route or neighbor.
    """

    node: str
    interface: str
    sentence: str
    remedy: str = ""
    is_cause: bool = False

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Explanation:
    """Why a route or a neighbor is missing.

    Attributes:
        subject: the route or neighbor ("route to 10.1.0.0/16 at r3").
        is_there: whether nothing is missing. It is False for OSPF neighbors that are Full although their network types
            differ, because they exchange no usable routes.
        steps: facts in the order in which a person would look for them; facts that work come first.
    """

    subject: str
    is_there: bool
    steps: tuple[Step, ...]

    @property
    def causes(self) -> tuple[Step, ...]:
        """The steps that fail, the first failing one first; empty if nothing is missing or no cause was found."""
        return tuple(step for step in self.steps if step.is_cause)

    @property
    def cause(self) -> Step | None:
        """The first failing step; None if nothing is missing, or no cause was found."""
        return next(iter(self.causes), None)

    def as_value(self) -> dict[str, Any]:
        """The explanation as a value for JSON."""
        return {
            "subject": self.subject, "is_there": self.is_there,
            "cause": asdict(self.cause) if self.cause else None, "steps": [asdict(step) for step in self.steps],
        }  # fmt: skip

    def __str__(self) -> str:
        return " ".join(step.sentence for step in self.steps)


def cause(node: str, interface: str, sentence: str, remedy: str = "") -> Step:
    """A step that fails."""
    return Step(node, interface, sentence, remedy, is_cause=True)


def explain(subject: str, steps: Iterable[Step], *, is_there: bool = False, unknown: str = "") -> Explanation:
    """An explanation of these steps.

    Args:
        unknown: the sentence that is added if something is missing and no step is a cause.
    """
    all_steps = tuple(dict.fromkeys(steps))
    if not is_there and unknown and not any(step.is_cause for step in all_steps):
        all_steps = (*all_steps, Step("", "", unknown))
    return Explanation(subject, is_there, all_steps)
