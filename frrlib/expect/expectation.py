"""Repeats a question until its answer is as expected, or describes the differences of the last answer.

    expect(lambda: lab["r1"].vtysh("show bgp summary", json=True),
           {"ipv4Unicast": {"peers": {"10.9.0.2": {"state": "Established"}}}})

Routing takes time that depends on timers and on the machine. So a test waits for an expected state with a time limit,
instead of sleeping for a fixed time. `frrlib.expect.comparison` describes expected values.
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
    "UnmetExpectation",
    "differences",
    "exact",
    "expect",
    "from_topotest",
    "ordered",
    "text",
]

#: Maximum number of differences in a message.
_LISTED = 20


class Clock(Protocol):
    """A clock that can be read and that can wait."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Wait for this number of seconds."""
        ...


#: The clock of the lab that got the last request, for labs in virtual time; None for this program's clock.
lab_clock: ContextVar[Clock | None] = ContextVar("lab_clock", default=None)


class UnmetExpectation(LabFailed, AssertionError):
    """No answer was as expected within the time limit.

    Attributes:
        differences: those of the last answer; empty if there was no answer.
        answer: the last answer; None if there was none.
        refused: the error of the last question, if it had no answer.
        times: number of questions.
        took_s: total time, in seconds.
    """

    def __init__(
        self, last_differences: list[Difference], answer: Any, refused: CommandFailed | None, times: int, took_s: float
    ) -> None:
        self.differences, self.answer, self.refused = last_differences, answer, refused
        self.times, self.took_s = times, took_s
        lines = [str(difference) for difference in last_differences[:_LISTED]]
        if len(last_differences) > _LISTED:
            lines.append(f"... and {len(last_differences) - _LISTED} more differences")
        if refused is not None:
            lines = [str(refused)]
            lines += (
                ["the last answer before that:", *(f"    {difference}" for difference in last_differences[:_LISTED])]
                if last_differences
                else []
            )
        count = "once" if times == 1 else f"{times} times"
        super().__init__("\n".join([f"not as expected, asked {count} in {took_s:.1f} s:", *lines]))


#: The name in older scripts.
NotAsExpected = UnmetExpectation


def expect(
    question: Callable[[], Any],
    expected: Any,
    *,
    timeout_s: float = 30.0,
    interval_s: float = 0.25,
    clock: Clock | None = None,
) -> Any:
    """Repeat a question until its answer is as expected.

    Args:
        question: returns an answer. After CommandFailed it is called again, since a starting daemon refuses commands;
            any other error ends the wait.
        expected: the expected answer; see `frrlib.expect.comparison`.
        timeout_s: time limit. The question is called at least once, and once more when the time is over.
        interval_s: time between an answer and the next call.
        clock: the clock of the wait; None for the clock of the lab that gets the question: in virtual time the lab's
            own, which waits by a `sleep` in the lab, else this program's.

    Returns:
        The answer that was as expected.

    Raises:
        UnmetExpectation: no answer was; the message lists the differences of the last one.
    """
    lab_clock.set(None)
    waiting_clock: Clock = clock or time
    begin, times = waiting_clock.monotonic(), 0
    last_differences: list[Difference] = []
    answer: Any = None
    while True:
        # The time is read before the question, so that a slow answer does not prevent the last call.
        left_s = timeout_s - (waiting_clock.monotonic() - begin)
        refused: CommandFailed | None = None
        times += 1
        try:
            answer = question()
        except CommandFailed as error:
            refused = error
        else:
            last_differences = differences(answer, expected)
            if not last_differences:
                return answer
        if left_s <= 0:
            raise UnmetExpectation(
                last_differences, answer, refused, times, waiting_clock.monotonic() - begin
            ) from None
        if clock is None and times == 1 and (current_lab_clock := lab_clock.get()) is not None:
            waiting_clock, begin = current_lab_clock, current_lab_clock.monotonic()
        waiting_clock.sleep(max(0.0, min(interval_s, timeout_s - (waiting_clock.monotonic() - begin))))
