"""A summary as rows of text, for terminals and for documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.results.statistics.summary import QueueSummary, Summary
from frrlib.results.verdict.finding import Finding, reasons

UNKNOWN = "-"


@dataclass(frozen=True)
class TextTable:
    """Rows of text under headings with units.

    Attributes:
        title: the title above it.
        headings: one for each column.
        rows: the cells of each row; an unknown value is `UNKNOWN`.
        numeric: for each column, whether it has numbers and is aligned to the right.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]


_Column = tuple[str, bool, Callable[[Any], str]]


def number(value: float | None, digits: int = 1) -> str:
    """A number with the given number of decimals, or `UNKNOWN`."""
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def p_text(p: float | None) -> str:
    """The p of a test, 0 to 1, with two significant digits; `UNKNOWN` for None."""
    return UNKNOWN if p is None else "<0.0001" if p < 1e-4 else f"{p:.2g}"


def _kilo(value: float | None) -> str:
    return number(None if value is None else value / 1000)


def _percent(value: float | None) -> str:
    return number(None if value is None else 100 * value)


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _text(value: str) -> str:
    return value or UNKNOWN


#: Rows fit into the 80 columns of a terminal; `summary.json` has all values.
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
    ("twice", True, lambda flow: _count(flow.duplicate_packets)),
)

_APP: tuple[_Column, ...] = (
    ("flow", False, lambda app: app.flow),
    ("sends", False, lambda app: app.kind),
    ("what", True, lambda app: f"{app.count} {app.what}{'' if app.count == 1 else 's'}" if app.what else UNKNOWN),
    ("failed", True, lambda app: str(app.failed)),
    ("ms: median", True, lambda app: number(app.median_ms)),
    ("95 %", True, lambda app: number(app.p95_ms)),
    ("max", True, lambda app: number(app.max_ms)),
    ("", False, lambda app: app.remark),
)


def _limit_kilo(queue: QueueSummary) -> str:
    """The limit in kB; for a limit that changed, the least and the largest one in force."""
    least, most = queue.limit_least_bytes, queue.limit_most_bytes
    return _kilo(queue.limit_bytes if most is None else most) if least == most else f"{_kilo(least)}-{_kilo(most)}"


_QUEUE: tuple[_Column, ...] = (
    ("queue", False, lambda queue: queue.direction),
    ("rate Mbit/s", True, lambda queue: number(queue.rate_mbit)),
    ("limit kB", True, _limit_kilo),
    ("mean kB", True, lambda queue: _kilo(queue.backlog_mean_bytes)),
    ("max kB", True, lambda queue: _kilo(queue.backlog_max_bytes)),
    ("max ms", True, lambda queue: number(queue.delay_max_ms)),
    ("of ms", True, lambda queue: number(queue.full_delay_ms)),
    ("used %", True, lambda queue: _percent(queue.utilisation)),
    ("drops", True, lambda queue: _count(queue.drops)),
)

#: The initial TTL of Linux; each router on the reverse path decrements it.
_FIRST_TTL = 64

_PING: tuple[_Column, ...] = (
    ("from", False, lambda ping: ping.source),
    ("to", False, lambda ping: _text(ping.destination)),
    ("address", False, lambda ping: ping.address),
    ("answered", True, lambda ping: f"{ping.received}/{ping.sent}"),
    ("twice", True, lambda ping: _count(ping.duplicates)),
    ("TTL", True, lambda ping: _count(ping.ttl)),
    ("routers", True, lambda ping: UNKNOWN if ping.ttl is None else str(_FIRST_TTL - ping.ttl)),
    ("RTT min ms", True, lambda ping: number(ping.rtt_min_ms)),
    ("median", True, lambda ping: number(ping.rtt_median_ms)),
)

#: Words for the severities of findings.
SEVERITIES = {"ok": "ok", "doubt": "doubtful", "wrong": "not as drawn"}
#: The maximum number of findings in a table; of more findings, only those that are not "ok" are listed.
MOST_FINDINGS = 20


def _value(value: float | str | None) -> str:
    """A number in four digits, or a word."""
    if isinstance(value, str):
        return _text(value)
    return UNKNOWN if value is None else f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _judgment(finding: Finding) -> str:
    """The severity in a word. A finding that is in order has a remark if its values alone would not explain that."""
    return "remark" if finding.severity == "ok" and finding.message else SEVERITIES[finding.severity]


def _bounds(finding: Finding) -> str:
    low, high = finding.low, finding.high
    if low is None and high is None:
        return ""
    if low is None or high is None:
        return f"up to {_value(high)}" if low is None else f"from {_value(low)}"
    return f"{_value(low)} to {_value(high)}"


_FINDING: tuple[_Column, ...] = (
    ("what", False, lambda finding: finding.what),
    ("of", False, lambda finding: finding.subject),
    ("drawn", True, lambda finding: "" if finding.configured is None else _value(finding.configured)),
    ("measured", True, lambda finding: _value(finding.measured)),
    ("", False, lambda finding: finding.unit),
    ("may be", False, _bounds),
    ("", False, _judgment),
)


def findings_table(summary: Summary) -> TextTable | None:
    """The measured and the configured values; None without findings. Of many findings, only those that are not "ok"."""
    listed = list(summary.findings)
    if len(listed) > MOST_FINDINGS:
        listed = [finding for finding in listed if finding.severity != "ok"]
    hidden_count = len(summary.findings) - len(listed)
    title = "Measured and configured values" + (
        f"; {hidden_count} more are within their limits" if hidden_count else ""
    )
    return _table(title, _FINDING, listed) if summary.findings else None


def _sentence(text: str) -> str:
    """The text with a capital letter, except a text that begins with a name ("l2:r1-r2")."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def findings_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Findings as texts, the worst first: quantity, subject, configured value, measured value, bounds, severity, and
    reason."""
    order = ("wrong", "doubt", "ok")
    return [
        (
            finding.what,
            finding.subject,
            "" if finding.configured is None else f"{_value(finding.configured)} {finding.unit}".rstrip(),
            f"{_value(finding.measured)} {finding.unit}".rstrip(),
            _bounds(finding),
            _judgment(finding),
            _sentence("; ".join(filter(None, (finding.message, finding.remedy)))),
        )
        for finding in sorted(summary.findings, key=lambda finding: order.index(finding.severity))
    ]


def problem_lists(summary: Summary) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """A run's problems, in sentences under headings: failures, deviations from the topology, doubts, missing data."""
    failed = [f"flow {flow.flow}: {flow.failure}" for flow in summary.flows if flow.failure]
    wrong = [*summary.not_as_drawn, *reasons(summary.findings, "wrong")]
    blocks = (
        ("Failed", [*summary.failures, *failed]),
        ("Not as drawn", wrong),
        ("Doubtful", reasons(summary.findings, "doubt")),
        ("Missing", summary.warnings),
    )
    return tuple((title, tuple(dict.fromkeys(lines))) for title, lines in blocks if lines)


def summary_tables(summary: Summary) -> tuple[TextTable, ...]:
    """Pings, flows and queues of a summary, without empty tables and without queues that never had a backlog."""
    queues = [queue for queue in summary.queues if queue.backlog_max_bytes or queue.drops] or summary.queues[:1]
    return tuple(
        table
        for table in (
            _table("Path at rest", _PING, summary.pings),
            _table("Flows", _FLOW, summary.flows),
            _table("Waiting times of flows", _APP, summary.apps),
            _table("Queues", _QUEUE, queues),
        )
        if table.rows
    )


def summary_text(summary: Summary) -> str:
    """A summary as plain text, with the problems and the verdict at its end."""
    measured = findings_table(summary)
    blocks = [plain_text(table) for table in (*summary_tables(summary), measured) if table is not None]
    blocks += ["\n".join((title, *(f"  {line}" for line in lines))) for title, lines in problem_lists(summary)]
    if summary.verdict:
        blocks.append(f"Verdict: {summary.verdict}")
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _table(title: str, columns: Sequence[_Column], items: Sequence[Any]) -> TextTable:
    return TextTable(
        title=title,
        headings=tuple(heading for heading, _, _ in columns),
        rows=tuple(tuple(show(item) for _, _, show in columns) for item in items),
        numeric=tuple(is_number for _, is_number, _ in columns),
    )


def plain_text(table: TextTable) -> str:
    """A table as lines of text with aligned columns."""
    lines = (table.headings, *table.rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = (
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(line, widths, table.numeric, strict=True)
        ).rstrip()
        for line in lines
    )
    return "\n".join((table.title, *(f"  {line}" for line in aligned)))
