"""L4S-RTT: two flows of CUBIC with equal or different round trips behind a FIFO and behind fq_codel.

    h1 ──┐
         s1 ──[bottleneck]── r1
    h2 ──┘

The delays of both flows are those of their access links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from matplotlib.figure import Figure

from frrlib.model.queues import FqCodel
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import expectations, published_rows
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

QDISCS = ("pfifo", "fq_codel")
#: The limits of the FIFO in packets by the rate of the link in Mbit/s: 242 ms of full frames.
FIFO_PACKETS = {50: 1000, 10: 200}
RTTS_MS = ((10, 10), (20, 10), (20, 20), (80, 20), (80, 80), (160, 10))
#: Rates are the means of 60 s that end 2 s before the flows do.
LASTS_S, _BEGIN_S, _END_S = 180.0, 118.0, 178.0
_QUICK_LASTS_S, _QUICK_BEGIN_S, _QUICK_END_S = 40.0, 18.0, 38.0
_QUICK_RATE_MBIT, _QUICK_RTTS_MS = 10, ((20, 20), (160, 10))
#: Larger than any window: the longest path and its full queue have 2.4 MB.
_BUFFER_BYTES = 16_777_216
_FLOWS = ("cubic-1", "cubic-2")
_TABLE = "l4s_rtt_fairness.csv"


@dataclass(frozen=True)
class Cell:
    """A row of the published table.

    Attributes:
        qdisc: "pfifo" or "fq_codel".
        rate_mbit: the rate of the bottleneck.
        rtt1_ms, rtt2_ms: the round trips of the first and of the second flow without queue.
    """

    qdisc: str
    rate_mbit: int
    rtt1_ms: int
    rtt2_ms: int


CELLS = tuple(Cell(qdisc, rate, *rtts) for qdisc in QDISCS for rate in FIFO_PACKETS for rtts in RTTS_MS)


def fairness_cases(quick: bool) -> tuple[Case, ...]:
    """Each cell of the table; a quick run has both disciplines at 10 Mbit/s, with equal and different round trips."""
    return tuple(
        Case(
            f"{cell.qdisc}-{cell.rate_mbit}-{cell.rtt1_ms}-{cell.rtt2_ms}",
            dumbbell(cell, _QUICK_LASTS_S if quick else LASTS_S),
            setup="right",
            values=asdict(cell),
            sample_hz=10.0,
        )
        for cell in CELLS
        if not quick or (cell.rate_mbit == _QUICK_RATE_MBIT and (cell.rtt1_ms, cell.rtt2_ms) in _QUICK_RTTS_MS)
    )


def dumbbell(cell: Cell, duration_s: float) -> Topology:
    """The lab of a cell; both flows begin at once."""
    net = Network(f"RTT fairness: {cell.qdisc}, {cell.rtt1_ms} and {cell.rtt2_ms} ms", wait=Wait(ping_count=3))
    # The published connections negotiate ECN, so fq_codel marks.
    tuning = TcpTuning(buffer_bytes=_BUFFER_BYTES, ecn="on")
    net.router("s1", at=(320, 200))
    net.host("r1", at=(540, 200), tcp=tuning)
    rate = float(cell.rate_mbit)
    if cell.qdisc == "pfifo":
        shape = Shape(rate_mbit=rate, queue_packets=FIFO_PACKETS[cell.rate_mbit])
    else:
        shape = Shape(rate_mbit=rate, queue=FqCodel())
    net.link(
        end("s1", "10.0.9.254/24"), end("r1", "10.0.9.1/24"), id="bottleneck", a_to_b=shape, b_to_a=Shape()
    )  # fmt: skip
    for number, rtt_ms in enumerate((cell.rtt1_ms, cell.rtt2_ms), 1):
        host, delayed = f"h{number}", Shape(delay_ms=rtt_ms / 2)
        net.host(host, at=(100, 200 + 120 * (2 * number - 3) / 2), tcp=tuning)
        net.link(
            end(host, f"10.0.{number}.1/24"), end("s1", f"10.0.{number}.254/24"), id=f"in{number}",
            a_to_b=delayed, b_to_a=delayed,
        )  # fmt: skip
        net.flow(_FLOWS[number - 1], host, "r1", congestion_control="cubic", duration_s=duration_s)
    return net.topology


# --- numbers from runs ------------------------------------------------------------------------------------------------


def _rates_mbit(runs: Runs, run: Run) -> tuple[float, float] | None:
    """The mean goodput of both flows in the judged time."""
    span = (_QUICK_BEGIN_S, _QUICK_END_S) if runs.is_quick else (_BEGIN_S, _END_S)
    first, second = (measures.goodput_mbit(run.results, name, *span) for name in _FLOWS)
    return None if first is None or second is None else (first, second)


def rates_mbit(runs: Runs, cell: Cell) -> tuple[float, float] | None:
    """The mean goodput of both flows of a cell in the judged time; None without its run."""
    run = runs.first("right", **asdict(cell))
    return _rates_mbit(runs, run) if run else None


def first_share(cell: Cell) -> Callable[[Runs], CheckResult]:
    """The check of the first flow's share in the sum of both."""

    def measure(runs: Runs) -> CheckResult:
        rates = rates_mbit(runs, cell)
        share = measures.share(rates) if rates else None
        return None if share is None else {f"{cell.rtt1_ms} ms": share}

    return measure


def utilization(qdisc: str) -> Callable[[Runs], CheckResult]:
    """The check of the sum of both flows in what the link carries, for all cells of a discipline."""

    def measure(runs: Runs) -> CheckResult:
        shares = {}
        for cell in CELLS:
            rates = rates_mbit(runs, cell) if cell.qdisc == qdisc else None
            if rates:
                name = f"{cell.rate_mbit} Mbit/s {cell.rtt1_ms}/{cell.rtt2_ms} ms"
                shares[name] = sum(rates) / (cell.rate_mbit * PAYLOAD_SHARE)
        return shares or None

    return measure


def published_rates_mbit(cell: Cell) -> tuple[float, float]:
    """The published rates of both flows of a cell."""
    key = [str(value) for value in asdict(cell).values()]
    (row,) = (row for row in published_rows(_TABLE) if [row[name] for name in asdict(cell)] == key)
    return float(row["rate1_mbit"]), float(row["rate2_mbit"])


def statement_id(cell: Cell) -> str:
    """The id of the statement on a cell."""
    return f"L4S-RTT.{CELLS.index(cell) + 1}"


# --- the figure -------------------------------------------------------------------------------------------------------


def draw_shares(runs: Runs) -> Figure:
    """The share of the first flow in each cell, beside the published one and the band."""
    figure, panels = published_style.new_figure(2, width=6.4, height=5.4)
    for panel, qdisc in zip(panels, QDISCS, strict=True):
        cells = [cell for cell in CELLS if cell.qdisc == qdisc]
        for place, cell in enumerate(cells):
            band = expectations()[statement_id(cell)]
            label = "band" if place == 0 else None
            panel.plot([place, place], [band.low, band.high], color="0.85", linewidth=8, solid_capstyle="butt",
                       label=label, zorder=0)  # fmt: skip
        places = range(len(cells))
        published = [published_rates_mbit(cell) for cell in cells]
        shares = [first / (first + second) for first, second in published]
        panel.plot(places, shares, label="l4s-tests", **published_style.PUBLISHED_POINTS)
        ours = [(place, rates[0] / sum(rates)) for place, cell in enumerate(cells) if (rates := rates_mbit(runs, cell))]
        style = published_style.control_style("cubic", label="ours", marker="o", linestyle="none", markersize=4)
        panel.plot([place for place, _ in ours], [share for _, share in ours], **style)
        published_style.set_axes(panel, "", "share of the first flow", (-0.6, len(cells) - 0.4), (0.2, 0.8), qdisc)
        panel.set_xticks(
            list(places), [f"{cell.rtt1_ms}/{cell.rtt2_ms}\n{cell.rate_mbit}" for cell in cells], fontsize=7
        )
        published_style.add_legend(panel, loc="upper right", ncols=3, fontsize=7)
    panels[-1].set_xlabel("round trips without queue (ms), rate (Mbit/s)")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


FAIRNESS = Experiment(
    name="L4S-RTT",
    title="Two flows of CUBIC behind a FIFO and fq_codel",
    source="Heist: Tests of L4S, scenario 1: RTT fairness, 2020, https://github.com/heistp/l4s-tests",
    setup="""Two flows begin at once and send for 180 s through a bottleneck of 50 or 10 Mbit/s. Their round trips
without queue are 10 and 10, 20 and 10, 20 and 20, 80 and 20, 80 and 80, or 160 and 10 ms. The bottleneck has a FIFO of
1000 or 200 packets, which is 242 ms, or `fq_codel` with its defaults. The published rate of a flow is its mean over
60 s at the end. Each cell of the published table is one run, and so it is here.

The published table has four disciplines and four pairs of CUBIC and Prague: 192 cells, of which these are the 24 with
CUBIC alone behind a discipline that every Linux has. The others are absent. 144 cells need Prague: the module of this
project needs accurate ECN feedback, which Linux has since 7.0, and the lab kernel of these runs is 6.1. Linux 6.1 has
no `dualpi2` either, and `cnq_codel_af` is part of no Linux.""",
    lesson="""The bands were written before the first run. **Behind the FIFO** they follow from a model of two windows
of CUBIC whose losses fall on a flow by chance. They are wide, since a flow has only 6 or 7 losses in the 60 s at
50 Mbit/s, and 8 to 12 at 10 Mbit/s. One run of a cell is therefore a weak result, here and in the published table, in
which the flow with the longer round trip has 33 % with 20 and 10 ms, and 61 % with 80 and 20 ms.

Chance is less than in the model where round trips are equal: both flows lose packets at most overflows, within
0.3 s, so their shares stay between 0.49 and 0.53. Two statements fail at 10 Mbit/s, with 20 and 10 ms and with 160 and
10 ms. In the second the flow with the longer round trip has two thirds, and with five other seeds it has 58 to 71 %.

**Behind fq_codel** each flow has half of the link, less what its window leaves unused after a mark. Here our shares
differ from the published ones by at most 0.012.""",
    cases=fairness_cases,
    checks=(
        *(Check(statement_id(cell), first_share(cell)) for cell in CELLS),
        Check("L4S-RTT.25", utilization("pfifo")),
        Check("L4S-RTT.26", utilization("fq_codel")),
    ),
    pictures=(Picture("shares", "The share of the first flow in each cell", draw_shares),),
)
