"""The steps of a lab's life, each measured and told of: boot, build, routes, flows."""

from __future__ import annotations

import time
from collections.abc import Callable

from frrlib import wire


class StepTimer:
    """Measures a step of a lab and tells of its start and end.

    What it tells is on the lab's clock; only "boot" is on this program's, since the lab has none before.

    Args:
        name: the step's.
        done: a list to which (name, seconds) is added at the end.
        tell: hears of the start and of the end.
        clock: what the lab's clock shows, in seconds.
        virtual: whether that is virtual time, which the texts tell then, too; seconds that are kept are real ones.
    """

    def __init__(
        self,
        name: str,
        done: list[tuple[str, float]],
        tell: Callable[[wire.Message], None],
        clock: Callable[[], float],
        *,
        virtual: bool = False,
    ) -> None:
        self._name, self._done, self._tell, self._clock, self._virtual = name, done, tell, clock, virtual

    def __enter__(self) -> None:
        self._begin, self._begin_lab = time.monotonic(), self._clock()
        self._tell(wire.StepEvent(self._name, "start", self._begin_lab))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        took_s, now_s = time.monotonic() - self._begin, self._clock()
        self._done.append((self._name, took_s))
        text = f"{now_s - self._begin_lab:.2f} s in " if self._virtual else ""
        text = f"{text}{took_s:.2f} s" if error is None else str(error) or "interrupted"
        self._tell(wire.StepEvent(self._name, "done" if error is None else "failed", now_s, text))
