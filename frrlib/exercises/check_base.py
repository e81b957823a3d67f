"""The settings that all checks of an exercise have, and the stages in which checks are made."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

from pydantic import Field

from frrlib.model.base import Value

#: The name of a check or a chapter, which also becomes part of a file's name.
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Message = Annotated[str, Field(max_length=1000)]
Text = Annotated[str, Field(min_length=1, max_length=255)]


class Stage(IntEnum):
    """When a check is made: at the same time as all others of its stage, after those of earlier stages.

    Attributes:
        STATE: the state of the network.
        ABSENT: things that must be missing; at first everything is missing.
        FLOWS: measurements of the topology's flows, which load the network.
        FAULT: reactions to faults, which disturb it.
    """

    STATE = 0
    ABSENT = 1
    FLOWS = 2
    FAULT = 3


class CheckBase(Value):
    """Settings that all checks have.

    Attributes:
        id: unique among the checks of the exercise.
        title: the task in a few words, as students see it.
        points: points if it holds.
        message: what students read if it does not hold. What was seen is added.
        needs: ids of checks of the same chapter. The check is made only if all of them hold.
        within_s: time within which it must hold, in seconds of the lab's clock.
        hidden: whether only the teacher makes the check.
        holds_at_start: whether it may hold before the student has done anything, as a check for later mistakes does.
    """

    id: Identifier
    title: Text
    points: Annotated[int, Field(ge=0, le=1000)] = 1
    message: Message = ""
    needs: tuple[Identifier, ...] = ()
    within_s: Annotated[float, Field(ge=0, le=300)] = 20.0
    hidden: bool = False
    holds_at_start: bool = False

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that the topology must have."""
        return ()

    @property
    def is_negative(self) -> bool:
        """Whether it states that something is missing. It is made after all others, because at first all is missing."""
        return False

    @property
    def stage(self) -> Stage:
        """The stage in which it is made."""
        return Stage.ABSENT if self.is_negative else Stage.STATE

    @property
    def needs_lab(self) -> bool:
        """Whether a lab must run for it."""
        return True

    def refuse_invalid(self) -> None:
        """Raise ValueError if a text is invalid with the variables of a student."""
