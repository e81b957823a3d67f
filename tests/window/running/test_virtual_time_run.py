"""A run in virtual time from the window: the same samples as without it, live curves, and a quick Cancel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.formats.mn import dumps
from frrlib.model.topology import Topology
from frrlib.run.run import RunSettings, run
from miniedit_frr.runs.options import RunChoice
from miniedit_frr.session.events import LabState, SampleBatch
from tests.examples.data import two_as_bgp
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]

_SEED = 5


def topology_with_flows_for(seconds: float) -> Topology:
    """Two autonomous systems whose flows last this time."""
    topology = two_as_bgp()
    flows = [flow.model_copy(update={"start_s": 0.0, "duration_s": seconds}) for flow in topology.flows]
    return topology.model_copy(update={"flows": tuple(flows)})


@pytest.fixture(autouse=True)
def end_lab(virtual_time: None, user: User) -> Iterator[None]:
    yield
    user.editor.lab_controller.session.close()
    user.wait(lambda: not user.editor.lab_controller.is_alive)


def start(user: User, topology: Topology, out: Path) -> None:
    """Run a topology as the dialog does."""
    user.document.apply("Draw", topology)
    user.editor.lab_controller.run_dialogs.run(RunChoice(out, virtual_time=True, seed=_SEED))


def samples(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "samples").iterdir()}


def test_the_window_does_not_change_the_run(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topology = topology_with_flows_for(3)
    assert run(topology, dumps(topology), tmp_path / "alone", RunSettings(virtual_time=True, seed=_SEED)).failures == []
    rows: list[SampleBatch] = []
    running = user.editor.lab_controller
    handle = running.handle

    def note(event: object) -> None:
        if isinstance(event, SampleBatch):
            rows.append(event)
        handle(event)

    monkeypatch.setattr(running, "handle", note)
    start(user, topology, tmp_path / "window")
    user.wait(lambda: running.state in (LabState.IDLE, LabState.FAILED) and running.runs.rows)
    assert running.state is LabState.IDLE, user.editor.log.text.get("1.0", "end")
    expected = samples(tmp_path / "alone")
    assert len(expected["tcp.csv"].splitlines()) > 500
    assert samples(tmp_path / "window") == expected
    # The live view equals the stored results.
    live_rows = sum(len(batch.rows) for batch in rows if batch.table == "tcp")
    assert live_rows == len(expected["tcp.csv"].splitlines()) - 1


def test_cancel_ends_a_run_of_a_day_at_once(user: User, tmp_path: Path) -> None:
    running = user.editor.lab_controller
    start(user, topology_with_flows_for(80_000), tmp_path / "out")
    user.wait(lambda: "times as fast" in user.editor.status._text or not running.is_alive)
    assert running.is_alive, user.editor.log.text.get("1.0", "end")
    user.editor.status.cancel.invoke()
    user.wait(lambda: not running.is_alive)  # the whole run would take hours
    assert running.state is LabState.IDLE
    assert samples(tmp_path / "out")["tcp.csv"]
