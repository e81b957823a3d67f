"""Runs in notebooks: refused topologies, progress and curves in cells, tables of pandas, and the examples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from nbclient import NotebookClient

from frrlib import wire
from frrlib.errors import TopologyError
from frrlib.network.network import Network, end
from miniedit_frr.notebook import cell, open_recording, run
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests/data/results-v3"
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
#: Shorter and fewer runs: the same cells with other numbers.
SHORTER = (
    (r"duration_s=10\b", "duration_s=2"),
    (r"duration_s=9\b", "duration_s=1"),
    (r"duration_s=(8|12)\b", "duration_s=3"),
    (r'"cake": \{"queue": Cake\(\)\},', ""),
    (r'\("cubic", "bbr", "bbr2", "bbr3"\)', '("bbr3",)'),
    (r'\(0\.1, 0\.5, 2\), \("reno", "cubic"\), \(1, 2, 3\)', '(0.1, 2), ("reno",), (1,)'),
)


def html_of(content: object) -> str:
    """What a notebook shows for a value."""
    return str(DisplayFormatter().format(content)[0]["text/html"])


def two_subnets() -> Network:
    """Two hosts behind two routers without a routing protocol, and a flow between them."""
    network = Network("two subnets")
    for host, router, subnet in (("h1", "r1", "10.1.0"), ("h2", "r2", "10.2.0")):
        network.host(host)
        network.router(router)
        network.link(end(host, f"{subnet}.10/24"), end(router, f"{subnet}.1/24"))
    network.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    network.flow("f1", "h1", "h2", duration_s=4)
    return network


def test_a_topology_whose_flow_cannot_arrive_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"r1: will have no route to 10\.2\.0\.0/24") as refusal:
        run(two_subnets(), tmp_path / "out")
    assert "all_the_same=True" in refusal.value.remedy
    assert not (tmp_path / "out").exists()
    with pytest.raises(TypeError, match="sample_rate"):
        run(two_subnets(), tmp_path / "out", sample_rate=5)


def test_tables_have_the_values_of_the_files() -> None:
    recording = open_recording(STORED)
    for name in ("tcp", "queue"):
        table, stored = getattr(recording, name), pd.read_csv(STORED / f"samples/{name}.csv")
        frame = table.frame()
        assert len(table) == len(frame) == len(stored)
        for column in ("time_s", *({"cwnd_packets", "backlog_bytes"} & {*stored.columns})):
            assert frame[column].to_numpy() == pytest.approx(stored[column].to_numpy(), nan_ok=True)
    with pytest.raises(AttributeError, match="has no 'udp'; its tables of samples are tcp, queue"):
        recording.udp  # noqa: B018
    with pytest.raises(KeyError, match="tcp has no column 'rtt'; it has time_s"):
        recording.tcp["rtt"]


def test_a_recording_shows_verdict_flows_and_figure() -> None:
    recording = open_recording(STORED)
    shown = html_of(recording)
    for flow in recording.summary.flows:
        assert f"<td>{flow.flow}</td><td>{flow.congestion_control}</td>" in shown
    assert 'src="data:image/png;base64,iVBOR' in shown
    assert set(recording.flows().flow) == {flow.flow for flow in recording.summary.flows}


class RecordingHandle:
    """The output of a cell that keeps what was shown in it."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, content: Any) -> None:
        self.shown.append(html_of(content))

    update = display


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> RecordingHandle:
    recorded = RecordingHandle()
    monkeypatch.setattr(cell, "_display_handle", lambda: recorded)
    return recorded


def test_a_cell_shows_the_step_its_detail_and_the_curves_so_far(handle: RecordingHandle) -> None:
    with cell.CellDisplay(two_subnets().topology, STORED, live=True, curves=True) as display:
        display.show(wire.StepEvent("converge", "start", 1.0))
        display.show(wire.WaitingFor({"r1": ("<b>",), "r2": ()}, 1.5))
        wait_for(lambda: "wait until the network has converged. missing at r1, r2" in handle.shown[-1], "the step")
        assert "<img" not in handle.shown[-1]
        display.show(wire.StepEvent("flows", "start", 2.0))
        display.show(wire.FlowEvent("f1", "<i>", 2.0))
        wait_for(lambda: "<img" in handle.shown[-1], "the curves")
        last = handle.shown[-1]
        assert "send the flows. 2.0 s: flow f1 &lt;i&gt;" in last
    shares = [float(share) for text in handle.shown for share in re.findall(r'value="([\d.]+)"', text)]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(0.4 + 0.55 / 2)
    assert handle.shown[-1] == ""


@pytest.mark.lab
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebooks_can_be_executed(
    path: Path, virtual_time: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    book = nbformat.read(path, as_version=4)
    assert not any(part.get("outputs") or part.get("execution_count") for part in book.cells)
    replaced = 0
    for part in book.cells:
        for pattern, shorter in SHORTER:
            part["source"], count = re.subn(pattern, shorter, part["source"])
            replaced += count
    assert replaced >= 2, "the notebook runs for its whole time"
    NotebookClient(book, timeout=280, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for part in book.cells for output in part.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("text/html" in output.get("data", {}) for output in outputs) or path.stem == "loss-sweep"
