"""`miniedit-frr experiment` as a user calls it, without a lab."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from frrlib.run.run import RunSettings
from miniedit_frr.cli.experiment import default_folder
from miniedit_frr.experiments.catalogue import experiments
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.plan import ExperimentOptions
from miniedit_frr.experiments.runs import CASES
from miniedit_frr.experiments.verdict import CSV, JSON
from tests.cli.commands import invoke
from tests.experiments.small import SMALL, stored_runs

NAME = next(iter(experiments()))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue has one small experiment, which is concluded in this process instead of a new one."""
    from miniedit_frr.experiments import catalogue, conclusion

    monkeypatch.setattr(catalogue, "experiments", lambda: {SMALL.name: SMALL})
    monkeypatch.setattr(
        conclusion,
        "conclude_all",
        lambda folders, jobs, draws: [conclusion.conclude(folder, draws) for folder in folders],
    )


def test_all_are_listed_and_one_is_shown() -> None:
    result = invoke("experiment", "list")
    assert result.exit_code == 0, result.output
    for experiment in experiments().values():
        assert f"{experiment.name} " in result.stdout and experiment.title in result.stdout
    listed = json.loads(invoke("experiment", "list", "--json").stdout)
    assert [row["name"] for row in listed] == list(experiments())
    show_result = invoke("experiment", "show", NAME.lower())
    assert show_result.exit_code == 0, show_result.output
    experiment_document = json.loads(invoke("experiment", "show", NAME, "--json").stdout)
    for case in experiment_document["cases"]:
        assert case["name"] in show_result.stdout
    for statement in experiment_document["statements"]:
        assert statement["id"] in show_result.stdout and expectations()[statement["id"]].basis == statement["basis"]


def test_an_unknown_name_is_reported_with_a_similar_one() -> None:
    for command in ("show", "run"):
        result = invoke("experiment", command, f"{NAME}x")
        assert result.exit_code == 2
        assert f"there is no experiment '{NAME}x'; did you mean {NAME}?" in result.output


def test_missing_virtual_time_is_reported_with_remedies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIEDIT_FRR_KERNEL", raising=False)
    result = invoke("experiment", "run", NAME, "--kernel", tmp_path / "none", "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert "--real-time" in result.output
    assert not (tmp_path / "out").exists()


def test_each_mode_of_running_has_its_own_folder() -> None:
    virtual = RunSettings(virtual_time=True)
    orders = (
        ExperimentOptions(),
        ExperimentOptions(quick=True),
        ExperimentOptions(settings=RunSettings()),
        ExperimentOptions(True, None, 7, RunSettings()),
    )
    assert [str(default_folder(order)) for order in orders] == [
        "results/experiments", "results/experiments-quick", "results/experiments-real-time",
        "results/experiments-quick-real-time-seed-7",
    ]  # fmt: skip
    assert default_folder(ExperimentOptions(settings=virtual, repeat=3)) == default_folder(ExperimentOptions())


@pytest.mark.usefixtures("small")
def test_a_folder_is_judged_again_and_compared(tmp_path: Path) -> None:
    first_folder, second_folder = stored_runs(tmp_path / "here"), stored_runs(tmp_path / "there")
    result = invoke("experiment", "verdict", first_folder)
    assert result.exit_code == 0, result.output  # a statement that fails is a result
    assert "2 statements: 0 pass, 1 fail, 1 not run" in result.stdout
    assert "not run CF5.5: the kernel has no bbr2" in result.stdout
    assert (first_folder / SMALL.name / JSON).exists() and (first_folder / SMALL.name / CSV).exists()
    assert invoke("experiment", "verdict", first_folder / SMALL.name, "--strict").exit_code == 1
    rows = json.loads(invoke("experiment", "verdict", first_folder, "--json").stdout)["verdicts"]
    assert {row["id"]: row["outcome"] for row in rows} == {"CF5.1": "fail", "CF5.5": "not run"}

    same = invoke("experiment", "verdict", first_folder, "--against", second_folder, "--strict")
    assert (same.exit_code, "2 of 2 statements have the same verdict" in same.stdout) == (0, True), same.output
    file = second_folder / SMALL.name / CASES
    file.write_text(json.dumps({**json.loads(file.read_text()), "cases": []}))  # nothing was run there
    comparison = invoke("experiment", "verdict", first_folder, "--against", second_folder)
    assert comparison.exit_code == 0 and "1 of 2 statements have the same verdict" in comparison.stdout
    assert invoke("experiment", "verdict", first_folder, "--against", second_folder, "--strict").exit_code == 1


@pytest.mark.usefixtures("small")
def test_disturbances_by_the_machine_are_printed_with_the_verdict(tmp_path: Path) -> None:
    out = stored_runs(tmp_path / "out")
    (file,) = out.glob(f"{SMALL.name}/runs/*/summary.json")
    summary = json.loads(file.read_text())
    file.write_text(json.dumps({**summary, "findings": []}))
    assert "doubtful" not in invoke("experiment", "verdict", out).stdout
    stall = {"what": "stalls", "subject": "lab", "severity": "doubt", "message": "the lab stood still for 0.9 s"}
    file.write_text(json.dumps({**summary, "findings": [stall]}))
    doubt_text = "1 of 1 runs are doubtful, and so are their numbers; published-bbr_1: the lab stood still for 0.9 s"
    assert doubt_text in invoke("experiment", "verdict", out).stdout.replace("\n", " ")
    assert json.loads(invoke("experiment", "verdict", out, "--json").stdout)["doubtful"] == {SMALL.name: doubt_text}
    page = Path(invoke("experiment", "report", out).stdout.strip().splitlines()[-1])
    assert doubt_text in page.read_text()


@pytest.mark.usefixtures("small")
def test_a_report_is_drawn_and_written_again(tmp_path: Path) -> None:
    out = stored_runs(tmp_path / "out")
    result = invoke("experiment", "report", out)
    assert result.exit_code == 0, result.output
    assert Path(result.stdout.strip().splitlines()[-1]).read_text().startswith("<!DOCTYPE html>")
    assert {path.suffix for path in (out / SMALL.name / "figures").iterdir()} == {".png", ".pdf"}


def test_a_folder_without_experiments_is_refused(tmp_path: Path) -> None:
    for command in ("verdict", "report"):
        result = invoke("experiment", command, tmp_path)
        assert result.exit_code == 2 and "contains no experiment" in result.output


def test_an_unreadable_results_file_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / CASES).write_text("{")
    result = invoke("experiment", "verdict", tmp_path)
    assert result.exit_code == 2, result.output
    assert f"{folder}: contains no experiment: {CASES} cannot be read" in result.output


def test_the_command_of_this_environment_judges_in_processes_of_its_own(tmp_path: Path) -> None:
    """The processes import the file of the command, which must not run the command again."""
    command = Path(sys.prefix) / "bin" / "miniedit-frr"
    if not command.exists():
        pytest.skip(f"there is no {command}")
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / CASES).write_text(json.dumps({"experiment": NAME, "quick": True, "cases": [], "missing": {}}))
    completed = subprocess.run([command, "experiment", "verdict", tmp_path, "--json"], capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    assert {row["outcome"] for row in json.loads(completed.stdout)["verdicts"]} == {"not run"}
