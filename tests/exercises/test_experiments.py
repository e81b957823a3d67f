"""Checks that measure flows or make faults: their judgements on known numbers, and a reaction on a pretended lab."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from frrlib.errors import LabFailed
from frrlib.exercises import evaluation
from frrlib.exercises.checks import AfterFault, FlowControl, Measurement, Winner
from frrlib.exercises.evaluation import evaluate
from frrlib.exercises.experiments import judge_control, judge_measurement, judge_winner, observe_after_fault, problems
from frrlib.exercises.permitted import permitted
from frrlib.formats import mn
from frrlib.model.queues import FqCodel
from frrlib.results.statistics.statistics import FlowStatistics, QueueStatistics, RunStatistics, Spread
from tests.exercises.samples import ROOT, PretendedLab

TOPOLOGY = mn.load(ROOT / "examples" / "ospf-multihop.mn").topology
RUN = RunStatistics(
    "", "", "finished",
    (
        FlowStatistics("cubic", goodput_mbit=3.0, share_percent=40.0, rtt_ms=Spread(4, 31, 20, 25, 30, 35, 40, 41)),
        FlowStatistics("bbr", "bbr2", goodput_mbit=4.5, share_percent=60.0),
        FlowStatistics("ping", ping_ms=Spread(5, 45, 30, 35, 40, 50, 60, 70)),
    ),
    (QueueStatistics("l6:r3-r6", dropped_percent=2.5), QueueStatistics("l6:r6-r3", dropped_percent=0.0)),
    bottleneck="l6:r3-r6", jain_index=0.96,
)  # fmt: skip


def measurement(quantity: str, **fields: Any) -> Measurement:
    return Measurement(kind="measurement", id="m", title="m", quantity=quantity, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("check", "holds", "seen"),
    [
        (measurement("goodput_mbit", flow="cubic", at_least="3"), True, "the goodput of cubic was 3 Mbit/s"),
        (measurement("goodput_mbit", flow="cubic", at_least="3.1"), False, "the goodput of cubic was 3 Mbit/s"),
        (measurement("rtt_ms", flow="cubic", statistic="p95", at_most="40"), True,
         "the 95th percentile of the RTT of cubic was 40 ms"),
        (measurement("rtt_ms", flow="cubic", at_most="29"), False, "the median RTT of cubic was 30 ms"),
        (measurement("rtt_ms", flow="bbr", at_most="29"), False,
         "the median RTT of bbr is unknown: no packet counts for it"),
        (measurement("ping_ms", flow="ping", statistic="p95", at_most="60"), True,
         "the 95th percentile of the round-trip time of ping was 60 ms"),
        (measurement("ping_ms", flow="ping", statistic="p99", at_most="60"), False,
         "the 99th percentile of the round-trip time of ping was 70 ms"),
        (measurement("dropped_percent", at_most="2"), False,
         "the share of dropped packets at the bottleneck was 2.5 %"),
        (measurement("dropped_percent", queue="l6 r6", at_most="2"), True,
         "the share of dropped packets at queue l6 r6 was 0 %"),
        (measurement("jain_index", at_least="0.95", at_most="1"), True, "the Jain index of the goodputs was 0.96"),
    ],
)  # fmt: skip
def test_a_measured_number_is_compared_with_its_bounds(check: Measurement, holds: bool, seen: str) -> None:
    observation = judge_measurement(RUN, check)
    assert (observation.holds, observation.seen) == (holds, seen)


@pytest.mark.parametrize(
    ("flow", "by_percent", "holds"), [("bbr", 0, True), ("bbr", 50, True), ("bbr", 51, False), ("cubic", 0, False)]
)
def test_the_winner_leads_by_enough(flow: str, by_percent: float, holds: bool) -> None:
    check = Winner(kind="winner", id="w", title="w", flow=flow, by_percent=by_percent)
    observation = judge_winner(RUN, check)
    assert observation.holds == holds
    assert observation.seen == "the shares of the goodput were cubic 40 %, bbr 60 %"


@pytest.mark.parametrize(
    ("flow", "one_of", "holds", "seen"),
    [
        ("bbr", ("bbr2", "bbr3"), True, "the congestion control of bbr was bbr2"),
        ("bbr", ("bbr",), False, "the congestion control of bbr was bbr2"),
        ("cubic", ("cubic",), False, "the congestion control of cubic was unknown"),
    ],
)
def test_the_congestion_control_is_the_one_that_the_kernel_reported(
    flow: str, one_of: tuple[str, ...], holds: bool, seen: str
) -> None:
    check = FlowControl(kind="congestion-control", id="c", title="c", flow=flow, one_of=one_of)
    observation = judge_control(RUN, check)
    assert (observation.holds, observation.seen) == (holds, seen)


@pytest.mark.parametrize(
    ("quantity", "fields", "reason"),
    [
        ("goodput_mbit", {"at_least": "1"}, "needs a flow"),
        ("jain_index", {"at_least": "1", "flow": "bbr"}, "is of no single flow"),
        ("goodput_mbit", {"flow": "bbr"}, "at_least or at_most is missing"),
        ("dropped_percent", {"queue": "l6", "at_most": "1"}, "a queue is a link and the node that sends"),
    ],
)
def test_a_measurement_that_cannot_be_made_is_refused(quantity: str, fields: Any, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        measurement(quantity, **fields)


def after(fault: str = "link-down l1", **fields: Any) -> AfterFault:
    return AfterFault(kind="after-fault", id="f", title="f", fault=fault, source="h1", destination="h2", **fields)


def test_parts_that_the_topology_lacks_are_found() -> None:
    assert list(problems(TOPOLOGY, measurement("goodput_mbit", flow="x", at_least="1"))) == ["there is no flow x"]
    assert list(problems(TOPOLOGY, measurement("dropped_percent", queue="l9 r1", at_most="1"))) == [
        "there is no link l9"
    ]
    pings = measurement("ping_ms", flow="bbr", at_most="1")
    assert list(problems(TOPOLOGY, pings)) == ["the flow bbr sends no pings"]
    assert list(problems(TOPOLOGY, after())) == []
    assert "l9" in next(problems(TOPOLOGY, after("link-down l9")))


class FaultLab(PretendedLab):
    """A lab in which packets arrive again a number of seconds after a fault; each reading of its clock takes 0.5 s."""

    def __init__(self, recovers_s: float) -> None:
        super().__init__(TOPOLOGY, {})
        self.made: list[str] = []
        self._recovers_s, self._fault_s = recovers_s, 0.0

    def now_s(self) -> float:
        self._seconds += 0.5
        return self._seconds

    def ping(self, source: str, destination: str, count: int = 3) -> Any:
        return {"received": count, "sent": count, "address": "10.0.0.2", "rtt_ms": [20.0] * count}

    def fault(self, fault: Any) -> None:
        self.made.append(fault.kind)
        self._fault_s = self._seconds

    def clear_faults(self) -> Any:
        self.made.append("cleared")
        return ()

    def path(self, source: str, destination: str, *, trace: bool = True) -> Any:
        return SimpleNamespace(
            arrives=self._seconds >= self._fault_s + self._recovers_s, describe=lambda: "h1 → r1", branches=list
        )

    def ask(self, command: Any, timeout_s: float = 60.0) -> Any:
        assert command.timeout_s == pytest.approx(0.1 + 3 * 0.02)
        return {"received": 1}


def test_a_fault_is_made_and_cleared_and_the_time_counts() -> None:
    lab = FaultLab(0.0)
    observation = observe_after_fault(lab, after(), 1.0)
    assert (observation.holds, observation.seen) == (True, "0.5 s after the fault h1 received a reply from h2")
    assert lab.made == ["link-down", "cleared"]
    late = observe_after_fault(FaultLab(50.0), after(), 0.0)
    assert (late.holds, late.seen) == (False, "0.5 s after the fault the path is h1 → r1")


def test_flows_are_measured_once_after_all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(evaluation, "measure_flows", lambda lab: calls.append(lab) or RUN)
    checks = [
        measurement("jain_index", at_least="0.9"),
        Winner(kind="winner", id="w", title="w", flow="cubic"),
        measurement("jain_index", at_least="0.99").model_copy(update={"id": "n", "needs": ("w",)}),
        FlowControl(kind="congestion-control", id="c", title="c", flow="bbr", one_of=("bbr2",)),
    ]
    outcomes = evaluate(PretendedLab(TOPOLOGY, {}), checks, {})  # type: ignore[arg-type]
    assert [outcome.state for outcome in outcomes] == ["holds", "fails", "not made", "holds"]
    assert len(calls) == 1

    def fail(lab: object) -> RunStatistics:
        raise LabFailed("h1 does not reach h2")

    monkeypatch.setattr(evaluation, "measure_flows", fail)
    outcomes = evaluate(PretendedLab(TOPOLOGY, {}), checks[:1], {})  # type: ignore[arg-type]
    assert outcomes[0].seen == "h1 does not reach h2"


def test_only_changeable_parts_of_links_and_flows_count(tmp_path: Path) -> None:
    link = TOPOLOGY.links[5]
    shape = link.a_to_b.model_copy(update={"queue": FqCodel(), "rate_mbit": 99.0})
    links = tuple(each.model_copy(update={"a_to_b": shape}) if each is link else each for each in TOPOLOGY.links)
    flows = tuple(flow.model_copy(update={"congestion_control": "reno", "duration_s": 1.0}) for flow in TOPOLOGY.flows)
    submitted = TOPOLOGY.model_copy(update={"links": links, "flows": flows})
    assert permitted(TOPOLOGY, submitted) == TOPOLOGY
    allowed = permitted(TOPOLOGY, submitted, (), ("queues", "congestion-control"))
    assert allowed.links[5].a_to_b == link.a_to_b.model_copy(update={"queue": FqCodel()})
    assert [(flow.congestion_control, flow.duration_s) for flow in allowed.flows] == [("reno", 10.0)] * 2
