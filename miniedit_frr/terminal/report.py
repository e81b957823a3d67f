"""Output of the command line: tables for people, JSON values for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from frrlib.checks.check import Problem
from frrlib.model.labels import place_of, sentences
from frrlib.model.topology import Topology
from frrlib.place.base import Abilities
from frrlib.place.confinement.walls import walls
from frrlib.results.samplers import samplers_text
from frrlib.results.statistics.summary import Summary
from frrlib.results.statistics.table import TextTable as TextTable
from frrlib.results.statistics.table import findings_table, number, summary_tables
from frrlib.results.verdict.finding import reasons
from frrlib.run.run import RunOutcome
from frrlib.safe_text.plain import plain
from miniedit_frr.terminal.markup import escape

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


def problem_line(problem: Problem, topology: Topology | None) -> str:
    """A problem in one line, with markup. Fields have their names in the editor; links are named by their ends."""
    text = sentences(place_of(problem, topology), problem.message, problem.remedy)
    return f"[{_STYLES[problem.severity]}]{problem.severity:8}[/] {escape(text)}"


def kind_line(problem: Problem, topology: Topology | None) -> str:
    """A problem in one line, with its kind. The kind is the key for its explanation."""
    return f"{problem_line(problem, topology)} [dim]#{escape(problem.kind)}[/]"


def print_problems(console: Console, file: Path, problems: Sequence[Problem], topology: Topology) -> None:
    """Print all problems with their kinds, errors first, and their numbers."""
    order = list(_STYLES)
    for problem in sorted(problems, key=lambda p: order.index(p.severity)):
        console.print(kind_line(problem, topology), soft_wrap=True, highlight=False)
    counts = [
        f"{n} {name}{'' if n == 1 else 's'}" for name in order if (n := sum(p.severity == name for p in problems))
    ]
    console.print(f"{escape(str(file))}: {', '.join(counts) or 'no problems'}", soft_wrap=True, highlight=False)


def places_json(places: Sequence[Abilities]) -> dict[str, Any]:
    """The abilities of each place, for JSON."""
    return {
        abilities.place: {
            "available": abilities.available,
            "reason": abilities.reason,
            "remedy": abilities.remedy,
            "kernel": abilities.kernel,
            "qdiscs": sorted(abilities.qdiscs),
            "congestion_controls": sorted(abilities.congestion_controls),
            "device_types": sorted(abilities.device_types),
            "open_vswitch": abilities.open_vswitch,
            "cpu_limits": abilities.cpu_limits,
            "cpus": abilities.cpus,
            "external_interfaces": abilities.external_interfaces,
            "walls": [asdict(wall) for wall in walls(abilities.place)],
        }
        for abilities in places
    }


def print_places(console: Console, places: Sequence[Abilities]) -> None:
    """Print the abilities of each place, side by side."""
    table = Table("", *(abilities.place for abilities in places), show_lines=True)
    table.add_row("usable", *(_usable(abilities) for abilities in places))
    table.add_row("kernel", *(escape(abilities.kernel) for abilities in places))
    for title, name in (
        ("qdiscs", "qdiscs"),
        ("congestion control", "congestion_controls"),
        ("devices", "device_types"),
    ):
        table.add_row(title, *(" ".join(sorted(getattr(abilities, name))) for abilities in places))
    table.add_row("CPUs", *(str(abilities.cpus) if abilities.available else "" for abilities in places))
    for title, name in (
        ("Open vSwitch", "open_vswitch"),
        ("CPU limits", "cpu_limits"),
        ("external interfaces", "external_interfaces"),
    ):
        table.add_row(title, *("yes" if getattr(abilities, name) else "no" for abilities in places))
    table.add_row("walls", *(_walls(abilities) for abilities in places))
    console.print(table)


def _walls(abilities: Abilities) -> str:
    """The walls that confine a lab, as text: "all", or those that are missing. See docs/security.md."""
    missing = [wall for wall in walls(abilities.place) if not wall.stands]
    if not abilities.available:
        return ""
    if not missing:
        return "[green]all[/]"
    return "\n".join(f"[red]not[/]: {escape(wall.keeps)} (needs {escape(wall.needs)})" for wall in missing)


def _usable(abilities: Abilities) -> str:
    if abilities.available:
        return "[green]yes[/]"
    remedy = f"\n[bold]{escape(abilities.remedy)}[/]" if abilities.remedy else ""
    return f"[red]no[/]: {escape(abilities.reason)}{remedy}"


def outcome_json(outcome: RunOutcome) -> dict[str, Any]:
    """The outcome of a run, for JSON."""
    return {
        "folder": str(outcome.folder),
        "place": outcome.place_reason,
        "failures": outcome.failures,
        "warnings": outcome.warnings,
        "converged_s": outcome.converged_s,
        "converged": asdict(outcome.converged),
        "steps_s": {name: round(seconds, 3) for name, seconds in outcome.steps},
        "routes": outcome.tables,
        "pings": outcome.pings,
        "samplers": outcome.samplers,
        "summary": outcome.summary.model_dump(mode="json") if outcome.summary else None,
    }


def print_outcome(console: Console, outcome: RunOutcome) -> None:
    """Print the outcome of a run."""
    console.print(f"[bold]place[/]: {escape(outcome.place_reason)}", highlight=False, soft_wrap=True)
    _print_routes(console, outcome)
    _print_converged(console, outcome)
    for table in summary_tables(outcome.summary) if outcome.summary else ():
        print_table(console, rich_table(table))
    if outcome.summary:
        _print_verdict(console, outcome.summary)
    console.print()
    console.print(
        "steps: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in outcome.steps),
        highlight=False,
        soft_wrap=True,
    )
    if measuring := samplers_text(outcome.samplers):
        console.print(f"samplers: {measuring}", highlight=False, soft_wrap=True)
    for warning in outcome.warnings:
        console.print(f"[yellow]warning[/]: {escape(warning)}", highlight=False)
    for failure in outcome.failures:
        console.print(f"[red]failed[/]: {escape(failure)}", highlight=False)
    console.print(f"results: {escape(str(outcome.folder))}", highlight=False, soft_wrap=True)


_VERDICT_STYLES = {"trustworthy": "green", "doubtful": "yellow", "not as drawn": "red"}


def _print_verdict(console: Console, summary: Summary) -> None:
    """Print measured and configured values, and the verdict with its reasons."""
    table = findings_table(summary)
    if table is None:
        return
    console.print(f"\n[bold]{table.title}[/]", highlight=False)
    if table.rows:
        console.print(rich_table(table))
    if not summary.verdict:
        return
    style = _VERDICT_STYLES[summary.verdict]
    console.print(f"[bold]verdict[/]: [{style}]{summary.verdict}[/]", highlight=False)
    for reason in reasons(summary.findings, "wrong", "doubt"):
        console.print(f"  [{style}]{escape(reason)}[/]", highlight=False, soft_wrap=True)


#: The maximum number of routers that are listed with their convergence times.
_SLOWEST = 10
#: The maximum width of a table, in characters.
_WIDEST = 1000
#: The maximum number of routers whose routing tables are printed. For more, the numbers of their routes are printed.
_TABLES = 2
_PROTOCOLS = {"B": "BGP", "O": "OSPF", "I": "IS-IS", "R": "RIP", "S": "static", "C": "connected"}


def _print_routes(console: Console, outcome: RunOutcome) -> None:
    if 0 < len(outcome.tables) <= _TABLES:
        for router, text in outcome.tables.items():
            console.print(f"\n[bold]{escape(router)}[/]: routes", highlight=False)
            for line in _route_lines(plain(text)):
                console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
    elif outcome.tables:
        rows = []
        for router, text in outcome.tables.items():
            routes_by_letter = Counter(line[0] for line in _route_lines(text) if line[0] != " ")
            counts_text = ", ".join(
                f"{_PROTOCOLS.get(letter, letter)} {number}" for letter, number in routes_by_letter.most_common()
            )
            rows.append((router, counts_text))
        headings = ("router", "routes by protocol")
        print_table(console, rich_table(TextTable("Routes", headings, tuple(rows), (False, False))))
        console.print(f"tables: {escape(str(outcome.folder / 'logs'))}", highlight=False, soft_wrap=True)


def _print_converged(console: Console, outcome: RunOutcome) -> None:
    """Print the convergence times of the slowest routers, the slowest first."""
    times = outcome.converged
    slowest = sorted(times.routers, key=lambda name: -times.routers[name])[:_SLOWEST]
    if not slowest:
        return
    rows = tuple((name, number(times.adjacencies.get(name), 2), number(times.routes.get(name), 2)) for name in slowest)
    omitted = len(times.routers) - len(slowest)
    title = f"Converged after {times.seconds:.2f} s" + (f"; the slowest {_SLOWEST} routers" if omitted else "")
    headings = ("router", "neighbors after s", "routes after s")
    console.print(f"\n[bold]{title}[/]", highlight=False)
    console.print(rich_table(TextTable(title, headings, rows, (False, True, True))))


def _route_lines(text: str) -> list[str]:
    """The routes of `show ip route` without its legend."""
    return [line.rstrip() for line in text.splitlines() if ">" in line[:4] or "*" in line[:4]]


def print_table(console: Console, table: Table) -> None:
    """Print a table with an empty line above it.

    A table that is wider than the console is not cut, so that all numbers are visible in a file or a narrow terminal.
    """
    console.print()
    table_width = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
    console_width, console.width = console.width, max(console.width, table_width)
    try:
        console.print(table, crop=False)
    finally:
        console.width = console_width


def rich_table(table: TextTable) -> Table:
    """A table for rich, without a frame. Most tables fit into 80 columns."""
    rendered = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for heading, numeric in zip(table.headings, table.numeric, strict=True):
        rendered.add_column(escape(heading), justify="right" if numeric else "left", no_wrap=True)
    for row in table.rows:
        rendered.add_row(*map(escape, row))
    return rendered
