"""Timelines of faults in a terminal: a table for each fault, and several runs side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from frrlib.results.timeline import FaultEffects, FaultTimeline, Moment

#: In a chapter with more moments than this, further moments of the same router and kind are left out.
_MOST_MOMENTS = 40
_STYLES = {
    "fault": "bold red", "cleared": "bold green", "detected": "bold yellow", "neighbor lost": "yellow",
    "neighbor back": "green", "spf": "cyan", "route": "", "flow stops": "magenta", "flow continues": "bold magenta",
    "daemon": "red", "note": "dim",
}  # fmt: skip

#: The compared parts of a chapter: the title of the line, and the time after the fault in seconds.
_LINES: tuple[tuple[str, Callable[[FaultEffects], float]], ...] = (
    ("detected", lambda chapter: chapter.detected_s),
    ("first neighbor lost", lambda chapter: chapter.neighbor_s),
    ("SPF", lambda chapter: chapter.spf_s),
    ("first change of routes", lambda chapter: chapter.first_route_s),
    ("last change of routes", lambda chapter: chapter.last_route_s),
)


def print_timeline(console: Console, timeline: FaultTimeline, *, all_moments: bool = False) -> None:
    """Print the timeline of one run.

    Args:
        console: the console for the output.
        timeline: the timeline of the run.
        all_moments: whether all moments are printed, even if there are many.
    """
    console.print(Text(timeline.title, "bold"))
    if not timeline.chapters:
        console.print("No fault was injected while the flows ran.")
    for chapter in timeline.chapters:
        moments = chapter.moments if all_moments else _first_moments(chapter.moments)
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline", show_edge=False)
        table.add_column("ms", justify="right", no_wrap=True)
        table.add_column("subject", no_wrap=True)
        table.add_column("event", no_wrap=True)
        table.add_column("", overflow="fold")
        for moment in moments:
            kind = Text(moment.what, _STYLES.get(moment.what, ""))
            table.add_row(f"{moment.after_s * 1000:.0f}", moment.who, kind, Text(moment.text))
        console.print()
        console.print(Text.assemble((f"{chapter.fault} {chapter.target}", "bold red"), f" at {chapter.time_s:.3f} s"))
        console.print(table)
        if (omitted := len(chapter.moments) - len(moments)) > 0:
            console.print(Text(f"{omitted} more of the same kind; --all shows them", "dim"))


def print_comparison(console: Console, timelines: Sequence[FaultTimeline]) -> None:
    """Print the effects of the faults of several runs, side by side, in milliseconds after each fault."""
    for number in range(max((len(timeline.chapters) for timeline in timelines), default=0)):
        chapters = [timeline.chapters[number] if number < len(timeline.chapters) else None for timeline in timelines]
        first = next(chapter for chapter in chapters if chapter is not None)
        table = Table(
            title=f"{first.fault} {first.target}{_details(first)}: ms after the fault", title_justify="left",
            title_style="bold",
            box=None, padding=(0, 3, 0, 0), header_style="bold underline",
        )  # fmt: skip
        table.add_column("")
        for timeline in timelines:
            table.add_column(timeline.title, justify="right", overflow="fold")
        if len(timelines) == 2:
            table.add_column("ratio", justify="right")
        for title, value in _LINES:
            _add(table, title, [math.nan if chapter is None else value(chapter) for chapter in chapters])
        table.add_row(
            "detected by", *("-" if chapter is None else chapter.detected_by or "nothing" for chapter in chapters)
        )
        flows = dict.fromkeys(gap.flow for chapter in chapters if chapter is not None for gap in chapter.gaps)
        for flow in flows:
            _add(table, f"gap of flow {flow}", [_gap(chapter, flow) for chapter in chapters], "bold")
        if number:
            console.print()
        console.print(table)


def _details(chapter: FaultEffects) -> str:
    return f" ({chapter.text})" if chapter.text else ""


def timeline_json(timeline: FaultTimeline) -> dict[str, Any]:
    """The timeline for JSON; unknown values are null."""
    return {key: _plain(value) for key, value in asdict(timeline).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _gap(chapter: FaultEffects | None, flow: str) -> float:
    gaps = chapter.gaps if chapter is not None else ()
    return next((gap.lasted_s for gap in gaps if gap.flow == flow), math.nan)


def _add(table: Table, title: str, durations_s: Sequence[float], style: str = "") -> None:
    cells = ["-" if math.isnan(duration_s) else f"{duration_s * 1000:.0f}" for duration_s in durations_s]
    if len(durations_s) == 2:
        has_ratio = not any(map(math.isnan, durations_s)) and durations_s[1] > 0
        cells.append(f"{durations_s[0] / durations_s[1]:.1f}" if has_ratio else "")
    table.add_row(title, *cells, style=style)


def _first_moments(moments: Sequence[Moment]) -> list[Moment]:
    """All moments, or if there are many, the first one of each router and kind."""
    if len(moments) <= _MOST_MOMENTS:
        return list(moments)
    seen_kinds: set[tuple[str, str]] = set()
    selected = []
    for moment in moments:
        key = (moment.who, moment.what)
        if key not in seen_kinds or moment.what in ("fault", "cleared", "detected", "flow continues"):
            selected.append(moment)
        seen_kinds.add(key)
    return selected
