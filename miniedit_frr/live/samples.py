"""The samples of a run's flows, queues and processors so far: rows of the sample tables, kept as they come.

Times are seconds since the start of all flows. Nothing here knows a lab or a window; `quantities` makes curves of it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from frrlib.results.layout import FlowInfo, QueueInfo
from frrlib.results.palette import Look, looks
from frrlib.results.queue_limits import LimitCourse
from frrlib.results.rates import Course, is_towards
from frrlib.results.streams import SEPARATOR
from frrlib.wire import messages as wire
from miniedit_frr.live.flows import APP, DATAGRAM, PROBE, RECEIVER, SENDER, LiveFlow
from miniedit_frr.live.phases import PHASES, phase_of_gains
from miniedit_frr.live.ring import MOST_ROWS, Floats, Ring

_N = TypeVar("_N", float, "float | None")
#: What queues, processors and interfaces are known by: a name, or a node and a name.
Key = TypeVar("Key", str, tuple[str, str])

#: Columns kept for queues, processors and interfaces.
QUEUE = ("time_s", "backlog_bytes", "backlog_packets", "sent_bytes", "drops", "marks")
CPU = ("time_s", "busy_s", "idle_s", "steal_s")
INTERFACE = ("time_s", "tx_bytes", "tx_drops")

#: A queue that never held this share of the fullest one gets no curve, and no more queues than that do.
FLOOR, MOST_QUEUES = 0.02, 4
#: Limits of what a lab may name beside what was planned: flows, and queues, interfaces, processors and links, and the
#: characters of such a name. Later names are passed over, and so are older marks on the time axis.
MOST_FLOWS, MOST_NAMES, MOST_CHARACTERS, MOST_MARKS = 1000, 20_000, 200, 10_000
#: How many changes of a link's rate are kept.
_MOST_RATES = 100_000
#: Kinds of marks on the time axis.
MARKS = ("flow", "fault", "mended", "rate", "route", "daemon")


@dataclass(frozen=True)
class Marker:
    """Something that happened during the run: `kind` is one of `MARKS`, `text` is for people."""

    time_s: float
    kind: str
    text: str


class LiveRun:
    """A run as far as it has come.

    Attributes:
        flows: by id, the planned ones in their order, then others as they appear.
        queues: samples of each queue by direction ("l2:r1-h2"), in the order of their appearance.
        infos: rate and limit of queues, by direction.
        interfaces: samples of interfaces, by node and name.
        cpu: samples of processors by where they are: "machine", "lab kernel".
        newest_s: the time of the newest sample; 0 before the first.
        is_over: whether nothing more will come.
        title: what the run is called.
        revision: rises whenever something is told.

    Args:
        most_rows: so many rows of each flow and queue are kept; 0 for all.
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
        #: The new rates that each link was given: when, whether by the lab's clock, towards which node, and which.
        self._rates: dict[str, deque[tuple[float, bool, str, float]]] = {}
        #: The queue limits that each link was given: when, whether by the lab's clock, towards which node, and which.
        self._limits: dict[str, deque[tuple[float, bool, str, float | None]]] = {}
        self._zero_s = math.nan
        self._largest: dict[str, float] = {}
        self._looks: tuple[tuple[str, ...], dict[str, Look]] = ((), {})

    # --- what is told ---

    def take(self, table: str, rows: Sequence[Sequence[Any]], zero_s: float = math.nan) -> None:
        """Take rows of a sample table, in the order of its columns (`wire.TABLES`); other tables are passed over.

        Args:
            zero_s: what the lab's clock showed at the start of all flows, as far as these rows tell: no earlier.
        """
        if not rows or table not in _TAKERS:
            return
        if not math.isnan(zero_s):
            self._zero_s = zero_s if math.isnan(self._zero_s) else min(self._zero_s, zero_s)
        self.revision += 1
        newest = rows[-1][0]
        if newest is not None:
            self.newest_s = max(self.newest_s, float(newest))
        _TAKERS[table](self, rows)

    def add_flow_event(self, flow: str, what: str, time_s: float) -> None:
        """A flow has its "start", "end" or "failed"."""
        known = self._flow(flow)
        if known is None:
            return
        if what in ("end", "failed"):
            known.end_s = time_s
        words = {"start": "starts", "end": "ends", "failed": "failed"}.get(what, what)
        self.mark(Marker(time_s, "flow", f"{flow} {words}"))

    def mark(self, marker: Marker) -> None:
        """Something happened, by the flows' clock."""
        self.revision += 1
        self._markers.append((math.nan, marker))

    def mark_by_lab(self, lab_time_s: float, kind: str, text: str) -> None:
        """Something happened, by the lab's clock."""
        self.revision += 1
        self._markers.append((lab_time_s, Marker(math.nan, kind, text)))

    def add_rate(self, link: str, new: tuple[float, str], time_s: float, *, by_lab: bool = False) -> None:
        """A link has a new rate, as `frrlib.results.rates.new_rate` gives it, by the flows' clock or the lab's."""
        self.revision += 1
        rate_mbit, towards = new
        if link not in self._rates and _is_new_one_taken(self._rates, MOST_NAMES, link):
            self._rates[link] = deque(maxlen=_MOST_RATES)
        if link in self._rates:
            self._rates[link].append((time_s, by_lab, towards, rate_mbit))

    def add_limits(self, link: str, limits: Mapping[str, float | None], time_s: float, *, by_lab: bool = False) -> None:
        """Take new queue limits of a link in bytes, by the node to which each direction leads.

        Args:
            time_s: by the flows' clock, or by the lab's with `by_lab`.
        """
        self.revision += 1
        if link not in self._limits and _is_new_one_taken(self._limits, MOST_NAMES, link):
            self._limits[link] = deque(maxlen=_MOST_RATES)
        if link in self._limits:
            self._limits[link].extend((time_s, by_lab, towards, limit_bytes) for towards, limit_bytes in limits.items())

    # --- what is known ---

    def markers(self, from_s: float, to_s: float) -> list[Marker]:
        """The marks in a span of time, in order. Those by the lab's clock are known once there are samples."""
        known = [
            marker if math.isnan(lab_s) else Marker(lab_s - self._zero_s, marker.kind, marker.text)
            for lab_s, marker in self._markers
        ]
        return sorted((each for each in known if from_s <= each.time_s <= to_s), key=lambda each: each.time_s)

    def looks(self) -> dict[str, Look]:
        """The look of each flow: as in the run's figure, in its drawn colour where it has one."""
        flows = self.flows.values()
        controls = tuple(flow.look_of for flow in flows)
        if self._looks[0] != controls:
            chosen = (replace(look, colour=flow.info.colour) if flow.info.colour else look
                      for flow, look in zip(flows, looks(controls), strict=True))  # fmt: skip
            self._looks = controls, dict(zip(self.flows, chosen, strict=True))
        return self._looks[1]

    def busy_queues(self) -> list[str]:
        """The queues worth a curve, in the order of their appearance."""
        floor = max(self._largest.values(), default=0.0) * FLOOR
        ranked = sorted((name for name in self.queues if self._largest[name] >= floor), key=lambda n: -self._largest[n])
        chosen = ranked[:MOST_QUEUES]
        return [name for name in self.queues if name in chosen]

    def course(self, direction: str) -> Course:
        """The rate of a direction, as far as the run has come. Changes by the lab's clock count from the first sample
        on.
        """
        info = self.infos.get(direction)
        return Course.of(info.rate_mbit if info else None, self._changes(self._rates, direction))

    def limit_course(self, direction: str) -> LimitCourse:
        """The limit of a direction's queue, as far as the run has come; times as in `course`."""
        info = self.infos.get(direction)
        return LimitCourse.of(info.limit_bytes if info else None, self._changes(self._limits, direction))

    def _changes(
        self, told: Mapping[str, Iterable[tuple[float, bool, str, _N]]], direction: str
    ) -> list[tuple[float, _N]]:
        """The new values of a direction, with their times by the flows' clock."""
        link = direction.partition(":")[0]
        return [
            (time_s - self._zero_s if by_lab else time_s, value)
            for time_s, by_lab, towards, value in told.get(link, ())
            if is_towards(direction, link, towards) and not (by_lab and math.isnan(self._zero_s))
        ]

    def planned_end_s(self) -> float:
        """When the last flow of given length should be over; 0 where none has one."""
        ends = [flow.info.start_s + flow.info.duration_s for flow in self.flows.values() if flow.info.duration_s]
        return max(ends, default=0.0)

    def fullest(self, direction: str) -> float:
        """The most bytes that a queue has held."""
        return self._largest.get(direction, 0.0)

    @property
    def is_thinned(self) -> bool:
        """Whether some samples are no longer kept."""
        of_flows = (ring for flow in self.flows.values() for ring in (*flow.senders, *flow.receivers))
        return any(ring.is_thinned for ring in (*self.queues.values(), *of_flows))

    # --- tables ---

    def _flow(self, name: str) -> LiveFlow | None:
        """A flow, which need not have been planned; None where there are too many."""
        if name not in self.flows and _is_new_one_taken(self.flows, self._most_flows, name):
            self.flows[name] = LiveFlow(FlowInfo(id=name), self._most)
        return self.flows.get(name)

    def _ring(self, rings: dict[Key, Ring], key: Key, columns: Sequence[str]) -> Ring | None:
        """The ring of a queue, an interface or a processor; None where there are too many."""
        if key not in rings and _is_new_one_taken(rings, MOST_NAMES, *((key,) if isinstance(key, str) else key)):
            rings[key] = Ring(columns, self._most)
        return rings.get(key)

    def _connection(self, name: str) -> tuple[LiveFlow | None, int]:
        """The flow of a connection, and which of its parallel ones it is."""
        base, _, number = name.rpartition(SEPARATOR)
        known = self.flows.get(base)
        if known is not None and known.info.streams > 1 and number.isdecimal():
            return known, min(int(number), known.info.streams) - 1
        return self._flow(name), 0

    def _take_tcp(self, rows: Sequence[Sequence[Any]]) -> None:
        at = _places("tcp")
        named, side = at["flow"], at["side"]
        for (name, end), several in _sorted_out(rows, (named, side)).items():
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
        for (name,), several in _sorted_out(rows, (_places("queue")["direction"],)).items():
            if (ring := self._ring(self.queues, name, QUEUE)) is None:
                continue
            cells = _numbers(several, "queue", QUEUE)
            held = cells[:, QUEUE.index("backlog_bytes")]
            self._largest[name] = max(self._largest.get(name, 0.0), float(np.nanmax(held, initial=0.0)))
            ring.add(cells)

    def _take_interface(self, rows: Sequence[Sequence[Any]]) -> None:
        at = _places("interface")
        for (node, name), several in _sorted_out(rows, (at["node"], at["interface"])).items():
            if (ring := self._ring(self.interfaces, (node, name), INTERFACE)) is not None:
                ring.add(_numbers(several, "interface", INTERFACE))

    def _take_cpu(self, rows: Sequence[Sequence[Any]]) -> None:
        for (where,), several in _sorted_out(rows, (_places("cpu")["where"],)).items():
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
        """The flows of a table with their rows, but for those that are too many."""
        for (name,), several in _sorted_out(rows, (_places(table)["flow"],)).items():
            if (flow := self._flow(name)) is not None:
                yield flow, several


def _is_new_one_taken(known: Sized, most: int, *names: str) -> bool:
    """Whether one more name is taken: a lab may name whatever it likes."""
    return len(known) < most and all(len(name) <= MOST_CHARACTERS for name in names)


_TAKERS = {
    "tcp": LiveRun._take_tcp, "queue": LiveRun._take_queue, "cpu": LiveRun._take_cpu,
    "interface": LiveRun._take_interface,
    "datagram": LiveRun._take_datagram, "probe": LiveRun._take_probe, "app": LiveRun._take_app,
}  # fmt: skip


@cache
def _places(table: str) -> Mapping[str, int]:
    return {name: index for index, name in enumerate(wire.TABLES[table])}


def _sorted_out(rows: Sequence[Sequence[Any]], at: tuple[int, ...]) -> dict[tuple[Any, ...], list[Sequence[Any]]]:
    """Rows by the values of some columns, in their order."""
    found: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row[index] for index in at), []).append(row)
    return found


def _numbers(rows: Sequence[Sequence[Any]], table: str, columns: Sequence[str]) -> Floats:
    """Some columns of rows; NaN for unknown values, also where a table does not have the column yet."""
    at = [_places(table).get(name, -1) for name in columns]
    return np.array([[row[i] if 0 <= i < len(row) else None for i in at] for row in rows], dtype=np.float64)


def _phases(rows: Sequence[Sequence[Any]], cells: Floats) -> Floats:
    """The number of BBR's phase in each row; NaN for other algorithms."""
    at = _places("tcp").get("bbr_phase", -1)
    said = [row[at] if 0 <= at < len(row) else None for row in rows]
    gains = cells[:, [SENDER.index("bbr_pacing_gain"), SENDER.index("bbr_cwnd_gain")]]
    derived = phase_of_gains(gains[:, 0], gains[:, 1])
    return np.array(
        [PHASES.index(word) if word in PHASES else known for word, known in zip(said, derived, strict=True)]
    )
