"""The load of the machine while a run measures, seen from outside the lab."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.results.writer import Writer
from frrlib.system import processor

#: The time between two samples, in seconds.
EVERY_S = 1.0


class MachineLoad:
    """A `with` block during which the load of the machine's processors is sampled once a second, from a thread.

    Args:
        clock: returns the time of a sample, in seconds.

    Attributes:
        zero_s: the reading of the clock from which the samples count; None for the time of the first one.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.zero_s: float | None = None
        self._clock = clock
        self._seen: list[tuple[float, processor.Spent]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="load", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def samples(self) -> wire.Samples:
        """The samples, as rows of the table "cpu"."""
        zero_s = self._seen[0][0] if self.zero_s is None else self.zero_s
        rows: list[list[Any]] = [
            [round(at_s - zero_s, 6), "machine", *(round(part_s, 2) for part_s in spent)] for at_s, spent in self._seen
        ]
        return wire.Samples("cpu", rows)

    def _look(self) -> None:
        while True:
            self._seen.append((self._clock(), processor.spent()))
            if self._over.wait(EVERY_S):
                self._seen.append((self._clock(), processor.spent()))
                return


@contextmanager
def record_load(lab: Lab, writer: Writer, *, is_virtual: bool) -> Iterator[MachineLoad | None]:
    """Record the load of the machine during the block. In virtual time it affects no result, and is not recorded.

    A run whose flows do not end keeps no record, because the start of its time is not known.
    """
    if is_virtual:
        yield None
        return
    load = MachineLoad(lab.now_s)
    try:
        with load:
            yield load
    finally:
        if load.zero_s is not None or not lab.topology.flows:
            writer.add(load.samples())
