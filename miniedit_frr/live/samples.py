"""The samples of a run's flows, queues and processors: rows of the sample tables, stored as they arrive.

Times are seconds since the start of all flows. This module is independent of labs and windows; `quantities` makes
curves from the samples.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from frrlib import wire
from frrlib.results.layout import FlowInfo, QueueInfo
from frrlib.results.palette import CurveStyle, curve_styles
from frrlib.results.queue_limits import LimitHistory
from frrlib.results.rates import RateHistory, is_towards
from frrlib.results.streams import SEPARATOR
from miniedit_frr.live.flows import APP, DATAGRAM, PROBE, RECEIVER, SENDER, LiveFlow
from miniedit_frr.live.phases import PHASES, phase_of_gains
from miniedit_frr.live.ring import MOST_ROWS, Floats, Ring

_N = TypeVar("_N", float, "float | None")
#: The key of queues, processors and interfaces: a name, or a node and a name.
Key = TypeVar("Key", str, tuple[str, str])

#: Stored columns of queues, processors and interfaces.
QUEUE = ("time_s", "backlog_bytes", "backlog_packets", "sent_bytes", "drops", "marks")
CPU = ("time_s", "busy_s", "idle_s", "steal_s")
INTERFACE = ("time_s", "tx_bytes", "tx_drops")

#: A queue gets a curve if its maximum is at least this share of the fullest queue's; maximum number of such queues.
FLOOR, MOST_QUEUES = 0.02, 4
#: Limits for unplanned names from a lab: flows; queues, interfaces, processors and links; characters of a name; and
#: marks on the time axis. Later names and older marks are ignored.
MOST_FLOWS, MOST_NAMES, MOST_CHARACTERS, MOST_MARKS = 1000, 20_000, 200, 10_000
#: Maximum number of stored changes of a link's rate.
_MOST_RATES = 100_000
#: Kinds of marks on the time axis.
MARKS = ("flow", "fault", "cleared", "rate", "route", "daemon")


@dataclass(frozen=True)
class Marker:
    """An event during the run: `kind` is one of `MARKS`, `text` is for people."""

    time_s: float
    kind: str
    text: str


class LiveRun:
    """A run in progress.

    Attributes:
        flows: the flows by ID: the planned ones in their order, then others as they appear.
        queues: samples of each queue by direction ("l2:r1-h2"), in the order of their appearance.
        infos: rate and limit of queues, by direction.
        interfaces: samples of interfaces, by node and name.
        cpu: samples of processors by their location: "machine", "lab kernel".
        newest_s: the time of the newest sample; 0 before the first.
        is_over: whether the run has ended.
        title: the title of the run.
        revision: a number that rises with every change.

    Args:
        most_rows: maximum number of rows of each flow and queue; 0 for all.
    """

    def __init__(
        self,
        flows: Iterable[FlowInfo] = (),
        infos: Mapping[str, QueueInfo] | None = None,
        title: str = "",
        most_rows: int = MOST_ROWS,
    ) -> None:
        self._most = most_rows
        self.flows = {info.id: LiveFlow(info, most_rows) for info in flows}
        self._most_flows = len(self.flows) + MOST_FLOWS
        self.infos = dict(infos or {})
        self.queues: dict[str, Ring] = {}
        self.interfaces: dict[tuple[str, str], Ring] = {}
        self.cpu: dict[str, Ring] = {}
        self.title, self.is_over, self.newest_s, self.revision = title, False, 0.0, 0
        self._markers: deque[tuple[float, Marker]] = deque(maxlen=MOST_MARKS)
        #: The rate changes of each link: time, whether it is on the lab's clock, the node at the end, and the rate.
        self._rates: dict[str, deque[tuple[float, bool, str, float]]] = {}
        #: The changes of queue limits of each link: time, whether it is on the lab's clock, the node at the end, and
        #: the limit.
        self._limits: dict[str, deque[tuple[float, bool, str, float | None]]] = {}
        self._zero_s = math.nan
        self._largest: dict[str, float] = {}
        self._looks: tuple[tuple[str, ...], dict[str, CurveStyle]] = ((), {})

    # --- input ---

    def take(self, table: str, rows: Sequence[Sequence[Any]], zero_s: float = math.nan) -> None:
        """Add rows of a sample table, in the order of its columns (`wire.TABLES`). Other tables are ignored.

        Args:
            zero_s: the latest possible start of all flows on the lab's clock, according to these rows.
        """
        handlers = {
            "tcp": self._take_tcp, "queue": self._take_queue, "cpu": self._take_cpu,
            "interface": self._take_interface,
            "datagram": self._take_datagram, "probe": self._take_probe, "app": self._take_app,
        }  # fmt: skip
        if not rows or table not in handlers:
            return
        if not math.isnan(zero_s):
            self._zero_s = zero_s if math.isnan(self._zero_s) else min(self._zero_s, zero_s)
        self.revision += 1
        newest = rows[-1][0]
        if newest is not None:
            self.newest_s = max(self.newest_s, float(newest))
        handlers[table](rows)

    def add_flow_event(self, flow: str, kind: str, time_s: float) -> None:
        """Add the "start", "end" or "failed" of a flow."""
        flow_state = self._flow(flow)
        if flow_state is None:
            return
        if kind in ("end", "failed"):
            flow_state.end_s = time_s
        words = {"start": "starts", "end": "ends", "failed": "failed"}.get(kind, kind)
        self.mark(Marker(time_s, "flow", f"{flow} {words}"))

    def mark(self, marker: Marker) -> None:
        """Add a mark, with a time on the flows' clock."""
        self.revision += 1
        self._markers.append((math.nan, marker))

    def mark_by_lab(self, lab_time_s: float, kind: str, text: str) -> None:
        """Add a mark, with a time on the lab's clock."""
        self.revision += 1
        self._markers.append((lab_time_s, Marker(math.nan, kind, text)))

    def add_rate(self, link: str, new: tuple[float, str], time_s: float, *, by_lab: bool = False) -> None:
        """Add a new rate of a link, as returned by `frrlib.results.rates.new_rate`, on the flows' clock or the
        lab's."""
        self.revision += 1
        rate_mbit, towards = new
        if link not in self._rates and _accepts_name(self._rates, MOST_NAMES, link):
            self._rates[link] = deque(maxlen=_MOST_RATES)
        if link in self._rates:
            self._rates[link].append((time_s, by_lab, towards, rate_mbit))

    def add_limits(self, link: str, limits: Mapping[str, float | None], time_s: float, *, by_lab: bool = False) -> None:
        """Add new queue limits of a link in bytes, by the node at the end of each direction.

        Args:
            time_s: time on the flows' clock, or on the lab's clock with `by_lab`.
        """
        self.revision += 1
        if link not in self._limits and _accepts_name(self._limits, MOST_NAMES, link):
            self._limits[link] = deque(maxlen=_MOST_RATES)
        if link in self._limits:
            self._limits[link].extend((time_s, by_lab, towards, limit_bytes) for towards, limit_bytes in limits.items())

    # --- output ---

    def markers(self, from_s: float, to_s: float) -> list[Marker]:
        """The marks in a span of time, in order. Marks on the lab's clock are included once there are samples."""
        markers = [
            marker if math.isnan(lab_s) else Marker(lab_s - self._zero_s, marker.kind, marker.text)
            for lab_s, marker in self._markers
        ]
        return sorted((mark for mark in markers if from_s <= mark.time_s <= to_s), key=lambda mark: mark.time_s)

    def looks(self) -> dict[str, CurveStyle]:
        """The look of each flow, as in the run's figure, or in the color chosen in the topology."""
        flows = self.flows.values()
        controls = tuple(flow.look_of for flow in flows)
        if self._looks[0] != controls:
            flow_looks = (replace(look, colour=flow.info.colour) if flow.info.colour else look
                      for flow, look in zip(flows, curve_styles(controls), strict=True))  # fmt: skip
            self._looks = controls, dict(zip(self.flows, flow_looks, strict=True))
        return self._looks[1]

    def busy_queues(self) -> list[str]:
        """The queues that get a curve, in the order of their appearance."""
        floor = max(self._largest.values(), default=0.0) * FLOOR
        ranked = sorted((name for name in self.queues if self._largest[name] >= floor), key=lambda n: -self._largest[n])
        busiest = ranked[:MOST_QUEUES]
        return [name for name in self.queues if name in busiest]

    def course(self, direction: str) -> RateHistory:
        """The rate of a direction over time. Changes on the lab's clock are included once there are samples."""
        info = self.infos.get(direction)
        return RateHistory.of(info.rate_mbit if info else None, self._changes(self._rates, direction))

    def limit_course(self, direction: str) -> LimitHistory:
        """The limit of a direction's queue over time; times as in `course`."""
        info = self.infos.get(direction)
        return LimitHistory.of(info.limit_bytes if info else None, self._changes(self._limits, direction))

    def _changes(
        self, changes: Mapping[str, Iterable[tuple[float, bool, str, _N]]], direction: str
    ) -> list[tuple[float, _N]]:
        """The new values of a direction, with their times on the flows' clock."""
        link = direction.partition(":")[0]
        return [
            (time_s - self._zero_s if by_lab else time_s, value)
            for time_s, by_lab, towards, value in changes.get(link, ())
            if is_towards(direction, link, towards) and not (by_lab and math.isnan(self._zero_s))
        ]

    def planned_end_s(self) -> float:
        """The planned end of the last flow with a duration; 0 without such flows."""
        ends = [flow.info.start_s + flow.info.duration_s for flow in self.flows.values() if flow.info.duration_s]
        return max(ends, default=0.0)

    def fullest(self, direction: str) -> float:
        """The maximum backlog of a queue, in bytes."""
        return self._largest.get(direction, 0.0)

    @property
    def is_thinned(self) -> bool:
        """Whether some samples were dropped."""
        of_flows = (ring for flow in self.flows.values() for ring in (*flow.senders, *flow.receivers))
        return any(ring.is_thinned for ring in (*self.queues.values(), *of_flows))

    # --- tables ---

    def _flow(self, name: str) -> LiveFlow | None:
        """A flow, planned or not; None if there are too many."""
        if name not in self.flows and _accepts_name(self.flows, self._most_flows, name):
            self.flows[name] = LiveFlow(FlowInfo(id=name), self._most)
        return self.flows.get(name)

    def _ring(self, rings: dict[Key, Ring], key: Key, columns: Sequence[str]) -> Ring | None:
        """The ring of a queue, an interface or a processor; None if there are too many."""
        if key not in rings and _accepts_name(rings, MOST_NAMES, *((key,) if isinstance(key, str) else key)):
            rings[key] = Ring(columns, self._most)
        return rings.get(key)

    def _connection(self, name: str) -> tuple[LiveFlow | None, int]:
        """The flow of a connection, and the connection's index among parallel ones."""
        base, _, number = name.rpartition(SEPARATOR)
        flow = self.flows.get(base)
        if flow is not None and flow.info.streams > 1 and number.isdecimal():
            return flow, min(int(number), flow.info.streams) - 1
        return self._flow(name), 0

    def _take_tcp(self, rows: Sequence[Sequence[Any]]) -> None:
        at = _places("tcp")
        named, side = at["flow"], at["side"]
        for (name, end), several in _grouped(rows, (named, side)).items():
            flow, stream = self._connection(name)
            if flow is None:
                continue
            if end == "receiver":
                flow.receivers[stream].add(_numbers(several, "tcp", RECEIVER))
                continue
            control = several[-1][at["congestion_control"]]
            flow.control = control or flow.control
            cells = _numbers(several, "tcp", SENDER[:-1])
            flow.senders[stream].add(np.column_stack([cells, _phases(several, cells)]))

    def _take_queue(self, rows: Sequence[Sequence[Any]]) -> None:
        for (name,), several in _grouped(rows, (_places("queue")["direction"],)).items():
            if (ring := self._ring(self.queues, name, QUEUE)) is None:
                continue
            cells = _numbers(several, "queue", QUEUE)
            held = cells[:, QUEUE.index("backlog_bytes")]
            self._largest[name] = max(self._largest.get(name, 0.0), float(np.nanmax(held, initial=0.0)))
            ring.add(cells)

    def _take_interface(self, rows: Sequence[Sequence[Any]]) -> None:
        at = _places("interface")
        for (node, name), several in _grouped(rows, (at["node"], at["interface"])).items():
            if (ring := self._ring(self.interfaces, (node, name), INTERFACE)) is not None:
                ring.add(_numbers(several, "interface", INTERFACE))

    def _take_cpu(self, rows: Sequence[Sequence[Any]]) -> None:
        for (where,), several in _grouped(rows, (_places("cpu")["where"],)).items():
            if (ring := self._ring(self.cpu, where, CPU)) is not None:
                ring.add(_numbers(several, "cpu", CPU))

    def _take_datagram(self, rows: Sequence[Sequence[Any]]) -> None:
        for flow, several in self._by_flow("datagram", rows):
            flow.datagram.add(_numbers(several, "datagram", DATAGRAM))
            flow.receiver.add(_numbers(several, "datagram", ("time_s", "received_bytes")))

    def _take_probe(self, rows: Sequence[Sequence[Any]]) -> None:
        for flow, several in self._by_flow("probe", rows):
            flow.probe.add(_numbers(several, "probe", PROBE))

    def _take_app(self, rows: Sequence[Sequence[Any]]) -> None:
        for flow, several in self._by_flow("app", rows):
            flow.app.add(_numbers(several, "app", APP))

    def _by_flow(self, table: str, rows: Sequence[Sequence[Any]]) -> Iterator[tuple[LiveFlow, Sequence[Sequence[Any]]]]:
        """The flows of a table with their rows, without those beyond the limit."""
        for (name,), several in _grouped(rows, (_places(table)["flow"],)).items():
            if (flow := self._flow(name)) is not None:
                yield flow, several


def _accepts_name(existing: Sized, most: int, *names: str) -> bool:
    """Whether one more name is accepted, since a lab may report any names."""
    return len(existing) < most and all(len(name) <= MOST_CHARACTERS for name in names)


@cache
def _places(table: str) -> Mapping[str, int]:
    return {name: index for index, name in enumerate(wire.TABLES[table])}


def _grouped(rows: Sequence[Sequence[Any]], at: tuple[int, ...]) -> dict[tuple[Any, ...], list[Sequence[Any]]]:
    """Rows grouped by the values of some columns, in their order."""
    groups: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[index] for index in at), []).append(row)
    return groups


def _numbers(rows: Sequence[Sequence[Any]], table: str, columns: Sequence[str]) -> Floats:
    """Some columns of rows; NaN for unknown values, and for columns that a table does not have yet."""
    at = [_places(table).get(name, -1) for name in columns]
    return np.array([[row[i] if 0 <= i < len(row) else None for i in at] for row in rows], dtype=np.float64)


def _phases(rows: Sequence[Sequence[Any]], cells: Floats) -> Floats:
    """The number of BBR's phase in each row; NaN for other algorithms."""
    at = _places("tcp").get("bbr_phase", -1)
    reported = [row[at] if 0 <= at < len(row) else None for row in rows]
    gains = cells[:, [SENDER.index("bbr_pacing_gain"), SENDER.index("bbr_cwnd_gain")]]
    derived = phase_of_gains(gains[:, 0], gains[:, 1])
    return np.array(
        [
            PHASES.index(word) if word in PHASES else derived_phase
            for word, derived_phase in zip(reported, derived, strict=True)
        ]
    )
