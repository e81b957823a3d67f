"""How long a window does not respond: the longest time between two beats of a timer in its thread."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pulse:
    """The beats of a window since its last step began. A window that is busy beats late.

    Args:
        clock: returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_s, self._longest_s = clock(), 0.0

    def begin(self) -> None:
        """Begin a step: forget earlier delays, and time that did not belong to the window."""
        self._last_s, self._longest_s = self._clock(), 0.0

    def beat(self) -> None:
        """Note a beat."""
        self._longest_s, self._last_s = self.longest_s(), self._clock()

    def longest_s(self) -> float:
        """The longest time without a beat since the step began, up to now."""
        return max(self._longest_s, self._clock() - self._last_s)
