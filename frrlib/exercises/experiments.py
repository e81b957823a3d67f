"""Measurements of a lab's flows, and its reactions to faults, as observations of checks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from frrlib import wire
from frrlib.errors import LabError, LabFailed, PlaceError
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.experiment_checks import (
    OF_FLOWS,
    OF_QUEUES,
    SAMPLED,
    AfterFault,
    FlowControl,
    Measurement,
    Winner,
)
from frrlib.exercises.observation import Observation, ObservedLab
from frrlib.expect.expectation import UnmetExpectation, expect
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.lab.requests import FLOW_MARGIN_S
from frrlib.lab.virtual_clock import refuse_virtual
from frrlib.model import fault_words
from frrlib.model.faults import OF_LINKS, Fault
from frrlib.model.topology import Topology
from frrlib.places import PlaceName

if TYPE_CHECKING:
    from frrlib.results.statistics.statistics import FlowStatistics, QueueStatistics, RunStatistics

#: Longest wait for the network to recover after a fault, before the next one.
RECOVERY_S = 30.0
#: Time between two observations after a fault.
_INTERVAL_S = 0.1
#: Time to wait for a reply after a fault, besides three RTTs.
_PATIENCE_S = 0.1
#: Words of each quantity and its unit, as in "the goodput of f1 was 9.4 Mbit/s".
_WORDS = {
    "goodput_mbit": ("goodput", "Mbit/s"), "rtt_ms": ("RTT", "ms"), "queueing_ms": ("queueing delay", "ms"),
    "ping_ms": ("round-trip time", "ms"),
    "share_percent": ("share of the goodput", "%"), "resent_percent": ("share of resent bytes", "%"),
    "lost_percent": ("share of lost packets", "%"), "completion_s": ("completion time", "s"),
    "queue_delay_ms": ("delay", "ms"), "dropped_percent": ("share of dropped packets", "%"),
    "marked_percent": ("share of marked packets", "%"), "used_percent": ("utilization", "%"),
    "total_goodput_mbit": ("goodput of all flows", "Mbit/s"), "jain_index": ("Jain index of the goodputs", ""),
}  # fmt: skip
_STATISTICS = {"mean": "mean", "p50": "median", **{f"p{n}": f"{n}th percentile of the" for n in (5, 25, 75, 95, 99)}}
#: The names of statistics whose quantity has another name there.
_FIELDS = {"queue_delay_ms": "delay_ms", "used_percent": "utilisation_percent", "total_goodput_mbit": "goodput_mbit"}


# --- flows --------------------------------------------------------------------------------------------------------


def measure_flows(lab: ObservedLab) -> RunStatistics:
    """Send the topology's flows in a running lab. Returns their statistics.

    Raises:
        LabError: the topology has no flows, or the measurement failed; the message names the first failure.
    """
    from frrlib.results.read import open_results  # numpy takes a while to load, and few checks measure
    from frrlib.results.statistics.statistics import statistics
    from frrlib.run.run import RunSettings, send

    if not isinstance(lab, Lab):
        raise LabFailed("this lab has no flows")
    with tempfile.TemporaryDirectory(prefix="miniedit-frr-exercise-") as folder:
        results = Path(folder) / "results"
        outcome = send(lab, lab.drawn, mn.dumps(lab.drawn), results, RunSettings(), figure=False)
        if outcome.failures:
            raise LabFailed(outcome.failures[0])
        return statistics(open_results(results))


def longest_flows_s(topology: Topology) -> float:
    """The longest time that the flows of a topology take, `FLOW_MARGIN_S` included."""
    ends = [flow.start_s + flow.count * flow.stagger_s + (flow.duration_s or 3600.0) for flow in topology.flows]
    return max(ends, default=0.0) + FLOW_MARGIN_S


def use_virtual_time(exercise: Exercise, requested: bool, place: str, kernel: Path | None) -> bool:
    """Whether the labs of an exercise run in virtual time: if requested, or if its checks measure flows or make faults
    and this machine has virtual time. Results are the same on every run then."""
    if requested or not exercise.has_experiments or place not in (PlaceName.AUTO, PlaceName.LABKERNEL):
        return requested
    try:
        refuse_virtual(kernel)
    except PlaceError:
        return False
    return True


def judge_measurement(run: RunStatistics, check: Measurement) -> Observation:
    """Whether a measured number is within the bounds of a check. The bounds are not told."""
    subject, value = _measured(run, check)
    if value is None:
        return Observation(False, f"the {subject} is unknown: no packet counts for it")
    unit = _WORDS[check.quantity][1]
    holds = (not check.at_least or value >= float(check.at_least)) and (
        not check.at_most or value <= float(check.at_most)
    )
    return Observation(holds, f"the {subject} was {value:.3g} {unit}".rstrip())


def judge_winner(run: RunStatistics, check: Winner) -> Observation:
    """Whether a flow has a larger goodput than all others."""
    shares = {flow.flow: flow.share_percent or 0.0 for flow in run.flows if flow.ping_ms is None}
    if check.flow not in shares or len(shares) < 2:
        return Observation(False, f"flows were measured: {', '.join(shares) or 'none'}")
    others = max(share for flow, share in shares.items() if flow != check.flow)
    holds = shares[check.flow] > others and shares[check.flow] >= others * (1 + check.by_percent / 100)
    return Observation(holds, f"the shares of the goodput were {_listed(shares)}")


def judge_control(run: RunStatistics, check: FlowControl) -> Observation:
    """Whether the kernel used one of the congestion controls of a check for a flow."""
    control = next((flow.congestion_control for flow in run.flows if flow.flow == check.flow), "")
    return Observation(control in check.one_of, f"the congestion control of {check.flow} was {control or 'unknown'}")


def _listed(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{flow} {share:.0f} %" for flow, share in shares.items())


def _measured(run: RunStatistics, check: Measurement) -> tuple[str, float | None]:
    """The name of a number, and the number; None if it is unknown."""
    subject, source = _WORDS[check.quantity][0], _source(run, check)
    if check.quantity in SAMPLED:
        subject = f"{_STATISTICS[check.statistic]} {subject}"
    if check.flow:
        subject = f"{subject} of {check.flow}"
    if check.quantity in OF_QUEUES:
        subject = f"{subject} at {'queue ' + check.queue if check.queue else 'the bottleneck'}"
    value = getattr(source, _FIELDS.get(check.quantity, check.quantity), None)
    if check.quantity in SAMPLED:
        value = getattr(value, check.statistic, None)
    return subject, value


def _source(run: RunStatistics, check: Measurement) -> FlowStatistics | QueueStatistics | RunStatistics | None:
    """The statistics that contain the number of a check."""
    if check.quantity in OF_FLOWS:
        return next((flow for flow in run.flows if flow.flow == check.flow), None)
    if check.quantity not in OF_QUEUES:
        return run
    link, _, sender = check.queue.partition(" ")
    begin = f"{link}:{sender.strip()}-"
    for queue in run.queues:
        if queue.direction == run.bottleneck if not check.queue else queue.direction.startswith(begin):
            return queue
    return None


# --- faults -------------------------------------------------------------------------------------------------------


def observe_after_fault(lab: ObservedLab, check: AfterFault, limit_s: float) -> Observation:
    """Make a fault, and wait until packets arrive on the path of the check, or its time is over. Clears the fault.

    Raises:
        LabError: the fault is not possible, or the lab failed.
    """
    fault = fault_words.parse(lab.topology, check.fault.split())
    before = lab.ping(check.source, check.destination, count=2)
    if not before["received"]:
        return Observation(False, f"{check.source} did not reach {check.destination} even before the fault")
    # A lost request is given up soon, so that the time of the first reply is known well.
    patience_s = _PATIENCE_S + 3 * max(before["rtt_ms"]) / 1000
    request = wire.Ping(check.source, before["address"], 1, interval_s=_INTERVAL_S, timeout_s=patience_s)
    lab.fault(fault)
    since_s = lab.now_s()
    seen: list[tuple[bool, str, float]] = []

    def arrives() -> bool:
        holds, text = _state(lab, check, request)
        seen.append((holds, text, lab.now_s() - since_s))
        return holds

    try:
        with suppress(UnmetExpectation):
            expect(arrives, True, timeout_s=limit_s, interval_s=_INTERVAL_S)
    finally:
        recover(lab)
    holds, text, after_s = seen[-1]
    return Observation(holds and after_s <= limit_s, f"{after_s:.1f} s after the fault {text}")


def _state(lab: ObservedLab, check: AfterFault, request: wire.Ping) -> tuple[bool, str]:
    """Whether packets arrive on the path of the check now, and what was seen."""
    path = lab.path(check.source, check.destination, trace=False)
    if not path.arrives or (check.path and path.branches() != [check.path]):
        return False, f"the path is {path.describe()}"
    received = lab.ask(request)["received"] == request.count
    return received, f"{check.source} received {'a' if received else 'no'} reply from {check.destination}"


def recover(lab: ObservedLab) -> None:
    """Clear all faults, and wait until the network has converged or `RECOVERY_S` are over."""
    with suppress(LabError):
        lab.clear_faults()
        if isinstance(lab, Lab):
            lab.wait_converged(timeout_s=RECOVERY_S)


# --- before a lab --------------------------------------------------------------------------------------------------


def problems(topology: Topology, check: object) -> Iterator[str]:
    """Parts of a check that do not fit the topology, such as an unknown flow or a fault without its link."""
    flows = {result_id for flow in topology.flows for result_id in flow.result_ids}
    if isinstance(check, Measurement | Winner | FlowControl):
        yield from (f"there is no flow {flow}" for flow in check.flows if flow not in flows)
        if not flows:
            yield "the topology has no flows to measure"
    if isinstance(check, Measurement) and check.quantity == "ping_ms":
        pinging = {result_id for flow in topology.flows if flow.kind == "ping" for result_id in flow.result_ids}
        if check.flow in flows - pinging:
            yield f"the flow {check.flow} sends no pings"
    if isinstance(check, Measurement) and check.queue:
        link = check.queue.split()[0]
        if not any(link == each.id for each in topology.links):
            yield f"there is no link {link}"
    if isinstance(check, AfterFault):
        try:
            fault = fault_words.parse(topology, check.fault.split())
        except LabError as error:
            yield str(error)
        else:
            yield from _missing_targets(topology, fault)


def _missing_targets(topology: Topology, fault: Fault) -> Iterator[str]:
    """The links and nodes of a fault that the topology lacks."""
    if fault.kind in OF_LINKS:
        names, known = [fault.target], [link.id for link in topology.links]
    else:
        names = [name.partition(":")[0] for name in fault.target.split(",") if name]
        known = [node.name for node in topology.nodes]
    yield from (f"the fault {fault.kind} names {name}, which does not exist" for name in names if name not in known)
