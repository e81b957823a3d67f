"""Repeats a helper of tests until its result is as expected; and the counter of a test's steps."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from frrlib.topotest.log import logger

F = TypeVar("F", bound=Callable[..., Any])
#: Seconds between two calls.
INTERVAL_S = 1.0


def retry(
    retry_timeout: float, initial_wait: float = 0, expected: bool = True, diag_pct: float = 0.0
) -> Callable[[F], F]:
    """A decorator that repeats a function until it returns True, or a sentence about a difference, as expected.

    Args:
        retry_timeout: time limit in seconds.
        initial_wait: seconds before the first call.
        expected: True waits for success, False for a sentence or False.
        diag_pct: ignored; there are no calls after the time limit.

    Every call may override these values. An exception counts as neither, and is raised at the end.
    """

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def asking(*args: Any, **options: Any) -> Any:
            limit_s = options.pop("retry_timeout", retry_timeout)
            is_expected = options.pop("expected", expected)
            wait_s = options.pop("initial_wait", initial_wait)
            options.pop("diag_pct", None)
            time.sleep(wait_s)
            deadline_s = time.monotonic() + limit_s
            while True:
                last = time.monotonic() >= deadline_s
                try:
                    result = function(*args, **options)
                except Exception:
                    if last:
                        raise
                else:
                    succeeded = result is not False and not isinstance(result, str)
                    if succeeded == is_expected or last:
                        return result
                time.sleep(INTERVAL_S)

        return cast("F", asking)

    return wrap


class StepCounter:
    """Counts the steps of a test in its log."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, msg: str, reset: bool = False) -> None:
        """Log the next step; `reset` restarts the count."""
        self.count = 0 if reset else self.count + 1
        logger.info("step %d: %s", self.count, msg)


step = StepCounter()
