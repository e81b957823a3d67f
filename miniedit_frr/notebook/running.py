"""Runs a topology from a notebook: refuses what cannot work, shows the progress, and returns the recording."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from frrlib.checks.check import check, refuse_errors
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.run.run import RunSettings
from frrlib.run.run import run as run_lab
from miniedit_frr.notebook.cell import CellDisplay
from miniedit_frr.notebook.recording import Recording, open_recording

#: Kinds of problems of which a flow cannot arrive.
_UNDELIVERABLE = frozenset({"no-path", "path-down", "unannounced"})
_RESULTS = Path("results")


def run(
    network: Network | Topology | str | Path,
    out: str | Path | None = None,
    *,
    live: bool = True,
    all_the_same: bool = False,
    **settings: Any,
) -> Recording:
    """Run a topology, with its progress and, in real time, its curves in the cell. Ctrl-C or *Interrupt* ends it in
    order: the measurements until then are kept.

    Args:
        network: a network, a topology, or the path of a topology's file.
        out: the results folder, replaced if it has a run; None for a new folder in `results`.
        live: whether the cell shows the progress.
        all_the_same: whether to run although flows cannot arrive.
        settings: fields of `RunSettings`, such as `virtual_time`, `seed`, `sample_hz` and `place`.

    Raises:
        TopologyError: the topology cannot work: it has errors, or no route leads to the receiver of a flow. Nothing
            has started then. Warnings of the checks are printed.
        PlaceError: this machine lacks something.
        ResultsError: the results cannot be written to `out`.
        TypeError: an unknown setting.
    """
    topology, folder = _topology(network)
    chosen = RunSettings(**settings)
    refuse_errors(topology)
    problems = [problem for problem in check(topology) if problem.severity is not Severity.NOTE]
    if not all_the_same:
        _refuse_undeliverable(topology, problems, chosen.silent_flows)
    for problem in problems:
        sys.stdout.write(f"{problem.severity}: {problem}\n")
    target = Path(out) if out is not None else _new_folder(topology.title)
    with CellDisplay(topology, target, live=live, curves=not chosen.virtual_time) as display:
        outcome = run_lab(
            topology, mn.dumps(topology), target, chosen, display.show, overwrite=True, figure=False, folder=folder
        )
    return open_recording(outcome.folder)


def _topology(network: Network | Topology | str | Path) -> tuple[Topology, Path | None]:
    """The topology, and the folder of its file."""
    if isinstance(network, Network):
        return network.topology, None
    if isinstance(network, Topology):
        return network, None
    path = Path(network)
    return mn.load(path).topology, path.resolve().parent


def _refuse_undeliverable(topology: Topology, problems: Iterable[Problem], silent_flows: Iterable[str]) -> None:
    """Raise an error if a problem is that a flow cannot arrive, unless it is expected to deliver nothing.

    Raises:
        TopologyError: describes the first such problem.
    """
    silent = {flow.partition(".")[0] for flow in silent_flows}
    kinds = _UNDELIVERABLE - set(topology.intended_problems)
    for problem in problems:
        is_expected = silent & {problem.node, *re.findall(r"[\w.-]+", problem.message)}
        if problem.kind in kinds and not is_expected:
            remedy = f"{problem.remedy}; or run(..., all_the_same=True)"
            raise TopologyError(problem.message, node=problem.node, field=problem.field, remedy=remedy)


def _new_folder(title: str) -> Path:
    """An unused folder in `results` that is named after a topology."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "run"
    candidates = (_RESULTS / f"{name}-{number}" for number in itertools.count(1))
    return next(path for path in candidates if not path.exists())
