"""CT-A to CT-E: four BBR flows behind five kinds of rate limit and delay, after churro-tarta's testbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.network.network import Shape
from frrlib.results.palette import curve_styles
from frrlib.results.records import Results
from frrlib.results.series import Series
from frrlib.results.statistics.summary import jain_index
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.tbf_churrotarta import words
from miniedit_frr.experiments.tbf_churrotarta.lab import (
    DELAY,
    FLOWS,
    QUEUE,
    RATE_MBIT,
    SOURCE,
    STAGGER_S,
    netem_and_tbf,
    topology,
)

_LASTS_S, _QUICK_S = 120.0, 26.0
_SHORTER_S, _QUICK_SHORTER_S = 60.0, 16.0
_HZ = 20.0
#: From this time on all flows send, and have left their start-up.
_ALL_S = 20.0
_FAIR_S = (60.0, 120.0)
_BIN_S = 0.1


def _case(name: str, bottleneck: Shape, lasts_s: float, title: str = "") -> Case:
    """A case with the published set-up and all flows."""
    lab = topology(title or f"Four BBR flows, {name}", "published", bottleneck, lasts_s)
    return Case(name, lab, setup="published", sample_hz=_HZ)


def _lasts_s(results: Results) -> float:
    return max((flow.start_s + flow.duration_s for flow in results.info.flows), default=0.0)


def _received(results: Results) -> Series:
    """The total rate at all receivers, in Mbit/s of frames in bins of 100 ms, until the first flow ends."""
    return measures.output_rate(results, QUEUE, _BIN_S, 0.0, _lasts_s(results) - (FLOWS - 1) * STAGGER_S)


def _highest(from_s: float) -> Callable[[Results], float | None]:
    return lambda results: measures.statistic(_received(results), from_s, take=np.max)


def _draw_flows(panel: Axes, run: Run | None, to_s: float, title: str = "") -> None:
    """The arrival rate of each flow in bins of a quarter of a second, and their total in bins of 100 ms."""
    if run is not None:
        names = measures.flow_names(run.results)
        for number, (name, look) in enumerate(zip(names, curve_styles(["bbr"] * len(names)), strict=True), 1):
            curve_style = {"color": look.colour, "linestyle": look.line_style, "linewidth": look.width}
            published_style.draw_series(
                panel, measures.arrival_rate(run.results, name, 0.25), label=f"flow {number}", **curve_style
            )
        published_style.draw_series(panel, _received(run.results), color="black", linewidth=0.6, label="all, in frames")
    panel.axhline(RATE_MBIT, **published_style.PUBLISHED_LINE)
    published_style.set_axes(panel, "time (s)", "received (Mbit/s)", (0, to_s), (0, 100), title)


def _flows_picture(
    title: str, panels: Mapping[str, str], to_s: float = _LASTS_S, published_mbit: float | None = None
) -> Picture:
    """A picture of the flows of some cases, with a panel for each case.

    Args:
        title: the title of the picture.
        panels: the titles of the panels by the names of the cases.
        to_s: the end of the time axis.
        published_mbit: the highest published rate, which is drawn as a range.
    """

    def draw(runs: Runs) -> Figure:
        figure, axes = published_style.new_figure(len(panels), 1, width=7.2, height=0.8 + 2.6 * len(panels))
        for panel, (name, panel_title) in zip(axes, panels.items(), strict=True):
            _draw_flows(panel, next((run for run in runs if run.case == name), None), to_s, panel_title)
            if published_mbit is not None:
                published_style.draw_band(panel, 0, published_mbit, f"published: {published_mbit:g} at most")
        for panel in axes[:-1]:
            panel.set_xlabel("")
        above = {"loc": "lower center", "ncols": 7, "bbox_to_anchor": (0.5, 1.1 if panels[next(iter(panels))] else 1.0)}
        published_style.add_legend(axes[0], f"rate, {RATE_MBIT:g} Mbit/s", columnspacing=1.0, **above)
        published_style.add_note(figure, published_style.missing_case_notes(runs))
        return figure

    return Picture("throughput", title, draw)


# --- A: a bucket ------------------------------------------------------------------------------------------------------


def _jain(runs: Runs) -> CheckResult:
    run = runs.first("published")
    if run is None or _lasts_s(run.results) < _FAIR_S[1]:
        return None
    index = jain_index(measures.goodputs_mbit(run.results, *_FAIR_S).values())
    return None if index is None else {"": index}


def _spike(runs: Runs) -> CheckResult:
    run = runs.first("published")
    if run is None or _lasts_s(run.results) < _FAIR_S[1]:
        return None
    highest_mbit = _highest(_ALL_S)(run.results)
    return None if highest_mbit is None else {"": highest_mbit}


CT_A = Experiment(
    "CT-A",
    "Four BBR flows behind netem and tbf",
    SOURCE,
    words.SETUP_A,
    words.LESSON_A,
    lambda quick: (
        _case("bucket-131-kb", netem_and_tbf(), _QUICK_S if quick else _LASTS_S, "Four BBR flows, netem and tbf"),
    ),
    (Check("CT.A1", _jain), Check("CT.A2", _spike)),
    (_flows_picture("Throughput of the receivers behind netem with tbf as its child.", {"bucket-131-kb": ""}),),
)

# --- B: netem's own rate ----------------------------------------------------------------------------------------------

_NETEM_RATE = Shape(qdiscs=("root netem rate 80mbit delay 10ms",))


def _alone(runs: Runs) -> CheckResult:
    rate = runs.median(lambda results: measures.goodput_mbit(results, "bbr-1", 1.0, 2.0))
    return None if rate is None else {"": rate}


CT_B = Experiment(
    "CT-B",
    "Four BBR flows behind netem's rate",
    SOURCE,
    words.SETUP_B,
    words.LESSON_B,
    lambda quick: (_case("netem-rate", _NETEM_RATE, _QUICK_SHORTER_S if quick else _SHORTER_S),),
    (Check("CT.B1", _alone),),
    (_flows_picture("Throughput of the receivers behind `netem rate`.", {"netem-rate": ""}, _SHORTER_S + 6, 30.0),),
)

# --- C: a second bucket that is too small -----------------------------------------------------------------------------

TOO_SMALL, LARGE_ENOUGH = (1500, 1513), (1514, 1540)
_QUICK_SIZES = (1500, 1514)
_PEAK_LASTS_S, _QUICK_PEAK_S = 10.0, 4.0


def _cases_c(quick: bool) -> tuple[Case, ...]:
    lasts_s = _QUICK_PEAK_S if quick else _PEAK_LASTS_S
    return tuple(
        Case(
            f"mtu-{size}",
            topology(
                f"One BBR flow, tbf with peakrate and mtu {size}", "published",
                netem_and_tbf(options=f"peakrate 81mbit mtu {size}"), lasts_s, flows=1,
            ),
            setup="published", values={"mtu_bytes": float(size)}, sample_hz=_HZ,
            may_fail="no packet with data passes the queue" if size in TOO_SMALL else "",
        )
        for size in (_QUICK_SIZES if quick else (*TOO_SMALL, *LARGE_ENOUGH))
    )  # fmt: skip


def _received_bytes(results: Results) -> float:
    flow = measures.find_flow(results, "bbr-1")
    arrived = measures.statistic(measures.sender_series(results, "bbr-1", "bytes_acked"), take=np.max) if flow else None
    rate = measures.goodput_mbit(results, "bbr-1", 0.0, _lasts_s(results)) or 0.0
    # The sender counts the SYN as a byte.
    return max(rate * 125_000 * _lasts_s(results), (arrived or 1.0) - 1.0)


def _bytes_c(runs: Runs) -> CheckResult:
    bytes_by_size = {size: runs.median(_received_bytes, mtu_bytes=float(size)) for size in TOO_SMALL}
    return {f"mtu {size}": number for size, number in bytes_by_size.items() if number is not None} or None


def _goodputs_c(runs: Runs) -> CheckResult:
    def measure(results: Results) -> float | None:
        return measures.goodput_mbit(results, "bbr-1", 1.0, _lasts_s(results))

    goodput_by_size = {size: runs.median(measure, mtu_bytes=float(size)) for size in LARGE_ENOUGH}
    return {f"mtu {size}": number for size, number in goodput_by_size.items() if number is not None} or None


def _draw_c(runs: Runs) -> Figure:
    figure, (rates, drops) = published_style.new_figure(1, 2, width=8.0, height=3.4)
    sizes = (*TOO_SMALL, *LARGE_ENOUGH)
    for size, look in zip(sizes, curve_styles(["cubic", "reno", "bbr", "vegas"]), strict=True):
        run = runs.first(mtu_bytes=float(size))
        if run is None:
            continue
        curve_style = {
            "color": look.colour,
            "linewidth": 1.4,
            "linestyle": (0, (3, 2)) if size in (1513, 1540) else "-",
        }
        published_style.draw_series(
            rates,
            measures.output_rate(run.results, QUEUE, 0.25, 0.0, _lasts_s(run.results)),
            label=f"mtu {size}",
            **curve_style,
        )
        published_style.draw_series(
            drops, measures.queue_series(run.results, "drops", QUEUE), label=f"mtu {size}", **curve_style
        )
    rates.axhline(RATE_MBIT, **published_style.PUBLISHED_LINE)
    published_style.set_axes(rates, "time (s)", "received (Mbit/s)", (0, _PEAK_LASTS_S), (-2, 100))
    published_style.set_axes(drops, "time (s)", "packets that tbf has dropped", (0, _PEAK_LASTS_S))
    drops.set_ylim(bottom=-0.5)
    published_style.add_legend(rates, f"rate, {RATE_MBIT:g} Mbit/s", loc="center right")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


CT_C = Experiment(
    "CT-C",
    "A BBR flow behind tbf with a peak rate",
    SOURCE,
    words.SETUP_C,
    words.LESSON_C,
    _cases_c,
    (Check("CT.C1", _bytes_c), Check("CT.C2", _goodputs_c)),
    (Picture("peakrate", "Throughput and drops of tbf, with four sizes of its second bucket.", _draw_c),),
)

# --- D: cake ----------------------------------------------------------------------------------------------------------


def _cake(options: str = "") -> Shape:
    return Shape(qdiscs=(DELAY, f"parent 1:1 handle 10: cake bandwidth 80mbit {options}".rstrip()))


def _cases_d(quick: bool) -> tuple[Case, ...]:
    lasts_s = _QUICK_SHORTER_S if quick else _SHORTER_S
    plain = _case("cake", _cake(), lasts_s)
    return (plain,) if quick else (plain, _case("cake-flowblind", _cake("besteffort flowblind"), lasts_s))


CT_D = Experiment(
    "CT-D",
    "Four BBR flows behind cake",
    SOURCE,
    words.SETUP_D,
    words.LESSON_D,
    _cases_d,
    (),
    (
        _flows_picture(
            "Throughput of the receivers behind cake, with and without a queue for each flow.",
            {"cake": "cake", "cake-flowblind": "cake, besteffort flowblind"},
            _SHORTER_S + 6,
        ),
    ),
)

# --- E: the sound set-up, and buckets of all sizes --------------------------------------------------------------------

#: Sizes of the bucket from 2 kB to `tc`'s 1 Mbit, including two frames as in the correct set-up.
BURSTS_BYTES = (2048, 3028, 8192, 16_384, 32_768, 65_536, 131_072)
_QUICK_BURSTS_BYTES = (3028, 131_072)
#: The flows of the sweep begin together, so that they enter ProbeRTT together, at 10 s and at 20 s.
_BURST_LASTS_S, _QUICK_BURST_S, _BURST_FROM_S = 22.0, 12.0, 8.0
#: The fastest 100 ms may begin at any sample, and not only at tenths of a second, so samples are frequent.
_BURST_HZ = 100.0


def _cases_e(quick: bool) -> tuple[Case, ...]:
    sound = Shape(rate_mbit=RATE_MBIT, delay_ms=10, queue_packets=1000, burst_frames=2)
    lasts_s = _QUICK_S if quick else _LASTS_S
    sound_lab = topology("Four BBR flows over a sound link", "right", sound, lasts_s)
    sweep = (
        Case(
            f"bucket-{size}",
            topology(
                f"Four BBR flows, a bucket of {size} bytes", "published", netem_and_tbf(f"burst {size}b"),
                _QUICK_BURST_S if quick else _BURST_LASTS_S,
                stagger_s=0.0,
            ),
            setup="published", values={"burst_bytes": float(size)}, sample_hz=_BURST_HZ,
        )
        for size in (_QUICK_BURSTS_BYTES if quick else BURSTS_BYTES)
    )  # fmt: skip
    return (Case("sound", sound_lab, setup="right", sample_hz=_HZ), *sweep)


def _no_spike(runs: Runs) -> CheckResult:
    run = runs.first("right")
    if run is None or _lasts_s(run.results) < _FAIR_S[1]:
        return None
    highest_mbit = _highest(_ALL_S)(run.results)
    return None if highest_mbit is None else {"": highest_mbit}


def _above_mbit(results: Results) -> float | None:
    """The difference between the rate of the fastest 100 ms and the link's rate."""
    times, sent = measures.queue_series(results, "sent_bytes", QUEUE)
    if not times.size or times[-1] < _BURST_FROM_S + 1:
        return None
    begins = times[(times >= _BURST_FROM_S) & (times + _BIN_S <= times[-1])]
    passed = np.interp(begins + _BIN_S, times, sent) - np.interp(begins, times, sent)
    return float(passed.max()) * 8e-6 / _BIN_S - RATE_MBIT


def _draw_bursts(runs: Runs) -> Figure:
    figure, (panel,) = published_style.new_figure(width=5.6, height=3.8)
    sizes = np.geomspace(1.7, 160, 100)
    panel.plot(sizes, sizes * 8e-3 / _BIN_S, label="the whole bucket in 100 ms", **published_style.PUBLISHED_LINE)
    points = [
        (size / 1000, above)
        for size in BURSTS_BYTES
        if (above := runs.median(_above_mbit, burst_bytes=float(size))) is not None
    ]
    if points:
        panel.plot(*zip(*points, strict=True), "o", color="black", markersize=5, label="measured")
    panel.set_xscale("log", base=2)
    panel.set_xticks([size / 1000 for size in BURSTS_BYTES], [f"{size / 1000:.3g}" for size in BURSTS_BYTES])
    panel.minorticks_off()
    published_style.set_axes(panel, "bucket (kB)", "fastest 100 ms above the rate (Mbit/s)", (1.7, 160), (-0.5, 12))
    published_style.add_legend(panel, loc="upper left")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


CT_E = Experiment(
    "CT-E",
    "Four BBR flows over a sound link, and the size of the bucket",
    f"{SOURCE}; the set-up is ours",
    words.SETUP_E,
    words.LESSON_E,
    _cases_e,
    (Check("CT.A3", _no_spike),),
    (
        _flows_picture("Throughput of the receivers behind a link with a bucket of two frames.", {"sound": ""}),
        Picture("bursts", "Excess of the fastest 100 ms over the rate, by the size of the bucket.", _draw_bursts),
    ),
)

EXPERIMENTS = (CT_A, CT_B, CT_C, CT_D, CT_E)
