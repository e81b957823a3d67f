"""A run as an object of a notebook: its samples as tables, its numbers, and its figures."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from frrlib.plots import figures
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.results.table_reader import Columns
from frrlib.wire import TABLES
from miniedit_frr.notebook.images import image, show_figures

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the table of flows in a cell: field of the summary, and title with the unit.
_FLOW_COLUMNS = (
    ("flow", "flow"),
    ("congestion_control", "congestion control"),
    ("goodput_settled_mbit", "goodput, Mbit/s"),
    ("srtt_median_ms", "median RTT, ms"),
    ("retransmits", "retransmissions"),
)


@dataclass(frozen=True, eq=False)
class SampleTable:
    """The samples of one kind, such as those of TCP connections.

    Attributes:
        name: its name, that of its file in `samples/`.
        columns: an array for each column; the unit stands in the column's name ("rtt_ms").
    """

    name: str
    columns: Columns

    def __getitem__(self, column: str) -> Any:
        """The array of a column. Raises KeyError with the names that exist."""
        if column not in self.columns:
            raise KeyError(f"{self.name} has no column {column!r}; it has {', '.join(self.columns)}")
        return self.columns[column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def frame(self) -> pd.DataFrame:
        """The samples as a table of pandas, a row for each sample.

        Raises:
            ImportError: pandas is not installed.
        """
        return _pandas().DataFrame(dict(self.columns))


@dataclass(frozen=True, eq=False)
class Recording:
    """A finished run. A cell that ends with it shows its verdict, its flows and its figure.

    Attributes:
        folder: the results folder.
        failures: failures of the run, one sentence each; empty for a successful one.
    """

    folder: Path
    failures: Sequence[str] = field(default=())

    @cached_property
    def results(self) -> Results:
        """Everything that the folder records."""
        return open_results(self.folder)

    @cached_property
    def summary(self) -> Summary:
        """The run in few numbers."""
        return summarize(self.results)

    def __getattr__(self, name: str) -> SampleTable:
        """The samples of a kind: `tcp`, `queue`, `cpu` and so on. Raises AttributeError for other names."""
        if name not in TABLES:
            raise AttributeError(f"a recording has no {name!r}; its tables of samples are {', '.join(TABLES)}")
        return SampleTable(name, getattr(self.results, name))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *TABLES]

    def flows(self) -> pd.DataFrame:
        """A row for each flow with all numbers of its summary; units stand in the names of columns.

        Raises:
            ImportError: pandas is not installed.
        """
        return _pandas().DataFrame([flow.model_dump() for flow in self.summary.flows])

    def figure(self, kind: str = "series", **options: Any) -> Figure:
        """A figure of this run, of a kind that `miniedit-frr plot --kind` offers; options as in `figures.make`."""
        return compare([self], kind, **options)

    def _repr_html_(self) -> str:
        verdict = self.summary.verdict or "no verdict"
        parts = [f"<p><b>{_text(self.summary.title)}</b>: {verdict} (<code>{_text(str(self.folder))}</code>)</p>"]
        parts += [f'<p style="color:#b00020">{_text(failure)}</p>' for failure in self.failures]
        parts += [f"<p>{_text(finding.message)}</p>" for finding in self.summary.findings if finding.severity != "ok"]
        if self.summary.flows:
            parts.append(self._flow_table())
        if self.results.has_flow_samples:
            parts.append(image(self.figure()))
        return "\n".join(parts)

    def _flow_table(self) -> str:
        heading = "".join(f"<th>{title}</th>" for _, title in _FLOW_COLUMNS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_cell(getattr(flow, name))}</td>" for name, _ in _FLOW_COLUMNS) + "</tr>"
            for flow in self.summary.flows
        )
        return f"<table><tr>{heading}</tr>{rows}</table>"


def open_recording(folder: str | Path) -> Recording:
    """The recording in a results folder.

    Raises:
        ResultsError: there are no results, or their format is newer than this program supports.
    """
    results = open_results(Path(folder))
    recording = Recording(results.folder, tuple(results.info.failures))
    recording.__dict__["results"] = results
    return recording


def compare(recordings: Iterable[Recording], kind: str = "", **options: Any) -> Figure:
    """A figure of several runs, of a kind that `miniedit-frr plot --kind` offers.

    Args:
        recordings: the runs; those with equal settings count as repetitions.
        kind: the kind of figure; empty for the default of this number of runs.
        options: as in `figures.make`.
    """
    show_figures()
    runs = [recording.results for recording in recordings]
    return figures.make(kind or figures.default_kind(len(runs)), runs, **options)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas: pip install 'miniedit-frr[notebook]'") from None
    return pandas


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else _text(str(value))


def _text(text: str) -> str:
    return html.escape(text)
