"""Waits for descriptors of any number. `select.select` refuses those above 1,023, and a large lab has many of these."""

from __future__ import annotations

import errno
import math
import os
import select
import time
from collections.abc import Iterable
from typing import Protocol, TypeVar


class HasDescriptor(Protocol):
    """An object with a descriptor, such as a socket or a file."""

    def fileno(self) -> int:
        """The descriptor."""


#: A descriptor, or an object with one.
Source = TypeVar("Source", bound=int | HasDescriptor)

_ENDED = select.POLLHUP | select.POLLERR


def ready(
    reading: Iterable[Source], writing: Iterable[Source] = (), timeout_s: float | None = None
) -> tuple[list[Source], list[Source]]:
    """Wait until a descriptor is ready, and return those to read from and those to write to.

    Args:
        reading, writing: what to wait for. A descriptor whose other end is closed, or that has an error, is ready.
        timeout_s: the longest wait; None: no limit. In its last millisecond, which poll cannot divide, a descriptor
            that becomes ready does not end the wait.

    Raises:
        OSError: a descriptor is closed (EBADF).
        ValueError: an object was closed before.
    """
    sources = [(source, _descriptor(source), select.POLLIN) for source in reading]
    sources += [(source, _descriptor(source), select.POLLOUT) for source in writing]
    wanted: dict[int, int] = {}
    for _, descriptor, event in sources:
        wanted[descriptor] = wanted.get(descriptor, 0) | event
    poll = select.poll()
    for descriptor, events in wanted.items():
        poll.register(descriptor, events)
    states = _poll(poll, timeout_s)
    if any(state & select.POLLNVAL for state in states.values()):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    found: dict[int, list[Source]] = {select.POLLIN: [], select.POLLOUT: []}
    for source, descriptor, event in sources:
        if states.get(descriptor, 0) & (event | _ENDED):
            found[event].append(source)
    return found[select.POLLIN], found[select.POLLOUT]


def _poll(poll: select.poll, timeout_s: float | None) -> dict[int, int]:
    if timeout_s is None:
        return dict(poll.poll(None))
    until_s = time.monotonic() + timeout_s
    if states := poll.poll(max(0, math.floor(timeout_s * 1000))):
        return dict(states)
    if (left_s := until_s - time.monotonic()) <= 0:
        return {}
    time.sleep(left_s)
    return dict(poll.poll(0))


def _descriptor(source: int | HasDescriptor) -> int:
    number = source if isinstance(source, int) else source.fileno()
    if number < 0:
        raise ValueError(f"descriptor {number} is closed")
    return number
