"""Progress of many runs in a terminal: a bar and the active runs; plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from frrlib.sweep.events import AnyRun, RunEnd, RunStart, Tally
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.pace import Pace, span_text
from frrlib.sweep.plan import SweepPlan, SweepRun
from miniedit_frr.terminal.markup import escape

#: At most this many active runs are shown, and this many points listed.
_SHOWN = 8
_LISTED = 20


class SweepProgress:
    """Shows the progress of a sweep, or of experiments; give `take` to whoever runs them as its listener.

    Args:
        console: where to; a live display is drawn where it is a terminal.
        runs: all of them.
        jobs: how many run at once; None to go by how many were seen at once.
        tells_each: whether each run that ends is told in a line that stays, also in a terminal.
    """

    def __init__(self, console: Console, runs: Sequence[AnyRun], jobs: int | None, *, tells_each: bool = False) -> None:
        self._console, self._pace, self._many, self._tells_each = console, Pace(runs, jobs), len(runs), tells_each
        self._lock = threading.Lock()
        self._tally = Tally(0, 0, len(runs), 0)
        self._going: dict[str, tuple[AnyRun, str, float]] = {}
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=4, transient=False)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def take(self, event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> None:
        """Show an event. May be called from any thread."""
        with self._lock:
            lines = [self._take(event), _not_kept(event)]
        for line in filter(None, lines):
            self._console.print(line, highlight=False, soft_wrap=True, markup=False)

    def _take(self, event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> str:
        self._pace.take(event)
        match event:
            case Tally():
                self._tally = event
                return f"{event.kept} runs were finished earlier" if event.kept else ""
            case RunStart(run=run, host=host):
                self._going[run.name] = (run, host, time.monotonic())
                return ""
            case RunEnd(run=run, report=report):
                self._going.pop(run.name, None)
                is_well = report.status == "finished"
                was = self._tally
                self._tally = Tally(was.finished + is_well, was.failed + (not is_well), max(0, was.left - 1), was.kept)
                if not is_well:
                    return f"failed: {run.label}, repetition {run.repetition}: {'; '.join(report.failures)}"
                if self._tells_each or not self._console.is_terminal:
                    done = self._tally.finished + self._tally.failed
                    took = f", {report.seconds:.0f} s" if self._tells_each else ""
                    return f"{done} of {self._many}: {run.label}, repetition {run.repetition}{took}"
        return ""

    def _render(self) -> RenderableType:
        with self._lock:
            tally, going, left_s = self._tally, list(self._going.values()), self._pace.left_s
            done = self._pace.done
        total = self._many
        bar = Table.grid(padding=(0, 1))
        failed = Text(f"{tally.failed} failed", style="red" if tally.failed else "dim")
        bar.add_row(
            ProgressBar(total=1.0, completed=done, width=30),
            f"{tally.finished} of {total} finished", failed, f"{len(going)} running",
            f"{span_text(left_s)} left" if tally.left else "",
        )  # fmt: skip
        rows = Table.grid(padding=(0, 1))
        for run, host, since_s in going[:_SHOWN]:
            spent = f"{time.monotonic() - since_s:.0f} s"
            rows.add_row(Text(f"  {spent:>5}", style="dim"), escape(run.label), Text(host, style="dim"))
        return Group(bar, rows)


def _not_kept(event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> str:
    """The files that are missing in a run's results, and why; empty for none."""
    if not isinstance(event, RunEnd) or not event.report.left_out:
        return ""
    return f"not saved: {event.run.label}, repetition {event.run.repetition}: {'; '.join(event.report.left_out)}"


def status_line(console: Console, text: str) -> Status:
    """A line of what is being done, for a `with` block; nothing without a terminal."""
    return Status(text, console=console if console.is_terminal else Console(quiet=True))


def warn_of_disturbance(console: Console, how: SweepOptions, virtual_time: bool) -> None:
    """Warn if runs at once on this machine will disturb each other's measurements, or if others may command workers."""
    if how.scheduler.startswith("tcp://"):
        why = f"{how.scheduler}: every user with access to this address can run code as the user of the workers"
        console.print(f"[yellow]warning[/] {escape(why)}; use tls://", highlight=False, soft_wrap=True)
    if how.jobs > 1 and not virtual_time and not how.scheduler:
        why = f"{how.jobs} parallel runs in real time disturb each other; --jobs 1 gives the best measurements"
        console.print(f"[yellow]warning[/] {why}", highlight=False, soft_wrap=True)


def print_runs(console: Console, runs: Sequence[SweepRun], plan: SweepPlan) -> None:
    """Print the list of runs."""
    first = [run for run in runs if run.repetition == 1]
    columns = list(first[0].cells) if first else []
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        head, _, field = column.rpartition(".")
        table.add_column(f"{escape(head)}\n{escape(field)}", overflow="fold")
    for run in first[:_LISTED]:
        table.add_row(*(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in run.cells.values()))
    if columns:
        console.print(table)
    if len(first) > _LISTED:
        console.print(f"and {len(first) - _LISTED} more", style="dim")
    planned_s = sum(run.planned_s for run in runs)
    told = f"{len(first)} combinations, {plan.repeat} of each: {len(runs)} runs"
    console.print(f"{told}, whose flows send {span_text(planned_s)}", highlight=False, soft_wrap=True)


def print_sweep_tally(console: Console, tally: Tally, out: Path) -> None:
    """Print the results of a sweep."""
    words = [f"{tally.finished} finished", *([f"[red]{tally.failed} failed[/]"] if tally.failed else [])]
    words += [f"{tally.left} left"] if tally.left else []
    console.print(f"{', '.join(words)}; table: {escape(str(out / 'table.csv'))}", highlight=False, soft_wrap=True)
    if tally.failed:
        console.print(
            "the folders of failed runs contain their logs; --retry-failed repeats these runs", soft_wrap=True
        )
