"""The data of distributions: samples of a quantity for each flow or queue of one or several runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from frrlib.results.flow_names import named_flow
from frrlib.results.layout import QueueInfo
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import Floats, FlowSamples, flow_samples, sending_span, series, within
from frrlib.results.statistics.bottleneck import busy_queues
from frrlib.results.statistics.differences import RunGroup, groups
from frrlib.results.statistics.fairness import BIN_S, shares
from frrlib.results.statistics.statistics import queueing_samples_ms, rtt_samples_ms

#: With more flows, those with a common entry in the topology ("f1.1", "f1.2") are merged.
MOST_FLOWS = 8
_MOST_QUEUES = 8


@dataclass(frozen=True, eq=False)
class Sample:
    """The values of a flow, of several merged flows, or of a queue, in all repetitions of an experiment.

    Attributes:
        name: the flow or queue.
        control: the flow's congestion control; empty for a queue.
        group: number of the experiment, from 0.
        group_label: the values that distinguish the experiment; empty if there is only one.
        values: in the order of time, repetition after repetition.
    """

    name: str
    control: str
    group: int
    group_label: str
    values: Floats

    @property
    def label(self) -> str:
        """The label in a figure of all experiments."""
        named = named_flow(self.name, self.control)
        return f"{self.group_label}: {named}" if self.group_label else named


@dataclass(frozen=True)
class SampledQuantity:
    """A quantity with many values in a run.

    Attributes:
        name: its name on the command line.
        title, unit: its name and unit for people.
        of: a function that returns name, congestion control and values for each flow or queue of a run.
    """

    name: str
    title: str
    unit: str
    of: Callable[[Results], Iterator[tuple[str, str, Floats]]]


def stem(flow: str) -> str:
    """The id of a flow's entry in the topology: "f1" for "f1.3"."""
    return re.sub(r"\.\d+$", "", flow)


def _by_flow(of: Callable[[Results, FlowSamples], Floats]) -> Callable[[Results], Iterator[tuple[str, str, Floats]]]:
    def take(results: Results) -> Iterator[tuple[str, str, Floats]]:
        for flow in flow_samples(results):
            yield flow.id, flow.congestion_control, of(results, flow)

    return take


def _goodput(results: Results) -> Iterator[tuple[str, str, Floats]]:
    flow_shares, controls = shares(results), {flow.id: flow.congestion_control for flow in flow_samples(results)}
    for number, flow in enumerate(flow_shares.flows):
        yield flow, controls[flow], flow_shares.rates_mbit[number][flow_shares.sending[number]]


def _cwnd(results: Results, flow: FlowSamples) -> Floats:
    span = sending_span(flow)
    return within(series(flow.sender, "cwnd_packets"), *span) if span else np.zeros(0)


def _waited(results: Results) -> Iterator[tuple[str, str, Floats]]:
    for flow in flow_samples(results):
        waited = results.app["duration_ms"][results.app["flow"] == flow.id]
        yield flow.id, flow.congestion_control, waited[~np.isnan(waited)]


def _queues(results: Results) -> Iterator[tuple[str, str, Floats]]:
    spans = [span for flow in flow_samples(results) if (span := sending_span(flow))]
    hull = (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else (-np.inf, np.inf)
    for direction, rows in busy_queues(results, _MOST_QUEUES)[0].items():
        info = results.info.queues.get(direction, QueueInfo())
        delays = rate_history(results, direction, info.rate_mbit).drain_ms(series(rows, "backlog_bytes"))
        if delays[0].size:
            name = f"{direction} ({info.discipline})" if info.discipline else direction
            yield name, "", within(delays, *hull)


MEASURES = {
    measure.name: measure
    for measure in (
        SampledQuantity("rtt", "RTT at the sender (srtt)", "ms", _by_flow(lambda _, flow: rtt_samples_ms(flow))),
        SampledQuantity(
            "queueing", "Queueing delay: RTT minus the RTT of the path at rest", "ms", _by_flow(queueing_samples_ms)
        ),
        SampledQuantity("goodput", f"Goodput, mean over {BIN_S:g} s", "Mbit/s", _goodput),
        SampledQuantity("cwnd", "Congestion window", "packets", _by_flow(_cwnd)),
        SampledQuantity(
            "waited", "Waiting times of an application for requests, pages, chunks or bursts", "ms", _waited
        ),
        SampledQuantity("queue", "Delay in the queue: backlog at its rate", "ms", _queues),
    )
}


def samples(runs: Sequence[Results], measure: str) -> list[Sample]:
    """The samples of a quantity by experiment and flow or queue; those without values are left out.

    Raises:
        KeyError: `measure` is not one of MEASURES.
    """
    experiments = groups(runs)
    return [
        sample
        for number, group in enumerate(experiments)
        for sample in _of_group(group, number, len(experiments), measure)
    ]


def _of_group(group: RunGroup, number: int, many: int, measure: str) -> Iterator[Sample]:
    values: dict[str, list[Floats]] = {}
    controls: dict[str, str] = {}
    for run in group.runs:
        parts = list(MEASURES[measure].of(run))
        crowded = len(parts) > MOST_FLOWS
        for name, control, data in parts:
            label = stem(name) if crowded else name
            values.setdefault(label, []).append(data)
            controls.setdefault(label, control)
    for name, arrays in values.items():
        joined = np.concatenate(arrays)
        if joined.size:
            yield Sample(name, controls[name], number, group.label if many > 1 else "", joined)
