"""The progress of many runs: a progress bar and the active runs on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from frrlib.sweep.events import AnyRun, RunEnd, RunStart, Tally
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.pace import Pace, span_text
from frrlib.sweep.plan import SweepPlan, SweepRun
from miniedit_frr.terminal.live_display import LiveDisplay
from miniedit_frr.terminal.markup import escape

#: The maximum numbers of active runs and of listed combinations.
_MOST_ACTIVE = 8
_MOST_LISTED = 20


class SweepProgress(LiveDisplay):
    """Shows the progress of a sweep, or of experiments. Its method `show` is the listener of the runner.

    Args:
        console: the console for the output; if it is a terminal, a live display is drawn.
        runs: all runs.
        jobs: the number of parallel runs; None to estimate it from the events.
        prints_each_run: whether a line is printed for each finished run on a terminal, too.
    """

    def __init__(
        self, console: Console, runs: Sequence[AnyRun], jobs: int | None, *, prints_each_run: bool = False
    ) -> None:
        super().__init__(console, refresh_per_second=4)
        self._pace, self._total = Pace(runs, jobs), len(runs)
        self._prints_each_run = prints_each_run
        self._lock = threading.Lock()
        self._tally = Tally(0, 0, len(runs), 0)
        self._active: dict[str, tuple[AnyRun, str, float]] = {}

    def show(self, event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> None:
        """Show an event. May be called from any thread."""
        with self._lock:
            lines = [self._take(event), _left_out_text(event)]
        for line in filter(None, lines):
            self._console.print(line, highlight=False, soft_wrap=True, markup=False)

    def _take(self, event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> str:
        self._pace.take(event)
        match event:
            case Tally():
                self._tally = event
                return "\n".join(self._tally_lines(event))
            case RunStart(run=run, host=host):
                self._active[run.name] = (run, host, time.monotonic())
                return ""
            case RunEnd(run=run, report=report):
                self._active.pop(run.name, None)
                succeeded = report.status == "finished"
                old = self._tally
                self._tally = Tally(
                    old.finished + succeeded, old.failed + (not succeeded), max(0, old.remaining - 1), old.earlier
                )
                if not succeeded:
                    return f"failed: {run.label}, repetition {run.repetition}: {'; '.join(report.failures)}"
                if self._prints_each_run or not self._console.is_terminal:
                    done = self._tally.finished + self._tally.failed
                    duration = f", {report.seconds:.0f} s{self._left_text()}" if self._prints_each_run else ""
                    return f"{done} of {self._total}: {run.label}, repetition {run.repetition}{duration}"
        return ""

    def _tally_lines(self, tally: Tally) -> list[str]:
        """Lines about the runs of an earlier start, and those that remain if nobody sees the progress bar."""
        lines = [f"{tally.earlier} runs were finished earlier"] if tally.earlier else []
        if self._prints_each_run and not self._console.is_terminal:
            lines.append(f"0 of {tally.remaining}: no run has ended yet{self._left_text()}")
        return lines

    def _left_text(self) -> str:
        """The estimated remaining time, for a line of experiments that nobody sees beside the progress bar."""
        is_shown = self._prints_each_run and not self._console.is_terminal and self._tally.remaining
        return f"; {span_text(self._pace.left_s)} left" if is_shown else ""

    def _render(self) -> RenderableType:
        with self._lock:
            tally, active, left_s = self._tally, list(self._active.values()), self._pace.left_s
            done = self._pace.done
        total = self._total
        bar = Table.grid(padding=(0, 1))
        failed = Text(f"{tally.failed} failed", style="red" if tally.failed else "dim")
        bar.add_row(
            ProgressBar(total=1.0, completed=done, width=30),
            f"{tally.finished} of {total} finished", failed, f"{len(active)} running",
            f"{span_text(left_s)} left" if tally.remaining else "",
        )  # fmt: skip
        rows = Table.grid(padding=(0, 1))
        for run, host, since_s in active[:_MOST_ACTIVE]:
            spent = f"{time.monotonic() - since_s:.0f} s"
            rows.add_row(Text(f"  {spent:>5}", style="dim"), escape(run.label), Text(host, style="dim"))
        return Group(bar, rows)


def _left_out_text(event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> str:
    """A line about files that could not be saved with a run's results, with the reasons; empty if there are none."""
    if not isinstance(event, RunEnd) or not event.report.left_out:
        return ""
    return f"not saved: {event.run.label}, repetition {event.run.repetition}: {'; '.join(event.report.left_out)}"


def status_line(console: Console, text: str) -> Status:
    """A status line that is shown during a `with` block, if the console is a terminal."""
    return Status(text, console=console if console.is_terminal else Console(quiet=True))


def warn_of_disturbance(console: Console, options: SweepOptions, virtual_time: bool) -> None:
    """Warn if parallel runs will disturb each other's measurements, or if other users can send commands to workers."""
    if options.scheduler.startswith("tcp://"):
        warning = f"{options.scheduler}: every user with access to this address can run code as the user of the workers"
        console.print(f"[yellow]warning[/] {escape(warning)}; use tls://", highlight=False, soft_wrap=True)
    if options.jobs > 1 and not virtual_time and not options.scheduler:
        warning = f"{options.jobs} parallel runs in real time disturb each other; --jobs 1 gives the best measurements"
        console.print(f"[yellow]warning[/] {warning}", highlight=False, soft_wrap=True)


def print_runs(console: Console, runs: Sequence[SweepRun], plan: SweepPlan) -> None:
    """Print the list of runs."""
    first = [run for run in runs if run.repetition == 1]
    columns = list(first[0].cells) if first else []
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        head, _, field = column.rpartition(".")
        table.add_column(f"{escape(head)}\n{escape(field)}", overflow="fold")
    for run in first[:_MOST_LISTED]:
        table.add_row(*(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in run.cells.values()))
    if columns:
        console.print(table)
    if len(first) > _MOST_LISTED:
        console.print(f"and {len(first) - _MOST_LISTED} more", style="dim")
    planned_s = sum(run.planned_s for run in runs)
    combinations_text = f"{len(first)} combinations, {plan.repeat} of each: {len(runs)} runs"
    console.print(f"{combinations_text}; flows send for {span_text(planned_s)}", highlight=False, soft_wrap=True)


def print_sweep_tally(console: Console, tally: Tally, out: Path) -> None:
    """Print the results of a sweep."""
    words = [f"{tally.finished} finished", *([f"[red]{tally.failed} failed[/]"] if tally.failed else [])]
    words += [f"{tally.remaining} left"] if tally.remaining else []
    console.print(f"{', '.join(words)}; table: {escape(str(out / 'table.csv'))}", highlight=False, soft_wrap=True)
    if tally.failed:
        console.print(
            "the folders of failed runs contain their logs; --retry-failed repeats these runs", soft_wrap=True
        )
