"""The playhead of the scenario track beside a real run: planned events happen where the playhead is."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.model.faults import Fault, LinkValues
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.results.read import open_results
from miniedit_frr.document.document import Document
from miniedit_frr.session.events import FaultReport, LabState
from tests.window.hands_on_labs import Runner, at_a_window

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.alone, pytest.mark.timeout(120)]

_SHAPE = Shape(rate_mbit=10)
LAB = Topology(
    nodes=(Host(name="h1", x=100, y=100), Host(name="h2", x=300, y=100)),
    links=(Link(id="l1", a=End(node="h1"), b=End(node="h2"), a_to_b=_SHAPE, b_to_a=_SHAPE),),
    flows=(Flow(id="f1", source="h1", destination="h2", duration_s=3),),
    faults=(
        Fault(kind="link-values", target="l1", time_s=1, values=LinkValues(rate_mbit=5)),
        Fault(kind="link-values", target="l1", time_s=2.5, values=LinkValues(rate_mbit=8)),
    ),
    wait=Wait(ping_count=0),
)


def test_planned_events_occur_at_the_playhead(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_a_window(Runner, Document(LAB), tmp_path, monkeypatch) as runner:
        canvas, running = runner.editor.scenario.panel.canvas, runner.lab_controller
        playheads_s: list[float | None] = []
        handle = running.handle

        def note(event: object) -> None:
            if isinstance(event, FaultReport):
                playheads_s.append(canvas.playhead_s)
            handle(event)

        monkeypatch.setattr(running, "handle", note)
        running.run_into(tmp_path / "out")
        assert runner.editor.scenario.panel.edits.lock_reason(), "its plan is the run's"
        runner.wait(lambda: running.state in (LabState.IDLE, LabState.FAILED))
        assert running.state is LabState.IDLE, runner.log()
        assert not runner.editor.scenario.panel.edits.lock_reason() and canvas.playhead_s is None
    happened = [event.time_s for event in open_results(tmp_path / "out").events if event.what == "link-values"]
    assert len(playheads_s) == len(happened) == 2
    assert playheads_s == [pytest.approx(time_s, abs=0.9) for time_s in happened]
