"""The steps of a lab's life, each measured and told of: boot, build, routes, flows."""

from __future__ import annotations

import time
from collections.abc import Callable

from frrlib import wire


class Step:
    """Measures a step of a lab and tells of its start and end.

    What it tells is on the lab's clock; only "boot" is on this program's, since the lab has none before.

    Args:
        name: the step's.
        done: a list to which (name, seconds) is added at the end.
        tell: hears of the start and of the end.
        clock_ahead_s: how far the lab's clock is ahead of this program's.
    """

    def __init__(
        self, name: str, done: list[tuple[str, float]], tell: Callable[[wire.Message], None], clock_ahead_s: float
    ) -> None:
        self._name, self._done, self._tell, self._ahead_s = name, done, tell, clock_ahead_s

    def __enter__(self) -> None:
        self._begin = time.monotonic()
        self._tell(wire.Step(self._name, "start", self._begin + self._ahead_s))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        end = time.monotonic()
        self._done.append((self._name, end - self._begin))
        text = f"{end - self._begin:.2f} s" if error is None else str(error)
        self._tell(wire.Step(self._name, "done" if error is None else "failed", end + self._ahead_s, text))
