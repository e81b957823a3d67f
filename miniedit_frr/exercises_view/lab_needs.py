"""The parts of the window's lab that exercises need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from frrlib.model.topology import Topology
from miniedit_frr.lab_control.controller import LabController


@dataclass(frozen=True)
class LabNeeds:
    """Functions of the window's lab.

    Attributes:
        is_alive: returns whether the window's lab runs, starts or stops.
        place: returns the place of new labs.
        may_run: asks, if necessary, whether a topology from a file may run.
        is_open: returns whether the window's lab runs and accepts requests.
        adopt: called with the drawing before and after lines that routers of the window's lab have were added to it.
        explain_neighbor: shows why a router lacks a neighbor of a protocol: router, neighbor, protocol.
        explain_route: shows why a router lacks a route: router, prefix.
    """

    is_alive: Callable[[], bool]
    place: Callable[[], str]
    may_run: Callable[[Topology, Path], bool]
    is_open: Callable[[], bool]
    adopt: Callable[[Topology, Topology], object]
    explain_neighbor: Callable[[str, str, str], object]
    explain_route: Callable[[str, str], object]


def lab_needs(lab: LabController) -> LabNeeds:
    """These functions of a window's lab."""
    explanations = lab.routing_windows.explanations
    return LabNeeds(
        lambda: lab.is_alive, lambda: lab.places.chosen, lab.consent.may_run, lambda: lab.lab.is_open,
        lab.changes.drawn.adopt_lines,
        explanations.explain_neighbor, explanations.explain_route,
    )  # fmt: skip
