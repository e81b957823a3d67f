"""Kinds of traffic: rejected values, files, plans, and the ready mixes."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import Severity, check
from frrlib.edits.flow_mixes import CLASSES, MIXES, mix
from frrlib.edits.generators import dumbbell
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.base import first_fault
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import KINDS, Bulk, Command, ConstantRate, OnOff, Ping, Video, Voip, WebPage
from frrlib.prediction.congestion import control_of
from frrlib.render.plan import flow_plans

ENDS: dict[str, Any] = {"source": "h1", "destination": "h2"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: OnOff(protocol="udp"), "udp needs rate_mbit"),
        (lambda: OnOff(paced_by="application"), "paced_by application needs rate_mbit"),
        (lambda: Voip(codec="G.723.1", packet_ms=20), "a multiple of the G.723.1 frame of 30 ms"),
        (lambda: Video(ladder_mbit=(2.0, 1.0)), "list each quality once, the lowest first"),
        (lambda: Video(chunk_s=4, buffer_s=2), "at least one chunk of 4 s"),
        (lambda: Command(reads="pattern"), "set both or neither"),
        (lambda: Command(reads="pattern", pattern="("), "is not a valid regular expression"),
        (lambda: Command(reads="pattern", pattern="(?P<speed>x)"), "has a group 'speed'; name groups"),
        (lambda: Command(reads="pattern", pattern="x"), "has no named group"),
        (lambda: Flow(id="f", **ENDS, duration_s=None, size_bytes=9, traffic=Ping()), "set duration_s for ping"),
        (lambda: Flow(id="f", **ENDS, size_bytes=9), "set either duration_s or size_bytes"),
    ],
)
def test_invalid_groups_are_rejected_with_a_reason(make: Any, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        make()
    assert words in first_fault(refused.value)[1]


def test_a_file_has_the_kind_and_unusual_fields_of_a_flow() -> None:
    plain = Flow(id="f", **ENDS)
    assert plain.model_dump(mode="json", exclude_defaults=True) == {"id": "f", **ENDS}
    for kind in KINDS.values():
        flow = Flow(id="f", **ENDS, traffic=kind(), dscp=46)
        fields = flow.model_dump(mode="json", exclude_defaults=True)
        assert fields.get("traffic", {"kind": "bulk"}) == {"kind": flow.kind}
        drawing = dumbbell(1, congestion_controls=()).model_copy(update={"flows": (flow,)})
        assert mn.loads(mn.dumps(drawing).encode(), "x.mn").topology.flows == (flow,)


def test_sizes_of_packets_are_those_of_the_codecs() -> None:
    # 64 kbit/s for 20 ms are 160 bytes, 8 kbit/s 20; RTP's header has 12.
    assert [Voip(codec=codec).payload_bytes for codec in ("G.711", "G.729")] == [172, 32]
    assert Voip().offered_mbit == pytest.approx(172 * 8 / 20e3)


def test_a_page_has_the_same_random_sizes_each_time() -> None:
    page = WebPage(objects=2000 // 2, mean_bytes=30_000)
    sizes = page.sender_settings()["sizes_bytes"]
    assert (
        sizes == page.sender_settings()["sizes_bytes"] != WebPage(objects=1000, seed=2).sender_settings()["sizes_bytes"]
    )
    # The mean of 1000 draws, whose standard deviation is sqrt(e - 1) means, within four standard errors.
    assert sum(sizes) / 1000 == pytest.approx(30_000, abs=4 * 30_000 * math.sqrt((math.e - 1) / 1000))
    assert WebPage(sizes_bytes=(5, 6)).sender_settings()["sizes_bytes"] == (5, 6)


def planned(*flows: Flow) -> list[Any]:
    drawing = dumbbell(1, congestion_controls=()).model_copy(update={"flows": flows})
    return list(flow_plans(addressed(drawing)))


def test_the_plan_has_times_ports_and_initiators() -> None:
    plans = planned(
        Flow(id="a", **ENDS, count=3, stagger_s=2, start_s=1, streams=2),
        Flow(id="b", **ENDS, opened_by="destination"),
        Flow(id="c", **ENDS, traffic=WebPage()),
        Flow(id="d", **ENDS, traffic=ConstantRate(), congestion_control="bbr"),
    )
    assert [plan.id for plan in plans] == ["a.1", "a.2", "a.3", "b", "c", "d"]
    assert [plan.start_s for plan in plans[:3]] == [1, 3, 5]
    ports = [plan.source_port + number for plan in plans for number in range(plan.streams)]
    assert len(set(ports)) == len(ports) and len({plan.port for plan in plans}) == len(plans)
    assert [plan.asked_by for plan in plans[2:]] == ["source", "destination", "destination", "source"]
    assert (plans[5].transport, plans[5].congestion_control) == ("udp", "")
    assert [plan.tool for plan in plans[:4]] == ["own", "own", "own", "own"]
    assert [plan.tool for plan in planned(Flow(id="e", **ENDS), Flow(id="g", **ENDS, traffic=Bulk(tool="iperf3")))] == [
        "auto", "iperf3"
    ]  # fmt: skip


def test_only_tcp_has_a_congestion_control() -> None:
    drawing = dumbbell(1, congestion_controls=())
    assert control_of(drawing, Flow(id="f", **ENDS, traffic=Ping())).name == ""
    assert control_of(drawing, Flow(id="f", **ENDS)).name == "cubic"


def test_the_end_of_a_group_is_that_of_its_last_flow() -> None:
    assert Flow(id="f", **ENDS, count=5, stagger_s=2, start_s=1, duration_s=10).ends_s == 1 + 4 * 2 + 10
    assert Flow(id="f", **ENDS, duration_s=None, size_bytes=1).ends_s is None


@pytest.mark.parametrize("name", MIXES)
def test_a_mix_can_be_added_twice(name: str) -> None:
    drawing = dumbbell(1)
    once = drawing.model_copy(update={"flows": (*drawing.flows, *mix(name, drawing, "h1", "h2"))})
    twice = once.model_copy(update={"flows": (*once.flows, *mix(name, once, "h1", "h2"))})
    assert not [problem for problem in check(twice) if problem.severity == Severity.ERROR]
    assert len({plan.id for plan in flow_plans(addressed(twice))}) == sum(flow.count for flow in twice.flows)


def test_flows_of_the_mixes() -> None:
    drawing: Topology = dumbbell(1, congestion_controls=())
    up_down = mix("rrul", drawing, "h1", "h2", duration_s=10)
    greedy = [flow for flow in up_down if flow.traffic.is_greedy]
    assert [(flow.source, flow.dscp) for flow in greedy] == [
        (source, dscp) for source in ("h1", "h2") for dscp in (0, 8, 40, 46)
    ]
    assert {flow.initiator for flow in up_down} == {"h1"}, "the test runs from one end"
    bbr, cubic = mix("versus", drawing, "h1", "h2", number=2, against=3)
    assert [(flow.congestion_control, flow.count) for flow in (bbr, cubic)] == [("bbr", 2), ("cubic", 3)]
    (five,) = mix("staggered", drawing, "h1", "h2")
    assert (five.count, five.stagger_s) == (5, 2.0)
    with pytest.raises(TopologyError, match="is not a mix of flows; one of staggered, versus"):
        mix("nonsense", drawing, "h1", "h2")


def test_classes_have_the_numbers_of_their_rfcs() -> None:
    assert {name: CLASSES[name] for name in ("CS0", "CS7", "AF11", "AF43", "EF")} == {
        "CS0": 0, "CS7": 56, "AF11": 10, "AF43": 38, "EF": 46
    }  # fmt: skip
