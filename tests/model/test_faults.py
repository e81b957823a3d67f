"""Faults as values: their words, problems of planned faults, and updates after edits."""

from __future__ import annotations

import pytest
from hypothesis import given

from frrlib.checks.check import check
from frrlib.edits.changes import delete, rename, replace_link
from frrlib.edits.fault_plan import set_faults
from frrlib.errors import TopologyError
from frrlib.model.fault_words import VERBS, parse, parse_planned, seconds, words_of
from frrlib.model.faults import ENDED_BY, KINDS, Fault, LinkValues
from frrlib.model.links import Shape
from frrlib.model.queues import FqCodel, Sfq
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Ospf
from tests.strategies.basics import usual_names
from tests.strategies.topologies import faults


def _topology() -> Topology:
    net = Network("Three routers")
    for name in ("r1", "r2", "r3"):
        net.router(name, ospf=Ospf())
    net.host("h1")
    net.host("h2")
    for a, b in (("r1", "r2"), ("r2", "r3"), ("r3", "r1"), ("h1", "r1"), ("h2", "r3")):
        net.link(a, b)
    net.flow("f", "h1", "h2")
    return net.topology


WORDS = {
    "link-down l1 2s": Fault(kind="link-down", target="l1", duration_s=2),
    "loss l1": Fault(kind="loss", target="l1"),
    "loss l1 30% 500ms towards r2": Fault(
        kind="loss", target="l1", loss_percent=30, duration_s=0.5, towards="r2"
    ),
    "set l1 rate=5 delay=10ms queue=30": Fault(
        kind="link-values", target="l1", values=LinkValues(rate_mbit=5, delay_ms=10, queue_packets=30)
    ),
    "set l1 discipline=fq_codel,target_ms=7,ecn=false towards r2": Fault(
        kind="link-values", target="l1", towards="r2", values=LinkValues(queue=FqCodel(target_ms=7, ecn=False))
    ),
    "set l1 discipline=sfq,divisor=1024": Fault(
        kind="link-values", target="l1", values=LinkValues(queue=Sfq(divisor=1024))
    ),
    "set l1 discipline=fifo": Fault(kind="link-values", target="l1", values=LinkValues(queue="fifo")),
    "kill r1 ospfd": Fault(kind="daemon-killed", target="r1:ospfd"),
    "flap r1-eth0 5 1s": Fault(kind="flap", target="r1:r1-eth0", times=5),
    "partition r1,r2": Fault(kind="partition", target="r1,r2"),
    "power-cycle r1 3s": Fault(kind="power-cycled", target="r1", duration_s=3),
    "heal": Fault(kind="healed"),
}  # fmt: skip
INVALID_WORDS = {
    "": "'' is not a fault; one of link-down, link-up, loss, set",
    "explode r1": "'explode' is not a fault",
    "loss": "the target is missing; loss LINK [PERCENT%]",
    "loss l1 much": "'much' is not a time such as 2s",
    "loss l1 30": "'30' may mean 30% or 30s; add the unit",
    "loss l1 towards": "'towards' is not a time",
    "loss l1 -3s": "duration_s: must be greater than 0",
    "flap r1-eth0 2.7": "times: must be a valid integer",
    "flap r1-eth0 often": "times: must be a valid integer",
    "loss l1 300%": "less than or equal to 100",
    "set l1": "has no value to change",
    "set l1 speed=3": "'speed' is not a value of a link; choose one of rate, delay",
    "set l1 discipline=soon": "'soon' is not a queueing discipline; choose one of fifo, pfifo",
    "set l1 discipline=codel,ecn": "'ecn' is not a parameter of codel with its value",
    "set l1 discipline=codel,target_ms=500": "l1.queue.codel: target_ms is 500; it must be below interval_ms",
    "kill r1": "the daemon of r1 is missing",
    "heal l1": "'l1' is unexpected here",
    "link-up l1 2s": "'2s' is unexpected here",
}


@pytest.mark.parametrize("words", WORDS)
def test_words_are_parsed_to_faults(words: str) -> None:
    assert parse(_topology(), words.split()) == WORDS[words]


@pytest.mark.parametrize("words", INVALID_WORDS)
def test_invalid_fault_words_are_rejected_with_a_valid_form(words: str) -> None:
    with pytest.raises(TopologyError) as caught:
        parse(_topology(), words.split())
    assert INVALID_WORDS[words] in str(caught.value)


def test_every_kind_has_its_verb_and_every_time_its_end() -> None:
    assert {kind for kind, _ in VERBS.values()} == set(KINDS)
    assert ENDED_BY.keys() <= set(KINDS)
    assert (seconds("2s"), seconds("250ms"), seconds("1.5")) == (2.0, 0.25, 1.5)


def test_planned_faults_are_parsed_with_their_time() -> None:
    fault = parse_planned(_topology(), " 1500ms loss l1 30% 2s")
    assert fault == Fault(kind="loss", target="l1", loss_percent=30, time_s=1.5, duration_s=2)
    for text, message in {
        "loss l1": "'loss l1' does not begin with a time; seconds after the start of the flows",
        "": "'' does not begin with a time",
        "-1 loss l1": "-1 is not a valid time of a fault",
        "nan loss l1": "nan is not a valid time of a fault",
        "4": "'' is not a fault",
    }.items():
        with pytest.raises(TopologyError) as caught:
            parse_planned(_topology(), text)
        assert message in str(caught.value)


@given(faults(usual_names))
def test_fault_words_parse_to_the_same_fault(fault: Fault) -> None:
    """Except for names that only the topology can complete, and numbers with more digits than people write."""
    again = parse(Topology(), words_of(fault).split(), fault.time_s) if ":" not in fault.target[-1:] else fault
    assert (again.kind, again.target, again.times, again.towards) == (
        fault.kind, fault.target, fault.times, fault.towards,
    )  # fmt: skip
    assert again.loss_percent == pytest.approx(fault.loss_percent)
    if fault.values is not None and again is not fault:
        assert again.values is not None and again.values.queue == fault.values.queue


def test_link_values_change_given_fields_only() -> None:
    shape = Shape(rate_mbit=10, delay_ms=5, queue_packets=30)
    assert LinkValues(delay_ms=7).changed(shape) == Shape(rate_mbit=10, delay_ms=7, queue_packets=30)
    assert LinkValues(queue_bdp=1).changed(shape) == Shape(rate_mbit=10, delay_ms=5, queue_bdp=1)
    assert LinkValues(rate_mbit=0).changed(shape) == Shape(delay_ms=5)
    with_queue = LinkValues(queue=FqCodel(target_ms=7)).changed(shape)
    assert with_queue == Shape(rate_mbit=10, delay_ms=5, queue_packets=30, queue=FqCodel(target_ms=7))
    assert LinkValues(queue="fifo").changed(with_queue) == shape


MISSING_TARGETS = {
    "link-down l9": ("no-target", "there is no link l9"),
    "loss l1 towards r3": ("no-target", "r1 - r2 does not lead to r3"),
    "freeze r9": ("no-target", "there is no node r9"),
    "kill h1 ospfd": ("no-target", "h1 does not run FRR"),
    "power-cycle h1": ("no-target", "h1 is a host"),
    "flap r1:eth9 2": ("no-target", "r1 has no interface eth9"),
    "partition r1,r2,r3,h1,h2": ("no-target", "no link joins the two sides"),
}


@pytest.mark.parametrize("words", MISSING_TARGETS)
def test_faults_with_missing_targets_are_errors(words: str) -> None:
    topology = _topology()
    topology = set_faults(topology, [parse(topology, words.split(), 1.0)])
    (problem,) = [found for found in check(topology) if found.field.startswith("faults")]
    kind, message = MISSING_TARGETS[words]
    assert (problem.severity.value, problem.kind) == ("error", kind)
    assert message in problem.message


def test_times_outside_of_the_run_are_reported() -> None:
    topology = _topology()
    late = set_faults(
        topology, [parse(topology, ["link-down", "l1"], 10.0), parse(topology, ["loss", "l1", "5s"], 8.0)]
    )
    assert [problem.kind for problem in check(late) if problem.field.startswith("faults")] == ["outlasts", "late"]
    assert [fault.time_s for fault in late.faults] == [8.0, 10.0]
    without = delete(late, flow_ids=["f"])
    assert [problem.kind for problem in check(without) if problem.field == "faults"] == ["no-flows"]


def test_faults_follow_renames_and_deletions() -> None:
    topology = _topology()
    words = [
        "loss l1 towards r1",
        "kill r1 ospfd",
        "flap r1-eth1 2",
        "freeze r2",
        "partition r1,r2",
        "link-down l2",
        "heal",
    ]
    topology = set_faults(topology, [parse(topology, text.split(), at_s) for at_s, text in enumerate(words)])
    renamed = [words_of(fault) for fault in rename(topology, "r1", "border").faults]
    assert renamed == [
        "loss l1 100% towards border", "kill border ospfd", "flap border:border-eth1 2 1s", "freeze r2",
        "partition border,r2", "link-down l2", "heal",
    ]  # fmt: skip
    # without l1 the interface to r3 is the first one, and is still the one that flaps
    fewer = [words_of(fault) for fault in delete(topology, link_ids=["l1"]).faults]
    assert fewer == ["kill r1 ospfd", "flap r1:r1-eth0 2 1s", "freeze r2", "partition r1,r2", "link-down l2", "heal"]
    alone = [words_of(fault) for fault in delete(topology, ["r1"]).faults]
    assert alone == ["freeze r2", "partition r2", "link-down l2", "heal"]
    link = topology.link("l2")
    assert link is not None
    moved = replace_link(topology, "l2", link.model_copy(update={"id": "backbone"}))
    assert [fault.target for fault in moved.faults if fault.kind == "link-down"] == ["backbone"]
