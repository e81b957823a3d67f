"""The captures of a run: each flow at each captured interface, in tables and over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from frrlib.results import layout
from frrlib.results.layout import FlowInfo, ResultsError
from frrlib.results.packets.captures import NOTHING, Capture, ConnectionDirection, Floats, Segments, read_capture
from frrlib.results.packets.series import in_flight, rates, retransmission_mask, rtt_by_ack, rtt_by_stamp, transit
from frrlib.results.records import Results
from frrlib.results.series import Series
from frrlib.results.statistics.table import TextTable, number
from frrlib.safe_text.spreadsheet import csv_text
from frrlib.system import atomic_files

#: The minimum data of a connection: smaller ones are control connections of a tool.
LEAST_BYTES = 10_000
#: The files that are written beside the samples: values of each bin of time, and each round trip.
BINS, ROUND_TRIPS = "packets.csv", "packet_rtts.csv"
_BIN_COLUMNS = (
    "time_s", "interface", "flow", "rate_mbit", "payload_mbit", "resent_packets", "in_flight_bytes", "rtt_ack_ms",
    "rtt_stamp_ms",
)  # fmt: skip
_RTT_COLUMNS = ("time_s", "interface", "flow", "by", "rtt_ms")


@dataclass(frozen=True, eq=False)
class CapturedFlow:
    """The packets of a flow at one interface.

    Attributes:
        interface: "NODE:INTERFACE".
        flow: its id; addresses and ports for a connection that is not a flow of the run.
        data, acks: the packets in the direction of the data, and those in the reverse direction.
    """

    interface: str
    flow: str
    data: Segments
    acks: Segments

    @property
    def span(self) -> tuple[float, float]:
        """The times of its first and its last packet with data, in seconds."""
        times = self.data.time_s[self.data.payload_bytes > 0]
        return (float(times[0]), float(times[-1])) if times.size else (0.0, 0.0)

    @property
    def resent(self) -> int:
        """The number of retransmissions among its packets."""
        return int(np.count_nonzero(retransmission_mask(self.data)))


def captures(results: Results) -> dict[str, Path]:
    """The files of a run's captures by "NODE:INTERFACE". For a killed run, the keys are the names of the files."""
    files = {interface: results.folder / info.file for interface, info in results.info.captures.items()}
    listed = set(files.values())
    for folder in (results.folder / layout.CAPTURES, results.folder / layout.FILES / layout.CAPTURES):
        files |= {path.stem: path for path in sorted(folder.glob("*.pcap")) if path not in listed}
    return files


def captured_flows(
    results: Results, report_progress: Callable[[str], object] = lambda _: None
) -> tuple[list[CapturedFlow], list[str]]:
    """Each flow at each interface, and a sentence for each thing that is missing.

    Args:
        report_progress: called with a text about the file that is being read.

    Raises:
        ResultsError: the run has no captures.
    """
    files = captures(results)
    if not files:
        remedy = "give `run` --capture NODE:INTERFACE, once for each interface"
        raise ResultsError(results.folder, "contains no captures", remedy)
    captured: list[CapturedFlow] = []
    warnings: list[str] = []
    zero_s = results.info.zero_unix_s
    if zero_s is None:
        warnings.append("the start of the flows was not recorded: times count from the first packet of each file")
    for interface, path in files.items():
        report_progress(interface)
        info = results.info.captures.get(interface)
        if info is not None and info.dropped:
            warnings.append(f"{interface}: the machine was too slow for {info.dropped} packets, which are missing")
        try:
            capture = read_capture(path, zero_s, partial(_report_count, report_progress, interface))
        except ResultsError as error:
            warnings.append(f"{interface}: {error}")
            continue
        if capture.is_torn:
            warnings.append(f"{interface}: the file ends in an incomplete packet")
        captured += _flows_of(interface, capture, results.info.flows)
    return captured, warnings


def _name(flow: FlowInfo, ends: ConnectionDirection) -> str:
    """The name of a connection in the samples if it belongs to the flow; else empty."""
    for stream in range(flow.streams):
        if {ends.source_port, ends.port} == {flow.source_port + stream, flow.port}:
            return flow.id if flow.streams == 1 else f"{flow.id}/{stream + 1}"
    return ""


def _report_count(report_progress: Callable[[str], object], interface: str, count: int) -> None:
    report_progress(f"{interface}: {count} packets")


def _flows_of(interface: str, capture: Capture, flows: Sequence[FlowInfo]) -> Iterator[CapturedFlow]:
    seen_directions: set[ConnectionDirection] = set()
    names: dict[str, int] = {}
    for ends, segments in capture.directions.items():
        if ends in seen_directions:
            continue
        seen_directions |= {ends, ends.reverse}
        reverse_segments = capture.directions.get(ends.reverse, NOTHING)
        if segments.payload_bytes.sum() < reverse_segments.payload_bytes.sum():
            ends, segments, reverse_segments = ends.reverse, reverse_segments, segments
        flow = next((name for flow in flows if (name := _name(flow, ends))), "")
        if not flow and segments.payload_bytes.sum() < LEAST_BYTES:
            continue
        name = flow or f"{ends.source}:{ends.source_port}>{ends.destination}:{ends.port}"
        names[name] = names.get(name, 0) + 1
        yield CapturedFlow(interface, name if names[name] == 1 else f"{name}#{names[name]}", segments, reverse_segments)


# --- tables -----------------------------------------------------------------------------------------------------------


def captured_flow_table(captured: Sequence[CapturedFlow]) -> TextTable:
    """A row for each flow and interface: round trips in ms by acknowledgments, their median by timestamps, and the
    maximum of unacknowledged data in kB."""
    headings = ("flow", "at", "Mbit/s", "resent", "RTT min", "median", "95 %", "stamps", "kB")
    rows = []
    for view in captured:
        begin_s, end_s = view.span
        by_ack, by_stamp = rtt_by_ack(view.data, view.acks)[1], rtt_by_stamp(view.data, view.acks)[1]
        under_way = in_flight(view.data, view.acks)[1]
        passed = float(view.data.frame_bytes.sum())
        rows.append(
            (
                view.flow, view.interface,
                number(passed * 8e-6 / (end_s - begin_s) if end_s > begin_s else None, 2), str(view.resent),
                *(number(_share(by_ack, percent)) for percent in (0, 50, 95)), number(_share(by_stamp, 50)),
                number(float(under_way.max()) / 1e3 if under_way.size else None, 0),
            )
        )  # fmt: skip
    return TextTable("Packets", headings, tuple(rows), (False, False, *[True] * 7))


def transit_table(captured: Sequence[CapturedFlow]) -> TextTable:
    """Loss and transit times between interfaces: for each flow and each pair of successive interfaces on its path."""
    headings = ("flow", "from", "to", "lost", "ms: min", "median", "95 %", "max")
    rows = []
    for upstream, downstream in successive_captures(captured):
        (_, took_ms), lost = transit(upstream.data, downstream.data)
        shares = (number(_share(took_ms, percent), 2) for percent in (0, 50, 95, 100))
        rows.append((upstream.flow, upstream.interface, downstream.interface, str(lost), *shares))
    return TextTable("From one interface to the next", headings, tuple(rows), (False, False, False, *[True] * 5))


def successive_captures(captured: Sequence[CapturedFlow]) -> Iterator[tuple[CapturedFlow, CapturedFlow]]:
    """For each flow, the pairs of its captures at successive interfaces on its path."""
    for flow in dict.fromkeys(view.flow for view in captured):
        yield from pairwise(sorted((view for view in captured if view.flow == flow), key=lambda view: view.span[0]))


def _share(values: Floats, percent: float) -> float | None:
    return float(np.percentile(values, percent)) if values.size else None


# --- over time --------------------------------------------------------------------------------------------------------


def whole_span(captured: Sequence[CapturedFlow], bin_s: float) -> tuple[float, float]:
    """The time in which packets of any flow passed, in whole bins of `bin_s`."""
    spans = [view.span for view in captured]
    begin_s, end_s = min(span[0] for span in spans), max(span[1] for span in spans)
    return bin_s * np.floor(begin_s / bin_s), bin_s * (np.floor(end_s / bin_s) + 1)


def write_tables(results: Results, captured: Sequence[CapturedFlow], bin_s: float) -> tuple[Path, ...]:
    """Write the series of packets beside the run's samples, for pandas and others. Returns the paths."""
    paths = tuple(results.folder / layout.SAMPLES / name for name in (BINS, ROUND_TRIPS))
    span = whole_span(captured, bin_s)
    bins = (row for view in captured for row in _bin_rows(view, bin_s, *span))
    trips = (row for view in captured for row in _rtt_rows(view))
    for path, columns, rows in zip(paths, (_BIN_COLUMNS, _RTT_COLUMNS), (bins, trips), strict=True):
        atomic_files.replace(path, _csv(columns, rows))
    return paths


def _bin_rows(view: CapturedFlow, bin_s: float, from_s: float, to_s: float) -> Iterator[tuple[object, ...]]:
    middles, frame_rates = rates(view.data, bin_s, from_s, to_s)
    _, payload_rates = rates(view.data, bin_s, from_s, to_s, payload=True)
    edges = np.append(middles - bin_s / 2, middles[-1] + bin_s / 2)
    resent = np.histogram(view.data.time_s[retransmission_mask(view.data)], bins=edges)[0]
    medians = [
        _medians(series, edges)
        for series in (
            in_flight(view.data, view.acks),
            rtt_by_ack(view.data, view.acks),
            rtt_by_stamp(view.data, view.acks),
        )
    ]
    for at, time_s in enumerate(middles):
        values = [column[at] for column in medians]
        cells = ["" if np.isnan(value) else f"{value:.6g}" for value in values]
        yield (
            f"{time_s:.6f}",
            view.interface,
            view.flow,
            f"{frame_rates[at]:.6g}",
            f"{payload_rates[at]:.6g}",
            int(resent[at]),
            *cells,
        )


def _rtt_rows(view: CapturedFlow) -> Iterator[tuple[object, ...]]:
    for by, series in (("ack", rtt_by_ack(view.data, view.acks)), ("stamp", rtt_by_stamp(view.data, view.acks))):
        for time_s, rtt_ms in zip(*series, strict=True):
            yield f"{time_s:.6f}", view.interface, view.flow, by, f"{rtt_ms:.4f}"


def _medians(series: Series, edges: Floats) -> Floats:
    """The median of a series in each bin; NaN for a bin without values."""
    times, values = series
    cuts = np.searchsorted(times, edges)
    parts = (values[begin:end] for begin, end in pairwise(cuts))
    return np.array([np.median(part) if part.size else np.nan for part in parts])


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return csv_text([columns, *rows])
