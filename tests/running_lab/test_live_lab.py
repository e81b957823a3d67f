"""The state of the lab without a window, and the actions that it allows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.model.links import Link
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
    lab.take_links(())
    begun(lab, LabState.STARTING)
    assert (lab.place, lab.step, lab.is_left, lab.is_ending) == ("", "", False, False)
    assert lab.topology == lab.document.topology


def test_new_links_change_nothing_else(lab: LiveLab) -> None:
    begun(lab, LabState.RUNNING)
    first: Link = lab.topology.links[0]
    assert lab.link_title(first.id) == f"{first.a.node} to {first.b.node}"
    nodes = lab.topology.nodes
    lab.take_links(())
    assert (lab.topology.nodes, lab.topology.links) == (nodes, ())
    assert lab.link_title(first.id) == first.id  # one that is not in it is called as it was asked for


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
