"""A folder that takes nothing more: what came until then is whole, and the folder says why it ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.results.folder import Writer
from frrlib.results.layout import RESERVE, ResultsError
from frrlib.results.read import open_results
from tests.filling import largest_file

from .test_folder import said, tcp_row

LARGEST_BYTES = 20_000


def rows(begin: int, count: int = 50) -> wire.Samples:
    return wire.Samples("tcp", [tcp_row(float(number), cwnd_packets=number) for number in range(begin, begin + count)])


def test_tables_end_with_whole_rows_and_the_folder_says_why(tmp_path: Path) -> None:
    told: list[int] = []
    with Writer.create(tmp_path, "{}", {}, on_failure=lambda: told.append(len(told))) as writer:
        with largest_file(LARGEST_BYTES):
            for begin in range(0, 5000, 50):
                writer.add(rows(begin))
        kept = (tmp_path / "samples/tcp.csv").read_text()
        writer.add(rows(9000))
        writer.add(wire.FlowEvent("f", "end", 3.0, ""))
        writer.add_log("r1.log", "much")
    assert told == [0]
    assert "File too large" in str(writer.failure) and "what was measured until then is kept" in str(writer.failure)
    assert (tmp_path / "samples/tcp.csv").read_text() == kept and len(kept) <= LARGEST_BYTES
    results = open_results(tmp_path)
    assert results.warnings == ()
    assert results.tcp["cwnd_packets"].tolist() == [float(number) for number in range(results.tcp["time_s"].size)]
    assert results.tcp["time_s"].size % 50 == 0 and results.tcp["time_s"].size >= 100
    assert (results.status, results.info.failures) == ("failed", (str(writer.failure),))
    assert not (tmp_path / RESERVE).exists() and not (tmp_path / "logs/r1.log").exists()


def test_without_anybody_to_tell_it_is_an_error(tmp_path: Path) -> None:
    def fill() -> None:
        with Writer.create(tmp_path, "{}", {}) as writer, largest_file(LARGEST_BYTES):
            for begin in range(0, 5000, 50):
                writer.add(rows(begin))

    with pytest.raises(ResultsError, match="takes nothing more: File too large"):
        fill()
    assert said(tmp_path)["status"] == "failed"


def test_a_folder_that_vanishes_is_told_once(tmp_path: Path) -> None:
    told: list[None] = []
    writer = Writer.create(tmp_path / "run", "{}", {}, on_failure=lambda: told.append(None))
    shutil.rmtree(tmp_path / "run")
    writer.add(rows(0))
    writer.set_place("namespace")
    writer.add_log("r1.log", "much")
    writer.finish()
    assert told == [None]
    assert "takes nothing more: No such file or directory" in str(writer.failure)


def test_room_is_kept_while_it_goes_on_and_given_back(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}):
        assert (tmp_path / RESERVE).stat().st_blocks * 512 >= 60_000
    assert not (tmp_path / RESERVE).exists()
