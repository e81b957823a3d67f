"""Repeated requests until a reply is as expected, on a simulated clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from frrlib.errors import CommandFailed, LabError, LabFailed
from frrlib.expect.comparison import ANY
from frrlib.expect.expectation import UnmetExpectation, expect


class Clock:
    """A simulated clock: `sleep` advances it, and each request takes `each_s`."""

    def __init__(self, replies: list[Any], request_s: float = 0.0) -> None:
        self.now_s, self.request_s = 1000.0, request_s
        self.requested_s: list[float] = []
        self.replies = replies

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now_s += seconds

    def question(self) -> Any:
        """The next reply; the last one is repeated for ever."""
        self.requested_s.append(self.now_s - 1000)
        self.now_s += self.request_s
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


REFUSED = CommandFailed(("vtysh",), 1, "bgpd is not running")


def test_an_expected_reply_ends_the_waiting_at_once() -> None:
    clock = Clock([{"a": 1, "b": 2}])
    assert expect(clock.question, {"a": 1}, timeout_s=0, clock=clock) == {"a": 1, "b": 2}
    assert clock.requested_s == [0]


def test_the_request_is_repeated_until_the_reply_is_as_expected() -> None:
    clock = Clock([{"a": 0}, REFUSED, {"a": 0}, {"a": 1}])
    expect(clock.question, {"a": 1}, timeout_s=10, interval_s=2, clock=clock)
    assert clock.requested_s == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("timeout_s", "request_s", "requested_s"),
    [
        pytest.param(0, 0, [0], id="no-time"),
        pytest.param(5, 0, [0, 2, 4, 5], id="once-more-at-the-end"),
        pytest.param(4, 0, [0, 2, 4], id="whole-intervals"),
        pytest.param(5, 1, [0, 3, 5], id="slow-replies"),
        pytest.param(5, 100, [0, 100], id="a-reply-slower-than-the-timeout"),
    ],
)
def test_the_number_of_calls_follows_from_the_interval(
    timeout_s: float, request_s: float, requested_s: list[float]
) -> None:
    clock = Clock([{"a": 0}], request_s)
    with pytest.raises(UnmetExpectation) as caught:
        expect(clock.question, {"a": 1}, timeout_s=timeout_s, interval_s=2, clock=clock)
    assert clock.requested_s == requested_s
    assert caught.value.times == len(requested_s)
    assert caught.value.took_s == requested_s[-1] + request_s


def test_the_failure_has_the_last_reply_and_its_differences() -> None:
    clock = Clock([{"peers": {"10.9.0.2": {"state": "Active"}}}])
    with pytest.raises(UnmetExpectation) as caught:
        expect(clock.question, {"peers": {"10.9.0.2": {"state": "Up"}}}, timeout_s=1, interval_s=1, clock=clock)
    error = caught.value
    assert str(error) == (
        "not as expected, asked 2 times in 1.0 s:\npeers[\"10.9.0.2\"].state: wanted 'Up', found 'Active'"
    )
    assert error.answer == {"peers": {"10.9.0.2": {"state": "Active"}}}
    assert [(difference.path, difference.wanted, difference.found) for difference in error.differences] == [
        (("peers", "10.9.0.2", "state"), "Up", "Active")
    ]
    assert error.refused is None
    assert isinstance(error, AssertionError) and isinstance(error, LabError)


def test_a_request_that_is_refused_until_the_timeout() -> None:
    clock = Clock([{"a": 0}, REFUSED])
    with pytest.raises(
        UnmetExpectation, match=r"bgpd is not running\nthe last answer before that:\n    a: wanted 1"
    ) as caught:
        expect(clock.question, {"a": 1}, timeout_s=1, interval_s=1, clock=clock)
    assert caught.value.refused is REFUSED
    assert caught.value.answer == {"a": 0}


def test_many_differences_are_truncated() -> None:
    clock = Clock([{}])
    with pytest.raises(UnmetExpectation) as caught:
        expect(clock.question, {str(number): ANY for number in range(50)}, timeout_s=0, clock=clock)
    assert len(caught.value.differences) == 50
    assert str(caught.value).endswith("... and 30 differences more")
    assert len(str(caught.value).splitlines()) == 22


@pytest.mark.parametrize("error", [LabFailed("the lab has ended"), ValueError("a mistake of the test")])
def test_other_errors_end_the_waiting(error: Exception) -> None:
    clock = Clock([error])
    request: Callable[[], Any] = clock.question
    with pytest.raises(type(error), match=str(error)):
        expect(request, 1, clock=clock)
    assert len(clock.requested_s) == 1
