"""Runs with flows in a session: their stored results, and a lab that keeps running afterwards."""

from __future__ import annotations

import json
import stat
from functools import partial
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.session import requests
from miniedit_frr.session.events import FlowsEnd, LabOrder, LabState, LogLine, StepProgress
from miniedit_frr.session.session import Session
from tests.examples.data import EXAMPLES
from tests.session.watching import Watch
from tests.waiting import wait_for


def short(topology: Topology, duration_s: float) -> Topology:
    """The topology with only its first flow, of this length."""
    flow = topology.flows[0].model_copy(update={"start_s": 0.0, "duration_s": duration_s, "size_bytes": None})
    return topology.model_copy(update={"flows": (flow,)})


@pytest.mark.lab
def test_a_run_with_flows_stores_the_same_files_as_the_command_line(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    text = mn.read_text(EXAMPLES / "two-as-no-delay.mn")
    watch.session.start(LabOrder(short(topology, 1.0), text, "namespace", out=tmp_path / "out", flows=True))
    finished = watch.until(lambda event: isinstance(event, FlowsEnd))
    assert watch.until_end().state is LabState.IDLE
    assert isinstance(finished, FlowsEnd)
    assert finished.outcome.failures == []
    assert finished.outcome.summary is not None
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "finished"
    steps = [event.name for event in watch.events if isinstance(event, StepProgress) and event.state == "done"]
    assert [name for name in steps if name in {"place", "boot", "build", "converge", "flows", "figure"}] == [
        "place", "boot", "build", "converge", "flows", "figure",
    ]  # fmt: skip


@pytest.mark.lab
def test_a_stopped_run_with_flows_stores_its_samples(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    watch.session.start(LabOrder(short(topology, 60.0), "", "namespace", out=tmp_path / "out", flows=True))
    watch.until(lambda event: isinstance(event, LogLine) and "start" in event.text)
    wait_for(lambda: _rows(tmp_path / "out") > 5, "samples")
    watch.session.stop()
    finished = watch.until(lambda event: isinstance(event, FlowsEnd))
    assert watch.until_end().state is LabState.IDLE
    assert isinstance(finished, FlowsEnd)
    assert finished.outcome.summary is not None
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "interrupted"
    assert _rows(tmp_path / "out") > 5


def _rows(out: Path) -> int:
    samples = out / "samples" / "tcp.csv"
    return len(samples.read_text().splitlines()) if samples.exists() else 0


@pytest.mark.lab
def test_a_lab_can_keep_running_after_its_flows(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    out = tmp_path / "out"
    watch.session.start(LabOrder(short(topology, 1.0), "", "namespace", out=out, flows=True, keep_up=True))
    finished = watch.until(lambda event: isinstance(event, FlowsEnd))
    assert isinstance(finished, FlowsEnd)
    assert finished.outcome.summary is not None
    stored = contents(out)
    assert watch.result(watch.session.ask(lambda lab: lab.ping("h1", "h2", 1)))["received"] == 1
    assert watch.session.state is LabState.RUNNING
    again = LabOrder(short(topology, 1.0), "", "namespace", out=tmp_path / "again", flows=True)
    assert watch.result(watch.session.ask(partial(requests.send_flows, order=again))).failures == []
    watch.session.stop()
    assert watch.until_end().state is LabState.IDLE
    assert sum(isinstance(event, FlowsEnd) for event in watch.events) == 1
    assert finished.outcome.failures == []
    assert json.loads((out / "run.json").read_text())["status"] == "finished"
    assert {path.name for path in (out / "logs").iterdir()} >= {"r1-bgpd.log", "r2-bgpd.log"}
    assert contents(out) == stored  # although other flows were sent, and the lab was stopped
    assert {path.name for path in (out / "configs").iterdir()} == {"r1.conf", "r2.conf"}
    measured = [
        path for path in stored if path.parent.name in ("samples", "logs", "configs") or path.name == "run.json"
    ]
    assert {stat.S_IMODE((out / path).stat().st_mode) for path in measured} == {0o444}


def contents(out: Path) -> dict[Path, bytes]:
    """Every file of a run with its bytes, but for those of the lab."""
    files = (path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out): path.read_bytes() for path in files if path.relative_to(out).parts[0] != "files"}
