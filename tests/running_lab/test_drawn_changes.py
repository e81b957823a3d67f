"""Edits while a lab runs are gathered and applied on request, without a window and without a lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.changes.comparison import Change
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.drawn_changes import DrawnChanges, Notice, reverted
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.changing import ChangedLab, LabDifference
from miniedit_frr.session.events import LabOrder, LabState
from miniedit_frr.session.pending import PendingRequest


def drawing(*hosts: str) -> Topology:
    """Hosts at one bridge."""
    net = Network("star")
    net.bridge("s1")
    for host in hosts:
        net.host(host)
        net.link(host, "s1", id=host)
    return net.topology


class Desk:
    """Drawn changes of a document, with a lab whose replies the test gives."""

    CHANGE: ClassVar[Change] = Change("add", "node", "h2", "add host h2")

    def __init__(self, **order: Any) -> None:
        self.document = Document(drawing("h1"))
        self.lab = LiveLab(self.document, lambda text: None, lambda: None)
        self.lab.begin(LabOrder(self.document.topology, **order))
        self.lab.state = LabState.RUNNING
        self.requests: list[tuple[str, Topology, PendingRequest[Any]]] = []
        self.lab.session.ask = self._ask  # type: ignore[method-assign]
        self.timers: list[Callable[[], object]] = []
        self.said: list[str] = []
        self.shown: list[Notice | None] = []
        self.agrees = True
        self.changes = DrawnChanges(
            self.document, self.lab, self.said.append, self._defer, self.shown.append, lambda topology: self.agrees
        )

    def _ask(self, question: Any) -> PendingRequest[Any]:
        request = PendingRequest[Any](self.lab.session.pending)
        self.requests.append((question.func.__name__, question.keywords["topology"], request))
        return request

    def _defer(self, function: Callable[[], object]) -> Callable[[int], object]:
        def soon(pause_ms: int) -> None:
            assert pause_ms > 0
            if function not in self.timers:
                self.timers.append(function)

        return soon

    def draw(self, *hosts: str) -> None:
        self.document.apply("Draw", drawing(*hosts))

    def pass_time(self) -> None:
        """All timers that were set until now are over."""
        over, self.timers = self.timers, []
        for function in over:
            function()

    def reply(self, result: Any = None, error: str = "") -> None:
        """Reply to the last request."""
        self.requests[-1][2].complete(result, error)

    @property
    def names(self) -> list[str]:
        """The functions that were called with the lab."""
        return [name for name, _, _ in self.requests]

    @property
    def text(self) -> str:
        assert self.shown[-1] is not None
        return self.shown[-1].text


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.lab.session.close()


def test_quick_edits_are_compared_and_applied_once(desk: Desk) -> None:
    for hosts in (("h1", "h2"), ("h1", "h2", "h3"), ("h1", "h2")):
        desk.draw(*hosts)
    assert desk.requests == []
    desk.pass_time()
    assert [(name, topology) for name, topology, _ in desk.requests] == [("compare", desk.document.topology)]
    desk.reply(LabDifference((desk.CHANGE,)))
    assert desk.text == "One change is not in the running lab: added h2."
    assert desk.changes.can_apply
    desk.changes.apply()
    assert desk.names == ["compare", "apply"]
    assert desk.changes.notice is not None
    assert desk.changes.notice.is_busy
    assert not desk.changes.can_apply

    # an edit meanwhile waits for the next change
    applied = desk.document.topology
    desk.draw("h1", "h2", "h3")
    desk.pass_time()
    desk.changes.apply()
    assert desk.names == ["compare", "apply"]
    assert "being changed" in desk.said[-1]
    desk.reply(ChangedLab((desk.CHANGE,), applied))
    assert desk.said[-1] == "Added h2 to the running lab."
    assert desk.lab.drawing == applied
    assert desk.names == ["compare", "apply", "compare"]
    assert desk.requests[-1][1] == desk.document.topology


def test_edits_are_applied_at_once_if_the_user_wants_that(desk: Desk) -> None:
    desk.changes.applies_at_once = lambda: True
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.reply(LabDifference((desk.CHANGE,)))
    assert desk.names == ["compare", "apply"]
    desk.reply(error="r1, OSPF, Area: FRR refused it")
    assert "the running lab is as before" in desk.text, "a change that failed is not tried again"
    assert desk.names == ["compare", "apply"]

    # what the lab cannot follow waits, and so does a drawing whose programs may not run
    desk.draw("h1", "h3")
    desk.pass_time()
    desk.reply(LabDifference((Change("add", "node", "s2", "add switch s2", refusal="only at the start"),)))
    desk.agrees = False
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.reply(LabDifference((desk.CHANGE,)))
    assert desk.names == ["compare", "apply", "compare", "compare"]
    assert desk.text == "One change is not in the running lab: added h2."
    assert desk.changes.can_apply


def test_a_change_by_another_program_is_not_undone_at_once(desk: Desk) -> None:
    desk.changes.applies_at_once = lambda: True
    desk.changes.take_over(addressed(drawing("h1", "h2")))
    desk.reply(LabDifference((Change("remove", "node", "h2", "remove host h2"),)))
    assert desk.names == ["compare"]


def test_an_edit_during_a_comparison_is_compared_again(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.draw("h1", "h2", "h3")
    desk.pass_time()
    assert desk.names == ["compare"]
    desk.reply(LabDifference((desk.CHANGE,)))
    assert desk.shown == [], "this is about an earlier drawing"
    desk.pass_time()
    assert desk.names == ["compare", "compare"]


def test_undo_before_the_changes_are_applied_leaves_nothing_to_do(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.reply(LabDifference((desk.CHANGE,)))
    desk.document.undo()
    desk.pass_time()
    assert desk.shown[-1] is None
    assert desk.names == ["compare"]
    desk.changes.apply()
    assert desk.said == ["The running lab is as drawn."]


def test_a_failed_change_keeps_the_drawing_and_its_reason_until_the_next_edit(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.changes.apply()
    desk.reply(error="r1, OSPF, Area: FRR refused it")
    assert desk.document.topology == drawing("h1", "h2")
    assert desk.lab.drawing == drawing("h1")
    assert "the running lab is as before. r1, OSPF, Area: FRR refused it" in desk.text
    assert desk.said[-1] == desk.text
    desk.draw("h1", "h2", "h3")
    desk.pass_time()
    desk.reply(LabDifference((desk.CHANGE,)))
    assert "not in the running lab" in desk.text


def test_errors_and_refusals_cannot_be_applied(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.reply(LabDifference(error="h2, IP address: 10.0.0.1 is taken"))
    assert "cannot be applied: h2, IP address: 10.0.0.1 is taken" in desk.text
    assert not desk.changes.can_apply
    desk.draw("h1", "h3")
    desk.pass_time()
    refused = Change("add", "node", "s2", "add switch s2", refusal="only at the start")
    desk.reply(LabDifference((desk.CHANGE, refused)))
    assert "cannot follow this: add switch s2. Reason: only at the start." in desk.text
    assert not desk.changes.can_apply


def test_a_change_by_another_program_can_be_drawn_or_taken_back(desk: Desk) -> None:
    changed: list[ChangedLab] = []
    desk.changes.on_applied.append(changed.append)
    drawn = addressed(drawing("h1", "h2"))
    desk.changes.take_over(drawn)
    assert [item.drawn for item in changed] == [drawn] and desk.lab.topology == drawn
    assert desk.said == ["Another program has changed the running lab."]
    assert desk.requests[-1][:2] == ("compare", desk.document.topology)
    desk.reply(LabDifference((Change("remove", "node", "h2", "remove host h2"),)))
    assert desk.text == (
        "Another program has changed the running lab; Revert draws it as it is. "
        "One change is not in the running lab: removed h2."
    )
    assert desk.changes.can_apply
    desk.changes.revert()
    # h1 is as it was drawn, without the addresses of the lab
    assert desk.document.topology.node("h1") == drawing("h1").node("h1")
    assert desk.document.topology.link("h1") == drawing("h1").link("h1")
    assert desk.document.topology.link("h2") == drawn.link("h2")
    desk.pass_time()
    assert desk.shown[-1] is None
    desk.draw("h1", "h2", "h3")
    desk.pass_time()
    desk.reply(LabDifference((Change("add", "node", "h3", "add host h3"),)))
    assert desk.text.startswith("One change is not in the running lab"), "the notice is about this drawing alone"


OBSTACLES = [
    ({"virtual_time": True}, LabState.RUNNING, "A lab in virtual time cannot change"),
    ({"flows": True}, LabState.RUNNING, "when the flows have ended"),
    ({}, LabState.STARTING, "when the lab is up"),
]


@pytest.mark.parametrize(("order", "state", "reason"), OBSTACLES)
def test_a_lab_that_cannot_change_now_is_not_asked(order: dict[str, Any], state: LabState, reason: str) -> None:
    desk = Desk(**order)
    desk.lab.state = state
    desk.draw("h1", "h2")
    desk.pass_time()
    assert reason in desk.text
    desk.changes.apply()
    assert reason in desk.said[-1]
    assert desk.requests == []
    desk.lab.state = LabState.IDLE
    desk.changes.follow()
    desk.pass_time()
    assert desk.shown[-1] is None
    desk.lab.session.close()


def test_programs_of_the_drawing_need_an_agreement(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.agrees = False
    desk.changes.apply()
    assert desk.requests == []
    assert desk.said == ["The changes were not applied."]


def test_a_difference_without_effect_is_forgotten(desk: Desk) -> None:
    desk.draw("h1", "h2")
    desk.pass_time()
    desk.reply(LabDifference())
    assert not desk.lab.differs
    assert desk.changes.notice is None


def test_revert_is_one_edit_that_keeps_looks_and_flows(desk: Desk) -> None:
    begin = drawing("h1", "h2")
    flow = Flow(id="f", source="h1", destination="h2")
    desk.lab.adopt(begin, begin)
    desk.document.apply("Flow", begin.model_copy(update={"flows": (flow,)}))
    moved = tuple(node.model_copy(update={"x": 7.0}) for node in drawing("h1", "h3").nodes)
    new_flow = Flow(id="g", source="h1", destination="h3")
    desk.document.apply("Draw", drawing("h1", "h3").model_copy(update={"nodes": moved, "flows": (new_flow,)}))
    desk.changes.revert()
    after = desk.document.topology
    assert after.links == begin.links
    assert [node.name for node in after.nodes] == ["s1", "h1", "h2"]
    assert [node.x for node in after.nodes] == [7.0, 7.0, begin.nodes[2].x]
    assert after.flows == (), "the lab's drawing had none between its nodes"
    assert desk.document.undo_label == "Revert to Running Lab"


def test_revert_brings_back_the_flows_of_deleted_nodes_and_drops_those_of_new_ones() -> None:
    flows = (Flow(id="f", source="h1", destination="h2"), Flow(id="g", source="h2", destination="h1"))
    before = drawing("h1", "h2").model_copy(update={"flows": flows})
    kept = Flow(id="k", source="h1", destination="h2", streams=3)
    after = drawing("h1", "h2", "h3").model_copy(
        update={"flows": (flows[0], kept, Flow(id="n", source="h1", destination="h3"))}
    )
    assert reverted(after, before).flows == (flows[0], kept), "g was deleted by itself"
    without = drawing("h1")
    assert reverted(without, before).flows == flows
