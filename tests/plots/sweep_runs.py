"""A small sweep: CUBIC and BBR over delays and queues, each combination three times, with numbers from one formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.results.read import open_results
from frrlib.results.records import Results
from tests.examples.data import two_as_bgp
from tests.results.conftest import Make, receiver, sender

CONTROLS, DELAYS_MS, QUEUES, REPETITIONS = ("bbr", "cubic"), (10, 20, 80), (50, 200), (0, 1, 2)
#: The deviation of each repetition from the mean, in Mbit/s; their standard deviation is 0.2.
DEVIATIONS_MBIT = (-0.2, 0.0, 0.2)
#: The bound of Student's distribution with two degrees of freedom for 95 %, from a printed table.
STUDENT_T = 4.303
LASTING_S = 5


def goodput_mbit(control: str, delay_ms: float, queue: float, repetition: int) -> float:
    """The goodput of a run."""
    base = 9.0 if control == "bbr" else 6.0
    return base - delay_ms / 40 + queue / 100 + DEVIATIONS_MBIT[repetition]


def rtt_ms(delay_ms: float, queue: float) -> float:
    """The constant RTT of a run, twice the delay and a part of the queue. The lowest RTT is twice the delay."""
    return 2 * delay_ms + queue / 10


def topology_text(delay_ms: float, queue: int, control: str, rate_mbit: float = 10, loss_percent: float = 0) -> str:
    """The topology of a run, as a file."""
    shape = Shape(rate_mbit=rate_mbit, delay_ms=delay_ms, queue_packets=queue, loss_percent=loss_percent)
    base = two_as_bgp()
    links = tuple(
        link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) if link.is_shaped else link for link in base.links
    )
    flows = tuple(flow.model_copy(update={"congestion_control": control}) for flow in base.flows)
    return mn.dumps(base.model_copy(update={"links": links, "flows": flows}))


def write_run(make: Make, name: str, text: str, flows: Sequence[tuple[str, str, float, float, float]]) -> Path:
    """Write a run with a topology, and with flows: name, congestion control, goodput in Mbit/s, RTT, lowest RTT."""
    rows = []
    for flow, control, mbit, rtt, low in flows:
        for step in range(2 * LASTING_S + 1):
            rows.append(sender(step / 2, flow, 10, rtt, low, 0, control))
            rows.append(receiver(step / 2, flow, mbit * 125_000 * step / 2))
    folder = make(rows, name=name, title="A sweep")
    (folder / "topology.mn").write_text(text)
    return folder


def sweep_runs(make: Make) -> Iterator[Results]:
    """The runs of the sweep."""
    for control, delay, queue, repetition in product(CONTROLS, DELAYS_MS, QUEUES, REPETITIONS):
        mbit = goodput_mbit(control, delay, queue, repetition)
        flows = [("f", control, mbit, rtt_ms(delay, queue), 2.0 * delay)]
        name = f"{control}-{delay}-{queue}-{repetition}"
        yield open_results(write_run(make, name, topology_text(delay, queue, control), flows))


def renamed(runs: Sequence[Results], title: str) -> list[Results]:
    """The same runs under another title."""
    return [replace(run, info=run.info.model_copy(update={"title": title})) for run in runs]
