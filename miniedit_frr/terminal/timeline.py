"""The story of faults in a terminal: each chapter as a table, and several runs side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from frrlib.results.timeline import FaultEffects, FaultTimeline, Moment

#: In a chapter with more moments than this, those that only repeat another router's are left out.
_MOST_MOMENTS = 40
_STYLES = {
    "fault": "bold red", "mended": "bold green", "detected": "bold yellow", "neighbour lost": "yellow",
    "neighbour back": "green", "spf": "cyan", "route": "", "flow stops": "magenta", "flow goes on": "bold magenta",
    "daemon": "red", "note": "dim",
}  # fmt: skip

#: The compared parts of a chapter: the line's title and the seconds after the fault.
_LINES: tuple[tuple[str, Callable[[FaultEffects], float]], ...] = (
    ("detected", lambda chapter: chapter.detected_s),
    ("first neighbor lost", lambda chapter: chapter.neighbour_s),
    ("SPF", lambda chapter: chapter.spf_s),
    ("first change of routes", lambda chapter: chapter.first_route_s),
    ("last change of routes", lambda chapter: chapter.last_route_s),
)


def print_timeline(console: Console, told: FaultTimeline, *, all_moments: bool = False) -> None:
    """Print the story of one run.

    Args:
        whole: whether all moments are printed, however many there are.
    """
    console.print(Text(told.title, "bold"))
    if not told.chapters:
        console.print("No fault was injected while the flows ran.")
    for chapter in told.chapters:
        moments = chapter.moments if all_moments else _chosen(chapter.moments)
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline", show_edge=False)
        table.add_column("ms", justify="right", no_wrap=True)
        table.add_column("who", no_wrap=True)
        table.add_column("what", no_wrap=True)
        table.add_column("", overflow="fold")
        for moment in moments:
            what = Text(moment.what, _STYLES.get(moment.what, ""))
            table.add_row(f"{moment.after_s * 1000:.0f}", moment.who, what, Text(moment.text))
        console.print()
        console.print(Text.assemble((f"{chapter.fault} {chapter.target}", "bold red"), f" at {chapter.time_s:.3f} s"))
        console.print(table)
        if (left := len(chapter.moments) - len(moments)) > 0:
            console.print(Text(f"{left} more of the same kind; --all shows them", "dim"))


def print_comparison(console: Console, told: Sequence[FaultTimeline]) -> None:
    """Print what followed the faults of several runs, side by side: milliseconds after each fault."""
    for number in range(max((len(each.chapters) for each in told), default=0)):
        chapters = [each.chapters[number] if number < len(each.chapters) else None for each in told]
        first = next(chapter for chapter in chapters if chapter is not None)
        table = Table(
            title=f"{first.fault} {first.target}{_said(first)}: ms after the fault", title_justify="left",
            title_style="bold",
            box=None, padding=(0, 3, 0, 0), header_style="bold underline",
        )  # fmt: skip
        table.add_column("")
        for each in told:
            table.add_column(each.title, justify="right", overflow="fold")
        if len(told) == 2:
            table.add_column("ratio", justify="right")
        for title, value in _LINES:
            _add(table, title, [math.nan if chapter is None else value(chapter) for chapter in chapters])
        table.add_row("detected by", *("-" if each is None else each.detected_by or "nobody" for each in chapters))
        flows = dict.fromkeys(gap.flow for chapter in chapters if chapter is not None for gap in chapter.gaps)
        for flow in flows:
            _add(table, f"gap of flow {flow}", [_gap(chapter, flow) for chapter in chapters], "bold")
        if number:
            console.print()
        console.print(table)


def _said(chapter: FaultEffects) -> str:
    return f" ({chapter.text})" if chapter.text else ""


def timeline_json(told: FaultTimeline) -> dict[str, Any]:
    """The story as JSON; unknown values are null."""
    return {key: _plain(value) for key, value in asdict(told).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _gap(chapter: FaultEffects | None, flow: str) -> float:
    gaps = chapter.gaps if chapter is not None else ()
    return next((gap.lasted_s for gap in gaps if gap.flow == flow), math.nan)


def _add(table: Table, title: str, seconds: Sequence[float], style: str = "") -> None:
    cells = ["-" if math.isnan(each) else f"{each * 1000:.0f}" for each in seconds]
    if len(seconds) == 2:
        known = not any(map(math.isnan, seconds)) and seconds[1] > 0
        cells.append(f"{seconds[0] / seconds[1]:.1f}" if known else "")
    table.add_row(title, *cells, style=style)


def _chosen(moments: Sequence[Moment]) -> list[Moment]:
    """The moments that tell the story where there are many: the first of each router for each kind."""
    if len(moments) <= _MOST_MOMENTS:
        return list(moments)
    seen: set[tuple[str, str]] = set()
    found = []
    for moment in moments:
        key = (moment.who, moment.what)
        if key not in seen or moment.what in ("fault", "mended", "detected", "flow goes on"):
            found.append(moment)
        seen.add(key)
    return found
