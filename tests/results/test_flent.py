"""Import and export of flent's files. The stored file has flent's format 4 and was written by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from frrlib.plots import figures
from frrlib.results.flent_in import FlentError, import_flent
from frrlib.results.flent_out import STEP_S, flent_bytes, flent_data
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.series import flow_samples
from frrlib.results.statistics.statistics import statistics

DATA = Path(__file__).parents[1] / "data"
#: Two uploads and a download over 10 s, beside a ping: 4, 2 and 8 Mbit/s; flent's own sum, mean and fairness.
STORED = DATA / "three-streams.flent.gz"


def test_flents_streams_become_flows(tmp_path: Path) -> None:
    results = open_results(import_flent(STORED, tmp_path / "run"))
    assert (results.status, results.warnings) == ("finished", ())
    assert results.info.title == "Three streams" and results.info.started.startswith("2026-03-01T12:00:00")
    flows = {flow.id: flow for flow in flow_samples(results)}
    assert list(flows) == ["TCP upload::1", "TCP upload::2", "TCP download"]
    assert [flow.congestion_control for flow in flows.values()] == ["cubic", "bbr", ""]
    assert (flows["TCP download"].planned.source, flows["TCP upload::1"].planned.source) == ("server", "client")
    by_name = {flow.flow: flow for flow in statistics(results).flows}
    assert [by_name[name].goodput_mbit for name in flows] == pytest.approx([4.0, 2.0, 8.0], rel=0.01)
    # tcp_rtt was 30 ms, then 50 ms, as long each
    rtt = by_name["TCP upload::1"].rtt_ms
    assert rtt is not None and rtt.mean == pytest.approx(40.0)
    assert results.probe["rtt_ms"].tolist() == pytest.approx([20.0 + i for i in range(10)])


def test_an_imported_run_can_be_drawn(tmp_path: Path) -> None:
    results = open_results(import_flent(STORED, tmp_path / "run"))
    goodput, _, rtt, _ = figures.make("series", [results]).axes[:4]
    assert "TCP upload::1 (CUBIC)" in [line.get_label() for line in goodput.get_lines()]
    assert "Ping (ms) ICMP" in [line.get_label() for line in rtt.get_lines()]


def test_an_exported_run_can_be_imported_again(tmp_path: Path) -> None:
    run = open_results(DATA / "results-v3")
    file = tmp_path / "run.flent.gz"
    file.write_bytes(flent_bytes(run))
    assert flent_bytes(run) == file.read_bytes()
    imported = open_results(import_flent(file, tmp_path / "back"))
    before, after = statistics(run), statistics(imported)
    assert [flow.flow for flow in after.flows] == ["bbr", "cubic"]
    for old, new in zip(before.flows, after.flows, strict=True):
        assert old.goodput_mbit is not None and old.rtt_ms is not None and new.rtt_ms is not None
        # a step at either end is shared with silence
        assert new.goodput_mbit == pytest.approx(old.goodput_mbit, rel=0.05)
        assert new.rtt_ms.p50 == pytest.approx(old.rtt_ms.p50, rel=0.02)
        assert new.congestion_control == old.congestion_control


def test_an_exported_file_has_the_keys_that_flent_expects() -> None:
    data = flent_data(open_results(DATA / "results-v3"))
    assert data["version"] == 4 and data["metadata"]["NAME"] == "tcp_nup"
    assert all(len(values) == len(data["x_values"]) for values in data["results"].values())
    assert set(data["results"]) >= {"TCP upload::1", "TCP upload::2", "TCP upload sum", "TCP upload avg",
                                    "TCP upload::1::tcp_rtt", "Ping (ms) ICMP"}  # fmt: skip
    first, second, total = (np.array(data["results"][name], dtype=float)
                       for name in ("TCP upload::1", "TCP upload::2", "TCP upload sum"))  # fmt: skip
    assert np.nansum(first) + np.nansum(second) == pytest.approx(np.nansum(total))
    assert np.diff(data["x_values"]) == pytest.approx(np.full(len(data["x_values"]) - 1, STEP_S))
    times = [sample["t"] for sample in data["raw_values"]["TCP upload::1"]]
    assert times == sorted(times) and data["metadata"]["T0"].startswith("2026-")
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not gzip", "not a results file|cannot be read"),
        (gzip.compress(b"[]"), "must have metadata"),
        (gzip.compress(b'{"version": 9, "metadata": {}, "x_values": [], "results": {}}'), "format 9.*up to 4"),
        (gzip.compress(b'{"version": 4, "metadata": {}, "x_values": [], "results": {}}'), "neither a TCP stream"),
        (gzip.compress(b'{"version": "x", "metadata": {}, "x_values": [1], "results": {}}'), "are not valid"),
        (STORED.read_bytes()[:200], "not a results file of flent, or it is truncated"),
    ],
    ids=["no gzip", "no mapping", "too new", "nothing in it", "nonsense", "cut off"],
)
def test_a_foreign_file_is_refused_and_makes_no_folder(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "bad.flent.gz"
    file.write_bytes(content)
    with pytest.raises(FlentError, match=message):
        import_flent(file, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def _packed(member: bytes, members: int, end: bytes) -> bytes:
    """A gzip file of many equal members, as small as its content is large."""
    head = b'{"metadata": {}, "results": {"TCP x": [1]}, "x_values": [0'
    return gzip.compress(head) + gzip.compress(member) * members + gzip.compress(end)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_packed(b",0" * 100_000, 20, b"]}"), "2,000,00. values, more than the limit of 2,000,000"),
        (_packed(b"[" * 100_000, 21, b""), "2,100,00. values"),
        (_packed(b" " * (1 << 20), 129, b"]}"), "more than 128 MiB unpacked"),
        (gzip.compress(json.dumps({"metadata": {}, "x_values": [0],
                                   "results": {f"TCP {number}": [] for number in range(2001)}}).encode()),
         "2,001 series"),
    ],
    ids=["values", "lists", "bytes", "series"],
)  # fmt: skip
def test_a_small_file_with_much_unpacked_data_is_refused_before_parsing(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (file := tmp_path / "bomb.flent.gz").write_bytes(content)
    assert len(content) < 1 << 20
    with pytest.raises(FlentError, match=message):
        import_flent(file, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_overwritten_by_default(tmp_path: Path) -> None:
    import_flent(STORED, tmp_path / "run")
    with pytest.raises(ResultsError, match="earlier run"):
        import_flent(STORED, tmp_path / "run")
    import_flent(STORED, tmp_path / "run", overwrite=True)
