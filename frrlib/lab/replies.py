"""A lab's unanswered requests. Every call may be made from any thread."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from frrlib import wire
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError


class PendingReplies:
    """The futures of a lab's answers, by the numbers of the requests.

    Attributes:
        ready: what the agent says first.
    """

    def __init__(self) -> None:
        self.ready: Future[wire.Ready] = Future()
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._next_id = 1
        #: How the lab has ended; empty before.
        self._gone = ""

    def expect(self) -> tuple[int, Future[dict[str, Any]]]:
        """The number for a request, and where its answer will be. Raises LabFailed after the lab's end."""
        with self._lock:
            if self._gone:
                raise LabFailed(self._gone)
            number, self._next_id = self._next_id, self._next_id + 1
            self._waiting[number] = answer = Future[dict[str, Any]]()
            return number, answer

    def forget(self, number: int) -> None:
        """Nobody waits for that answer any more."""
        with self._lock:
            self._waiting.pop(number, None)

    def take(self, message: wire.Ready | wire.Done | wire.Failed) -> None:
        """Give an answer to who waits for it, if anybody does."""
        if isinstance(message, wire.Ready):
            with suppress(InvalidStateError):
                self.ready.set_result(message)
            return
        with self._lock:
            answer = self._waiting.get(message.id)
        if answer is None:
            return
        if isinstance(message, wire.Failed):
            _fail(answer, _error(message))
        else:
            with suppress(InvalidStateError):
                answer.set_result(message.result)

    def fail(self, error: BaseException) -> None:
        """Have all who wait now get an error."""
        with self._lock:
            waiting: list[Future[Any]] = [self.ready, *self._waiting.values()]
        for answer in waiting:
            _fail(answer, error)

    def end(self, why: str) -> None:
        """The lab has ended: all who wait, and all who come later, get LabFailed."""
        with self._lock:
            self._gone = why
        self.fail(LabFailed(why))


def _fail(answer: Future[Any], error: BaseException) -> None:
    """Let a future end with an error, unless it has ended or another thread is faster."""
    with suppress(InvalidStateError):
        answer.set_exception(error)


def _error(failed: wire.Failed) -> LabError:
    if failed.kind == "command" and failed.argv:
        return CommandFailed(failed.argv, failed.status, failed.stderr or failed.why)
    if failed.kind == "machine":
        return PlaceError(failed.why, failed.remedy)
    return LabFailed(f"{failed.why}\n{failed.trace}".strip() if failed.kind == "internal" else failed.why)
