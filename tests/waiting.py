"""Waiting for what comes sooner or later."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
#: Long enough for a busy machine; nothing is measured with it, and no test waits for it to pass.
PATIENCE_S = 60.0


def wait_for(found: Callable[[], T | None], what: str, patience_s: float = PATIENCE_S) -> T:
    """What `found` finds, once it finds anything."""
    end = time.monotonic() + patience_s
    while not (value := found()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)
    return value
