"""Intervals with bounds, medians, numbers of repetitions, and LaTeX tables."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from frrlib.results.read import open_results
from frrlib.results.statistics.comparison import METRICS, comparison_table, group_statistics
from frrlib.results.statistics.intervals import UNBOUNDED, bounds_of, interval, quartiles
from frrlib.results.statistics.latex import latex_table
from frrlib.results.statistics.paired import repetitions_table
from frrlib.results.statistics.table import TextTable
from tests.cli.commands import command_output, invoke
from tests.results.conftest import Make
from tests.results.test_comparison import a_run, with_topology


def test_an_interval_ends_at_a_bound() -> None:
    """Of 0, 0 and 3 the deviation is sqrt(3), and t(0.975) is 4.303 for two degrees of freedom: 1 ± 4.303."""
    cut = interval((0, 0, 3), bounds=bounds_of("rtt_median_ms"))
    assert cut is not None and cut.is_cut and (cut.mean, cut.low) == (1, 0)
    assert cut.high == pytest.approx(5.303, abs=1e-3)
    whole = interval((0, 0, 3))
    assert whole is not None and not whole.is_cut and whole.low == pytest.approx(-3.303, abs=1e-3)
    # 0.9 and 1: the deviation is 0.0707, t is 12.706, so half of the width is 0.635
    jain = interval((0.9, 1.0), bounds=bounds_of("jain_index"))
    assert jain is not None and (jain.low, jain.high) == (pytest.approx(0.315, abs=1e-3), 1.0)
    # A value outside of the bounds shows that they are not those of the quantity.
    beyond = interval((-1, 3), bounds=bounds_of("queueing_ms"))
    assert beyond is not None and beyond.low == pytest.approx(1 - 12.706 * 2, abs=1e-2)
    assert bounds_of("used_percent") == (0, 100) and bounds_of("goodput_mbit") == (0, math.inf)
    assert {bounds_of(name) for name in METRICS} & {UNBOUNDED} == set()


def test_quartiles_are_those_of_the_standard_library() -> None:
    values = [9.1, 3.0, 4.5, 7.25, 8.0, 1.0]
    found = quartiles(values)
    assert found is not None and quartiles(()) is None
    assert (found.low, found.median, found.high) == pytest.approx(statistics.quantiles(values, method="inclusive"))


def goodputs(make: Make, *rates_mbit: float, seed: int = 1, delay: int = 5) -> list[Path]:
    """Runs with these goodputs and seeds from `seed` on."""
    folders = []
    for number, rate in enumerate(rates_mbit):
        run = with_topology(a_run(make, f"d{delay}-{number}", rate), delay, 100)
        record = run.folder / "run.json"
        record.write_text(json.dumps({**json.loads(record.read_text()), "settings": {"seed": seed + number}}))
        folders.append(run.folder)
    return folders


def test_tables_of_repetitions(make: Make) -> None:
    runs = [open_results(folder) for folder in goodputs(make, 4.0, 5.0, 6.0)]
    rows = group_statistics(runs)

    def cell(table: TextTable) -> str:
        return table.rows[0][table.headings.index("goodput Mbit/s")]

    # The deviation is 1, t(0.975) is 4.303, and 4.303 / sqrt(3) is 2.48.
    assert cell(comparison_table(rows)) == "5.0 ± 2.5"
    assert cell(comparison_table(rows, medians=True)) == "5.00 (4.50 to 5.50)"
    # By tables of t, 21 values are needed for 0.456 (of 5: 9.12 %), and 20 for 0.469 (9.38 %).
    assert cell(repetitions_table(rows, 9.12)) == "21" and cell(repetitions_table(rows, 9.38)) == "20"
    (single,) = group_statistics(runs[:1])
    assert cell(repetitions_table([single], 10)) == "-"
    assert cell(comparison_table(group_statistics([*runs[:2], replace(runs[1])]))) == "4.7 ± 1.4"
    bounded = group_statistics([open_results(folder) for folder in goodputs(make, 0.1, 9.0, delay=20)])
    assert cell(comparison_table(bounded)).startswith("5 [0, ")


def test_a_latex_table_executes_no_text() -> None:
    table = TextTable(
        r"\input{x} 5 %", ("a_b & c", "Mbit/s", "ms"),
        ((r"$x$ #1", "9.10 ± 0.02", "-"), ("-", "4.7 (4.5 to 5.5)", "-1.5"), ("b", "1.0 [0.0, 5.3]", "7;8")),
        (False, True, True),
    )  # fmt: skip
    lines = latex_table(table).splitlines()
    assert lines[0] == r"% \textbackslash{}input\{x\} 5 \%"
    assert lines[2:] == [
        r"\begin{tabular}{lrr}", r"\toprule", r"a\_b \& c & Mbit/s & ms \\", r"\midrule",
        r"\$x\$ \#1 & $9.10 \pm 0.02$ & -- \\", r"{-} & $4.7\ (4.5\mbox{ to }5.5)$ & $-1.5$ \\",
        r"b & $1.0\ [0.0, 5.3]$ & 7;8 \\", r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip


def test_the_command_line_prints_them(make: Make) -> None:
    first, second = goodputs(make, 4.0, 5.0, 6.5), goodputs(make, 5.0, 7.0, 6.0, delay=20)
    both = [*first, *second]
    pairs = json.loads(invoke("stats", *both, "--paired", "--json").stdout)
    assert (pairs["first"], pairs["second"]) == ("delay 5 ms", "delay 20 ms")
    goodput = pairs["differences"]["goodput_mbit"]
    # 1, 2 and -0.5: the mean is 5/6, the median 1, and the quartiles are 0.25 and 1.5
    assert [goodput[name] for name in ("n", "mean", "median", "iqr")] == pytest.approx([3, 5 / 6, 1, 1.25], abs=1e-6)
    assert "quartiles" in command_output("stats", *both, "--medians")
    assert r"\toprule" in command_output("stats", *both, "--paired", "--latex")
    assert "± 5 % of the mean" in command_output("stats", *both, "--within", "5")
    assert "cannot be combined" in command_output("stats", *both, "--paired", "--medians", status=2)
    assert "--json cannot be combined" in command_output("stats", *both, "--latex", "--json", status=2)
