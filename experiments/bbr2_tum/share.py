"""TU-B and TU-F: the shares of CUBIC and BBR of one bottleneck, by the size of its buffer and by their RTT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.model.flow_words import control_name
from frrlib.results.series import Floats
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.bbr2_tum import share_numbers as numbers
from miniedit_frr.experiments.bbr2_tum.figures import mark_empty, set_logarithmic_x, short_missing_case_notes
from miniedit_frr.experiments.bbr2_tum.lab import DEFAULTS, RATE_MBIT, SOURCE
from miniedit_frr.experiments.bbr2_tum.models import CUBIC_LOW, bbr_share, fairness
from miniedit_frr.experiments.declaration import Check, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs

_MARKS: dict[str, dict[str, Any]] = {
    "right": {"marker": "o", "markersize": 3.5},
    "published": {"marker": "x", "markersize": 5, "linestyle": "none"},
}
#: The marks of the pairs in a panel with several pairs. Colors are those of congestion controls.
_PAIR_MARKS: tuple[dict[str, Any], ...] = (
    {"marker": "o", "markersize": 3.5},
    {"marker": "s", "markersize": 3.5, "linestyle": (0, (5, 1.5))},
    {"marker": "^", "markersize": 4, "linestyle": (0, (1, 1.2))},
)


def _percent(share: float) -> float:
    return 100 * share


def draw_buffers(runs: Runs) -> Figure:
    """The average bandwidth against the size of the buffer, in a panel for each pair."""
    figure, panels = published_style.new_figure(
        1, len(numbers.PAIRS), width=7.6, height=3.4, sharey=True, width_ratios=(2.2, 1, 1)
    )
    for panel, pair in zip(panels, numbers.PAIRS, strict=True):
        published_style.set_axes(panel, "buffer (BDP)", "", (0.09, 22), (0, 100), " and ".join(map(control_name, pair)))
        set_logarithmic_x(panel)
        panel.axhline(50, color="black", linewidth=0.6, linestyle=(0, (4, 1.5)))
        pair_runs = runs.select(pair="-".join(pair))
        if not pair_runs:
            mark_empty(panel)
            continue
        for setup in ("right", "published"):
            for cc in pair:
                label = control_name(cc) + (", switched" if setup == "published" else "")
                setup_runs = [run for run in pair_runs if run.setup == setup]
                _draw_shares(panel, setup_runs, cc, "buffer_bdp", label=label, **_MARKS[setup])
        if pair == numbers.PAIRS[0]:
            sizes = np.geomspace(1, 20, 60)
            _draw_model(panel, sizes, np.full_like(sizes, numbers.RTT_MS), sizes)
        published_style.add_legend(panel, loc="lower left", bbox_to_anchor=(0.0, 0.12), fontsize=6.5)
    panels[0].set_ylabel("average bandwidth (%)")
    lines = short_missing_case_notes(runs)
    if runs.select("published"):
        lines.append("crosses: as published, with nothing but switches between the senders and the queue")
    published_style.add_note(figure, lines)
    return figure


def _draw_model(
    panel: Axes, buffers_bdp: Floats, rtts_ms: Floats, positions: Floats, convert: Callable[[float], float] = _percent
) -> None:
    """BBR's share beside CUBIC by theory, for buffers of at least one BDP.

    Args:
        positions: the positions on the x axis.
        convert: converts a share into the drawn value.
    """
    for low, line, label in (
        (CUBIC_LOW, "-", "model, with CUBIC's swing"),
        (1.0, (0, (1, 1.5)), "model (Ware et al.)"),
    ):
        values = [
            convert(bbr_share(size, RATE_MBIT, rtt_ms, low=low)) if size >= 1 else np.nan
            for size, rtt_ms in zip(buffers_bdp, rtts_ms, strict=True)
        ]
        panel.plot(
            positions, values, color=published_style.PUBLISHED, linewidth=0.8, linestyle=line, label=label, zorder=1.5
        )


def _draw_shares(panel: Axes, runs: Sequence[Run], cc: str, value_name: str, **style: Any) -> None:
    points = sorted((float(run.values[value_name]), numbers.shares(run).get(cc, np.nan)) for run in runs)
    if points:
        panel.plot(*zip(*points, strict=True), **published_style.control_style(cc, **style))


def draw_rtts(runs: Runs) -> Figure:
    """F_tp above the average bandwidth, against the RTT, in a column for each kind of buffer."""
    figure, panels = published_style.new_figure(2, 2, width=7.2, height=4.8, sharey="row")
    rtts = np.geomspace(10, 1000, 80)
    for column, kind in enumerate(("ms", "bdp")):
        upper, lower = panels[column], panels[2 + column]
        buffer_text = f"{numbers.FIXED_MS:g} ms" if kind == "ms" else f"{numbers.FIXED_BDP:g} BDP"
        published_style.set_axes(upper, "", "", (9, 1100), (0.48, 1.02), f"A buffer of {buffer_text}")
        published_style.set_axes(lower, "round trip without queue (ms)", "", None, (0, 100))
        for pair, marks in zip(numbers.PAIRS, _PAIR_MARKS, strict=True):
            pair_runs = runs.select("right", pair="-".join(pair), fixed_in=kind)
            index = sorted(
                (float(run.values["rtt_ms"]), fairness(numbers.shares(run)[pair[0]] / 100)) for run in pair_runs
            )
            if index:
                label = " and ".join(map(control_name, pair))
                upper.plot(*zip(*index, strict=True), color="black", label=label, **marks)
            for cc in pair:
                _draw_shares(lower, pair_runs, cc, "rtt_ms", **marks)
        buffers_bdp = numbers.FIXED_MS / rtts if kind == "ms" else np.full_like(rtts, numbers.FIXED_BDP)
        _draw_model(upper, buffers_bdp, rtts, rtts, fairness)
        _draw_model(lower, buffers_bdp, rtts, rtts)
        lower.axhline(50, color="black", linewidth=0.6, linestyle=(0, (4, 1.5)))
        for panel in (upper, lower):
            set_logarithmic_x(panel)
    _name_pairs(figure, panels)
    panels[0].set_ylabel("fairness $F_{tp}$")
    panels[2].set_ylabel("average bandwidth (%)")
    published_style.add_note(figure, short_missing_case_notes(runs))
    return figure


def _name_pairs(figure: Figure, panels: Sequence[Axes]) -> None:
    """Add one legend above all panels: marks stand for pairs, colors for congestion controls."""
    pairs, controls = published_style.legend_entries(*panels[:2]), published_style.legend_entries(*panels[2:])
    models = {name: pairs.pop(name) for name in list(pairs) if "model" in name}
    colors = {name: Line2D([], [], color=line.get_color()) for name, line in controls.items() if name not in models}
    published_style.add_legend_above(figure, pairs | colors | models, 4, 6.5)


BUFFERS = Experiment(
    name="TU-B",
    title="The shares of two flows over the buffer size",
    source=SOURCE,
    setup=f"""Two flows with equal RTTs share a bottleneck with a buffer of 0.1 to 20 BDP: CUBIC and BBR, CUBIC and
BBRv2, BBR and BBRv2. The figure shows the mean share of each flow in percent over the buffer size, on a logarithmic
axis. In the slides the curves cross: BBR has nearly everything with a small buffer, and CUBIC has more with a large
one; with BBRv2 the differences are smaller. {DEFAULTS} Here the RTT is 50 ms, both flows start together, and shares are
means over the second of two minutes; with more than 20 BDP a run takes five minutes.""",
    lesson="""With a small buffer both flows lose packets all the time. CUBIC reduces its window after each loss. BBR
does not, and keeps two BDPs in flight whatever is dropped. With a large buffer CUBIC's packets stand in the queue all
the time, and BBR is limited to two BDPs. Also, the larger the queue, the longer BBR waits in ProbeRTT until it is
empty.

Ware et al. (IMC 2019) have a model of that (dotted). It assumes a constant window of CUBIC, and gives BBR some 14
points more than measured here. But BBR uses the *minimum* RTT of 10 s, and within that time CUBIC's window falls to 0.7
and grows again. With the smallest window instead of the mean, the same model (solid) is within some points of the
measurement, except for buffers near 2 BDP, where losses still matter.

The duration is part of the result. With more than 20 BDP CUBIC fills the buffer before BBR knows its bandwidth, and BBR
takes three minutes to regain its share; a figure of the first minute shows much less.

**In the published set-up** all nodes between the hosts are switches in the same kernel. Since Linux 4.19 a packet keeps
its sender's socket on its way through links and switches, and TCP lets only one millisecond of data, or two packets, of
a socket wait below it (*TCP small queues*). TCP takes the bottleneck's queue for that of its own network card. So CUBIC
stops before the queue is full and never loses a packet, and both flows have equal shares with any buffer (crosses). The
talk says that Mininet does not work properly on current kernels; this is one reason.
**In the corrected set-up** s2 is a router, which releases packets from their socket, as another machine would.
`miniedit-frr check` warns about the published set-up.""",
    cases=numbers.buffer_cases,
    checks=(
        Check("TU-B.1", numbers.share_in_small_buffers),
        Check("TU-B.2", numbers.crossing_buffer),
        Check("TU-B.3", numbers.share_in_large_buffers),
        Check("TU-B.4", numbers.distance_from_model),
        Check("TU-B.5", numbers.share_range_with_switches),
    ),
    pictures=(Picture("buffer-sweep", "Average bandwidth of two flows against the size of the buffer", draw_buffers),),
)

ROUND_TRIPS = Experiment(
    name="TU-F",
    title="Fairness over the RTT",
    source=SOURCE,
    setup=f"""The same pairs with RTTs of 10 to 1000 ms, equal for both flows of a pair. The slides show Jain's index of
the throughputs, F_tp, from 0.5 (one flow has everything) to 1 (equal shares), above the mean bandwidth of each. They do
not state the buffer size. {DEFAULTS} Both are shown: a buffer of 100 ms, the framework's default, and one of 2 BDP,
which is the same at 50 ms. Shares are means over the second of two minutes; at 1000 ms a run takes five minutes.""",
    lesson="""A buffer that is fixed in milliseconds, or in packets as in most routers, is ten BDPs for one user and a
tenth of a BDP for another one. So a sweep of RTTs also varies the buffer in BDPs. With 100 ms the shares are about
equal up to 50 ms (2 BDP), and from 100 ms on (1 BDP and less) BBR has nearly everything. With 2 BDP it is the opposite:
BBR has more where 2 BDP are a few packets, of which its smallest window of four is a large part. It loses slowly as the
RTT grows, because ProbeRTT costs more: BBR waits until four packets are in flight, and keeps that for 200 ms and a
round trip, every 10 s.

Both columns are the same experiment with one word of the set-up omitted. Such figures often have an axis along which a
second parameter varies without being named.""",
    cases=numbers.rtt_cases,
    checks=(
        Check("TU-F.1", numbers.share_at_rtts(0, 10, "ms")),
        Check("TU-F.2", numbers.share_at_rtts(200, 1000, "ms")),
        Check("TU-F.3", numbers.share_drop_with_rtt),
        Check("TU-F.4", numbers.fairest_rtt),
    ),
    pictures=(Picture("rtt-sweep", "Fairness and average bandwidth of two flows against their round trip", draw_rtts),),
)
