"""Datagrams with a number and a time in each: constant rate, speech, bursts, and probes of one-way delay.

The sender never waits for the socket: a datagram without space is lost before it leaves, and counts as sent. The
receiver uses the kernel's own time of arrival. Both clocks are the lab's, so their difference is the one-way delay.
"""

from __future__ import annotations

import random
import socket
import struct
import time
from array import array

from frrlib.agent.probes.ping import received_at_ns
from frrlib.agent.traffic.bulk import phases
from frrlib.agent.traffic.endpoint import GRACE_S, FlowEnd, amount, enlarge_buffers, sleep_until
from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

#: Number, and sending time in ns by the wall clock.
_STAMP = struct.Struct("=QQ")
_TIMESTAMP_NS = 35  # SO_TIMESTAMPNS
#: The interval of rows of "datagram".
EVERY_S = 0.1
#: Means of speech and of silence in seconds (ITU-T P.59, table 1).
SPEECH_S, SILENCE_S = 1.004, 1.587
#: The receiver is done after this time without an arrival.
_QUIET_S = 0.5


def run(end: FlowEnd) -> None:
    """Run one end of a flow of datagrams."""
    if end.config["role"] == "ask":
        _send(end)
    else:
        _Receiver(end).run()


# --- sending ----------------------------------------------------------------------------------------------------------


def _send(end: FlowEnd) -> None:
    opened = socket.socket(end.family, socket.SOCK_DGRAM)
    end.set_up(opened)
    enlarge_buffers(opened)
    opened.bind(end.local)
    size = end.settings["payload_bytes"]
    padding = bytes(size - _STAMP.size)
    end.wait_begin()
    sent = refused = 0
    begun_s = time.monotonic()
    for at_s in _times(end):
        sleep_until(at_s)
        try:
            opened.sendto(_STAMP.pack(sent, time.time_ns()) + padding, socket.MSG_DONTWAIT, end.remote)
        except OSError:
            refused += 1  # no space, or no route: a loss like any other
        sent += 1
    took_s = time.monotonic() - begun_s
    report = {"sum_sent": amount(sent * size, took_s) | {"packets": sent, "refused": refused}}
    end.send_message("report", time_s=end.since(time.monotonic()), report=report)


def _times(end: FlowEnd) -> Iterator[float]:
    """Sending times by the monotonic clock, each counted from the beginning, so that none drifts."""
    kind, settings = end.config["kind"], end.settings
    spans = [(end.begins_s, end.until_s)]
    if kind in ("constant-rate", "on-off"):
        step_s = settings["payload_bytes"] * 8e-6 / settings["rate_mbit"]
        spans = phases(end) if kind == "on-off" else spans
    else:
        step_s = settings["packet_ms" if kind == "voip" else "interval_ms"] / 1e3
        spans = list(_spurts(end)) if kind == "voip" and settings["spurts"] else spans
    for from_s, to_s in spans:
        number = 0
        while (at_s := from_s + number * step_s) < to_s - 1e-9:
            yield at_s
            number += 1


def _spurts(end: FlowEnd) -> Iterator[tuple[float, float]]:
    chance, at_s = random.Random(end.settings["seed"]), end.begins_s
    while at_s < end.until_s:
        speech_s = chance.expovariate(1 / SPEECH_S)
        yield at_s, min(end.until_s, at_s + speech_s)
        at_s += speech_s + chance.expovariate(1 / SILENCE_S)


# --- receiving --------------------------------------------------------------------------------------------------------


class _Receiver:
    """Counts received datagrams."""

    def __init__(self, end: FlowEnd) -> None:
        self._end, self._settings = end, end.settings
        self._socket = socket.socket(end.family, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
        enlarge_buffers(self._socket)
        self._socket.bind(end.local)
        self._probes = end.config["kind"] == "one-way-delay"
        self._highest = -1
        self._missing: set[int] = set()
        self._received = self._reordered = self._duplicates = self._bytes = 0
        self._jitter_ms = 0.0
        self._last_ms: float | None = None
        self._sum_ms = self._most_ms = self._total_ms = 0.0
        self._count = 0
        self._least_ms, self._longest_ms = float("inf"), 0.0
        self._delays_ms = array("f")
        #: The wall clock's time at the zero of the monotonic clock.
        self._day_s = time.time() - time.monotonic()

    def run(self) -> None:
        """Receive until the sender is done, with a row of counts every `EVERY_S`."""
        end = self._end
        end.wait_zero()
        next_row_s = end.begins_s + EVERY_S
        sent: int | None = None
        done_s = 0.0
        while True:
            now_s = time.monotonic()
            # The wait is shorter than the time to the next row: datagrams under way must arrive before the last row.
            readable = ready([self._socket], timeout_s=max(0.0, min(next_row_s - now_s, EVERY_S)))[0]
            if readable:
                self._receive()
                done_s = 0.0
            elif end.other_is_done():
                done_s = done_s or time.monotonic()
                sent = end.other_report["sum_sent"]["packets"] if end.other_report else None
                if (sent is not None and self._received >= sent) or time.monotonic() - done_s > self._quiet_s:
                    break
            if time.monotonic() >= next_row_s:
                self._write_counts(next_row_s, None)
                next_row_s = max(next_row_s + EVERY_S, time.monotonic())
        self._finish(sent or 0)

    @property
    def _quiet_s(self) -> float:
        """The time without an arrival: longer than the longest delay so far."""
        return min(GRACE_S, _QUIET_S + 2e-3 * self._longest_ms)

    def _receive(self) -> None:
        while True:
            try:
                data, control, _, _ = self._socket.recvmsg(65536, 256, socket.MSG_DONTWAIT)
            except OSError:
                return
            if len(data) < _STAMP.size:
                continue
            number, sent_ns = _STAMP.unpack_from(data)
            delay_ms = (received_at_ns(control) - sent_ns) / 1e6
            if self._is_new(number):
                self._count_in(number, sent_ns, delay_ms, len(data))

    def _is_new(self, number: int) -> bool:
        if number > self._highest:
            self._missing.update(range(self._highest + 1, number))
            self._highest = number
            return True
        if number in self._missing:
            self._missing.discard(number)
            self._reordered += 1
            return True
        self._duplicates += 1
        return False

    def _count_in(self, number: int, sent_ns: int, delay_ms: float, size: int) -> None:
        self._received += 1
        self._bytes += size
        if self._last_ms is not None:
            # RFC 3550, section 6.4.1: the difference of transit times, smoothed by a sixteenth.
            self._jitter_ms += (abs(delay_ms - self._last_ms) - self._jitter_ms) / 16
        self._last_ms = delay_ms
        self._count, self._sum_ms = self._count + 1, self._sum_ms + delay_ms
        self._most_ms, self._longest_ms = max(self._most_ms, delay_ms), max(self._longest_ms, delay_ms)
        self._total_ms, self._least_ms = self._total_ms + delay_ms, min(self._least_ms, delay_ms)
        self._delays_ms.append(delay_ms)
        if self._probes:
            sent_s = self._end.since(sent_ns / 1e9 - self._day_s)
            self._end.row("probe", sent_s, self._end.flow, number, None, round(delay_ms, 6))

    def _write_counts(self, at_s: float, sent: int | None) -> None:
        """Write a row of counts."""
        expected = self._highest + 1 if sent is None else sent
        delay_ms = round(self._sum_ms / self._count, 6) if self._count else None
        self._end.row(
            "datagram", self._end.since(at_s), self._end.flow, expected, self._received, expected - self._received,
            self._reordered, self._bytes, delay_ms, round(self._most_ms, 6) if self._count else None,
            round(self._jitter_ms, 6),
        )  # fmt: skip
        self._sum_ms, self._most_ms, self._count = 0.0, 0.0, 0

    def _finish(self, sent: int) -> None:
        end = self._end
        self._write_counts(time.monotonic(), sent)
        if self._probes:
            missing = sorted(self._missing | set(range(self._highest + 1, sent)))
            step_s = self._settings["interval_ms"] / 1e3
            for number in missing:
                end.row("probe", round(end.config["start_s"] + number * step_s, 6), end.flow, number, None, None)
        end.flush()
        report: dict[str, Any] = {
            "sum_received": amount(self._bytes, end.config["duration_s"]) | {"packets": self._received},
            "lost_packets": sent - self._received,
            "reordered_packets": self._reordered,
            "duplicate_packets": self._duplicates,
            "jitter_ms": round(self._jitter_ms, 6),
        }
        if self._received:
            report |= {
                "delay_mean_ms": round(self._total_ms / self._received, 6),
                "delay_min_ms": round(self._least_ms, 6),
                "delay_median_ms": round(quantile(self._delays_ms, 0.5), 6),
                "delay_p95_ms": round(quantile(self._delays_ms, 0.95), 6),
                "delay_max_ms": round(self._longest_ms, 6),
            }
            if "playout_ms" in self._settings:
                # Each one is played this time after the fastest possible one. Later datagrams are useless.
                latest_ms = self._least_ms + self._settings["playout_ms"]
                report["late_packets"] = sum(delay_ms > latest_ms for delay_ms in self._delays_ms)
        end.send_message("report", report=report)


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile of one or more values, interpolated between the two nearest (as in numpy; type 7 of Hyndman and Fan).

    Args:
        share: 0 for the least value, 1 for the largest.
    """
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
