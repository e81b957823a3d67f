"""The queue of events that a window polls. Its total weight is limited."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from miniedit_frr.session.events import ConvergenceProgress, Event, SampleBatch

#: Maximum weight of the waiting events. An event weighs 1, plus 1 for each row or sentence in it, plus 1 for each
#: `_TEXT` characters.
MOST_WEIGHT, _TEXT = 20_000, 1000
#: Seconds between two checks of a waiting thread whether it should give up.
_LOOK_S = 0.2


class WaitingEvents:
    """Events in the order in which they were added. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, Event]] = deque()
        self._weight = 0
        self._changed = threading.Condition()

    def put(self, event: Event) -> None:
        """Add an event, even if the queue is full."""
        weight = _weight(event)
        with self._changed:
            self._events.append((weight, event))
            self._weight += weight

    def take(self, most: int) -> list[Event]:
        """Remove and return up to `most` events, the oldest first."""
        with self._changed:
            oldest = [self._events.popleft() for _ in range(min(most, len(self._events)))]
            self._weight -= sum(weight for weight, _ in oldest)
            self._changed.notify_all()
        return [event for _, event in oldest]

    def wait_for_room(self, is_given_up: Callable[[], bool]) -> None:
        """Wait until the queue weighs no more than `MOST_WEIGHT`, or `is_given_up` returns true."""
        with self._changed:
            while self._weight > MOST_WEIGHT and not is_given_up():
                self._changed.wait(_LOOK_S)


def _weight(event: Event) -> int:
    """The memory of an event, roughly in kilobytes."""
    if isinstance(event, SampleBatch):
        return 1 + len(event.rows)
    if isinstance(event, ConvergenceProgress):
        return 1 + sum(map(len, event.routers.values()))
    return 1 + sum(len(text) for text in vars(event).values() if isinstance(text, str)) // _TEXT
