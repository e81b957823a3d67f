"""Verdicts on given numbers: ends of bands, missing runs, and differences between two folders."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest

from frrlib.results.layout import ResultsError
from miniedit_frr.experiments import verdict as verdicts
from miniedit_frr.experiments.declaration import Check, CheckResult
from miniedit_frr.experiments.expectations import Expectation
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.verdict import (
    Verdict,
    band_text,
    judge,
    load_verdicts,
    outcome_totals,
    save_verdicts,
    verdict_changes,
)
from tests.experiments.small import SMALL

BAND = Expectation("X.1", "X", "one: rtt", "rtt", "ms", "~50", "a talk", 40.0, 55.0, "derived", "", "an old kernel")
TRUTH = replace(BAND, id="X.2", low=math.nan, high=math.nan, finding="")


@pytest.fixture(autouse=True)
def statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "expectations", lambda: {statement.id: statement for statement in (BAND, TRUTH)})


def runs(count: int = 1, **options: object) -> Runs:
    fake_runs = tuple(Run(f"case{number}", "both", {}, 1, Path("nowhere")) for number in range(count))
    return Runs(Path("nowhere"), fake_runs, **options)  # type: ignore[arg-type]


def judged(numbers: CheckResult, finished: Runs | None = None, statement: str = "X.1", needs: str = "") -> Verdict:
    experiment = replace(SMALL, checks=(Check(statement, lambda runs: numbers, needs),))
    (verdict,) = judge(experiment, finished or runs())
    return verdict


@pytest.mark.parametrize(
    ("value", "outcome"),
    [(40, "pass"), (55, "pass"), (47.5, "pass"), (39.999, "fail"), (55.001, "fail"), (math.nan, "fail")],
)
def test_a_number_passes_in_its_band_including_the_ends(value: float, outcome: str) -> None:
    assert judged({"": value}).outcome == outcome


def test_all_numbers_must_lie_in_the_band() -> None:
    good, bad = judged({"reno": 41, "cubic": 54}), judged({"reno": 41, "cubic": 56})
    assert (good.outcome, good.finding) == ("pass", "")
    assert (bad.outcome, bad.finding) == ("fail", "an old kernel")
    assert bad.ours_text == "reno 41, cubic 56"


@pytest.mark.parametrize(("value", "outcome", "text"), [(1, "pass", "yes"), (0, "fail", "no")])
def test_a_statement_may_be_true_or_false(value: float, outcome: str, text: str) -> None:
    verdict = judged({"order": value}, statement="X.2")
    assert (verdict.outcome, verdict.ours_text, band_text(verdict.statement)) == (outcome, f"order {text}", "true")


def test_bands_as_text() -> None:
    assert band_text(BAND) == "40 to 55"
    assert band_text(replace(BAND, high=math.inf)) == "at least 40"
    assert band_text(replace(BAND, low=-math.inf)) == "at most 55"


def test_a_statement_without_runs_is_not_run_and_has_a_reason() -> None:
    missing = {"a": "no kernel here has bbr2", "b": "its run failed: r1 died"}
    verdict = judged(None, runs(missing=missing), needs="bbr2")
    assert (verdict.outcome, verdict.obstacle, dict(verdict.ours)) == ("not run", "no kernel here has bbr2", {})
    assert judged(None, runs(missing=missing)).obstacle == "no kernel here has bbr2; its run failed: r1 died"
    in_virtual_time = {"published-bbr2": "virtual time has no busy processor", "b": "its run failed: r1 died"}
    assert judged(None, runs(missing=in_virtual_time), needs="bbr2").obstacle == "virtual time has no busy processor"
    assert judged({"": 50}, runs(0, missing={"a": "it was not run"})).outcome == "not run"
    assert judged({}).outcome == "not run"
    assert judged(None, runs(is_quick=True)).obstacle == "the shortened runs do not contain it"


def test_a_check_that_raises_an_error_fails_alone() -> None:
    def broken(_: Runs) -> CheckResult:
        return {"": float({"a": 1}["b"])}

    experiment = replace(SMALL, checks=(Check("X.1", broken), Check("X.2", lambda _: {"": 1.0})))
    first, second = judge(experiment, runs())
    assert (first.outcome, first.obstacle) == ("fail", "the check ended with KeyError: 'b'")
    assert second.outcome == "pass"


def test_verdicts_are_written_as_json_and_csv(tmp_path: Path) -> None:
    both = (judged({"reno": 56.25}), judged({"": 1}, statement="X.2"), judged(None, runs(missing={"a": 'why, "so"'})))
    save_verdicts(both, tmp_path)
    loaded = load_verdicts(tmp_path)
    assert [verdict.row for verdict in loaded] == [verdict.row for verdict in both]
    assert outcome_totals(loaded) == {"pass": 1, "fail": 1, "not run": 1}
    with (tmp_path / verdicts.CSV).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == ["fail", "pass", "not run"]
    assert (rows[0]["ours"], rows[0]["band"], rows[0]["published"]) == ("reno 56.25", "40 to 55", "~50")
    assert (rows[0]["finding"], rows[1]["finding"], rows[2]["obstacle"]) == ("an old kernel", "", 'why, "so"')
    with pytest.raises(ResultsError, match="contains no verdict"):
        load_verdicts(tmp_path / "elsewhere")


def test_verdicts_of_earlier_versions_can_be_read(tmp_path: Path) -> None:
    save_verdicts((judged(None, runs(missing={"a": "r1 died"})),), tmp_path)
    file = tmp_path / verdicts.JSON
    file.write_text(file.read_text().replace('"obstacle"', '"why"'))
    assert [verdict.obstacle for verdict in load_verdicts(tmp_path)] == ["r1 died"]


def test_two_folders_are_compared_by_their_verdicts() -> None:
    good, bad, truth = judged({"": 50}), judged({"": 60}), judged({"": 1}, statement="X.2")
    assert verdict_changes([good, truth], [judged({"": 41}), truth]) == []  # another number in the same band
    assert [(change.id, change.first, change.second) for change in verdict_changes([good, truth], [bad, truth])] == [
        ("X.1", good, bad)
    ]
    assert [(change.id, change.first, change.second) for change in verdict_changes([good], [good, truth])] == [
        ("X.2", None, truth)
    ]
