"""The contents of a folder of experiments, as the report and the pages show them.

Verdicts and figures are those that `conclusion.py` has kept there; missing ones are made here.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image

from experiments import published_style as drawing
from experiments.catalogue import experiments
from experiments.conclusion import FIGURES
from experiments.declaration import Case, Experiment, Picture
from experiments.runs import CASES, Runs, experiment_folders, open_runs
from experiments.topologies import lay_out_nodes
from experiments.verdict import JSON, Outcome, Verdict, judge, load_verdicts, outcome_totals
from frrlib.addressing.addressing import addressed
from frrlib.picture.export import picture_bytes
from frrlib.picture.labels import Labels
from frrlib.results.layout import ResultsError, RunInfo
from frrlib.results.read import read_info

#: Programs whose versions are listed.
_PROGRAMS = {"miniedit_frr": "MiniEdit-FRR", "kernel": "Linux", "frr": "FRR", "tc": "iproute2"}
#: More flows than these, one after another, hide the lab below their arrows.
_MOST_FLOWS = 6


@dataclass(frozen=True, eq=False)
class ExperimentResults:
    """An experiment that was run.

    Attributes:
        experiment: what was repeated.
        runs: what there is of it.
        said: how it was run, as its folder says: "seed", "virtual_time", "quick", "place".
    """

    experiment: Experiment
    runs: Runs
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The experiment's."""
        return self.experiment.name

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """On each of its statements."""
        folder = self.runs.folder
        return load_verdicts(folder) if (folder / JSON).exists() else judge(self.experiment, self.runs)

    @cached_property
    def totals(self) -> dict[Outcome, int]:
        """How many statements have each outcome."""
        return outcome_totals(self.verdicts)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Its cases, as they were chosen."""
        return self.experiment.cases(self.runs.is_quick)

    @cached_property
    def infos(self) -> tuple[RunInfo, ...]:
        """The records of its runs; their samples are not read."""
        return tuple(read_info(run.folder) for run in self.runs)

    @property
    def wall_s(self) -> float:
        """How long its runs took by the clock on the wall, one after another, in seconds."""
        return sum(_seconds(info.started, info.finished) for info in self.infos)

    @property
    def lab_s(self) -> float:
        """How long its flows lasted by the labs' clocks, together, in seconds."""
        ends = ([flow.start_s + flow.duration_s for flow in info.flows] for info in self.infos)
        return sum(max(each, default=0.0) for each in ends)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        time = "--virtual-time" if self.settings.get("virtual_time", True) else "--real-time"
        seed = self.settings.get("seed", 1)
        parts = [f"miniedit-frr experiment run {self.name}", time, "--quick" if self.runs.is_quick else ""]
        return " ".join(filter(None, (*parts, f"--seed {seed}" if seed != 1 else "")))

    @property
    def versions(self) -> str:
        """The software it ran on: "MiniEdit-FRR 1.0, Linux 6.12.1, FRR 8.4"; versions that differ from run to run are
        all named.
        """
        found: dict[str, dict[str, None]] = {}
        for info in self.infos:
            for fact, name in _PROGRAMS.items():
                if version := info.facts.get(fact):
                    found.setdefault(name, {})[str(version)] = None
        return ", ".join(f"{name} {' and '.join(each)}" for name, each in found.items())

    def run_count_text(self, case: str) -> str:
        """How many runs of a case there are, or why there is none: "3", "not run: ..."."""
        why = self.runs.missing.get(case)
        return f"not run: {why}" if why else str(sum(run.case == case for run in self.runs))

    def figure_png(self, picture: Picture) -> bytes:
        """One of its figures, from whatever runs there are, as the content of a PNG file."""
        folder = self.runs.folder / FIGURES
        file = folder / f"{picture.name}.png"
        if not file.exists():
            drawing.save_picture(picture, self.runs, folder)
        return small_png(file.read_bytes())

    def lab_picture(self, kind: str) -> bytes:
        """A picture of the lab of its first case, as the content of a file "svg" or "png"."""
        topology = lay_out_nodes(self.cases[0].topology)
        labels = Labels(flows=len(topology.flows) <= _MOST_FLOWS)
        return picture_bytes(topology, kind, labels, addressed(topology))


def experiment_results(out: Path) -> tuple[ExperimentResults, ...]:
    """The experiments in a folder, in the order of the catalogue.

    Raises:
        ResultsError: there are none, or a folder's experiment is not known.
    """
    found = {}
    for folder in experiment_folders(out):
        said = json.loads((folder / CASES).read_text(encoding="utf-8"))
        name = str(said.get("experiment", folder.name))
        if name not in experiments():
            raise ResultsError(folder, f"contains an experiment {name}, which this version does not have")
        found[name] = ExperimentResults(experiments()[name], open_runs(folder), said)
    return tuple(found[name] for name in experiments() if name in found)


def all_totals(shown: Iterable[ExperimentResults]) -> dict[Outcome, int]:
    """How many statements of all experiments have each outcome."""
    return outcome_totals(verdict for each in shown for verdict in each.verdicts)


def small_png(content: bytes, width_px: int | None = None) -> bytes:
    """A picture in a palette of 256 colours, which is a third of its size and looks the same.

    Args:
        content: of a PNG file.
        width_px: its new width; None for the width that it has.
    """
    with Image.open(io.BytesIO(content)) as image:
        plain = Image.new("RGB", image.size, "white")
        plain.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    if width_px is not None and width_px < plain.width:
        plain = plain.resize((width_px, round(plain.height * width_px / plain.width)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    plain.quantize(256, dither=Image.Dither.NONE).save(out, format="png", optimize=True)
    return out.getvalue()


def elapsed_text(seconds: float) -> str:
    """A time for people: "45 s", "12 min 5 s", "1 h 2 min". It was measured, so it is more exact than what
    `frrlib.sweep.pace.span_text` says of times to come."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.0f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _seconds(started: str, finished: str) -> float:
    """Between two times of ISO 8601; 0 where one is missing."""
    return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds() if finished else 0.0
