"""Joins a detached lab for one command, and leaves it running."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from frrlib.lab.detached import DetachedLab
from frrlib.lab.lab import Listener


@contextmanager
def join_lab(name: str = "", listener: Listener | None = None) -> Iterator[DetachedLab]:
    """The lab of that name, or the only running lab. It keeps running afterwards.

    Raises:
        LabFailed: there is no such lab, or it is still starting.
    """
    lab = DetachedLab.join(name, listener)
    lab.start()
    try:
        yield lab
    finally:
        lab.part()  # without this, the lab would end
