"""A sweep as a value: a topology, the varied fields, the repetitions and the settings; and all its runs."""

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

#: Maximum length of the readable part of a run's name; a hash after it makes the name unique.
_READABLE = 100


@dataclass(frozen=True)
class SweepPlan:
    """The description of a sweep.

    Attributes:
        text: of the topology's file, the base of every run.
        axes: the varied fields; all combinations of their rows are run. Empty to run the topology itself.
        repeat: number of runs of each combination, 1 or more.
        seed: of the first repetition; each further one has the next. All combinations have the same seeds, so that
            they have the same random numbers.
        settings: of each run, except the seed.
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
        name: of its folder; it depends only on values and repetition, not on their notation.
        label: its values, for people.
        cells: its values by column ("link:l1.rate_mbit").
        repetition: from 1.
        seed: see `SweepPlan.seed`.
        topology: its topology, without errors (see `check`).
    """

    name: str
    label: str
    cells: Mapping[str, Cell]
    repetition: int
    seed: int
    topology: Topology

    @property
    def planned_s(self) -> float:
        """The planned sending time of its flows, in seconds; 0 if unknown."""
        return max((flow.ends_s or flow.last_start_s for flow in self.topology.flows), default=0.0)


def runs_of(plan: SweepPlan, tell: Callable[[int], None] = lambda done: None) -> tuple[SweepRun, ...]:
    """Every run of a sweep. Repetitions are far apart, so that slow changes of a machine affect all values alike.

    Args:
        tell: called with the number of checked combinations; checking takes a while for large topologies.

    Raises:
        TopologyError: a combination cannot run, or is the same as another; the message names it.
    """
    topology = mn.loads(plan.text).topology
    variants = []
    for number, point in enumerate(points(plan.axes), 1):
        variants.append((point, checked(topology, point)))
        tell(number)
    labels: dict[str, str] = {}
    for point, variant in variants:
        twin = labels.setdefault(_name(variant.cells, 1), str(point))
        if twin != str(point):
            raise TopologyError(
                f"repeats the run {twin}", node=str(point), remedy="set the number of repetitions separately"
            )
    return tuple(
        SweepRun(
            _name(variant.cells, number), str(point), variant.cells, number, plan.seed + number - 1, variant.topology
        )
        for number in range(1, plan.repeat + 1)
        for point, variant in variants
    )


def _name(cells: Mapping[str, Cell], repetition: int) -> str:
    """Values and repetition in words, and a hash that makes the name unique."""
    key = json.dumps([sorted(cells.items()), repetition], sort_keys=True)
    words = [f"{column.rpartition('.')[2]}-{value}".removesuffix(".0") for column, value in cells.items()]
    readable = re.sub(r"[^\w.+=-]+", "-", "_".join(words or ["as-drawn"]))[:_READABLE].strip("-.")
    return f"{readable}_{repetition}_{hashlib.blake2b(key.encode(), digest_size=5).hexdigest()}"
