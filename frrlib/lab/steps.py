"""The steps of a lab's life, each measured and reported: boot, build, routes, flows."""

from __future__ import annotations

import time
from collections.abc import Callable

from frrlib import wire


class StepTimer:
    """Measures a step of a lab and reports its start and its end.

    The reported times are on the lab's clock; only those of "boot" are on this program's clock, since the lab has no
    clock before.

    Args:
        name: the step's.
        done: a list to which (name, seconds) is appended at the end; the seconds are real time.
        tell: called with the events of the start and of the end.
        clock: the reading of the lab's clock, in seconds.
        virtual: whether that is virtual time; then the texts give it, too.
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
