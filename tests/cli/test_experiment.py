"""`miniedit-frr experiment` as a person calls it, without running a lab."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.catalogue import experiments
from experiments.expectations import expectations
from experiments.plan import Order
from experiments.runs import CASES
from experiments.verdict import CSV, JSON
from frrlib.run.run import RunSettings
from miniedit_frr.cli.experiment import default_folder
from tests.cli.commands import invoke
from tests.experiments.small import SMALL, stored_runs

NAME = next(iter(experiments()))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue holds one small experiment, and processes of one's own are this one."""
    from experiments import catalogue, conclusion

    monkeypatch.setattr(catalogue, "experiments", lambda: {SMALL.name: SMALL})
    monkeypatch.setattr(
        conclusion, "conclude_all", lambda folders, jobs, draws: [conclusion.conclude(each, draws) for each in folders]
    )


def test_all_are_listed_and_one_is_shown() -> None:
    said = invoke("experiment", "list")
    assert said.exit_code == 0, said.output
    for one in experiments().values():
        assert f"{one.name} " in said.stdout and one.title in said.stdout
    listed = json.loads(invoke("experiment", "list", "--json").stdout)
    assert [each["name"] for each in listed] == list(experiments())
    shown = invoke("experiment", "show", NAME.lower())
    assert shown.exit_code == 0, shown.output
    whole = json.loads(invoke("experiment", "show", NAME, "--json").stdout)
    for case in whole["cases"]:
        assert case["name"] in shown.stdout
    for statement in whole["statements"]:
        assert statement["id"] in shown.stdout and expectations()[statement["id"]].basis == statement["basis"]


def test_a_name_that_is_not_known_is_told_with_what_is_like_it() -> None:
    for command in ("show", "run"):
        said = invoke("experiment", command, f"{NAME}x")
        assert said.exit_code == 2
        assert f"there is no experiment '{NAME}x'; did you mean {NAME}?" in said.output


def test_without_virtual_time_it_says_what_brings_it_or_how_to_do_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINIEDIT_FRR_KERNEL", raising=False)
    said = invoke("experiment", "run", NAME, "--kernel", tmp_path / "none", "--out", tmp_path / "out")
    assert said.exit_code == 3
    assert "--real-time" in said.output
    assert not (tmp_path / "out").exists()


def test_each_way_of_running_has_a_folder_of_its_own() -> None:
    virtual = RunSettings(virtual_time=True)
    orders = (Order(), Order(quick=True), Order(settings=RunSettings()), Order(True, None, 7, RunSettings()))
    assert [str(default_folder(order)) for order in orders] == [
        "results/experiments", "results/experiments-quick", "results/experiments-real-time",
        "results/experiments-quick-real-time-seed-7",
    ]  # fmt: skip
    assert default_folder(Order(settings=virtual, repeat=3)) == default_folder(Order())


@pytest.mark.usefixtures("small")
def test_a_folder_is_judged_again_and_compared(tmp_path: Path) -> None:
    here, there = stored_runs(tmp_path / "here"), stored_runs(tmp_path / "there")
    said = invoke("experiment", "verdict", here)
    assert said.exit_code == 0, said.output  # a statement that fails is a result
    assert "2 statements: 0 pass, 1 fail, 1 not run" in said.stdout
    assert "not run CF5.5: the kernel has no bbr2" in said.stdout
    assert (here / SMALL.name / JSON).exists() and (here / SMALL.name / CSV).exists()
    assert invoke("experiment", "verdict", here / SMALL.name, "--strict").exit_code == 1
    rows = json.loads(invoke("experiment", "verdict", here, "--json").stdout)["verdicts"]
    assert {row["id"]: row["outcome"] for row in rows} == {"CF5.1": "fail", "CF5.5": "not run"}

    same = invoke("experiment", "verdict", here, "--against", there, "--strict")
    assert (same.exit_code, "2 of 2 statements have the same verdict" in same.stdout) == (0, True), same.output
    file = there / SMALL.name / CASES
    file.write_text(json.dumps({**json.loads(file.read_text()), "cases": []}))  # nothing was run there
    other = invoke("experiment", "verdict", here, "--against", there)
    assert other.exit_code == 0 and "1 of 2 statements have the same verdict" in other.stdout
    assert invoke("experiment", "verdict", here, "--against", there, "--strict").exit_code == 1


@pytest.mark.usefixtures("small")
def test_a_machine_that_got_in_the_way_is_told_with_the_verdict(tmp_path: Path) -> None:
    out = stored_runs(tmp_path / "out")
    (file,) = out.glob(f"{SMALL.name}/runs/*/summary.json")
    said = json.loads(file.read_text())
    file.write_text(json.dumps({**said, "findings": []}))
    assert "doubtful" not in invoke("experiment", "verdict", out).stdout
    stall = {"what": "stalls", "subject": "lab", "severity": "doubt", "why": "the lab stood still for 0.9 s"}
    file.write_text(json.dumps({**said, "findings": [stall]}))
    words = "1 of 1 runs are doubtful, and so are their numbers; published-bbr_1: the lab stood still for 0.9 s"
    assert words in invoke("experiment", "verdict", out).stdout.replace("\n", " ")
    assert json.loads(invoke("experiment", "verdict", out, "--json").stdout)["doubtful"] == {SMALL.name: words}
    page = Path(invoke("experiment", "report", out).stdout.strip().splitlines()[-1])
    assert words in page.read_text()


@pytest.mark.usefixtures("small")
def test_a_report_is_drawn_and_written_again(tmp_path: Path) -> None:
    out = stored_runs(tmp_path / "out")
    said = invoke("experiment", "report", out)
    assert said.exit_code == 0, said.output
    assert Path(said.stdout.strip().splitlines()[-1]).read_text().startswith("<!DOCTYPE html>")
    assert {path.suffix for path in (out / SMALL.name / "figures").iterdir()} == {".png", ".pdf"}


def test_a_folder_without_experiments_is_refused(tmp_path: Path) -> None:
    for command in ("verdict", "report"):
        said = invoke("experiment", command, tmp_path)
        assert said.exit_code == 2 and "contains no experiment" in said.output


def test_what_the_process_that_judges_cannot_read_is_told(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / CASES).write_text("{")
    said = invoke("experiment", "verdict", tmp_path)
    assert said.exit_code == 2, said.output
    assert f"{folder}: contains no experiment: {CASES} cannot be read" in said.output


def test_the_command_of_this_environment_judges_in_processes_of_its_own(tmp_path: Path) -> None:
    """These read the file that the command is, which must not begin it all again."""
    command = Path(sys.prefix) / "bin" / "miniedit-frr"
    if not command.exists():
        pytest.skip(f"there is no {command}")
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / CASES).write_text(json.dumps({"experiment": NAME, "quick": True, "cases": [], "missing": {}}))
    done = subprocess.run([command, "experiment", "verdict", tmp_path, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {each["outcome"] for each in json.loads(done.stdout)["verdicts"]} == {"not run"}
