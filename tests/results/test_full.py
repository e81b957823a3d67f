"""A full disk or a removed folder: the data before is complete, and `run.json` has the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.results.layout import RESERVE, ResultsError
from frrlib.results.read import open_results
from frrlib.results.writer import Writer
from tests.filling import largest_file
from tests.results.test_writer import run_json, tcp_row

LARGEST_BYTES = 20_000


def rows(begin: int, count: int = 50) -> wire.Samples:
    return wire.Samples("tcp", [tcp_row(float(number), cwnd_packets=number) for number in range(begin, begin + count)])


def test_on_a_full_disk_tables_end_with_complete_rows_and_run_json_has_the_reason(tmp_path: Path) -> None:
    calls: list[int] = []
    with Writer.create(tmp_path, "{}", {}, on_failure=lambda: calls.append(len(calls))) as writer:
        with largest_file(LARGEST_BYTES):
            for begin in range(0, 5000, 50):
                writer.add(rows(begin))
        table = (tmp_path / "samples/tcp.csv").read_text()
        writer.add(rows(9000))
        writer.add(wire.FlowEvent("f", "end", 3.0, ""))
        writer.add_log("r1.log", "much")
    assert calls == [0]
    assert "File too large" in str(writer.failure) and "what was measured until then is kept" in str(writer.failure)
    assert (tmp_path / "samples/tcp.csv").read_text() == table and len(table) <= LARGEST_BYTES
    results = open_results(tmp_path)
    assert results.warnings == ()
    assert results.tcp["cwnd_packets"].tolist() == [float(number) for number in range(results.tcp["time_s"].size)]
    assert results.tcp["time_s"].size % 50 == 0 and results.tcp["time_s"].size >= 100
    assert (results.status, results.info.failures) == ("failed", (str(writer.failure),))
    assert not (tmp_path / RESERVE).exists() and not (tmp_path / "logs/r1.log").exists()


def test_a_full_disk_without_a_callback_is_an_error(tmp_path: Path) -> None:
    def fill() -> None:
        with Writer.create(tmp_path, "{}", {}) as writer, largest_file(LARGEST_BYTES):
            for begin in range(0, 5000, 50):
                writer.add(rows(begin))

    with pytest.raises(ResultsError, match="cannot be written any more: File too large"):
        fill()
    assert run_json(tmp_path)["status"] == "failed"


def test_a_removed_folder_is_reported_once(tmp_path: Path) -> None:
    calls: list[None] = []
    writer = Writer.create(tmp_path / "run", "{}", {}, on_failure=lambda: calls.append(None))
    shutil.rmtree(tmp_path / "run")
    writer.add(rows(0))
    writer.set_place("namespace")
    writer.add_log("r1.log", "much")
    writer.finish()
    assert calls == [None]
    assert "cannot be written any more: No such file or directory" in str(writer.failure)


def test_space_is_reserved_during_a_run_and_released(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}):
        assert (tmp_path / RESERVE).stat().st_blocks * 512 >= 60_000
    assert not (tmp_path / RESERVE).exists()
