"""Draws RTT and delivery rate over the data in flight, with the bandwidth-delay product and the limit of the queue.

After Kleinrock: up to the product the rate grows and the RTT stays; beyond it the rate stays and the RTT grows, until
the queue is full (Cardwell et al., BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016, figure 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from frrlib.plots.flows import PlottedFlow, plotted_flows
from frrlib.plots.page import WIDTHS_INCHES, Size, legend_above, page, styled
from frrlib.plots.panels import PAYLOAD_LINE, RATE_LINE, dress
from frrlib.results.layout import QueueInfo, ResultsError
from frrlib.results.queue_limits import limit_history
from frrlib.results.records import Results
from frrlib.results.series import Floats
from frrlib.results.statistics.arrivals import payload_share
from frrlib.results.statistics.bottleneck import bottleneck
from frrlib.results.statistics.statistics import base_rtt_ms, run_name

_MOST_POINTS = 4000
_HEIGHT_SHARE = 0.68


@dataclass(frozen=True)
class Pipe:
    """The capacity of a path.

    Attributes:
        rate_mbit: the rate of the bottleneck, with headers.
        base_rtt_ms: the RTT without queue.
        limit_bytes: the limit of the bottleneck's queue; None if unknown or changing.
        payload_share: the share of both that is payload, because data in flight is counted without headers.
    """

    rate_mbit: float
    base_rtt_ms: float
    limit_bytes: float | None = None
    payload_share: float = 1.0

    @property
    def bdp_kb(self) -> float:
        """The bandwidth-delay product in kB of payload."""
        return self.payload_share * self.rate_mbit * self.base_rtt_ms / 8

    @property
    def full_kb(self) -> float | None:
        """The product and a full queue, in kB of payload."""
        return None if self.limit_bytes is None else self.bdp_kb + self.payload_share * self.limit_bytes / 1000


def pipe(run: Results, flows: Sequence[PlottedFlow]) -> Pipe | None:
    """The path of a run's flows; None if its rate is unknown, or if the flows have different RTTs."""
    direction, rate_mbit = bottleneck(run)
    rtts = {round(rtt, 1) for flow in flows if (rtt := base_rtt_ms(run, flow.samples)) is not None}
    if not rate_mbit or not rtts or max(rtts) > 1.1 * min(rtts):
        return None
    info = run.info.queues.get(direction, QueueInfo())
    limit = limit_history(run, direction, info.limit_bytes)
    share = payload_share(info, [flow.samples for flow in flows])
    return Pipe(rate_mbit, min(rtts), limit.at_bytes(0.0) if limit.is_steady else None, share or 1.0)


def points(flow: PlottedFlow) -> tuple[Floats, Floats, Floats]:
    """The data in flight in kB, the RTT in ms and the delivery rate in Mbit/s of samples while a flow sent."""
    rows = flow.samples.sender
    packets = np.where(np.isnan(rows["in_flight_packets"]), rows["unacked_packets"], rows["in_flight_packets"])
    values = packets * rows["mss_bytes"] / 1000, rows["srtt_ms"], rows["delivery_rate_mbit"]
    times = rows["time_s"]
    known = (times >= flow.span[0]) & (times <= flow.span[1]) & np.isfinite(values).all(axis=0)
    every = max(1, int(known.sum()) // _MOST_POINTS)
    in_flight, rtt_ms, rate = (value[known][::every] for value in values)
    return in_flight, rtt_ms, rate


def inflight(runs: Sequence[Results], size: Size = "page") -> Figure:
    """RTT and delivery rate of each flow over its data in flight.

    Raises:
        ResultsError: no flow has samples of its data in flight.
    """
    (run,) = runs
    flows = plotted_flows(run)
    clouds = [(flow, cloud) for flow in flows if (cloud := points(flow))[0].size]
    if not clouds:
        raise ResultsError(run.folder, "contains no samples of data in flight", "only flows of TCP have them")
    with styled():
        fig = page(size, _HEIGHT_SHARE)
        if size == "column":
            fig.set_figheight(1.2 * WIDTHS_INCHES["column"])
        upper, lower = fig.subplots(2, 1, sharex=True)
        for flow, (in_flight, rtt_ms, rate) in clouds:
            for panel, values in ((upper, rtt_ms), (lower, rate)):
                panel.plot(
                    in_flight, values, ".", color=flow.style.colour, markersize=3.2, markeredgewidth=0, alpha=0.5,
                    label=flow.label, rasterized=True,
                )  # fmt: skip
        upper.set_title("RTT, smoothed", loc="left")
        upper.set_ylabel("RTT (ms)")
        lower.set_title("Delivery rate", loc="left")
        lower.set_ylabel("payload (Mbit/s)")
        lower.set_xlabel("data in flight of each flow (kB of payload)")
        path = pipe(run, flows)
        for panel in (upper, lower):
            lines = []
            if path is not None:
                lines.append(panel.axvline(path.bdp_kb, **RATE_LINE, label=f"BDP {path.bdp_kb:.4g} kB"))
                if path.full_kb is not None:
                    label = f"BDP + queue {path.full_kb:.4g} kB"
                    lines.append(panel.axvline(path.full_kb, **{**PAYLOAD_LINE, "color": "0.25"}, label=label))
            dress(panel)
            panel.set_xlim(left=0)
            if panel is upper:
                legend_above(panel, lines)
        handles = [
            upper.plot([], [], "o", color=flow.style.colour, markersize=4, label=flow.label)[0]
            for flow in {flow.label: flow for flow, _ in clouds}.values()
        ]
        fig.legend(handles=handles, loc="outside upper center", ncols=min(4, len(handles)), title=run_name(run))
    return fig
