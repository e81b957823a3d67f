"""One run with its flows, and its progress in the terminal."""

from __future__ import annotations

from pathlib import Path

from frrlib.model.topology import Topology
from frrlib.run.run import RunOutcome, RunSettings, run
from miniedit_frr.cli.exits import stderr
from miniedit_frr.terminal.progress import RunProgress


def run_with_progress(
    topology: Topology, text: str, out: Path, settings: RunSettings, *, folder: Path, overwrite: bool = False
) -> RunOutcome:
    """Do what `frrlib.run.run` does, and show its progress on standard error."""
    ends_s = [flow.ends_s or flow.last_start_s for flow in topology.flows]
    with RunProgress(stderr(), max(ends_s, default=0.0)) as progress:
        return run(topology, text, out, settings, progress.show, overwrite=overwrite, folder=folder)
