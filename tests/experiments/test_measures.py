"""Numbers and series of a stored run, compared with sums over its table; and the theory of windows."""

from __future__ import annotations

import csv
import math
import shutil
from collections.abc import Callable

import numpy as np
import pytest

from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.series import Series
from frrlib.results.statistics import summary
from miniedit_frr.experiments import measures, theory
from tests.experiments.small import STORED

FLOW = "bbr"
Binned = Callable[..., Series]
Table = list[dict[str, str]]


@pytest.fixture(scope="module")
def table() -> Table:
    """The stored run's table of TCP, with delivered packets, which it had not sampled."""
    with (STORED / "samples" / "tcp.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row | {"delivered_packets": str(int(row["bytes_acked"]) // 1448)} for row in rows]


@pytest.fixture(scope="module")
def results(table: Table, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The run with that table."""
    folder = tmp_path_factory.mktemp("stored") / "run"
    shutil.copytree(STORED, folder)
    with (folder / "samples" / "tcp.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return open_results(folder)


def column(table: Table, side: str, name: str) -> dict[float, float]:
    """A column of the flow at one end, by time in seconds."""
    rows = [row for row in table if row["flow"] == FLOW and row["side"] == side]
    return {float(row["time_s"]): float(row[name]) for row in rows if row[name]}


def grown(counts: dict[float, float], from_s: float, to_s: float) -> float:
    begin, end = np.interp([from_s, to_s], list(counts), list(counts.values()))
    return float(end - begin)


@pytest.mark.parametrize(
    ("binned", "side", "name", "unit_bytes"),
    [(measures.goodput, "receiver", "bytes_received", 1), (measures.arrival_rate, "sender", "delivered_packets", 1448)],
)
def test_rates_agree_with_the_counts(
    results: Results, table: Table, binned: Binned, side: str, name: str, unit_bytes: int
) -> None:
    counts = column(table, side, name)
    times, rates = binned(results, FLOW, 0.25, 0.5, 1.5)
    assert times == pytest.approx([0.625, 0.875, 1.125, 1.375])
    expected = [grown(counts, middle - 0.125, middle + 0.125) * unit_bytes * 8e-6 / 0.25 for middle in times]
    assert rates == pytest.approx(expected)
    assert min(rates) > 0
    # Without times the series has the whole time of the flow, and nearly all counted bytes.
    _, every = binned(results, FLOW, 0.25)
    assert every.sum() * 0.25 == pytest.approx(max(counts.values()) * unit_bytes * 8e-6, rel=0.15)


def test_an_unknown_flow_has_no_series(results: Results) -> None:
    for binned in (measures.goodput, measures.arrival_rate):
        assert all(not values.size for values in binned(results, "nobody", 0.25))
    assert measures.goodput_mbit(results, "nobody", 0.5, 1.5) is None
    with pytest.raises(KeyError):
        summary.goodput_mbit(results, "nobody", 0.5, 1.5)


def test_goodput_is_that_of_the_summary(results: Results, table: Table) -> None:
    goodputs = measures.goodputs_mbit(results, 0.5, 1.5)
    assert goodputs == {name: summary.goodput_mbit(results, name, 0.5, 1.5) for name in measures.flow_names(results)}
    assert goodputs[FLOW] == pytest.approx(grown(column(table, "receiver", "bytes_received"), 0.5, 1.5) * 8e-6)


@pytest.mark.parametrize(
    ("values", "index"),
    [
        ([3.0, 3.0, 3.0, 3.0], 1.0),
        ([0.0, 7.0, 0.0, 0.0], 0.25),
        ([1.0, 2.0, 3.0], 36 / 42),
        ([0.1, 0.2, 0.3, 0.4, 0.5], 0.8181818181818181),
    ],
)
def test_shares_have_jains_index(values: list[float], index: float) -> None:
    assert summary.jain_index(dict(enumerate(values)).values()) == pytest.approx(index, rel=1e-15)


def test_a_window_is_sent_in_each_round_trip() -> None:
    assert theory.window_mbit(10, 100) == pytest.approx(10 * 1448 * 8 / 100e-3 / 1e6)


@pytest.mark.parametrize("most", [100, 400])
def test_reno_under_loss_is_a_sawtooth(most: int) -> None:
    """Its window grows by a packet in each round trip from half to whole, and then one packet is lost."""
    windows = range(most // 2, most)
    mean = sum(windows) / len(windows)
    assert theory.mathis_mbit(1 / sum(windows), 20.0) == pytest.approx(theory.window_mbit(mean, 20.0), rel=0.01)
    assert math.isclose(theory.mathis_mbit(0.01, 20.0), 4 * theory.mathis_mbit(0.04, 20.0) / 2)
