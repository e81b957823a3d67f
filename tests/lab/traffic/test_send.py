"""Flows that are sent in a running lab: each time the current flows of the topology, and the lab keeps running."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.edits.routing_presets import ospf_everywhere
from frrlib.errors import Interrupted, TopologyError
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.run.run import RunSettings, send
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(180)]
NODES = (Host(name="h1"), Router(name="r1"), Host(name="h2"))
LINKS = (Link(id="l1", a=End(node="h1"), b=End(node="r1")), Link(id="l2", a=End(node="r1"), b=End(node="h2")))
TOPOLOGY = ospf_everywhere(Topology(nodes=NODES, links=LINKS))


def _with(*flows: Flow) -> Topology:
    return TOPOLOGY.model_copy(update={"flows": flows})


def _flow(name: str, seconds: float = 1.0) -> Flow:
    return Flow(id=name, source="h1", destination="h2", duration_s=seconds)


#: iperf3 counts whole blocks, and at the latest since 3.18 not the block that it has begun to send. It never counts its
#: initial cookie, nor SYN.
UNCOUNTED_BYTES = 131_072 + 37 + 1


def _sent_bytes(report: Path) -> int:
    return int(json.loads(report.read_text())["end"]["sum_sent"]["bytes"])


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(TOPOLOGY, place="namespace") as running:
        yield running


def test_the_current_flows_of_the_topology_are_sent_and_stored(lab: Lab, tmp_path: Path) -> None:
    for names in (("one",), ("two", "three")):
        topology, out = _with(*map(_flow, names)), tmp_path / names[0]
        outcome = send(lab, topology, mn.dumps(topology), out, RunSettings(sample_hz=50))
        assert outcome.failures == []
        results = open_results(out)
        assert results.info.status == "finished"
        assert [flow.id for flow in results.info.flows] == list(names)
        assert set(results.tcp["flow"]) == set(names)
        assert results.info.settings["sample_hz"] == 50
        for name in names:  # iperf3's own report, and the kernel's count of acknowledged bytes
            acked = results.tcp["bytes_acked"][(results.tcp["flow"] == name) & (results.tcp["side"] == "sender")]
            assert _sent_bytes(*out.glob(f"flows/{name}.*")) + UNCOUNTED_BYTES >= acked.max() > 0
        assert (out / "figure.png").is_file()
    assert lab.ping("h1", "h2", 1)["received"] == 1


def test_a_topology_of_another_lab_is_refused(lab: Lab, tmp_path: Path) -> None:
    topology = _with(_flow("one")).model_copy(update={"nodes": (*NODES, Host(name="h3"))})
    with pytest.raises(TopologyError):
        send(lab, topology, "", tmp_path / "out")
    with pytest.raises(TopologyError, match="has no flows"):
        send(lab, TOPOLOGY, "", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_unchanged(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ResultsError):
        send(lab, _with(_flow("one")), "", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_measurements_until_the_end_of_the_lab_are_stored(tmp_path: Path) -> None:
    has_samples = threading.Event()

    def watch_samples(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table == "tcp" and message.rows:
            has_samples.set()

    with Lab(TOPOLOGY, place="namespace", listener=watch_samples) as running:
        errors: list[BaseException] = []

        def work() -> None:
            try:
                send(running, _with(_flow("long", 60.0)), "", tmp_path / "out")
            except BaseException as error:
                errors.append(error)

        sending = threading.Thread(target=work)
        sending.start()
        wait_for(has_samples.is_set, "the first samples")
        running.interrupt()
        sending.join(60)
    assert isinstance(errors[0], Interrupted)
    results = open_results(tmp_path / "out")
    assert results.info.status == "interrupted"
    assert len(results.tcp["time_s"])
