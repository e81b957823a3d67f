"""The contents of a folder of experiments, as the report and the pages show them.

Verdicts and figures are read from the files that `conclusion.py` has written there; missing ones are created here.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image

from frrlib.addressing.addressing import addressed
from frrlib.picture.export import picture_bytes
from frrlib.picture.labels import Labels
from frrlib.results.layout import ResultsError, RunInfo
from frrlib.results.read import read_info
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.catalogue import experiments
from miniedit_frr.experiments.conclusion import FIGURES
from miniedit_frr.experiments.declaration import Case, Experiment, Picture
from miniedit_frr.experiments.runs import Runs, experiment_folders, open_runs, read_cases
from miniedit_frr.experiments.topologies import lay_out_nodes
from miniedit_frr.experiments.verdict import JSON, Outcome, Verdict, judge, load_verdicts, outcome_totals

#: Facts of a run that are versions of programs, and the names of the programs.
_PROGRAMS = {"miniedit_frr": "MiniEdit-FRR", "kernel": "Linux", "frr": "FRR", "tc": "iproute2"}
#: With more flows than this number, the arrows of the flows hide the lab.
_MAX_FLOWS = 6


@dataclass(frozen=True, eq=False)
class ExperimentResults:
    """The results of an experiment that was run.

    Attributes:
        experiment: the published experiment.
        runs: its finished runs.
        settings: the settings of the runs, as stored in `cases.json`: "seed", "virtual_time", "quick", "place".
    """

    experiment: Experiment
    runs: Runs
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.experiment.name

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each of its statements."""
        folder = self.runs.folder
        return load_verdicts(folder) if (folder / JSON).exists() else judge(self.experiment, self.runs)

    @cached_property
    def totals(self) -> dict[Outcome, int]:
        """The number of statements with each outcome."""
        return outcome_totals(self.verdicts)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Its cases: all of them, or the shortened ones."""
        return self.experiment.cases(self.runs.is_quick)

    @cached_property
    def infos(self) -> tuple[RunInfo, ...]:
        """The records of its runs. Samples are not read."""
        return tuple(read_info(run.folder) for run in self.runs)

    @property
    def wall_s(self) -> float:
        """The total real time of its runs, in seconds, as if they had run one after another."""
        return sum(_seconds(info.started, info.finished) for info in self.infos)

    @property
    def lab_s(self) -> float:
        """The total time of its runs by the clocks of the labs, in seconds."""
        ends = ([flow.start_s + flow.duration_s for flow in info.flows] for info in self.infos)
        return sum(max(flow_ends_s, default=0.0) for flow_ends_s in ends)

    @property
    def command(self) -> str:
        """The command that repeats it."""
        time = "--virtual-time" if self.settings.get("virtual_time", True) else "--real-time"
        seed = self.settings.get("seed", 1)
        parts = [f"miniedit-frr experiment run {self.name}", time, "--quick" if self.runs.is_quick else ""]
        return " ".join(filter(None, (*parts, f"--seed {seed}" if seed != 1 else "")))

    @property
    def versions(self) -> str:
        """The software of the runs: "MiniEdit-FRR 1.0, Linux 6.12.1, FRR 8.4". If versions differ from run to run, all
        are listed.
        """
        versions_by_program: dict[str, dict[str, None]] = {}
        for info in self.infos:
            for fact, name in _PROGRAMS.items():
                if version := info.facts.get(fact):
                    versions_by_program.setdefault(name, {})[str(version)] = None
        return ", ".join(
            f"{name} {' and '.join(program_versions)}" for name, program_versions in versions_by_program.items()
        )

    def run_count_text(self, case: str) -> str:
        """The number of runs of a case, or the reason why it has none: "3", "not run: ..."."""
        reason = self.runs.missing.get(case)
        return f"not run: {reason}" if reason else str(sum(run.case == case for run in self.runs))

    def figure_png(self, picture: Picture) -> bytes:
        """One of its figures, drawn from all finished runs, as the content of a PNG file."""
        folder = self.runs.folder / FIGURES
        file = folder / f"{picture.name}.png"
        if not file.exists():
            published_style.save_picture(picture, self.runs, folder)
        return small_png(file.read_bytes())

    def lab_picture(self, kind: str) -> bytes:
        """A picture of the lab of its first case, as the content of a file of this kind ("svg" or "png")."""
        topology = lay_out_nodes(self.cases[0].topology)
        labels = Labels(flows=len(topology.flows) <= _MAX_FLOWS)
        return picture_bytes(topology, kind, labels, addressed(topology))


def experiment_results(out: Path) -> tuple[ExperimentResults, ...]:
    """The experiments in a folder, in the order of the catalogue.

    Raises:
        ResultsError: the folder contains no experiment, or one that this version does not contain.
    """
    results_by_name = {}
    for folder in experiment_folders(out):
        recorded = read_cases(folder)
        name = recorded.experiment or folder.name
        if name not in experiments():
            raise ResultsError(folder, f"contains an experiment {name}, which this version does not have")
        results_by_name[name] = ExperimentResults(experiments()[name], open_runs(folder), recorded.settings)
    return tuple(results_by_name[name] for name in experiments() if name in results_by_name)


def all_totals(experiments: Iterable[ExperimentResults]) -> dict[Outcome, int]:
    """The number of statements of all experiments with each outcome."""
    return outcome_totals(verdict for results in experiments for verdict in results.verdicts)


def small_png(content: bytes, width_px: int | None = None) -> bytes:
    """The same picture with a palette of 256 colors. The file is a third as large, and the picture looks the same.

    Args:
        content: the content of a PNG file.
        width_px: the largest allowed width; None leaves the width unchanged.
    """
    with Image.open(io.BytesIO(content)) as image:
        opaque = Image.new("RGB", image.size, "white")
        opaque.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    if width_px is not None and width_px < opaque.width:
        opaque = opaque.resize((width_px, round(opaque.height * width_px / opaque.width)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    opaque.quantize(256, dither=Image.Dither.NONE).save(out, format="png", optimize=True)
    return out.getvalue()


def elapsed_text(seconds: float) -> str:
    """A measured time as text: "45 s", "12 min 5 s", "1 h 2 min". It is more exact than the estimates of
    `frrlib.sweep.pace.span_text`."""
    rounded_s = round(seconds)
    if rounded_s < 60:
        return f"{seconds:.0f} s"
    if rounded_s < 3600:
        return f"{rounded_s // 60} min {rounded_s % 60} s"
    return f"{rounded_s // 3600} h {rounded_s % 3600 // 60} min"


def _seconds(started: str, finished: str) -> float:
    """The seconds between two times of ISO 8601; 0 if the second is missing."""
    return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds() if finished else 0.0
