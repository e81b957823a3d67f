"""The pending requests of a lab. All methods may be called from any thread."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from frrlib import wire
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError


class PendingReplies:
    """The futures of a lab's replies, by the numbers of the requests.

    Attributes:
        ready: the agent's first message.
    """

    def __init__(self) -> None:
        self.ready: Future[wire.Ready] = Future()
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._next_id = 1
        #: A sentence about the lab's end; empty before.
        self._gone = ""

    def expect(self) -> tuple[int, Future[dict[str, Any]]]:
        """A number for a request, and the future of its reply. Raises LabFailed after the lab's end."""
        with self._lock:
            if self._gone:
                raise LabFailed(self._gone)
            number, self._next_id = self._next_id, self._next_id + 1
            self._waiting[number] = answer = Future[dict[str, Any]]()
            return number, answer

    def forget(self, number: int) -> None:
        """Drop a request: its reply will be ignored."""
        with self._lock:
            self._waiting.pop(number, None)

    def take(self, message: wire.Ready | wire.Done | wire.Failed) -> None:
        """Hand a reply to the caller that waits for it, if any."""
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
        """Have all pending requests fail with an error."""
        with self._lock:
            waiting: list[Future[Any]] = [self.ready, *self._waiting.values()]
        for answer in waiting:
            _fail(answer, error)

    def end(self, reason: str) -> None:
        """Have all pending and later requests fail with LabFailed, since the lab has ended."""
        with self._lock:
            self._gone = reason
        self.fail(LabFailed(reason))


def _fail(answer: Future[Any], error: BaseException) -> None:
    """Set an error as a future's result, unless another thread has set one."""
    with suppress(InvalidStateError):
        answer.set_exception(error)


def _error(failed: wire.Failed) -> LabError:
    if failed.kind == "command" and failed.argv:
        return CommandFailed(failed.argv, failed.status, failed.stderr or failed.reason)
    if failed.kind == "machine":
        return PlaceError(failed.reason, failed.remedy)
    return LabFailed(f"{failed.reason}\n{failed.trace}".strip() if failed.kind == "internal" else failed.reason)
