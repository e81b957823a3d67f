"""Questions to a lab and what is to be done with their answers, which come later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from miniedit_frr.session.events import Answer, PairPinged


class Asking:
    """Remembers who waits for which answer.

    Args:
        say: shows why there is no answer, where nobody else does.
        wake: called when there is something to wait for.
    """

    def __init__(self, say: Callable[[str], None], wake: Callable[[], None]) -> None:
        self._say, self._wake = say, wake
        self._waiting: dict[int, tuple[Callable[[Any], object], Callable[[str], object]]] = {}
        self._pairs: dict[int, Callable[[PairPinged], object]] = {}

    def __bool__(self) -> bool:
        """Whether anybody waits."""
        return bool(self._waiting)

    def then(
        self,
        number: int,
        take: Callable[[Any], object],
        fail: Callable[[str], object] | None = None,
        pair: Callable[[PairPinged], object] | None = None,
    ) -> int:
        """Hand the answer to the question of that number to `take`, or why there is none to `fail`.

        Args:
            pair: called with every ping of a matrix before that.
        """
        self._waiting[number] = take, fail or self._say
        if pair is not None:
            self._pairs[number] = pair
        self._wake()
        return number

    def answered(self, event: Answer) -> None:
        """An answer has come."""
        self._pairs.pop(event.number, None)
        take, fail = self._waiting.pop(event.number, (_nothing, _nothing))
        if event.error:
            fail(event.error)
        else:
            take(event.result)

    def pinged(self, event: PairPinged) -> None:
        """A ping of a matrix has come."""
        self._pairs.get(event.number, _nothing)(event)


def _nothing(result: Any) -> None:
    """Nobody waits."""
