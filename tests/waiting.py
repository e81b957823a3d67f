"""Waiting for things that come sooner or later, and for things that must not come at all.

How long a test waits is never what it tests: a quick machine goes on at once, a slow or busy one is given more time.
Tests wait in no other way; `tests/test_waiting.py` holds them to that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
#: The time of `_work` on a quiet machine, in seconds.
_QUIET_S = 0.02


def _work() -> None:
    sum(number * number for number in range(250_000))


def _slowness() -> float:
    """How many times slower than a quiet machine this one is now; 1 for a quicker one, and at most 5."""
    begin_s = time.perf_counter()
    _work()
    return min(max(1.0, (time.perf_counter() - begin_s) / _QUIET_S), 5.0)


#: How long to wait for something, in seconds; later it is taken not to come.
PATIENCE_S = 90.0 * _slowness()


#: The pause between two looks in `wait_for` is a multiple of the time of a look: looks that start programs or take
#: pictures must leave the processor to what is waited for.
_PAUSE_PER_LOOK, _SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 4.0, 0.01, 0.5
#: The pause is also a part of the time that has been waited: some thousand looks would cost as much as a lab. Windows
#: get their events between two looks.
_PAUSE_PER_WAIT, _LONGEST_GROWN_PAUSE_S = 0.02, 0.1


def nothing() -> None:
    """Do nothing meanwhile."""


def wait_for(
    condition: Callable[[], T | None],
    description: str | Callable[[], object],
    meanwhile: Callable[[], object] = nothing,
) -> T:
    """The result of `condition`, once it is true.

    Args:
        description: of what is waited for, for the error message; a function is called only for that message.
        meanwhile: called between two looks, such as a window's `update`.

    Raises:
        AssertionError: it does not come.
    """
    begin_s = look_begin_s = time.monotonic()
    while not (value := condition()):
        look_s = time.monotonic() - look_begin_s
        waited_s = time.monotonic() - begin_s
        if waited_s > PATIENCE_S:
            raise AssertionError(f"waited in vain for {description if isinstance(description, str) else description()}")
        meanwhile()
        time.sleep(_pause_s(look_s, waited_s))
        look_begin_s = time.monotonic()
    return value


def _pause_s(look_s: float, waited_s: float) -> float:
    grown_s = min(_PAUSE_PER_WAIT * waited_s, _LONGEST_GROWN_PAUSE_S)
    return max(_SHORTEST_PAUSE_S, grown_s, min(_PAUSE_PER_LOOK * look_s, _LONGEST_PAUSE_S))


#: Time between two looks of `wait_for_lab`.
_LAB_LOOK_S = 1.0


def wait_for_lab(condition: Callable[[], T | None], description: str | Callable[[], object]) -> T:
    """As `wait_for`, for conditions that start programs in a lab.

    Looks without a break would keep a processor busy.
    """
    return wait_for(condition, description, lambda: pause(_LAB_LOOK_S))


def comes(condition: Callable[[], object]) -> bool:
    """Whether something comes, sooner or later."""
    try:
        return bool(wait_for(condition, ""))
    except AssertionError:
        return False


def pause(seconds: float, meanwhile: Callable[[], object] = nothing) -> None:
    """Let time pass in which something happens, or must not happen. On a busy machine less may happen in it, so only
    the absence of something may depend on it.
    """
    end_s = time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0:
        meanwhile()
        time.sleep(min(left_s, 0.01))
