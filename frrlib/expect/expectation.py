"""Asks until the answer is as wanted, or says how the last one differed.

    expect(lambda: lab["r1"].vtysh("show bgp summary", json=True),
           {"ipv4Unicast": {"peers": {"10.9.0.2": {"state": "Established"}}}})

Routing takes its time, and how much depends on timers and on the machine; so a test asks for the state that it waits
for and says how long at most, instead of sleeping and hoping. What may be wanted is told in `frrlib.expect.comparison`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

from frrlib.errors import CommandFailed, LabFailed
from frrlib.expect.comparison import ABSENT, ANY, Difference, differences, exact, from_topotest, ordered, text

__all__ = [
    "ABSENT",
    "ANY",
    "Difference",
    "NotAsExpected",
    "differences",
    "exact",
    "expect",
    "from_topotest",
    "ordered",
    "text",
]

#: How many differences a message tells.
TOLD = 20


class Clock(Protocol):
    """A clock that tells the time and lets it pass."""

    def monotonic(self) -> float:
        """Seconds since some moment."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Let so many seconds pass."""
        ...


#: The clock of the lab that was asked last, where that is not this program's: labs in virtual time set it.
lab_clock: ContextVar[Clock | None] = ContextVar("lab_clock", default=None)


class NotAsExpected(LabFailed, AssertionError):
    """The answer was not as wanted, up to the end.

    Attributes:
        differences: how the last answer differed; empty where there was never one.
        answer: the last answer; None where there was never one.
        refused: the error of the last question, where that had no answer.
        times: how often was asked.
        took_s: for how many seconds.
    """

    def __init__(
        self, said: list[Difference], answer: Any, refused: CommandFailed | None, times: int, took_s: float
    ) -> None:
        self.differences, self.answer, self.refused = said, answer, refused
        self.times, self.took_s = times, took_s
        lines = [str(each) for each in said[:TOLD]]
        if len(said) > TOLD:
            lines.append(f"... and {len(said) - TOLD} differences more")
        if refused is not None:
            lines = [str(refused)]
            lines += ["the last answer before that:", *(f"    {each}" for each in said[:TOLD])] if said else []
        asked = "once" if times == 1 else f"{times} times"
        super().__init__("\n".join([f"not as expected, asked {asked} in {took_s:.1f} s:", *lines]))


def expect(
    question: Callable[[], Any],
    wanted: Any,
    *,
    timeout_s: float = 30.0,
    interval_s: float = 0.25,
    clock: Clock | None = None,
) -> Any:
    """Ask again and again until the answer is as wanted.

    Args:
        question: gives an answer. Where it raises CommandFailed it is asked again, since a daemon that is just being
            started refuses; every other error ends the waiting.
        wanted: what the answer must have; see `frrlib.expect.comparison`.
        timeout_s: for how long to ask. It is asked at least once, and once more when the time is over.
        interval_s: how long to wait between an answer and the next question.
        clock: passes the time; None for that of the lab that the question is put to: in virtual time the lab's own,
            which waits by having the lab wait, else this program's.

    Returns:
        The answer that was as wanted.

    Raises:
        NotAsExpected: no answer was; says what differed, and has the last one.
    """
    lab_clock.set(None)
    passing: Clock = clock or time
    begin, times = passing.monotonic(), 0
    said: list[Difference] = []
    answer: Any = None
    while True:
        # The time is read before the question: a slow answer must not take away the last chance.
        left_s = timeout_s - (passing.monotonic() - begin)
        refused: CommandFailed | None = None
        times += 1
        try:
            answer = question()
        except CommandFailed as error:
            refused = error
        else:
            said = differences(answer, wanted)
            if not said:
                return answer
        if left_s <= 0:
            raise NotAsExpected(said, answer, refused, times, passing.monotonic() - begin) from None
        if clock is None and times == 1 and (asked := lab_clock.get()) is not None:
            passing, begin = asked, asked.monotonic()
        passing.sleep(max(0.0, min(interval_s, timeout_s - (passing.monotonic() - begin))))
