"""The state of an object in a running lab as lines for a panel: loads, neighbors, routes, flows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from frrlib.model.quantities import rate_words, size_words
from frrlib.results.statistics.arrivals import arrived_mbit
from miniedit_frr.live.flows import LiveFlow
from miniedit_frr.live.loads import LinkLoad
from miniedit_frr.live.messages import AdjacencyState, protocol_title
from miniedit_frr.live.phases import PHASES
from miniedit_frr.live.route_book import TableRoute, TableRow

#: Common names of the kernel's protocols of routes.
_PROTOCOLS = {"kernel": "connected", "boot": "static", "static": "static"}
#: Time span of the curve of a flow's throughput, and its number of values.
CURVE_S, CURVE_PIECES = 15.0, 30

#: A rate below this share of its limit is shown as 0.
_LEAST_SHARE = 0.0005


@dataclass(frozen=True)
class StateLine:
    """A line of the panel.

    Attributes:
        name: the name of the value; empty to continue the line above.
        text: the value.
        grade: "up", "coming", "down", or empty for no sign.
        share: the length of the bar, 0 to 1; None for no bar.
        curve: recent values, the newest last; empty for no curve.
        most: the value at the top of the curve; 0 for the maximum of the curve.
    """

    name: str
    text: str
    grade: str = ""
    share: float | None = None
    curve: tuple[float, ...] = ()
    most: float = 0.0


def _of_limit(rate_mbit: float, limit_mbit: float) -> str:
    """A rate and its limit in one unit, to save space."""
    digits = 0 if rate_mbit < _LEAST_SHARE * limit_mbit else 2 if rate_mbit < 1 else 3
    return f"{rate_mbit:.{digits}g} of {limit_mbit:g} Mbit/s" if digits else f"0 of {limit_mbit:g} Mbit/s"


def direction_lines(name: str, load: LinkLoad | None, curve: Sequence[float]) -> list[StateLine]:
    """The lines of a direction of a link: its rate and its queue."""
    if load is None:
        return [StateLine(name, "…")]
    text = _of_limit(load.rate_mbit, load.limit_mbit) if load.limit_mbit else rate_words(load.rate_mbit)
    lines = [StateLine(name, text, share=load.share, curve=tuple(curve),
                  most=load.limit_mbit or 0.0)]  # fmt: skip
    if load.backlog_bytes is not None and load.limit_mbit:
        parts = [f"queue {size_words(load.backlog_bytes, 3)}"]
        parts += [f"{load.delay_ms:.3g} ms"] if load.delay_ms is not None else []
        parts += [f"{load.drops:.3g} drops/s"] if load.drops else []
        lines.append(StateLine("", ", ".join(parts), share=load.fill))
    return lines


def interface_line(name: str, load: LinkLoad | None, received_mbit: float | None, curve: Sequence[float]) -> StateLine:
    """The line of an interface of a node: its outgoing and incoming rates."""
    if load is None or received_mbit is None:
        return StateLine(name, "…")
    # One unit for both, to save space.
    unit, part = ("Mbit/s", 1.0) if max(load.rate_mbit, received_mbit) >= 1 else ("kbit/s", 1000.0)
    text = f"↑ {_short(load.rate_mbit * part)}  ↓ {_short(received_mbit * part)} {unit}"
    return StateLine(name, text, share=load.share, curve=tuple(curve), most=load.limit_mbit or 0.0)


def _short(value: float) -> str:
    return f"{value:.3g}" if value >= 10 else f"{value:.2g}" if value >= 0.05 else "0"


def adjacency_line(adjacency: AdjacencyState, since: str, *, both_ends: bool) -> StateLine:
    """The line of a neighbor.

    Args:
        since: time since its last change.
        both_ends: whether the line names the reporting router.
    """
    ends = f"{adjacency.router} → {adjacency.neighbor}" if both_ends else adjacency.neighbor or adjacency.address
    return StateLine(f"{protocol_title(adjacency.protocol)} {ends}", f"{adjacency.state} for {since}", adjacency.grade)


def route_lines(table: Mapping[TableRow, TableRoute], most: int) -> list[StateLine]:
    """The lines of a router's routes: their number by protocol, and the first ones learned from other routers."""
    counts = Counter(_PROTOCOLS.get(route.protocol, protocol_title(route.protocol)) for route in table.values())
    summary = ", ".join(f"{count} {protocol}" for protocol, count in counts.most_common() if protocol)
    lines = [StateLine("Routes", f"{len(table)}: {summary}" if summary else str(len(table)))]
    learned = [(row, route) for row, route in table.items() if route.protocol not in _PROTOCOLS]
    lines += [StateLine(f"  {row.prefix}", _via(route)) for row, route in learned[:most]]
    if len(learned) > most:
        lines.append(StateLine("", f"and {len(learned) - most} more"))
    return lines


def _via(route: TableRoute) -> str:
    first = route.via[0] if route.via else "…"
    remainder = f" and {len(route.via) - 1} more" if len(route.via) > 1 else ""
    return f"via {first}{remainder}"


def flow_lines(flow: LiveFlow, now_s: float, *, is_over: bool) -> list[StateLine]:
    """The lines of a flow: its throughput, and its sender's window and round trip."""
    span = flow.span()
    if span is None:
        return [StateLine("State", "no data sent yet" if not is_over else "no data sent", "coming")]
    to_s = min(now_s, span[1])
    rows = flow.between(max(span[0], to_s - CURVE_S), to_s)
    goodput = arrived_mbit(rows, max(span[0], to_s - CURVE_S), to_s, CURVE_S / CURVE_PIECES)[1]
    curve = tuple(float(rate) for rate in goodput if not math.isnan(rate))
    has_ended = not math.isnan(flow.end_s)
    lines = [StateLine("State", "finished" if has_ended else "sending", "" if has_ended else "up")]
    lines.append(StateLine("Throughput", rate_words(curve[-1]) if curve else "…", curve=curve))
    sender = flow.sender
    for name, column, unit in _OF_SENDER:
        value = sender.last(column)
        if not math.isnan(value):
            lines.append(StateLine(name, f"{value:.3g} {unit}" if unit else f"{value:.0f}"))
    phase = sender.last("bbr_phase")
    if not math.isnan(phase):
        lines.append(StateLine("Phase", PHASES[int(phase)]))
    return [StateLine("Congestion control", flow.control), *lines] if flow.control else lines


_OF_SENDER = (
    ("cwnd", "cwnd_packets", "packets"), ("RTT", "srtt_ms", "ms"), ("Minimum RTT", "min_rtt_ms", "ms"),
    ("Retransmissions", "retransmits", ""),
)  # fmt: skip


def lab_lines(
    nodes: Mapping[str, str], sessions: Mapping[str, tuple[int, int, str]], loads: Iterable[tuple[str, LinkLoad]]
) -> list[StateLine]:
    """The lines of the whole lab.

    Args:
        nodes: the state of each node.
        sessions: for each protocol, the number of neighbors that are up, of all neighbors, and the worst grade.
        loads: the titles of directions of links, and their loads.
    """
    up = sum(state == "up" for state in nodes.values())
    lines = [StateLine("Nodes", f"{up} of {len(nodes)} up", "up" if up == len(nodes) else "down")]
    for protocol, (good, all_, grade) in sessions.items():
        lines.append(StateLine(protocol_title(protocol), f"{good} of {all_} neighbors up", grade))
    busy = sorted(((load.share or 0.0, name, load) for name, load in loads if load.rate_mbit > 0), reverse=True)[:3]
    for share, name, load in busy:
        lines.append(StateLine(name, rate_words(load.rate_mbit), share=share if load.limit_mbit else None))
    return lines
