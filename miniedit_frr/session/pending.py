"""Requests to a running lab that wait for their reply, and the callbacks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


def ignore(*_: Any) -> None:
    """A callback that does nothing."""


class PendingRequests:
    """All requests with callbacks that wait for their reply.

    Args:
        report: called with the error of a failed request that has no callback for it.
        wake: called when a request begins to wait.
    """

    def __init__(self, report: Callable[[str], object] = ignore, wake: Callable[[], object] = ignore) -> None:
        self.report, self.wake = report, wake
        self._requests: set[PendingRequest[Any]] = set()

    def __bool__(self) -> bool:
        """Whether any request waits."""
        return bool(self._requests)

    def add(self, request: PendingRequest[Any]) -> None:
        """A request begins to wait."""
        self._requests.add(request)
        self.wake()

    def discard(self, request: PendingRequest[Any]) -> None:
        """A request has its reply."""
        self._requests.discard(request)


class PendingRequest(Generic[Result]):
    """A request to a running lab. Its callbacks are called by `complete`, in the thread that polls the session.

    Attributes:
        is_dropped: whether the result is no longer needed; a ping matrix then ends early.
    """

    def __init__(self, pending: PendingRequests) -> None:
        self.is_dropped = False
        self._pending = pending
        self._show: Callable[[Result], object] = ignore
        self._failed: Callable[[str], object] = ignore
        self._progress: Callable[[Any], object] = ignore

    def then(
        self,
        show: Callable[[Result], object],
        failed: Callable[[str], object] | None = None,
        progress: Callable[[Any], object] = ignore,
    ) -> PendingRequest[Result]:
        """Set the callbacks, and return this request.

        Args:
            show: called with the result.
            failed: called with the error instead; without it, the session reports the error.
            progress: called with each event of a request that sends some before its reply.
        """
        self._show, self._failed, self._progress = show, failed or self._pending.report, progress
        self._pending.add(self)
        return self

    def drop(self) -> None:
        """Stop a request that consists of many steps. Its reply comes when the steps in progress have ended."""
        self.is_dropped = True

    def advance(self, event: Any) -> None:
        """Pass on an event that precedes the reply."""
        self._progress(event)

    def complete(self, result: Result, error: str = "") -> None:
        """Pass on the result, or the error unless it is empty."""
        self._pending.discard(self)
        show, failed = self._show, self._failed
        self._show, self._failed, self._progress = ignore, ignore, ignore
        if error:
            failed(error)
        else:
            show(result)
