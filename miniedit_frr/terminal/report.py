"""Output of the command line: the outcome of a run, as tables for people and as a JSON value for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from rich.console import Console

from frrlib.results.samplers import samplers_text
from frrlib.results.statistics.summary import Summary
from frrlib.results.statistics.table import TextTable, findings_table, number, summary_tables
from frrlib.results.verdict.finding import reasons
from frrlib.run.run import RunOutcome
from frrlib.safe_text.plain import plain
from miniedit_frr.terminal.markup import escape
from miniedit_frr.terminal.tables import print_table, rich_table


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
