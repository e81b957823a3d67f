"""PISA: the rates of 1 to 20 clients that send to one server, against the rate of the link.

c1 ──┐
...  s1 ──[bottleneck]── server
cN ──┘
"""

from __future__ import annotations

from matplotlib.figure import Figure

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, Wait, end
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE
from miniedit_frr.experiments.words import count_text

COUNTS = (1, 2, 5, 10, 15, 20)
_QUICK_COUNTS = (1, 20)
#: The bottleneck, the round trip without queue, and its queue, which is one bandwidth-delay product.
RATE_MBIT, RTT_MS, QUEUE_PACKETS = 100.0, 10.0, 83
#: The time in which rates are measured.
BEGIN_S, LASTS_S, _QUICK_BEGIN_S, _QUICK_LASTS_S = 10.0, 60.0, 5.0, 15.0
#: The greatest published error of Mininet against hardware, in percent.
PUBLISHED_PERCENT = 9.0


def client_cases(quick: bool) -> tuple[Case, ...]:
    """A case for each number of clients."""
    return tuple(
        Case(
            f"clients-{count}",
            dumbbell(count, _QUICK_LASTS_S if quick else LASTS_S),
            setup="right",
            values={"clients": count},
            sample_hz=2.0,
        )
        for count in (_QUICK_COUNTS if quick else COUNTS)
    )


def dumbbell(clients: int, duration_s: float) -> Topology:
    """The lab: clients with equal round trips, a router, and a server behind the bottleneck; flows begin at once."""
    net = Network(f"{clients} {'client' if clients == 1 else 'clients'}", wait=Wait(ping_count=3))
    net.router("s1", at=(320, 60 + 40 * clients))
    net.host("server", at=(540, 60 + 40 * clients))
    net.link(
        end("s1", "10.1.0.254/24"), end("server", "10.1.0.1/24"), id="bottleneck",
        a_to_b=Shape(rate_mbit=RATE_MBIT, queue_packets=QUEUE_PACKETS), b_to_a=Shape(),
    )  # fmt: skip
    delayed = Shape(delay_ms=RTT_MS / 2)
    for number in range(1, clients + 1):
        name = f"c{number}"
        net.host(name, at=(100, 20 + 80 * number))
        net.link(
            end(name, f"10.0.{number}.1/24"), end("s1", f"10.0.{number}.254/24"), id=f"in{number}",
            a_to_b=delayed, b_to_a=delayed,
        )  # fmt: skip
        net.flow(f"f{number}", name, "server", congestion_control="cubic", duration_s=duration_s)
    return net.topology


# --- numbers from runs ------------------------------------------------------------------------------------------------


def rates_mbit(runs: Runs, run: Run) -> list[float]:
    """The goodput of each client in the judged time, in Mbit/s."""
    begin_s, end_s = (_QUICK_BEGIN_S, _QUICK_LASTS_S) if runs.is_quick else (BEGIN_S, LASTS_S)
    return list(measures.goodputs_mbit(run.results, begin_s, end_s).values())


def rates_by_count(runs: Runs) -> dict[int, list[float]]:
    """The goodput of each client by the number of clients, of complete runs only."""
    by_count = {int(run.values["clients"]): rates_mbit(runs, run) for run in runs}
    return {count: rates for count, rates in by_count.items() if len(rates) == count}


def total_errors(runs: Runs) -> CheckResult:
    """The distance of the sum of all clients from the payload that the link carries, in percent."""
    carried = RATE_MBIT * PAYLOAD_SHARE
    errors = {
        count_text(count, "client"): 100 * abs(sum(rates) / carried - 1)
        for count, rates in rates_by_count(runs).items()
    }
    return errors if len(errors) == len(COUNTS) else None


def client_errors(runs: Runs) -> dict[int, list[float]]:
    """The distance of each client from an equal share of the link's payload, in percent, with a sign."""
    carried = RATE_MBIT * PAYLOAD_SHARE
    return {
        count: [100 * (rate * count / carried - 1) for rate in rates] for count, rates in rates_by_count(runs).items()
    }


def greatest_errors(runs: Runs) -> CheckResult:
    """The greatest distance of a client from an equal share, in percent, for each number of clients."""
    errors = {count_text(count, "client"): max(map(abs, errors)) for count, errors in client_errors(runs).items()}
    return errors if len(errors) == len(COUNTS) else None


def mean_errors(runs: Runs) -> CheckResult:
    """The mean distance of a client from an equal share, in percent, for each number of clients."""
    errors = {
        count_text(count, "client"): sum(map(abs, errors)) / count for count, errors in client_errors(runs).items()
    }
    return errors if len(errors) == len(COUNTS) else None


def draw_errors(runs: Runs) -> Figure:
    """The error of each client and of the sum over the number of clients, beside the published bound."""
    figure, (panel,) = published_style.new_figure(width=6.0, height=3.4)
    published_style.draw_band(panel, -PUBLISHED_PERCENT, PUBLISHED_PERCENT, "Mininet against hardware: below 9 %")
    style = published_style.control_style("cubic", label="each client", marker="o", linestyle="none", markersize=3)
    for count, errors in client_errors(runs).items():
        panel.plot([count] * count, errors, **style)
        panel.plot(count, sum(errors) / count, color="black", marker="_", markersize=12, label="sum", linestyle="none")
    published_style.set_axes(panel, "clients", "error against the link (%)", (0, 21), (-25, 30))
    published_style.add_legend(panel, loc="upper left", fontsize=7, ncols=3)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


CLIENTS = Experiment(
    name="PISA",
    title="The rates of 1 to 20 clients on one link",
    source=(
        "Borgianni, Bua, Coli, Adami, Giordano: On the Accuracy of Mininet: Comparing Network Emulation and Physical "
        "Testbeds for Distributed Systems, ICUMT 2025, https://arpi.unipi.it/handle/11568/1347667"
    ),
    setup="""The authors measured with iPerf how 1 to 20 clients share a network in Mininet and in a physical testbed.
The throughput of Mininet differed from that of the testbed by less than 9 %. Only the abstract is open, so the rate,
the round trip, the congestion control and the duration of their tests are not known to us.

Here 1, 2, 5, 10, 15 and 20 clients send to a server through a link of 100 Mbit/s. The round trip without queue is
10 ms, the queue is one bandwidth-delay product, and the flows of CUBIC last 60 s, of which the first 10 s are left out.
**There is no hardware beside our runs.** The sum of the rates is compared with the payload that the link carries, and
each client with an equal share of it.""",
    lesson="""**The sum of the rates is that of the link.** It differs from the payload that the link carries by 0.012 %
at most, with any number of clients.

**A single client is farther from an equal share than 9 %.** With one or two clients the distance is at most 2.6 %, with
20 it is up to 19 %, and 4 to 6 % on average from five clients on. CUBIC does not give equal shares behind a FIFO in
50 s: the losses of a full queue fall on some of the flows. The statement fails, and its band is kept. So an emulator
and a testbed can differ by more than 9 % in the rate of one client, even if both are exact.

**This is weaker than the original.** It compares with the values of the topology and not with hardware, and the
parameters are ours. Each case ran once.""",
    cases=client_cases,
    checks=(
        Check("PISA.1", total_errors),
        Check("PISA.2", greatest_errors),
        Check("PISA.3", mean_errors),
    ),
    pictures=(Picture("errors", "The error of each client and of the sum, beside the published bound", draw_errors),),
)
