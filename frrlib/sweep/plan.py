"""A sweep as a value: a drawing, what varies, how often, and how to run it; and every single run of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.run.run import RunSettings
from frrlib.variation.axes import Axis
from frrlib.variation.points import Cell, checked, count, points

#: So long is the part of a run's name that people read; the rest of it tells runs apart.
_READABLE = 100


@dataclass(frozen=True)
class SweepPlan:
    """The description of a sweep.

    Attributes:
        text: the drawing's file, from which every run begins.
        axes: what varies; all combinations of their rows are run. None to run the drawing itself.
        repeat: runs of each combination, 1 at least.
        seed: of the first repetition; each further one has the next. All combinations have the same seeds, so that
            they meet the same chances.
        settings: how each is run, but for the seed.
    """

    text: str
    axes: tuple[Axis, ...] = ()
    repeat: int = 1
    seed: int = 1
    settings: RunSettings = field(default_factory=RunSettings)

    @property
    def size(self) -> int:
        """The number of its runs."""
        return count(self.axes) * self.repeat


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep.

    Attributes:
        name: of its folder; the same for the same values and repetition, however they were written.
        label: its values, for people.
        cells: its values by column ("link:l1.rate_mbit").
        repetition: from 1.
        seed: see `Plan.seed`.
        topology: its drawing, which `check` finds no errors in.
    """

    name: str
    label: str
    cells: Mapping[str, Cell]
    repetition: int
    seed: int
    topology: Topology

    @property
    def planned_s(self) -> float:
        """The time that its flows send by the drawing, in seconds; 0 if it is not known."""
        return max((flow.ends_s or flow.last_start_s for flow in self.topology.flows), default=0.0)


def runs_of(plan: SweepPlan, tell: Callable[[int], None] = lambda done: None) -> tuple[SweepRun, ...]:
    """Every run of a sweep. Repetitions are apart from each other, so that what drifts on a machine hits all values.

    Args:
        tell: called with how many combinations have been looked at; that takes a while for large drawings.

    Raises:
        TopologyError: a combination cannot run, or is the same as another; the message names it.
    """
    topology = mn.loads(plan.text).topology
    varied = []
    for number, point in enumerate(points(plan.axes), 1):
        varied.append((point, checked(topology, point)))
        tell(number)
    seen: dict[str, str] = {}
    for point, each in varied:
        twin = seen.setdefault(_name(each.cells, 1), str(point))
        if twin != str(point):
            raise TopologyError(
                f"repeats the run {twin}", node=str(point), right="set the number of repetitions separately"
            )
    return tuple(
        SweepRun(_name(each.cells, number), str(point), each.cells, number, plan.seed + number - 1, each.topology)
        for number in range(1, plan.repeat + 1)
        for point, each in varied
    )


def _name(cells: Mapping[str, Cell], repetition: int) -> str:
    """Values and repetition in words, and a hash that tells them from all others."""
    key = json.dumps([sorted(cells.items()), repetition], sort_keys=True)
    words = [f"{column.rpartition('.')[2]}-{value}".removesuffix(".0") for column, value in cells.items()]
    readable = re.sub(r"[^\w.+=-]+", "-", "_".join(words or ["as-drawn"]))[:_READABLE].strip("-.")
    return f"{readable}_{repetition}_{hashlib.blake2b(key.encode(), digest_size=5).hexdigest()}"
