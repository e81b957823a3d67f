"""Flows that are sent in a lab that runs already: each time those that are drawn then, and the lab goes on."""

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
DRAWN = ospf_everywhere(Topology(nodes=NODES, links=LINKS))


def _with(*flows: Flow) -> Topology:
    return DRAWN.model_copy(update={"flows": flows})


def _flow(name: str, seconds: float = 1.0) -> Flow:
    return Flow(id=name, source="h1", destination="h2", duration_s=seconds)


#: iperf3 counts by whole blocks; from 3.18 on, if not before, not the one that it has begun to send. It never counts
#: the cookie with which it begins, nor SYN.
UNCOUNTED_BYTES = 131_072 + 37 + 1


def _sent_bytes(report: Path) -> int:
    return int(json.loads(report.read_text())["end"]["sum_sent"]["bytes"])


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(DRAWN, place="namespace") as running:
        yield running


def test_each_time_the_flows_of_the_drawing_are_sent_and_kept(lab: Lab, tmp_path: Path) -> None:
    for names in (("one",), ("two", "three")):
        drawn, out = _with(*map(_flow, names)), tmp_path / names[0]
        outcome = send(lab, drawn, mn.dumps(drawn), out, RunSettings(sample_hz=50))
        assert outcome.failures == []
        results = open_results(out)
        assert results.info.status == "finished"
        assert [flow.id for flow in results.info.flows] == list(names)
        assert set(results.tcp["flow"]) == set(names)
        assert results.info.settings["sample_hz"] == 50
        for name in names:  # iperf3's own report, and what the kernel told of the connection meanwhile
            acked = results.tcp["bytes_acked"][(results.tcp["flow"] == name) & (results.tcp["side"] == "sender")]
            assert _sent_bytes(*out.glob(f"flows/{name}.*")) + UNCOUNTED_BYTES >= acked.max() > 0
        assert (out / "figure.png").is_file()
    assert lab.ping("h1", "h2", 1)["received"] == 1


def test_a_drawing_of_another_lab_is_refused(lab: Lab, tmp_path: Path) -> None:
    other = _with(_flow("one")).model_copy(update={"nodes": (*NODES, Host(name="h3"))})
    with pytest.raises(TopologyError):
        send(lab, other, "", tmp_path / "out")
    with pytest.raises(TopologyError, match="has no flows"):
        send(lab, DRAWN, "", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_stays_as_it_is(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ResultsError):
        send(lab, _with(_flow("one")), "", tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_what_was_measured_until_the_lab_was_ended_is_kept(tmp_path: Path) -> None:
    came = threading.Event()

    def hear(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table == "tcp" and message.rows:
            came.set()

    with Lab(DRAWN, place="namespace", listener=hear) as running:
        found: list[BaseException] = []

        def work() -> None:
            try:
                send(running, _with(_flow("long", 60.0)), "", tmp_path / "out")
            except BaseException as error:
                found.append(error)

        sending = threading.Thread(target=work)
        sending.start()
        wait_for(came.is_set, "the first samples")
        running.interrupt()
        sending.join(60)
    assert isinstance(found[0], Interrupted)
    results = open_results(tmp_path / "out")
    assert results.info.status == "interrupted"
    assert len(results.tcp["time_s"])
