"""`miniedit-frr packets`: its output, its files, and its messages for missing or unreadable captures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.network.network import Network
from tests.cli.commands import invoke
from tests.results.captured import CapturedPacket, write_capture


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A results folder with one capture: fifty packets of 1000 bytes, each answered after 20 ms."""
    folder = tmp_path / "run"
    for name in ("samples", "captures"):
        (folder / name).mkdir(parents=True)
    packets = [CapturedPacket(1 + 0.01 * n, "a", 1 + 1000 * n, 1000, 1, stamp=100 + 10 * n) for n in range(50)]
    answers = [
        CapturedPacket(1.02 + 0.01 * n, "b", 1, 0, 1001 + 1000 * n, stamp=7, echo=100 + 10 * n) for n in range(50)
    ]
    write_capture(folder / "captures/h1-eth0.pcap", sorted(packets + answers))
    flow = {"id": "f", "port": 2000, "source_port": 1000}
    captures = {"h1:eth0": {"file": "captures/h1-eth0.pcap", "captured": 100, "dropped": 3}}
    run_info = {"format_version": 3, "status": "finished", "flows": [flow], "captures": captures, "zero_unix_s": 0.5}
    (folder / "run.json").write_text(json.dumps(run_info))
    return folder


def test_packets_prints_tables_writes_files_and_draws_a_figure(run: Path) -> None:
    result = invoke("packets", run, "--bin", "0.1", "--figure", run / "p.svg")
    assert result.exit_code == 0 and "3 packets, which are missing" in result.output
    assert [word for word in result.output.split() if word in ("f", "h1:eth0", "20.0")][:5] == [
        "f",
        "h1:eth0",
        *["20.0"] * 3,
    ]
    assert (run / "p.svg").read_text().startswith("<?xml")
    assert (run / "samples/packets.csv").read_text().count("\n") == 6  # half a second, and the names of columns
    tables = json.loads(invoke("packets", run, "--json").stdout)
    assert tables["Packets"][0]["flow"] == "f" and tables["From one interface to the next"] == []


def test_what_cannot_be_done_is_said(run: Path, tmp_path: Path) -> None:
    result = invoke("packets", run, "--figure", "p.txt")
    assert result.exit_code == 2 and "p.txt" in result.output and ".pdf" in result.output
    (run / "captures/h1-eth0.pcap").write_bytes(b"nothing")
    assert invoke("packets", run).exit_code == 1
    result = invoke("packets", tmp_path)
    assert result.exit_code == 2 and "contains no results" in result.output


def test_an_unknown_interface_is_refused_before_anything_starts(tmp_path: Path) -> None:
    net = Network("Two")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2")
    mn.save(net.topology, tmp_path / "two.mn")
    result = invoke(
        "run", tmp_path / "two.mn", "--capture", "h1:eth9", "--out", tmp_path / "out", "--place", "namespace"
    )
    assert result.exit_code == 2 and "it has h1:h1-eth0" in result.output and not (tmp_path / "out").exists()
