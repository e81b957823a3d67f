"""The work of the processors of this machine, or of the lab kernel of this process, as the kernel counts it.

The sampler in the lab uses it, too, so this module imports nothing that takes time.
"""

from __future__ import annotations

import os

_STAT = "/proc/stat"

#: Seconds of all processors together since the kernel started: busy; idle, or waiting for a disk; stolen by a
#: hypervisor, which ran another machine.
Spent = tuple[float, float, float]


def spent() -> Spent:
    """The total work of all processors up to now. Raises OSError if the kernel does not report it."""
    with open(_STAT, encoding="ascii") as file:
        words = file.readline().split()[1:9]
    user, nice, system, idle, waiting, irq, soft, steal = (int(word) / os.sysconf("SC_CLK_TCK") for word in words)
    return user + nice + system + irq + soft, idle + waiting, steal


def busy_share(start: Spent, end: Spent) -> float:
    """The share of the processors' time between two moments that was not idle, 0 to 1; stolen time counts as busy."""
    busy_s, idle_s, steal_s = (late - early for early, late in zip(start, end, strict=True))
    whole_s = busy_s + idle_s + steal_s
    return min(1.0, max(0.0, 1 - idle_s / whole_s)) if whole_s > 0 else 0.0
