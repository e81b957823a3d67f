"""One seed: a lab that follows a sequence of topologies, and the differences from labs built from nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from frrlib.errors import CommandFailed, LabError, LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from tests.changed_labs.observation import (
    configuration_differences,
    configurations,
    kernel_differences,
    kernel_state,
)
from tests.changed_labs.random_changes import Chance, change_at_random, first_network
from tests.changed_labs.random_settings import every_protocol, setting_at_random
from tests.waiting import pause

#: Changes of one step.
MOST_CHANGES = 3
#: How often two labs are compared until they are equal, and the pause between: routing needs some time.
_LOOKS, _PAUSE_S = 20, 1.0
_CONVERGENCE_TIMEOUT_S = 15.0


@dataclass(frozen=True)
class Trial:
    """The result of one seed.

    Attributes:
        steps: the names of the changes, by step; a step that the lab refused ends with the reason.
        faults: one line for each difference.
        seconds: real time that it took.
    """

    seed: int
    steps: tuple[str, ...]
    faults: tuple[str, ...]
    seconds: float = 0.0

    def __str__(self) -> str:
        lines = [f"seed {self.seed}, {self.seconds:.1f} s: {'differs' if self.faults else 'equal'}", *self.steps]
        return "\n    ".join([*lines, *(f"!! {fault}" for fault in self.faults)])


def try_sequence(seed: int, place: str, steps: int, *, only_settings: bool = False) -> Trial:
    """Build a lab, and let it follow topologies that differ by one to three random changes each.

    Args:
        only_settings: change only settings of routing, and compare only configurations, since random timers keep
            routing from converging.
    """
    begin_s, chance = time.monotonic(), Chance(seed, place)
    taken: list[str] = []
    faults: list[str] = []
    topology, change = (every_protocol(), setting_at_random) if only_settings else (first_network(), change_at_random)
    try:
        with Lab(topology, place=place) as lab:
            if not only_settings:
                _settle(lab)
            for number in range(1, steps + 1):
                names, changed = _next_topology(topology, chance, change)
                text = f"step {number}: {', '.join(names)}"
                try:
                    changes = lab.apply(changed)
                except (LabFailed, CommandFailed) as error:
                    # refused beforehand, or taken back: the lab stays as it was
                    taken.append(f"{text}: {error}")
                    if "cannot be followed" not in str(error):
                        faults.append(f"step {number}: {error}")
                else:
                    topology = changed
                    taken.append(f"{text}: {len(changes)} changes")
                differences = _other_configurations(lab, place) if only_settings else _compared_with_new_lab(lab, place)
                faults += [f"step {number}: {fault}" for fault in differences]
    except LabError as error:
        faults.append(f"lab: {error}")
    return Trial(seed, tuple(taken), tuple(faults), time.monotonic() - begin_s)


def _next_topology(
    topology: Topology, chance: Chance, change: Callable[[Topology, Chance], tuple[str, Topology]]
) -> tuple[list[str], Topology]:
    names = []
    for _ in range(chance.randint(1, MOST_CHANGES)):
        name, topology = change(topology, chance)
        names.append(name)
    return names, topology


def _settle(lab: Lab) -> None:
    """Wait for convergence. A random network may have routers that hear nobody: that is no fault of the change."""
    try:
        lab.wait_converged(timeout_s=_CONVERGENCE_TIMEOUT_S)
    except LabFailed:
        return


def _compared_with_new_lab(lab: Lab, place: str) -> list[str]:
    with Lab(lab.drawn, place=place) as new:
        _settle(new)
        _settle(lab)
        for _ in range(_LOOKS):
            found = list(_differences(lab, new))
            if not found:
                break
            pause(_PAUSE_S)
    return found


def _other_configurations(lab: Lab, place: str) -> list[str]:
    with Lab(lab.drawn, place=place) as new:
        return list(configuration_differences(configurations(lab), configurations(new)))


def _differences(lab: Lab, new: Lab) -> Iterator[str]:
    yield from kernel_differences(kernel_state(lab), kernel_state(new))
    yield from configuration_differences(configurations(lab), configurations(new))
