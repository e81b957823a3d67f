"""Messages of the window while a lab runs, about missing routes and disabled commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from miniedit_frr.lab_control import run_menu
from miniedit_frr.session.events import ConvergenceProgress, LabReply, LabState, PairRoundTrip, StepProgress
from miniedit_frr.session.pending import PendingRequest
from tests.examples.data import two_as_bgp
from tests.window.hands_on_window import User
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
