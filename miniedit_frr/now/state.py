"""The present state of a thing in a running lab, as lines for a panel: loads, sessions, routes, flows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from frrlib.model.quantities import size_words
from frrlib.results.statistics.arrivals import arrived_mbit
from miniedit_frr.live.flows import LiveFlow
from miniedit_frr.live.loads import LinkLoad
from miniedit_frr.live.messages import AdjacencyState, protocol_title
from miniedit_frr.live.phases import PHASES
from miniedit_frr.live.route_book import TableRoute, TableRow

#: Common names of the kernel's words for the protocols that set routes.
_PROTOCOLS = {"kernel": "connected", "boot": "static", "static": "static"}
#: A flow's throughput is drawn over this time, in this many pieces.
CURVE_S, CURVE_PIECES = 15.0, 30

#: A rate below this share of its limit is nothing.
_LEAST_SHARE = 0.0005


@dataclass(frozen=True)
class StateLine:
    """A line of the panel.

    Attributes:
        name: what it is about; empty for more about what stands above.
        text: how that is now.
        grade: "up", "coming", "down", or empty for no sign.
        share: how full it is, 0 to 1; None for no bar.
        curve: how it was lately, the newest last; empty for no curve.
        most: what the whole height of the curve stands for; 0 for the most in it.
    """

    name: str
    text: str
    grade: str = ""
    share: float | None = None
    curve: tuple[float, ...] = ()
    most: float = 0.0


def rate_text(mbit: float) -> str:
    """A rate for people: "0", "12.4 kbit/s", "9.56 Mbit/s"."""
    if mbit < 5e-5:
        return "0"
    return f"{mbit:.3g} Mbit/s" if mbit >= 1 else f"{mbit * 1000:.3g} kbit/s"


def _of_limit(rate_mbit: float, limit_mbit: float) -> str:
    """A rate and its limit in one unit, since there is little room."""
    digits = 0 if rate_mbit < _LEAST_SHARE * limit_mbit else 2 if rate_mbit < 1 else 3
    return f"{rate_mbit:.{digits}g} of {limit_mbit:g} Mbit/s" if digits else f"0 of {limit_mbit:g} Mbit/s"


def direction_lines(name: str, load: LinkLoad | None, curve: Sequence[float]) -> list[StateLine]:
    """A direction of a link: its rate, and the packets queued before it."""
    if load is None:
        return [StateLine(name, "…")]
    text = _of_limit(load.rate_mbit, load.limit_mbit) if load.limit_mbit else rate_text(load.rate_mbit)
    lines = [StateLine(name, text, share=load.share, curve=tuple(curve),
                  most=load.limit_mbit or 0.0)]  # fmt: skip
    if load.backlog_bytes is not None and load.limit_mbit:
        parts = [f"queue {size_words(load.backlog_bytes, 3)}"]
        parts += [f"{load.delay_ms:.3g} ms"] if load.delay_ms is not None else []
        parts += [f"{load.drops:.3g} drops/s"] if load.drops else []
        lines.append(StateLine("", ", ".join(parts), share=load.fill))
    return lines


def interface_line(name: str, load: LinkLoad | None, received_mbit: float | None, curve: Sequence[float]) -> StateLine:
    """An interface of a node: its outgoing and incoming rates."""
    if load is None or received_mbit is None:
        return StateLine(name, "…")
    # One unit for both, since there is little room.
    unit, part = ("Mbit/s", 1.0) if max(load.rate_mbit, received_mbit) >= 1 else ("kbit/s", 1000.0)
    text = f"↑ {_short(load.rate_mbit * part)}  ↓ {_short(received_mbit * part)} {unit}"
    return StateLine(name, text, share=load.share, curve=tuple(curve), most=load.limit_mbit or 0.0)


def _short(value: float) -> str:
    return f"{value:.3g}" if value >= 10 else f"{value:.2g}" if value >= 0.05 else "0"


def adjacency_line(told: AdjacencyState, since: str, *, both_ends: bool) -> StateLine:
    """A neighbour.

    Args:
        since: for how long it has been so.
        both_ends: whether it must be said who tells it.
    """
    who = f"{told.router} → {told.neighbor}" if both_ends else told.neighbor or told.address
    return StateLine(f"{protocol_title(told.protocol)} {who}", f"{told.state} for {since}", told.grade)


def route_lines(table: Mapping[TableRow, TableRoute], most: int) -> list[StateLine]:
    """A router's routes: how many each protocol has set, then the first of those that are not its own networks."""
    counts = Counter(_PROTOCOLS.get(route.protocol, protocol_title(route.protocol)) for route in table.values())
    said = ", ".join(f"{count} {protocol}" for protocol, count in counts.most_common() if protocol)
    lines = [StateLine("Routes", f"{len(table)}: {said}" if said else str(len(table)))]
    learnt = [(row, route) for row, route in table.items() if route.protocol not in _PROTOCOLS]
    lines += [StateLine(f"  {row.prefix}", _via(route)) for row, route in learnt[:most]]
    if len(learnt) > most:
        lines.append(StateLine("", f"and {len(learnt) - most} more"))
    return lines


def _via(route: TableRoute) -> str:
    first = route.via[0] if route.via else "…"
    more = f" and {len(route.via) - 1} more" if len(route.via) > 1 else ""
    return f"via {first}{more}"


def flow_lines(flow: LiveFlow, now_s: float, *, is_over: bool) -> list[StateLine]:
    """A flow: its throughput, and its sender's window and round trip."""
    span = flow.span()
    if span is None:
        return [StateLine("State", "no data sent yet" if not is_over else "no data sent", "coming")]
    to_s = min(now_s, span[1])
    rows = flow.between(max(span[0], to_s - CURVE_S), to_s)
    goodput = arrived_mbit(rows, max(span[0], to_s - CURVE_S), to_s, CURVE_S / CURVE_PIECES)[1]
    curve = tuple(float(each) for each in goodput if not math.isnan(each))
    has_ended = not math.isnan(flow.end_s)
    lines = [StateLine("State", "finished" if has_ended else "sending", "" if has_ended else "up")]
    lines.append(StateLine("Throughput", rate_text(curve[-1]) if curve else "…", curve=curve))
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
    """The lab as a whole.

    Args:
        nodes: the state of each node.
        sessions: of each protocol how many neighbours are up, how many there are, and the worst grade.
        loads: what directions of links are called, and their loads.
    """
    up = sum(state == "up" for state in nodes.values())
    lines = [StateLine("Nodes", f"{up} of {len(nodes)} up", "up" if up == len(nodes) else "down")]
    for protocol, (good, all_, grade) in sessions.items():
        lines.append(StateLine(protocol_title(protocol), f"{good} of {all_} neighbors up", grade))
    busy = sorted(((load.share or 0.0, name, load) for name, load in loads if load.rate_mbit > 0), reverse=True)[:3]
    for share, name, load in busy:
        lines.append(StateLine(name, rate_text(load.rate_mbit), share=share if load.limit_mbit else None))
    return lines
