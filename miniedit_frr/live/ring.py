"""Samples in bounded memory: all of the newest ones, and older ones thinned so that no spike is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Number of rows in a ring before its older half is thinned: five minutes at 100 Hz.
MOST_ROWS = 30_000
_FIRST_ROWS = 32
#: Number of rows that become two when they are thinned.
_GROUP = 4


class Ring:
    """Rows of numbers in the order of their times; NaN means unknown.

    Args:
        columns: the names of the columns; the first is the time in seconds.
        most_rows: maximum number of rows, an even number; 0 for no limit.

    Attributes:
        columns: the names of the columns.
        is_thinned: whether rows were left out.
    """

    def __init__(self, columns: Sequence[str], most_rows: int = MOST_ROWS) -> None:
        self.columns = tuple(columns)
        self._at = {name: index for index, name in enumerate(self.columns)}
        self._most = most_rows
        self._cells: Floats = np.empty((len(self.columns), _FIRST_ROWS))
        self._count, self.is_thinned = 0, False

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Floats:
        """The times of the rows, in seconds."""
        return self._cells[0, : self._count]

    @property
    def newest_s(self) -> float:
        """The time of the last row; NaN for an empty ring."""
        return float(self._cells[0, self._count - 1]) if self._count else float("nan")

    def last(self, column: str) -> float:
        """The newest value of a column; NaN for an empty ring."""
        return float(self._cells[self._at[column], self._count - 1]) if self._count else float("nan")

    def add(self, rows: Floats) -> None:
        """Add rows, each with a value for every column. Late rows are sorted in."""
        new = rows.shape[0]
        if not new:
            return
        self._make_room(new)
        end = self._count + new
        self._cells[:, self._count : end] = rows.T
        begin = max(0, self._count - 1)
        self._count = end
        if (np.diff(self._cells[0, begin:end]) < 0).any():
            self._cells[:, :end] = self._cells[:, np.argsort(self._cells[0, :end], kind="stable")]

    def columns_between(self, from_s: float, to_s: float) -> Mapping[str, Floats]:
        """The rows from one time to another, both included, and the nearest one on either side, column by column.

        They are views, valid until rows are added.
        """
        times = self.times
        begin = max(0, int(np.searchsorted(times, from_s, "left")) - 1)
        end = min(self._count, int(np.searchsorted(times, to_s, "right")) + 1)
        return {name: self._cells[index, begin:end] for name, index in self._at.items()}

    def _make_room(self, new: int) -> None:
        while self._most and self._count and self._count + new > self._most:
            previous_count = self._count
            self._thin()
            if self._count == previous_count:
                break
        needed, size = self._count + new, self._cells.shape[1]
        if needed > size:
            grown = np.empty((len(self.columns), max(needed, 2 * size)))
            grown[:, : self._count] = self._cells[:, : self._count]
            self._cells = grown

    def _thin(self) -> None:
        """Replace every four rows of the older half by two: the first and last time, and the minimum and maximum of
        each value, in their order. A monotonic count stays exact."""
        groups, self.is_thinned = self._count // 2 // _GROUP, True
        old = self._cells[:, : groups * _GROUP].reshape(len(self.columns), groups, _GROUP)
        low, high = np.where(np.isnan(old), np.inf, old), np.where(np.isnan(old), -np.inf, old)
        least, largest = low.min(axis=2), high.max(axis=2)
        is_rising = low.argmin(axis=2) <= high.argmax(axis=2)
        thinned = np.empty((len(self.columns), groups, 2))
        thinned[:, :, 0] = np.where(is_rising, least, largest)
        thinned[:, :, 1] = np.where(is_rising, largest, least)
        thinned[np.isinf(thinned)] = np.nan
        newer = self._cells[:, groups * _GROUP : self._count].copy()
        self._cells[:, : 2 * groups] = thinned.reshape(len(self.columns), 2 * groups)
        self._cells[:, 2 * groups : 2 * groups + newer.shape[1]] = newer
        self._count = 2 * groups + newer.shape[1]
