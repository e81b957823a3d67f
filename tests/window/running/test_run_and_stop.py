"""A lab in the real window is run and stopped with real events; edits while it runs, and failures with their
reasons."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frrlib.edits import live_changes as live
from frrlib.edits.arrange import shift
from frrlib.edits.changes import add_node, replace_link
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.results.read import open_results
from miniedit_frr.session.events import LabState
from tests.processes import below, runs
from tests.window.hands_on_labs import Runner
from tests.window.topologies import TWO_AS

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def test_a_lab_is_run_viewed_and_stopped(runner: Runner) -> None:
    earlier_processes = below(os.getpid())
    states_shown: list[str] = []
    wait = runner.editor.view.show_states
    runner.editor.view.show_states = lambda states: (states_shown.extend(states.values()), wait(states))[1]
    runner.run()
    assert "starting" in states_shown
    runner.converge()
    assert runner.states() == dict.fromkeys(["h1", "h2", "r1", "r2", "l1", "l2", "l3"], "up")
    steps = {row[0]: row[1] for row in runner.lab_controller.display.panel.steps.rows()}
    assert {"place", "boot", "build", "converge"} <= set(steps)
    assert set(steps.values()) == {"✓"}
    assert [row[:2] for row in runner.lab_controller.display.panel.nodes.rows()] == [
        [name, "✓ up"] for name in ("h1", "h2", "r1", "r2")
    ]
    of_lab = below(os.getpid()) - earlier_processes
    assert len(of_lab) > 4
    runner.press_key("<Shift-F5>")
    runner.until(LabState.IDLE)
    assert runner.states() == {}
    runner.wait(lambda: not any(map(runs, of_lab)))
    assert "The lab has stopped." in runner.log()


def test_a_run_with_flows_is_listed_with_its_figure(runner: Runner, tmp_path: Path) -> None:
    flow = runner.topology.flows[0].model_copy(update={"start_s": 0.0, "duration_s": 1.0, "size_bytes": None})
    runner.document.apply("Flow", runner.topology.model_copy(update={"flows": (flow,)}))
    runner.press_key("<Alt-F5>")
    dialog = next(child for child in runner.editor.window.winfo_children() if hasattr(child, "stays"))
    (tmp_path / "something").touch()
    dialog.folder.set(str(tmp_path))
    assert str(dialog.ok.cget("state")) == "disabled"
    dialog.folder.set(str(tmp_path / "out"))
    dialog.stays.set(False)
    dialog.ok.invoke()
    runner.until(LabState.RUNNING)
    runner.wait(lambda: runner.lab_controller.live.panel is not None or not runner.lab_controller.is_alive)
    assert runner.lab_controller.live.panel is not None  # which has opened by itself with the first samples
    runner.until(LabState.IDLE, LabState.FAILED)
    # all samples that were kept had come to the window, too
    live, stored = runner.lab_controller.live.run, open_results(tmp_path / "out")
    (live_flow,) = live.flows.values()
    assert len(live_flow.sender) == (stored.tcp["side"] == "sender").sum() > 0
    assert len(live_flow.receiver) == (stored.tcp["side"] == "receiver").sum() > 0
    assert sum(map(len, live.queues.values())) == len(stored.queue["time_s"])
    assert live.is_over
    moments = [marker.time_s for marker in live.markers(-5, 60) if marker.kind == "flow"]
    assert moments == [event.time_s for event in stored.events if event.kind == "flow"]
    (row,) = runner.lab_controller.runs.panel.sheet.rows()
    place, ended, folder = row[2:]
    assert (place, folder) == ("namespace", str(tmp_path / "out")), runner.log()
    assert ended.partition(", ")[0] == "finished"  # a busy machine may make it doubtful, which is another test's
    bottom = runner.editor.bottom
    assert bottom.select() == str(runner.lab_controller.live.tab)  # the curves stay in front
    bottom.select(runner.lab_controller.runs.panel)
    runner.editor.window.update()
    tree = runner.lab_controller.runs.panel.sheet.tree
    tree.selection_set(tree.get_children()[0])
    x, y, width, height = tree.bbox(tree.get_children()[0])
    for _ in range(2):
        tree.event_generate("<ButtonPress-1>", x=x + width // 2, y=y + height // 2)
        tree.event_generate("<ButtonRelease-1>", x=x + width // 2, y=y + height // 2)
    runner.editor.window.update()
    assert [child for child in runner.editor.window.winfo_children() if type(child).__name__ == "FigureWindow"]
    from miniedit_frr.runs import history

    assert history.load(tmp_path / "runs.json") == runner.lab_controller.runs.rows


def test_cancel_ends_a_start_at_once(runner: Runner) -> None:
    runner.lab_controller.places.choose("labkernel")
    earlier_processes = below(os.getpid())
    runner.press_key("<F5>")
    runner.wait(lambda: any(row[0] == "boot" for row in runner.lab_controller.display.panel.steps.rows()))
    runner.editor.status.cancel.invoke()
    runner.until(LabState.IDLE)
    assert "build" not in [row[0] for row in runner.lab_controller.display.panel.steps.rows()]
    runner.wait(lambda: below(os.getpid()) <= earlier_processes)
    assert runner.states() == {}


# --- what may change, what cannot run -------------------------------------------------------------------------------


def test_while_a_lab_runs_nodes_move_and_other_edits_wait_to_be_applied(runner: Runner) -> None:
    runner.run()
    topology, bar = runner.topology, runner.lab_controller.changes.bar.bar
    runner.click(runner.at("r1"))
    runner.press_key("<Delete>")
    assert runner.topology.node("r1") is None
    runner.wait(lambda: bar.is_shown)
    assert "cannot be applied: h1, Default route" in bar.message.cget("text")
    assert runner.execute("r1", "hostname").stdout == "r1\n", "the lab is as before"
    runner.press_key("<Control-Key-z>")
    runner.wait(lambda: not bar.is_shown)
    at = runner.at("r1")
    runner.sweep(at, (at[0], at[1] + 30), (at[0], at[1] + 60))
    assert runner.at("r1") == pytest.approx((at[0], at[1] + 60), abs=2)
    assert runner.states()["r1"] == "up"
    runner.press_key("<Control-Key-z>")
    assert runner.topology == topology
    runner.tool("a")  # a rectangle is for people only
    runner.sweep((at[0], at[1] + 150), (at[0] + 60, at[1] + 200))
    assert runner.topology.annotations
    runner.press_key("<Control-Key-z>")
    assert runner.topology == topology
    assert not bar.is_shown
    runner.tool("h")
    runner.click((at[0], at[1] + 150))
    runner.tool("v")
    runner.wait(lambda: bar.is_shown)
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    runner.wait(lambda: not bar.is_shown)


def test_only_appearance_can_change_while_a_lab_runs() -> None:
    topology = mn.load(TWO_AS).topology
    moved = shift(topology, ["r1"], 10, 20)
    renamed = moved.model_copy(update={"title": "other", "flows": ()})
    nodes = tuple(node.model_copy(update={"colour": "#ff0000", "label": "x"}) for node in topology.nodes)
    coloured = topology.model_copy(update={"nodes": nodes})
    assert all(live.is_alike(topology, variant) for variant in (moved, renamed, coloured))
    grown, _ = add_node(topology, "host", 0, 0)
    slower = replace_link(topology, "l2", topology.links[1].model_copy(update={"up": False}))
    for changed in (grown, slower):
        assert not live.is_alike(topology, changed)
        with pytest.raises(TopologyError):
            live.live_changes(topology, changed)


def test_a_topology_with_errors_is_not_run(runner: Runner) -> None:
    topology = runner.topology
    first, *other_links = topology.links
    same = first.b.addresses if first.a.node == "h1" else first.a.addresses
    ends = {side: getattr(first, side).model_copy(update={"addresses": same}) for side in "ab"}
    twice = first.model_copy(update=ends)
    wrong = topology.model_copy(update={"links": (twice, *other_links)})
    runner.document.apply("One address for two", wrong)
    runner.wait(lambda: not runner.editor.checker.is_busy)
    assert runner.editor.problems.errors
    runner.press_key("<F5>")
    assert runner.lab_controller.state is LabState.IDLE
    assert "see Problems" in runner.log()
    assert runner.editor.bottom.select() == str(runner.editor.problems)
    runner.press_key("<Control-Key-z>")
    # Before the checks have an answer a lab is tried: the lab then reports errors, not the window.
    runner.document.apply("One address for two", wrong)
    assert runner.editor.checker.is_busy
    runner.lab_controller.run()
    runner.until(LabState.FAILED)
    assert "10.0.0." in str(runner.lab_controller.failure.text.get("1.0", "end"))


def test_a_failed_lab_shows_its_reason_and_another_can_run(runner: Runner) -> None:
    broken = runner.topology.node("r1").model_copy(update={"frr_conf": "router nonsense"})
    nodes = tuple(broken if node.name == "r1" else node for node in runner.topology.nodes)
    runner.document.apply("Break r1", runner.topology.model_copy(update={"nodes": nodes}))
    runner.press_key("<F5>")
    runner.until(LabState.FAILED)
    assert "nonsense" in str(runner.lab_controller.failure.text.get("1.0", "end"))
    assert runner.states() == {"r1": "failed"}
    runner.press_key("<Control-Key-z>")
    runner.run()
    assert runner.states()["r1"] == "up"
    assert runner.lab_controller.failure is None
