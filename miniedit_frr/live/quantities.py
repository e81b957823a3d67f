"""The quantities of a run that can be plotted, as a table: each has the function that makes its curves from samples.

The curves use the same functions as the figures of finished runs, so that both show the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from frrlib.results.binning import binned_mbit, binned_rate, thinned
from frrlib.results.rates import RateHistory
from frrlib.results.series import FlowSamples, Series, bytes_between, series
from frrlib.results.statistics.arrivals import arrived, payload_share
from frrlib.results.statistics.summary import jain_index
from miniedit_frr.live.curves import MOST_BINS, Curve, LiveQuantity, PhaseBand, TimeWindow
from miniedit_frr.live.flows import LiveFlow
from miniedit_frr.live.phases import stretches
from miniedit_frr.live.ring import Floats, Ring
from miniedit_frr.live.samples import LiveRun

#: The averaging time of the goodputs for the fairness.
FAIRNESS_S = 1.0
#: A limit is drawn if a queue has reached this share of it; otherwise it would make the curve too flat.
_NEAR_LIMIT = 0.3

#: The subject of curves of all flows: their total and their fairness.
TOTAL = "all flows"
#: The subject of the curve of a link's rate without headers.
PAYLOAD = "payload limit"


def bands(run: LiveRun, view: TimeWindow) -> list[PhaseBand]:
    """The phases of each flow with BBR."""
    phase_bands = []
    for name, flow, (begin_s, end_s) in _sending(run, view):
        rows = flow.sender.columns_between(view.from_s, view.to_s)
        for from_s, to_s, phase in stretches(rows["time_s"], rows["bbr_phase"], math.nan):
            if to_s > begin_s and from_s < end_s:
                phase_bands.append(PhaseBand(name, max(from_s, begin_s), min(to_s, end_s), phase))
    return phase_bands


# --- of flows ---------------------------------------------------------------------------------------------------------


def _sending(run: LiveRun, view: TimeWindow) -> Iterator[tuple[str, LiveFlow, tuple[float, float]]]:
    """The flows that sent in a time window, with the span in which they did."""
    for name, flow in run.flows.items():
        span = flow.span()
        if span is not None and span[0] <= view.to_s and span[1] >= view.from_s:
            yield name, flow, (max(span[0], view.from_s), min(span[1], view.to_s))


def _complete_until_s(run: LiveRun, view: TimeWindow, to_s: float) -> float:
    """The end of the last complete bin. An incomplete bin would look like a drop."""
    newest_s = min(run.newest_s, view.to_s)
    if run.is_over or to_s < newest_s:
        return to_s
    return math.floor(newest_s / view.bin_s) * view.bin_s


def _goodput(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    sums: list[tuple[Floats, Floats]] = []
    samples: list[FlowSamples] = []
    hull = _hull(run, view)
    for name, flow, (begin_s, end_s) in _sending(run, view):
        samples.append(flow.between(begin_s - view.bin_s, end_s + view.bin_s))
        data = arrived(samples[-1])
        until_s = _complete_until_s(run, view, end_s)
        if data[0].size < 2 or until_s <= begin_s:
            continue
        yield Curve(name, "flow", binned_mbit(data, begin_s, until_s, view.bin_s))
        sums.append(binned_mbit(data, *hull, view.bin_s))
    if not sums:
        return
    total = np.sum([rates for _, rates in sums], axis=0)
    if len(samples) > 1:
        yield Curve(TOTAL, "run", (sums[0][0], total))
    yield from _payload(run, view, samples, float(total.max(initial=0.0)))


def _payload(run: LiveRun, view: TimeWindow, flows: Sequence[FlowSamples], highest_mbit: float) -> Iterator[Curve]:
    """The data rate of the slowest busy queue without headers, in spans where the flows come near it."""
    rated = [(info.rate_mbit, name) for name in run.busy_queues() if (info := run.infos.get(name)) and info.rate_mbit]
    if not rated:
        return
    name = min(rated)[1]
    share, rate = payload_share(run.infos[name], flows), run.course(name)
    between = (rate.times_s > view.from_s) & (rate.times_s < view.to_s)
    edges = np.concatenate(([view.from_s], rate.times_s[between], [view.to_s]))
    rates = np.repeat(rate.at(edges[:-1]), 2)
    if share is None or np.isnan(rates).any() or highest_mbit < _NEAR_LIMIT * share * rates.max():
        return
    yield Curve(PAYLOAD, "run", (np.repeat(edges, 2)[1:-1], rates * share), "limit")


def _hull(run: LiveRun, view: TimeWindow) -> tuple[float, float]:
    spans = [(span[0], _complete_until_s(run, view, span[1])) for _, _, span in _sending(run, view)]
    return min((begin for begin, _ in spans), default=0.0), max((end for _, end in spans), default=1.0)


def _of_sender(column: str, aside: str = "") -> Callable[[LiveRun, TimeWindow], Iterator[Curve]]:
    """Curves of a column of the sending end, and of a related column."""

    def lines(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
        for name, flow, span in _sending(run, view):
            rows = flow.between(view.from_s, view.to_s)
            yield from _of_column(name, rows, column, span, "main")
            if aside:
                yield from _of_column(name, rows, aside, span, "aside")

    return lines


def _of_column(name: str, rows: FlowSamples, column: str, span: tuple[float, float], style: str) -> Iterator[Curve]:
    times, values = series(rows.sender, column)
    inside = (times >= span[0]) & (times <= span[1])
    if inside.any():
        yield Curve(name, "flow", thinned((times[inside], values[inside])), style)


def _rtt(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    yield from _of_sender("srtt_ms", "min_rtt_ms")(run, view)
    yield from _dots(run, view, "probe", "rtt_ms")


def _in_flight(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    """The kernel's count of packets in flight; if it was not reported, sent minus acknowledged packets.

    BBRv2 and BBRv3 also report the bounds that losses have set.
    """
    for name, flow, span in _sending(run, view):
        rows = flow.between(view.from_s, view.to_s)
        is_reported = not np.isnan(rows.sender["in_flight_packets"]).all()
        yield from _of_column(name, rows, "in_flight_packets" if is_reported else "unacked_packets", span, "main")
        for bound in ("bbr_inflight_shortterm_packets", "bbr_inflight_longterm_packets"):
            yield from _of_column(name, rows, bound, span, "aside")


def _sequence(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    """Sequence numbers of each flow in kB, counted from its acknowledged byte at the start of the time window.

    The curves are the next new byte to send (SND.NXT), the next byte to be acknowledged (SND.UNA), and the latter with
    the segments of selective acknowledgments. A dot on SND.UNA marks a sample since whose predecessor bytes were
    retransmitted; which ones is unknown.
    """
    for name, flow, (begin_s, end_s) in _sending(run, view):
        rows = flow.between(view.from_s, view.to_s).sender
        resent = rows["bytes_retrans"]
        numbers = np.vstack([rows["bytes_sent"] - resent, rows["bytes_acked"], resent])
        is_known = ~np.isnan(numbers).any(axis=0)
        times, (sent, acked, resent) = rows["time_s"][is_known], numbers[:, is_known]
        inside = (times >= begin_s) & (times <= end_s)
        if not inside.any():
            continue
        sacked = np.nan_to_num(rows["sacked_packets"] * rows["mss_bytes"])[is_known]
        first = float(acked[0]) if times[0] <= view.from_s else 0.0
        for values, style in ((sent, "main"), (acked + sacked, "limit"), (acked, "aside")):
            yield Curve(name, "flow", thinned((times[inside], (values - first)[inside] * 1e-3)), style)
        again = inside & (np.diff(resent, prepend=resent[0]) > 0)
        if again.any():
            yield Curve(name, "flow", (times[again], (acked[again] - first) * 1e-3), "resent")


def _retransmissions(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    for name, flow, (begin_s, end_s) in _sending(run, view):
        data = series(flow.between(begin_s - view.bin_s, end_s + view.bin_s).sender, "retransmits")
        until_s = _complete_until_s(run, view, end_s)
        if data[0].size > 1 and until_s > begin_s:
            yield Curve(name, "flow", binned_rate(data, begin_s, until_s, view.bin_s))


def _jain(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    spans = [(flow, flow.span()) for flow in run.flows.values()]
    sending = [(flow, span) for flow, span in spans if span is not None]
    counts = [(arrived(flow.between(view.from_s - 2 * FAIRNESS_S, view.to_s)), span) for flow, span in sending]
    counts = [(data, span) for data, span in counts if data[0].size > 1]
    step_s = max(view.bin_s, (view.to_s - view.from_s) / MOST_BINS)
    to_s = min(view.to_s, run.newest_s)
    moments = np.arange(math.ceil(view.from_s / step_s), math.floor(to_s / step_s) + 1) * step_s
    indices = [fairness(counts, float(moment)) for moment in moments]
    is_defined = np.array([value is not None for value in indices], dtype=bool)
    if is_defined.any():
        yield Curve(TOTAL, "run", (moments[is_defined], np.array([value for value in indices if value is not None])))


def fairness(counts: Sequence[tuple[Series, tuple[float, float]]], at_s: float) -> float | None:
    """Jain's index of the goodputs in the second before a moment.

    Args:
        counts: for each flow, the arrived bytes over time, and the span in which it sent.

    Returns:
        1 for equal shares, 1/n if one of n flows gets everything; None if fewer than two sent all the time.
    """
    shares = [
        bytes_between(data, at_s - FAIRNESS_S, at_s)
        for data, (begin_s, end_s) in counts
        if begin_s <= at_s - FAIRNESS_S and end_s >= at_s
    ]
    return jain_index(shares) if len(shares) > 1 else None


def _dots(run: LiveRun, view: TimeWindow, table: str, column: str) -> Iterator[Curve]:
    """Single events of flows that report them."""
    for name, flow in run.flows.items():
        ring: Ring = getattr(flow, table)
        times, values = series(ring.columns_between(view.from_s, view.to_s), column)
        if times.size:
            yield Curve(name, "flow", thinned((times, values)), "dots")


def _delay(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    yield from _dots(run, view, "probe", "delay_ms")
    for line in _dots(run, view, "datagram", "delay_ms"):
        yield replace(line, style="main")


def _waiting_time(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    yield from _dots(run, view, "app", "duration_ms")


# --- of queues and processors -----------------------------------------------------------------------------------------


def _backlog(converted: Callable[[Series, RateHistory], Series]) -> Callable[[LiveRun, TimeWindow], Iterator[Curve]]:
    """Curves of the queues' backlogs in another unit, and of their limits."""

    def lines(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
        for name in run.busy_queues():
            held = series(run.queues[name].columns_between(view.from_s, view.to_s), "backlog_bytes")
            rate = run.course(name)
            values = converted(held, rate)
            if not values[0].size:
                continue
            yield Curve(name, "queue", thinned(values))
            for steps in _limit_steps(run, name, view, converted):
                yield Curve(name, "queue", thinned(steps), "limit")

    return lines


def _limit_steps(
    run: LiveRun, name: str, view: TimeWindow, converted: Callable[[Series, RateHistory], Series]
) -> Iterator[Series]:
    """The limit of a queue as step curves, one for each span of time in which the backlog comes near it."""
    limit, rate = run.limit_course(name), run.course(name)
    edges = limit.edges(view.from_s, view.to_s, rate)
    limits_bytes = limit.at(edges[:-1])
    is_near = (limits_bytes > 0) & (run.fullest(name) > _NEAR_LIMIT * limits_bytes)
    begins, values = converted((edges[:-1][is_near], limits_bytes[is_near]), rate)
    places = np.searchsorted(edges, begins)
    for stretch in np.split(np.arange(places.size), np.flatnonzero(np.diff(places) > 1) + 1):
        if stretch.size:
            times = np.column_stack((edges[places[stretch]], edges[places[stretch] + 1])).ravel()
            yield times, np.repeat(values[stretch], 2)


def _kilobytes(held: Series, rate: RateHistory) -> Series:
    return held[0], held[1] * 1e-3


def _milliseconds(held: Series, rate: RateHistory) -> Series:
    """The queueing delay at the rate in force."""
    return rate.drain_ms(held)


def _of_count(column: str) -> Callable[[LiveRun, TimeWindow], Iterator[Curve]]:
    """Curves of the growth rate of a count of each queue."""

    def lines(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
        for name in run.busy_queues():
            data = series(run.queues[name].columns_between(view.from_s - view.bin_s, view.to_s), column)
            if data[0].size < 2:
                continue
            begin_s = max(view.from_s, float(data[0][0]))
            until_s = _complete_until_s(run, view, min(view.to_s, float(data[0][-1])))
            if until_s > begin_s:
                yield Curve(name, "queue", binned_rate(data, begin_s, until_s, view.bin_s))

    return lines


def _cpu(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    for where, ring in sorted(run.cpu.items()):
        rows = ring.columns_between(view.from_s, view.to_s)
        spent = np.diff(np.vstack([rows["busy_s"], rows["idle_s"], rows["steal_s"]]), axis=1)
        total = spent.sum(axis=0)
        is_valid = total > 0
        if is_valid.any():
            yield Curve(where, "cpu", (rows["time_s"][1:][is_valid], 100 * spent[0][is_valid] / total[is_valid]))


def _phases(run: LiveRun, view: TimeWindow) -> Iterator[Curve]:
    """The phases as curves, for the values at the pointer; they are drawn as bands."""
    for name, flow, span in _sending(run, view):
        yield from _of_column(name, flow.between(view.from_s, view.to_s), "bbr_phase", span, "band")


QUANTITIES: tuple[LiveQuantity, ...] = (
    LiveQuantity("goodput", "Throughput", "Mbit/s", "bytes acknowledged; dashed: link rate without headers", _goodput),
    LiveQuantity("cwnd", "Congestion window", "packets", "dotted: ssthresh",
             _of_sender("cwnd_packets", "ssthresh_packets")),
    LiveQuantity("rtt", "RTT", "ms", "smoothed; dotted: minimum", _rtt),
    LiveQuantity("in_flight", "In flight", "packets", "dotted: bounds of BBRv2 and BBRv3", _in_flight),
    LiveQuantity("pacing", "Pacing rate", "Mbit/s", "", _of_sender("pacing_rate_mbit")),
    LiveQuantity("delivery", "Delivery rate", "Mbit/s", "the sender's estimate", _of_sender("delivery_rate_mbit")),
    LiveQuantity("sequence", "Sequence numbers", "kB",
             "sent since the left edge; dotted: acknowledged; dashed: with SACK; red: resent", _sequence),
    LiveQuantity("retransmissions", "Retransmissions", "1/s", "", _retransmissions),
    LiveQuantity("queue_kb", "Queue", "kB", "dashed: the limit in force", _backlog(_kilobytes)),
    LiveQuantity("queue_ms", "Queueing delay", "ms", "backlog divided by the link rate", _backlog(_milliseconds)),
    LiveQuantity("drops", "Drops", "1/s", "of queues", _of_count("drops")),
    LiveQuantity("marks", "Marks", "1/s", "of queues (ECN)", _of_count("marks")),
    LiveQuantity("phases", "Phases of BBR", "", "", _phases, share=0.55),
    LiveQuantity("jain", "Fairness", "", "Jain's index of the goodputs of the last second", _jain, top=1.0, share=0.7),
    LiveQuantity("delay", "One-way delay", "ms", "of probes; of datagrams means over 0.1 s", _delay),
    LiveQuantity("waited", "Waiting time", "ms", "response, page load and chunk times", _waiting_time),
    LiveQuantity("cpu", "Processors", "%", "busy", _cpu, top=100.0, share=0.7),
)  # fmt: skip

BY_KEY = {quantity.key: quantity for quantity in QUANTITIES}
#: The default choice.
USUAL = ("goodput", "cwnd", "rtt", "queue_kb")
