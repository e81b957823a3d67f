"""A summary as rows of text, for terminals and for documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.results.summary import FlowSummary, PingSummary, QueueSummary, Summary

UNKNOWN = "-"


@dataclass(frozen=True)
class Table:
    """Rows of text under headings with units.

    Attributes:
        title: what it is about.
        headings: one for each column.
        rows: as many cells each; what is not known is `UNKNOWN`.
        numeric: for each column, whether it holds numbers and belongs to the right.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]


_Column = tuple[str, bool, Callable[[Any], str]]


def number(value: float | None, digits: int = 1) -> str:
    """A number with so many decimals, or `UNKNOWN`."""
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _kilo(value: float | None) -> str:
    return number(None if value is None else value / 1000)


def _percent(value: float | None) -> str:
    return number(None if value is None else 100 * value)


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _text(value: str) -> str:
    return value or UNKNOWN


#: Rows fit into the 80 columns of a terminal; what has no place here is in `summary.json`.
_FLOW: tuple[_Column, ...] = (
    ("flow", False, lambda flow: flow.flow),
    ("control", False, lambda flow: _text(flow.congestion_control)),
    ("Mbit/s", True, lambda flow: number(flow.goodput_mbit, 2)),
    ("after 1 s", True, lambda flow: number(flow.goodput_settled_mbit, 2)),
    ("RTT ms: min", True, lambda flow: number(flow.min_rtt_ms)),
    ("median", True, lambda flow: number(flow.srtt_median_ms)),
    ("max", True, lambda flow: number(flow.srtt_max_ms)),
    ("cwnd", True, lambda flow: number(flow.cwnd_median_packets, 0)),
    ("resent", True, lambda flow: _count(flow.retransmits)),
)

_QUEUE: tuple[_Column, ...] = (
    ("queue", False, lambda queue: queue.direction),
    ("rate Mbit/s", True, lambda queue: number(queue.rate_mbit)),
    ("limit kB", True, lambda queue: _kilo(queue.limit_bytes)),
    ("mean kB", True, lambda queue: _kilo(queue.backlog_mean_bytes)),
    ("max kB", True, lambda queue: _kilo(queue.backlog_max_bytes)),
    ("max ms", True, lambda queue: number(queue.delay_max_ms)),
    ("of ms", True, lambda queue: number(queue.full_delay_ms)),
    ("used %", True, lambda queue: _percent(queue.utilisation)),
    ("drops", True, lambda queue: _count(queue.drops)),
)

#: The TTL that Linux sends with; each router on the way back takes one.
_FIRST_TTL = 64

_PING: tuple[_Column, ...] = (
    ("from", False, lambda ping: ping.source),
    ("to", False, lambda ping: _text(ping.destination)),
    ("address", False, lambda ping: ping.address),
    ("answered", True, lambda ping: f"{ping.received}/{ping.sent}"),
    ("TTL", True, lambda ping: _count(ping.ttl)),
    ("routers", True, lambda ping: UNKNOWN if ping.ttl is None else str(_FIRST_TTL - ping.ttl)),
    ("RTT min ms", True, lambda ping: number(ping.rtt_min_ms)),
    ("median", True, lambda ping: number(ping.rtt_median_ms)),
)


def summary_tables(summary: Summary) -> tuple[Table, ...]:
    """Pings, flows and queues of a summary; a table without rows is left out, and so are queues that held nothing."""
    queues = [queue for queue in summary.queues if queue.backlog_max_bytes or queue.drops] or summary.queues[:1]
    return tuple(
        table
        for table in (
            _table("Path at rest", _PING, summary.pings),
            _table("Flows", _FLOW, summary.flows),
            _table("Queues", _QUEUE, queues),
        )
        if table.rows
    )


def summary_text(summary: Summary) -> str:
    """A summary as plain text, with what went wrong at its end."""
    blocks = [_plain(table) for table in summary_tables(summary)]
    wrong = [f"flow {flow.flow}: {flow.failure}" for flow in summary.flows if flow.failure]
    for title, lines in (("Failed", [*summary.failures, *wrong]), ("Missing", summary.warnings)):
        if lines:
            blocks.append("\n".join((title, *(f"  {line}" for line in lines))))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _table(title: str, columns: Sequence[_Column], items: Sequence[FlowSummary | QueueSummary | PingSummary]) -> Table:
    return Table(
        title=title,
        headings=tuple(heading for heading, _, _ in columns),
        rows=tuple(tuple(show(item) for _, _, show in columns) for item in items),
        numeric=tuple(is_number for _, is_number, _ in columns),
    )


def _plain(table: Table) -> str:
    lines = (table.headings, *table.rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = (
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, table.numeric, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join((table.title, *(f"  {line}" for line in shown)))
