"""Edits of links while the lab runs: the kernel gets the values, undo reverts them, and other edits wait."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.changes import replace_link
from frrlib.edits.live_changes import live_changes
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.links import Link, Shape
from frrlib.model.queues import FqCodel
from frrlib.picture.scene import Key
from frrlib.results.read import open_results
from miniedit_frr.running_lab.changes_bar import REVERT
from miniedit_frr.session.events import LabState
from tests.window.hands_on_dialogs import Filler
from tests.window.hands_on_labs import Runner
from tests.window.topologies import TWO_AS
from tests.window.widgets import texts

LAB = mn.load(TWO_AS).topology
LINK = next(each for each in LAB.links if {each.a.node, each.b.node} == {"r1", "r2"})


def _rates_mbit(runner: Runner, node: str) -> list[float]:
    """The rates of a node's queues in the lab, as tc reports them."""
    output = runner.execute(node, "tc", "-json", "qdisc", "show")
    rates = [
        qdisc["options"].get("rate") for qdisc in json.loads(output.stdout if hasattr(output, "stdout") else output[1])
    ]
    return [rate * 8 / 1e6 for rate in rates if rate]


def _select(runner: Runner, key: Key) -> Any:
    runner.editor.view.select([key])
    runner.editor.window.update()
    return runner.editor.properties


def _is_on(field: Any) -> bool:
    return not field.focus.instate(["disabled"])


@pytest.mark.gui
@pytest.mark.lab
@pytest.mark.timeout(180)
def test_edits_of_links_are_applied_to_the_running_lab(runner: Runner) -> None:
    runner.run()
    runner.converge()
    assert _rates_mbit(runner, "r1") == [10.0]
    panel = _select(runner, Key("link", LINK.id))
    inputs = panel.form.inputs
    assert _is_on(inputs["a_to_b.rate_mbit"])
    assert _is_on(inputs["a.mtu_bytes"])
    assert "Shaping applies at once, the rest with F5." in " ".join(texts(panel))

    panel.same.invoke()  # each direction by itself
    panel.inputs["a_to_b.rate_mbit"].set("3 mbit")
    runner.press_key("<Return>", inputs["a_to_b.rate_mbit"].focus)
    runner.wait(lambda: _rates_mbit(runner, "r1") == [3.0])
    assert _rates_mbit(runner, "r2") == [10.0]
    assert runner.topology.link(LINK.id).a_to_b.rate_mbit == 3
    panel.same.invoke()
    runner.wait(lambda: _rates_mbit(runner, "r2") == [3.0])
    panel.same.invoke()
    runner.editor.document.undo()
    runner.wait(lambda: _rates_mbit(runner, "r2") == [10.0])
    assert runner.states()[LINK.id] == "up"
    assert not runner.lab_controller.faults._values, "the drawing says what the lab has"

    runner.editor.document.undo()
    runner.wait(lambda: _rates_mbit(runner, "r1") == [10.0])
    runner.editor.document.redo()
    runner.wait(lambda: _rates_mbit(runner, "r1") == [3.0])

    # a plain link gets a delay only when it is made anew: the edit waits for the user
    panel = _select(runner, Key("link", LINK.id))
    panel.inputs["a_to_b.delay_ms"].set("5 ms")
    runner.press_key("<Return>", panel.form.inputs["a_to_b.delay_ms"].focus)
    bar = runner.lab_controller.changes.bar.bar
    runner.wait(lambda: bar.is_shown)
    text = bar.message.cget("text")
    assert "made the link r1 to r2 anew" in text or "needs the queueing discipline netem" in text
    bar.buttons[REVERT].invoke()
    assert runner.topology.link(LINK.id).a_to_b.delay_ms == 0
    runner.wait(lambda: not bar.is_shown)

    panel = _select(runner, Key("node", "r1"))
    assert _is_on(panel.form.inputs["node.name"])
    assert "The lab gets these values with F5" in " ".join(texts(panel))
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    assert _is_on(panel.form.inputs["node.name"])
    assert "running lab" not in " ".join(texts(panel))


@pytest.mark.gui
@pytest.mark.lab
@pytest.mark.timeout(180)
def test_the_dialog_of_a_link_changes_the_running_lab(runner: Runner) -> None:
    runner.run()
    runner.converge()
    dialog = Filler(runner, runner.editor.dialogs.open_keys([Key("link", LINK.id)], Key("link", LINK.id)))
    assert _is_on(dialog.input("a_to_b.queue"))
    dialog.fill("a_to_b.rate_mbit", "4")
    dialog.dialog.form.apply()
    runner.wait(lambda: _rates_mbit(runner, "r1") == [4.0])
    if LINK.a_to_b == LINK.b_to_a:  # the same in both directions
        runner.wait(lambda: _rates_mbit(runner, "r2") == [4.0])


@pytest.mark.gui
@pytest.mark.lab
@pytest.mark.timeout(180)
def test_a_refused_change_is_undone_in_the_topology(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    runner.run()
    runner.converge()
    start_fault, faults = Lab.fault, list[Fault]()

    def fault(lab: Lab, fault: Fault) -> Any:
        faults.append(fault)
        if len(faults) == 2:  # the second of two changes fails
            raise TopologyError("the kernel did not take it")
        return start_fault(lab, fault)

    monkeypatch.setattr(Lab, "fault", fault)
    original = runner.topology
    link = runner.topology.link(LINK.id)
    forward, backward = (
        shape.model_copy(update={"rate_mbit": rate}) for shape, rate in ((link.a_to_b, 2), (link.b_to_a, 5))
    )
    changed = replace_link(original, LINK.id, link.model_copy(update={"a_to_b": forward, "b_to_a": backward}))
    runner.editor.document.apply("Change it", changed)
    runner.wait(lambda: len(faults) == 3)
    assert runner.topology == original
    runner.wait(lambda: _rates_mbit(runner, "r1") == [10.0])
    assert "did not take it" in runner.log()


def _with_changed_link(**fields: Any) -> Any:
    link = LINK.model_copy(update={"a_to_b": Shape.model_validate({**dict(LINK.a_to_b), **fields})})
    return replace_link(LAB, LINK.id, link)


def _kinds(runner: Runner, node: str) -> list[str]:
    """The kinds of the qdiscs at a node's end of the link, as tc reports them."""
    interface = next(end.interface for end in with_names(LAB).link(LINK.id).ends if end.node == node)
    output = runner.execute(node, "tc", "-json", "qdisc", "show", "dev", interface)
    return [qdisc["kind"] for qdisc in json.loads(output.stdout if hasattr(output, "stdout") else output[1])]


@pytest.mark.gui
@pytest.mark.lab
@pytest.mark.timeout(180)
def test_the_queueing_discipline_changes_while_flows_are_sent(runner: Runner, tmp_path: Path) -> None:
    document = runner.editor.document
    long = tuple(flow.model_copy(update={"duration_s": 60.0}) for flow in LAB.flows)
    document.apply("Lengthen", document.topology.model_copy(update={"flows": long}))
    runner.lab_controller.places.choose("labkernel")  # the machine's own kernel may lack fq_codel
    runner.run()
    runner.converge()
    first_kinds = _kinds(runner, "r1")
    runner.lab_controller.send_into(tmp_path / "out", 20.0)
    runner.wait(lambda: runner.lab_controller.live.run.newest_s > 0.5)
    dialog = Filler(runner, runner.editor.dialogs.open_keys([Key("link", LINK.id)], Key("link", LINK.id)))
    dialog.pick("a_to_b.queue", "fq_codel")
    dialog.dialog.form.apply()
    runner.wait(lambda: _kinds(runner, "r1") == ["tbf", "fq_codel"])
    assert not runner.lab_controller.changes.bar.bar.is_shown  # nothing waits to be applied
    assert "discipline=fq_codel" in runner.log()
    dialog.pick("a_to_b.queue", "cake")
    dialog.dialog.form.apply()
    runner.wait(lambda: _kinds(runner, "r1") == ["cake"])
    assert runner.lab_controller.lab.is_sending
    document.undo()
    document.undo()
    runner.wait(lambda: _kinds(runner, "r1") == first_kinds)
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    texts_of_events = [event.text for event in open_results(tmp_path / "out").events if event.what == "link-values"]
    assert [text.split()[0] for text in texts_of_events[:2]] == ["discipline=fq_codel", "discipline=cake"]


def test_a_new_discipline_is_a_change_with_its_parameters() -> None:
    (change,) = live_changes(LAB, _with_changed_link(queue=FqCodel(target_ms=7)))
    assert change.values is not None and change.values.given == {"queue": FqCodel(target_ms=7)}
    (change,) = live_changes(_with_changed_link(queue=FqCodel()), LAB)
    assert change.values is not None and change.values.given == {"queue": "fifo"}


def test_directions_are_changed_separately_unless_they_are_equal() -> None:
    (change,) = live_changes(LAB, _with_changed_link(rate_mbit=3))
    assert (change.target, change.towards) == (LINK.id, LINK.b.node)
    assert change.values is not None and change.values.given == {"rate_mbit": 3}
    both = replace_link(LAB, LINK.id, Link.model_validate({
        **dict(LINK), "a_to_b": {**dict(LINK.a_to_b), "rate_mbit": 3}, "b_to_a": {**dict(LINK.b_to_a), "rate_mbit": 3},
    }))  # fmt: skip
    (change,) = live_changes(LAB, both)
    assert change.towards == ""
    assert live_changes(LAB, LAB) == ()


@pytest.mark.parametrize("fields", [{"shaper": "htb"}, {"burst_frames": 5}])
def test_edits_that_a_lab_cannot_apply_are_rejected(fields: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match="the only ones that can"):
        live_changes(LAB, _with_changed_link(**fields))
