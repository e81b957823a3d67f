"""Messages of the window while a lab runs, about missing routes and disabled commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.changes import add_node
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from miniedit_frr.lab_control import run_menu
from miniedit_frr.session.events import (
    ConvergenceProgress,
    LabReply,
    LabState,
    NodeState,
    PairRoundTrip,
    StepProgress,
)
from miniedit_frr.session.pending import PendingRequest
from tests.examples.data import two_as_bgp
from tests.window.hands_on_window import User, editor_on
from tests.window.widgets import texts

pytestmark = pytest.mark.gui

LAB = two_as_bgp()


@pytest.fixture
def running(lab: User) -> Iterator[Any]:
    """The parts of a window in the state of a running lab."""
    running = lab.editor.lab_controller
    running.lab.topology, running.lab.state = lab.topology, LabState.RUNNING
    running.display.begin(lab.topology)
    running.mode.show()
    yield running
    running.lab.state = LabState.IDLE


@pytest.mark.parametrize("is_late", [True, False])
def test_pings_lost_before_convergence_are_explained(
    lab: User, running: Any, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = PendingRequest[Any](running.session.pending)
    monkeypatch.setattr(running.session, "ping_matrix", lambda: request)
    if is_late:
        running.display.show_missing(ConvergenceProgress({"r1": ("no route to 10.1.0.0/16",), "r2": ()}))
    running.probes.show_matrix()
    matrix = running.probes.matrix
    running.display.show_missing(ConvergenceProgress({}))
    running.handle(PairRoundTrip(request, "h1", "h2", None, 1, 2))
    running.handle(PairRoundTrip(request, "h2", "h1", 12.0, 2, 2))
    running.handle(LabReply(request))
    summary = " ".join(texts(matrix))
    assert "1 of 2 pings were answered" in summary
    assert ("Some routes are still missing at r1; repeat" in summary) == is_late
    matrix.again()
    for source, destination in (("h1", "h2"), ("h2", "h1")):
        running.handle(PairRoundTrip(request, source, destination, 12.0, 2, 2))
    running.handle(LabReply(request))
    assert "missing" not in " ".join(texts(matrix))


def test_the_matrix_names_a_host_without_a_link(lab: User, running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    running.lab.topology = add_node(lab.topology, "host", 50, 50)[0]
    request = PendingRequest[Any](running.session.pending)
    monkeypatch.setattr(running.session, "ping_matrix", lambda: request)
    running.probes.show_matrix()
    matrix = running.probes.matrix
    running.handle(PairRoundTrip(request, "h1", "h2", 12.0, 1, 2))
    running.handle(PairRoundTrip(request, "h1", "h3", None, 2, 2))
    running.handle(LabReply(request))
    assert "h3 has no link" in " ".join(texts(matrix))
    cells = [matrix.grid_view.itemcget(item, "text") for item in matrix.grid_view.find_all()[2:]
             if matrix.grid_view.type(item) == "text"]  # fmt: skip
    assert "12.0" in cells
    assert "no link" in cells
    assert "lost" not in cells


def test_hosts_are_sorted_for_people(lab: User, running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["h10", "h9", "r1", "h2", "h1"]
    nodes = tuple(Router(name=name) if name == "r1" else Host(name=name) for name in names)
    running.lab.topology = Topology(nodes=nodes)
    request = PendingRequest[Any](running.session.pending)
    monkeypatch.setattr(running.session, "ping_matrix", lambda: request)
    running.probes.show_matrix()
    view = running.probes.matrix.grid_view
    heads = {view.itemcget(item, "text"): view.coords(item)[0] for item in view.find_all()
             if view.type(item) == "text" and view.itemcget(item, "anchor") == "center"}  # fmt: skip
    assert sorted((name for name in heads if name in names), key=heads.__getitem__) == ["h1", "h2", "h9", "h10"]
    running.display.begin(running.lab.topology)
    assert [row[0] for row in running.display.panel.nodes.rows()] == ["h1", "h2", "h9", "h10", "r1"]


def test_another_topology_clears_the_tab_of_a_lab_that_has_ended(lab: User, running: Any) -> None:
    display, status = running.display, lab.editor.status
    display.show_state(LabState.RUNNING)
    lab.editor.files.on_open()
    assert [row[0] for row in display.panel.nodes.rows()] == ["h1", "h2", "r1", "r2"]
    display.show_node(NodeState("r1", "failed", "zebra ended"))
    display.show_state(LabState.FAILED)
    display.refresh()
    assert status.fact("lab") == "the lab failed"
    lab.document.new()
    lab.editor.files.on_open()
    assert (display.panel.nodes.rows(), display.panel.steps.rows()) == ([], [])
    assert status.fact("lab") == "no lab is running"
    assert not lab.view.states


def test_the_fields_of_a_running_lab_are_visible_on_a_small_screen(display: str, tmp_path: Path) -> None:
    """With the state of the lab below them and live plots below the drawing, six fields of a link can be read."""
    document = Document(LAB)
    with editor_on(document, tmp_path, "1280x800") as editor:
        user, running, properties = User(editor), editor.lab_controller, editor.properties
        running.lab.topology, running.lab.state = document.topology, LabState.RUNNING
        running.display.begin(document.topology)
        running.mode.show()
        running.now_view.begin(document.topology)
        running.live.begin(document.topology, True, "A run")
        user.view.select({Key("link", document.topology.links[1].id)})
        user.wait(running.now_view.panel.winfo_viewable)
        editor.window.update()
        bottom = properties.body.winfo_rooty() + properties.body.winfo_height()
        visible = [path for path, entry in properties.form.inputs.items() if entry.widget.winfo_viewable()
                   and entry.widget.winfo_rooty() + entry.widget.winfo_height() <= bottom]  # fmt: skip
        assert len(visible) >= 6
        running.lab.state = LabState.IDLE


def test_the_step_before_the_flows_has_a_title(running: Any) -> None:
    running.handle(StepProgress("rest", "start"))
    assert [row[0] for row in running.display.panel.steps.rows()] == ["idle path"]


def test_the_menu_shows_why_flows_cannot_be_sent(lab: User, running: Any) -> None:
    labels, enabled = run_menu.labels(lab.editor.lab_controller), run_menu.enabled(lab.editor.lab_controller)
    assert labels["run_flows"]() == "Send Flows"
    assert enabled["can_run_flows"]()
    running.lab.is_sending = True
    assert labels["run_flows"]() == "Run with Flows (stop the lab first)"
    assert labels["sweep"]() == "Sweep… (stop the lab first)"
    assert not enabled["can_run_flows"]()
    running.lab.state = LabState.IDLE
    assert labels["run_flows"]() == "Run with Flows"
    lab.document.apply("No flows", lab.topology.model_copy(update={"flows": ()}))
    assert labels["run_flows"]() == "Run with Flows (draw a flow first)"
    assert not enabled["can_run_flows"]()
