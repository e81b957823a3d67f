"""The state of the lab without a window, and the actions that it allows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.events import LabOrder, LabState, StepProgress
from tests.window.topologies import EVERY_KIND


@pytest.fixture
def lab() -> Iterator[LiveLab]:
    """A lab that nobody has started."""
    lab = LiveLab(Document(EVERY_KIND), lambda text: None, lambda: None)
    yield lab
    lab.session.close()


def begun(lab: LiveLab, state: LabState, **how: object) -> LiveLab:
    """The lab, as if it had come so far."""
    lab.begin(LabOrder(lab.document.topology, **how))  # type: ignore[arg-type]
    lab.state = state
    return lab


def test_live_lab_needs_no_toolkit() -> None:
    code = "import sys, miniedit_frr.running_lab.lab; print('tkinter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


ANSWERS = [
    # what it was started for, how far it is: whether it is alive, open, joined, can be left and sends flows
    pytest.param({}, LabState.IDLE, (False, False, False, False, False), id="none"),
    pytest.param({}, LabState.FAILED, (False, False, False, False, False), id="failed"),
    pytest.param({}, LabState.STARTING, (True, False, False, False, False), id="starts"),
    pytest.param({}, LabState.RUNNING, (True, True, False, True, False), id="runs"),
    pytest.param({"join": "other"}, LabState.RUNNING, (True, True, True, True, False), id="joined"),
    pytest.param({"flows": True}, LabState.RUNNING, (True, True, False, False, True), id="with-flows"),
    pytest.param(
        {"flows": True, "virtual_time": True}, LabState.RUNNING, (True, False, False, False, True), id="virtual"
    ),
]


@pytest.mark.parametrize(("how", "state", "expected"), ANSWERS)
def test_properties_follow_from_order_and_state(
    lab: LiveLab, how: dict[str, object], state: LabState, expected: tuple[bool, ...]
) -> None:
    begun(lab, state, **how)
    assert (lab.is_alive, lab.is_open, lab.is_joined, lab.can_leave, lab.sends_flows) == expected
    assert lab.can_run == (not lab.is_alive)


def test_flows_can_be_sent_after_the_results_of_earlier_flows(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING, flows=True)
    assert not lab.can_send  # it still waits for its routes
    lab.is_sending = False
    assert lab.can_send
    lab.is_sending = True
    assert not lab.can_send
    begun(lab, LabState.RUNNING)
    assert lab.can_send


def test_a_new_lab_resets_the_state(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING)
    lab.place, lab.is_left, lab.is_ending = "namespace", True, True
    lab.take_step(StepProgress("flows", "start"))
    lab.take_shapes([lab.topology.links[0].model_copy(update={"a_to_b": Shape(rate_mbit=7)})])
    lab.is_changing = True
    begun(lab, LabState.STARTING)
    assert (lab.place, lab.step, lab.is_left, lab.is_ending, lab.is_changing) == ("", "", False, False, False)
    assert lab.topology == lab.document.topology


def test_new_values_of_links_change_nothing_else(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING)
    first, *others = lab.topology.links
    assert lab.link_title(first.id) == f"{first.a.node} to {first.b.node}"
    nodes = lab.topology.nodes
    changed = first.model_copy(update={"a_to_b": Shape(rate_mbit=7), "up": not first.up})
    lab.take_shapes([changed, changed.model_copy(update={"id": "elsewhere"})])
    expected = first.model_copy(update={"a_to_b": Shape(rate_mbit=7)})
    for topology in (lab.topology, lab.drawing):
        assert (topology.nodes, topology.links) == (nodes, (expected, *others))
    assert lab.link_title("elsewhere") == "elsewhere"  # one that is not in it is called as it was asked for


def test_only_edits_of_what_a_lab_is_made_of_make_a_difference(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING)
    document, topology = lab.document, lab.document.topology
    moved = topology.nodes[0].model_copy(update={"x": 1.0, "label": "moved"})
    document.apply("Move", topology.model_copy(update={"nodes": (moved, *topology.nodes[1:]), "title": "other"}))
    assert not lab.differs
    document.apply("Show", document.topology.model_copy(update={"shown_folders": ("/srv",)}))
    assert lab.differs
    document.undo()
    document.apply("Cut", document.topology.model_copy(update={"links": topology.links[1:]}))
    assert lab.differs
    lab.adopt(document.topology, document.topology)
    assert not lab.differs


def test_only_routers_with_frr_have_daemons(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING)
    with_daemons = {node.name for node in lab.topology.nodes if lab.daemons(node.name)}
    assert with_daemons == {router.name for router in lab.topology.routers if router.runs_frr}
    assert lab.daemons("nobody") == ()


@pytest.mark.parametrize(
    ("title", "path", "name"), [("Two", "a/b.mn", "Two"), ("", "a/b.mn", "b"), ("", "", "untitled")]
)
def test_the_name_of_a_lab_is_the_title_of_the_topology(title: str, path: str, name: str) -> None:
    document = Document(Topology(title=title))
    document.path = Path(path) if path else None
    lab = LiveLab(document, lambda text: None, lambda: None)
    assert lab.name == name
    lab.session.close()
