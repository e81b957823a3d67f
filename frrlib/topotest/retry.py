"""Asks again until a helper's verdict is as wanted; and the counter of a test's steps."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from frrlib.topotest.log import logger

F = TypeVar("F", bound=Callable[..., Any])
#: Seconds between two questions.
INTERVAL_S = 1.0


def retry(
    retry_timeout: float, initial_wait: float = 0, expected: bool = True, diag_pct: float = 0.0
) -> Callable[[F], F]:
    """Have a function that gives True, or a sentence that says what is wrong, asked until it gives what is expected.

    Args:
        retry_timeout: for how many seconds.
        initial_wait: seconds before the first question.
        expected: whether it is to be well; False waits for a sentence (or False).
        diag_pct: of no meaning here: nobody asks on when the time is over.

    Every call may give its own values of these. An exception counts as neither and is raised at the end.
    """

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def asking(*args: Any, **given: Any) -> Any:
            limit_s = given.pop("retry_timeout", retry_timeout)
            wanted = given.pop("expected", expected)
            wait_s = given.pop("initial_wait", initial_wait)
            given.pop("diag_pct", None)
            time.sleep(wait_s)
            deadline_s = time.monotonic() + limit_s
            while True:
                last = time.monotonic() >= deadline_s
                try:
                    result = function(*args, **given)
                except Exception:
                    if last:
                        raise
                else:
                    well = result is not False and not isinstance(result, str)
                    if well == wanted or last:
                        return result
                time.sleep(INTERVAL_S)

        return cast("F", asking)

    return wrap


class StepCounter:
    """Counts the steps of a test in its log."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, msg: str, reset: bool = False) -> None:
        """Tell the next step, or with `reset` begin to count anew."""
        self.count = 0 if reset else self.count + 1
        logger.info("step %d: %s", self.count, msg)


step = StepCounter()
