"""FIFO queues: whether packets waited as long as in an ideal FIFO, if captures have each packet before and behind it.

The ideal FIFO is computed from the captured arrivals and from the configured rate and burst: a token bucket that serves
packets in the order of their arrival. Dropped packets do not depart, so they delay no other packet in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frrlib.results import layout
from frrlib.results.layout import QueueInfo, ResultsError
from frrlib.results.packets.captures import Capture, Segments, read_capture
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import queue_directions, series
from frrlib.results.verdict.finding import Finding, Severity
from frrlib.results.verdict.path_validity import is_replaced

Floats = NDArray[np.float64]

#: The maximum size of captures that are read, because a summary should take seconds: 200 000 packets of 128 bytes.
MOST_BYTES = 200_000 * 144
#: The minimum number of packets for a finding.
FEWEST = 50
#: The share of packets that the machine may send late in real time, and the share beyond which it is not the cause.
SHARE_LATE, SHARE_WRONG = 0.05, 0.5
#: Rounding of the shaper and of the clock, as a share of a frame and in seconds.
FRAME_SHARE, CLOCK_S = 0.01, 2e-6


@dataclass(frozen=True, eq=False)
class _Packets:
    """The packets that left a queue, in the order of departure.

    Attributes:
        arrival_s: its time of arrival; NaN for a packet that cannot be identified in both captures.
        departure_s, frame_bytes: its time of departure and its size.
    """

    arrival_s: Floats
    departure_s: Floats
    frame_bytes: Floats


def findings(results: Results, *, calm: bool) -> Iterator[Finding]:
    """A finding for every FIFO with captures at its own interface and at another interface of the same node.

    Args:
        calm: whether the machine was not too busy, so that it delayed no packet.
    """
    names = {info.interface: direction for direction, info in results.info.queues.items() if _is_judged(info)}
    files = _files(results)
    if results.info.zero_unix_s is None or not names.keys() & files.keys() or _size_bytes(files.values()) > MOST_BYTES:
        return
    read: dict[str, Capture] = {}
    for interface, direction in names.items():
        node = interface.partition(":")[0]
        other_interfaces = [name for name in files if name.partition(":")[0] == node and name != interface]
        if (
            interface not in files
            or not other_interfaces
            or _is_disturbed(results, direction, [interface, *other_interfaces])
        ):
            continue
        try:
            for name in (interface, *other_interfaces):
                if name not in read:
                    read[name] = read_capture(files[name], results.info.zero_unix_s)
        except ResultsError:
            continue  # `packets` reports a capture that cannot be read
        if any(read[name].is_torn for name in (interface, *other_interfaces)):
            continue
        pairs = _address_pairs(results, direction, read[interface])
        packets = _packets_between(read[interface], [read[name] for name in other_interfaces], pairs)
        yield from _finding_of(results, direction, packets, calm)


def _files(results: Results) -> dict[str, Path]:
    """The captures of a run by interface; while its lab runs, they are among the files of the lab."""
    folders = results.folder, results.folder / layout.FILES
    paths = {name: [folder / info.file for folder in folders] for name, info in results.info.captures.items()}
    return {name: path for name, tried in paths.items() if (path := next(filter(Path.is_file, tried), None))}


def _size_bytes(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def _is_judged(info: QueueInfo) -> bool:
    """Whether a queue is a FIFO behind a token bucket of known size."""
    return bool(info.counts and info.interface and info.rate_mbit and info.burst_bytes and info.accounting.is_plain)


def _is_disturbed(results: Results, direction: str, interfaces: list[str]) -> bool:
    """Whether a fault changed the queue or its rate, or packets are missing in a capture."""
    missing = any(results.info.captures[name].dropped for name in interfaces if name in results.info.captures)
    return missing or is_replaced(results, direction) or not rate_history(results, direction, 1.0).is_steady


def _packets_between(capture_behind: Capture, captures_before: list[Capture], pairs: set[tuple[str, str]]) -> _Packets:
    """The packets that were captured before a queue and then behind it.

    Args:
        pairs: source and destination address of the packets that pass the queue; all others arrived at its interface.
    """
    parts = []
    for ends, departed in capture_behind.directions.items():
        for capture in captures_before if (ends.source, ends.destination) in pairs else ():
            if ends in capture.directions:
                arrival_s = _arrivals(capture.directions[ends], departed)
                parts.append((arrival_s, departed.time_s, departed.frame_bytes.astype(np.float64)))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.zeros(0)] * 3
    order = np.argsort(columns[1], kind="stable")
    return _Packets(*(column[order] for column in columns))


def _address_pairs(results: Results, direction: str, capture: Capture) -> set[tuple[str, str]]:
    """The addresses, source first, of packets that pass a direction by the recorded paths of flows."""
    pairs: set[tuple[str, str]] = set()
    for flow in results.info.flows:
        for ends in capture.directions if flow.path is not None else ():
            if (ends.port, ends.destination) != (flow.port, flow.address) or flow.path is None:
                continue
            if direction in flow.path.forward:
                pairs.add((ends.source, ends.destination))
            if direction in flow.path.reverse:
                pairs.add((ends.destination, ends.source))
    return pairs


def _arrivals(arrived: Segments, departed: Segments) -> Floats:
    """The time of arrival of each departed packet; NaN for a packet that is not unique."""
    keys, arrived_keys = _keys(departed), _keys(arrived)
    times: dict[tuple[int, ...], float] = {}
    twice: set[tuple[int, ...]] = set()
    for key, time_s in zip(arrived_keys, arrived.time_s.tolist(), strict=True):
        if key in times:
            twice.add(key)
        times[key] = time_s
    return np.array([np.nan if key in twice else times.get(key, np.nan) for key in keys])


def _keys(segments: Segments) -> list[tuple[int, ...]]:
    """The values that identify packets; a retransmission has a different timestamp."""
    fields = ("sequence", "acknowledgment", "stamp", "echo", "payload_bytes", "flags")
    return list(zip(*(getattr(segments, name).tolist() for name in fields), strict=True))


def ideal_departures(
    packets: _Packets, rate_mbit: float, burst_bytes: float, *, follows_measured: bool = False
) -> Floats:
    """The time at which an ideal FIFO behind a full token bucket would send each packet.

    A packet without a known arrival arrives together with its predecessor.

    Args:
        follows_measured: whether the bucket has the state after the measured departures, so that a delay counts only
            for the delayed packet and not for all packets behind it.
    """
    rate_bytes_s = rate_mbit * 125_000
    tokens, at_s, last_arrival_s = burst_bytes, -np.inf, -np.inf
    departures = []
    columns = (packets.arrival_s, packets.departure_s, packets.frame_bytes)
    for arrival_s, departure_s, size_bytes in zip(*(column.tolist() for column in columns), strict=True):
        last_arrival_s = last_arrival_s if np.isnan(arrival_s) else max(last_arrival_s, arrival_s)
        begin_s = max(last_arrival_s, at_s)
        gained = rate_bytes_s * (begin_s - at_s) if np.isfinite(at_s) else np.inf
        tokens = min(burst_bytes, tokens + gained)
        wait_s = max(0.0, (size_bytes - tokens) / rate_bytes_s)
        at_s = begin_s + wait_s
        tokens += rate_bytes_s * wait_s - size_bytes
        departures.append(at_s)
        if follows_measured:
            tokens = min(burst_bytes - size_bytes, tokens + rate_bytes_s * (departure_s - at_s))
            at_s = departure_s
    return np.array(departures)


def _finding_of(results: Results, direction: str, packets: _Packets, calm: bool) -> Iterator[Finding]:
    info = results.info.queues[direction]
    certain = ~np.isnan(packets.arrival_s)
    missing_bytes = _missing_bytes(results, direction, packets)
    if np.count_nonzero(certain) < FEWEST or missing_bytes > info.frame_bytes:
        return  # other packets, such as datagrams, passed the queue and were not read
    rate_mbit = info.rate_mbit or 0.0
    is_virtual = results.info.settings.get("virtual_time") is True
    ideal_s = ideal_departures(packets, rate_mbit, info.burst_bytes, follows_measured=not is_virtual)
    frame_s = (info.frame_bytes * (1 + FRAME_SHARE) + max(0.0, missing_bytes)) * 8e-6 / rate_mbit + CLOCK_S
    differs = np.abs(packets.departure_s - ideal_s)[certain] > frame_s
    share, count = float(differs.mean()), int(np.count_nonzero(differs))
    high = 0.0 if is_virtual else SHARE_LATE
    severity: Severity = "ok"
    message = ""
    if share > high:
        severity = "wrong" if is_virtual or (calm and share > SHARE_WRONG) else "doubt"
        message = (
            f"{count} of {differs.size} packets of {direction} waited longer or shorter than in an ideal FIFO, by more "
            "than one frame"
        )
    yield Finding(
        what="FIFO", subject=direction, configured=0.0, measured=100 * share, unit="%", high=100 * high,
        severity=severity, message=message, remedy="look at the link's rate and burst with tc" if message else "",
    )  # fmt: skip


def _missing_bytes(results: Results, direction: str, packets: _Packets) -> float:
    """The bytes that the queue has sent by its own counter, minus those of the captured packets."""
    rows = queue_directions(results).get(direction)
    times, counts = series(rows, "sent_bytes") if rows is not None else (np.zeros(0), np.zeros(0))
    if times.size < 2:
        return np.inf
    inside = (packets.departure_s > times[0]) & (packets.departure_s <= times[-1])
    return float(counts[-1] - counts[0] - packets.frame_bytes[inside].sum())
