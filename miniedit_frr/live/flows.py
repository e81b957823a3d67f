"""A flow of a run in progress, and its samples so far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from frrlib.results.layout import FlowInfo
from frrlib.results.series import FlowSamples, sending_span
from frrlib.results.streams import merge_streams
from miniedit_frr.live.ring import Floats, Ring

#: Sample columns of a connection's ends, and of other flows.
SENDER = (
    "time_s", "cwnd_packets", "ssthresh_packets", "unacked_packets", "in_flight_packets", "srtt_ms", "min_rtt_ms",
    "pacing_rate_mbit", "delivery_rate_mbit", "bytes_acked", "bytes_sent", "bytes_retrans",
    "sacked_packets", "mss_bytes", "retransmits", "bbr_inflight_shortterm_packets",
    "bbr_inflight_longterm_packets", "bbr_pacing_gain", "bbr_cwnd_gain", "bbr_phase",
)  # fmt: skip
RECEIVER = ("time_s", "bytes_received")
DATAGRAM = ("time_s", "lost_packets", "delay_ms", "jitter_ms")
PROBE = ("time_s", "rtt_ms", "delay_ms")
APP = ("time_s", "duration_ms")


class LiveFlow:
    """A flow and its samples.

    Attributes:
        info: the planned flow.
        control: the last reported congestion control of its socket, else the planned one; empty for none.
        senders, receivers: the samples of each of its connections.
        datagram, probe, app: its other samples.
        end_s: the time of its end; NaN before.
    """

    def __init__(self, info: FlowInfo, most_rows: int) -> None:
        self.info, self.control, self.end_s = info, info.control, math.nan
        self.senders = [Ring(SENDER, most_rows) for _ in range(info.streams)]
        self.receivers = [Ring(RECEIVER, most_rows) for _ in range(info.streams)]
        self.datagram, self.probe, self.app = Ring(DATAGRAM, most_rows), Ring(PROBE, most_rows), Ring(APP, most_rows)
        self._begin_s = math.nan
        self._span: tuple[int, tuple[float, float] | None] = (-1, None)

    @property
    def sender(self) -> Ring:
        """The sending end of its first connection."""
        return self.senders[0]

    @property
    def receiver(self) -> Ring:
        """The receiving end of its first connection."""
        return self.receivers[0]

    @property
    def look_of(self) -> str:
        """The key of its color: its congestion control, or its kind if it has none."""
        return self.control or self.info.kind

    def between(self, from_s: float, to_s: float) -> FlowSamples:
        """Its samples in a span of time, in the form of finished runs."""
        return FlowSamples(
            id=self.info.id, congestion_control=self.control, planned=self.info, end_s=self.end_s,
            sender=_merge_connections(self.senders, from_s, to_s),
            receiver=_merge_connections(self.receivers, from_s, to_s),
        )  # fmt: skip

    def span(self) -> tuple[float, float] | None:
        """The span of time in which it has sent; None before its first data arrived. See `series.sending_span`."""
        rows = sum(map(len, (*self.senders, *self.receivers)))
        if not math.isnan(self._begin_s) and math.isnan(self.end_s):
            return self._begin_s, max(self._begin_s, self._newest_s())
        if self._span[0] != rows:
            self._span = rows, sending_span(self.between(-math.inf, math.inf))
        span = self._span[1]
        if span is None:
            return None
        self._begin_s = span[0]
        return span if not math.isnan(self.end_s) else (span[0], max(span[0], self._newest_s()))

    def _newest_s(self) -> float:
        times = [ring.newest_s for ring in (*self.receivers, *self.senders) if len(ring)]
        return max(times, default=math.nan)


def _merge_connections(rings: Sequence[Ring], from_s: float, to_s: float) -> Mapping[str, Floats]:
    """The samples of parallel connections as those of one."""
    columns = [ring.columns_between(from_s, to_s) for ring in rings]
    return merge_streams(columns) if len(columns) > 1 else columns[0]
