"""Foreign results folders: whatever their files contain, they are read, or refused with the name of the file."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import signal
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from frrlib.configs.history import START, read_configs
from frrlib.errors import LabError
from frrlib.plots.run import save_figure
from frrlib.results.cards import card
from frrlib.results.flent_in import FlentError, import_flent
from frrlib.results.flent_out import flent_bytes
from frrlib.results.layout import LOG, NOTES, ResultsError, find_results
from frrlib.results.packets.captures import read_capture
from frrlib.results.packets.views import captured_flows
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import (
    comparison_json,
    comparison_table,
    flow_table,
    group_statistics,
    queue_table,
    run_table,
)
from frrlib.results.statistics.differences import fields_of
from frrlib.results.statistics.statistics import statistics
from frrlib.results.statistics.summary import load_summary, save_summary, summarize
from frrlib.results.timeline import fault_timeline
from frrlib.results.writer import is_being_written
from frrlib.safe_text.plain import plain
from frrlib.system.untrusted_files import read_end
from miniedit_frr.live.quantities import QUANTITIES, TimeWindow
from miniedit_frr.live.stored import run_of_results
from tests.example_counts import examples
from tests.results.captured import CapturedPacket, write_capture
from tests.strategies import hostile

STORED = Path(__file__).parents[1] / "data" / "results-v3"
TABLE_NAMES = ("tcp", "queue", "cable", "cpu", "aqm", "interface", "app", "datagram", "probe")
#: So many rows of each table do.
_ROWS = 24


def _small() -> dict[str, bytes]:
    """The files of a whole folder with short tables, by their names."""
    files = {}
    for path in sorted(STORED.rglob("*")):
        if path.is_file():
            lines = path.read_bytes().splitlines(keepends=True)
            if path.suffix == ".csv" and len(lines) > _ROWS:
                lines = [lines[0], *lines[1 :: len(lines) // _ROWS]]
            files[str(path.relative_to(STORED))] = b"".join(lines)
    files["flows/bbr.json"] = b'{"kind": "bulk", "end": {"sum_received": {"bytes": 2000}}}'
    return files


FILES = _small()
JSONS = {name: json.loads(data) for name, data in FILES.items() if name.endswith((".json", ".mn"))}
TABLES = [name for name in FILES if name.endswith(".csv")]
_CELLS = st.sampled_from(
    [b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e15", b"1e6", b"-1e5", b"-5", b"0", b"", b"1e-300", b"x", b'"',
     b'"a\nb"', b"\0", b"\xff", b"9" * 400, b"h1", b"sender", b"receiver", b"bbr", b"flow", b"start", b"end", b"fault",
     b"rate_mbit=5", b"rate_mbit=1e308", b"rate_mbit=nan", b"link-values", b"link-down", b"adjacency", b"route",
     b"\xe2\x80\xae", b"1_0"]
)  # fmt: skip


@st.composite
def table_changed(draw: st.DrawFn, data: bytes) -> bytes:
    """The table with other cells, rows that come twice or late, and columns that are called otherwise."""
    rows = [line.split(b",") for line in data.splitlines()]
    for _ in range(draw(st.integers(1, 6))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        column = draw(st.integers(0, len(row) - 1))
        how = draw(st.sampled_from(["cell", "cell", "cell", "column", "again", "swap", "more", "drop"]))
        if how == "cell":
            row[column] = draw(_CELLS)
        elif how == "column":
            cell = draw(_CELLS)
            for other_row in rows[1:]:
                other_row[min(column, len(other_row) - 1)] = cell
        elif how == "again":
            rows.insert(draw(st.integers(0, len(rows))), list(row))
        elif how == "swap":
            position = draw(st.integers(0, len(rows) - 1))
            rows[0], rows[position] = rows[position], rows[0]
        elif how == "more":
            row.append(draw(_CELLS))
        elif len(rows) > 1:
            rows.remove(row)
    return b"\n".join(map(b",".join, rows)) + b"\n"


def _as_bytes(value: Any) -> bytes:
    return hostile.text_of(value).encode()


def file_changed(name: str) -> st.SearchStrategy[tuple[str, bytes]]:
    """Another content of a file of a folder."""
    changes = [hostile.torn(FILES[name])]
    if name in JSONS:
        changes += [
            hostile.mutations(JSONS[name]).map(_as_bytes),
            hostile.mutations(JSONS[name], hostile.alike).map(_as_bytes),
        ]
    if name in TABLES:
        changes += [table_changed(FILES[name])] * 2
    return st.tuples(st.just(name), st.one_of(changes))


#: Other contents of some files of a folder, by name.
FOLDERS = st.lists(st.sampled_from(["run.json"] * 6 + sorted(FILES)).flatmap(file_changed), min_size=1, max_size=4).map(
    dict
)


def written(folder: Path, changed: dict[str, bytes]) -> Path:
    """The folder with these files changed."""
    for name, data in {**FILES, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def opened(folder: Path) -> Results | None:
    """The results in a folder; None where they are refused, as `open_results` says."""
    try:
        return open_results(folder)
    except ResultsError as error:
        if str(folder) not in str(error):
            raise AssertionError("it does not say which") from error
        return None


def looked_at(results: Results) -> None:
    """All that is computed of a run."""
    summary = summarize(results)
    save_summary(summary, results.folder)
    load_summary(results.folder)
    fault_timeline(results)
    fields_of(results)
    with suppress(ResultsError):
        rows = group_statistics([results])
        comparison_json(rows)
        comparison_table(rows)
        of_run = statistics(results)
        for make in (run_table, flow_table, queue_table):
            make(of_run)
    for flow in results.info.flows:
        results.flow_report(flow.id)
    with suppress(ResultsError):
        json.loads(gzip.decompress(flent_bytes(results)))
    with suppress(ResultsError):
        captured_flows(results)
    run = run_of_results(results)
    for quantity in QUANTITIES:
        list(quantity.lines(run, TimeWindow(0.0, 10.0, 0.1)))


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(FOLDERS)
def test_a_foreign_folder_is_read_or_refused(changed: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name), changed)
        find_results(folder)
        card(folder)
        with suppress(ResultsError):
            load_summary(folder)
        if (results := opened(folder)) is not None:
            looked_at(results)


@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.too_slow])
@given(FOLDERS)
def test_a_foreign_folder_can_be_drawn(changed: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        if (results := opened(written(Path(name), changed))) is not None and results.has_flow_samples:
            save_figure(results, results.folder)


@pytest.mark.parametrize("name", sorted({*FILES, LOG, NOTES}))
def test_a_pipe_in_place_of_a_file_does_not_block(name: str, tmp_path: Path) -> None:
    folder = written(tmp_path, {})
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    find_results(folder)
    card(folder)
    results = opened(folder)
    assert results is not None
    looked_at(results)


@pytest.mark.parametrize("read", [read_capture, lambda pipe: read_configs(pipe.parent), lambda pipe: read_end(pipe, 9)])
def test_a_pipe_in_place_of_another_file_of_a_run_is_refused(read: Callable[[Path], object], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"r1{START}")
    with pytest.raises((LabError, OSError), match="not an ordinary file"):
        read(tmp_path / f"r1{START}")


def test_leases_on_files_do_not_block(tmp_path: Path) -> None:
    """A lab holds them for as long as it likes; whoever opens such a file by plain means waits 45 s."""
    folder = written(tmp_path, {LOG: b""})
    signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel's word that a lease is in the way
    with ExitStack() as stack:
        for path in [file for file in folder.rglob("*") if file.is_file()]:
            fcntl.fcntl(stack.enter_context(path.open("rb+")), fcntl.F_SETLEASE, fcntl.F_WRLCK)
        assert find_results(folder) == [] and not is_being_written(folder)
        card(folder)
        opened(folder)


def test_words_in_tables_are_harmless_for_a_terminal(tmp_path: Path) -> None:
    """A terminal obeys control characters, and a figure's library prints those that a font lacks."""
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(
            data.replace(b"bbr", b"b\x1b]0;OWNED\x07\xe2\x80\xaebr") if name in TABLES else data
        )
    results = open_results(tmp_path)
    columns = [column for name in TABLE_NAMES for column in getattr(results, name).values() if column.dtype.kind == "U"]
    words = {str(word) for column in columns for word in column}
    words |= {text for event in results.events for text in astuple(event) if isinstance(text, str)}
    assert any("OWNED" in word for word in words)
    assert not [word for word in words if plain(word) != word]


def test_a_long_line_of_a_table_does_not_fill_the_memory(tmp_path: Path) -> None:
    folder = written(tmp_path, {})
    with (folder / "samples/queue.csv").open("ab") as file:
        file.truncate(1 << 40)
    assert "samples/queue.csv ends in an incomplete line, which is skipped" in open_results(folder).warnings


# --- captures and other programs' files -------------------------------------------------------------------------------

_SENT = [CapturedPacket(at / 10, "ab"[at % 2], 100 * at, 50, 1, at, at, vlan=at == 3) for at in range(12)]


def _capture(kind: str, *, ipv6: bool) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        write_capture(path := Path(name) / "c.pcap", _SENT, kind, ipv6)
        return path.read_bytes()


CAPTURES = [_capture(kind, ipv6=ipv6) for kind in ("ns", "us", "big") for ipv6 in (False, True)]


@settings(max_examples=examples(200))
@given(st.sampled_from(CAPTURES).flatmap(hostile.torn) | st.binary(max_size=60))
@example(CAPTURES[0].replace(b"\x01\x01\x08\x0a", b"\x01\x01\x10\x03"))  # an option of TCP that is longer than all
def test_any_capture_is_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        (path := Path(name) / "c.pcap").write_bytes(data)
        with suppress(ResultsError):
            capture = read_capture(path)
            assert all(len(segments) for segments in capture.directions.values())


FLENT = json.loads(gzip.decompress((STORED.parent / "three-streams.flent.gz").read_bytes()))


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value[:12]] if isinstance(value, list) else value


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_file_of_flent_is_imported_or_refused(data: st.DataObject) -> None:
    kinds = hostile.mutations(_short(FLENT)) | hostile.mutations(_short(FLENT), hostile.alike)
    content = data.draw(kinds.map(_as_bytes) | hostile.torn(_as_bytes(_short(FLENT))))
    with tempfile.TemporaryDirectory() as name:
        (path := Path(name) / "a.flent").write_bytes(content)
        try:
            folder = import_flent(path, Path(name) / "run")
        except (FlentError, ResultsError):
            return
        results = open_results(folder)
        summarize(results)
