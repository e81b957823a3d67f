"""The table of `python -m tests.systems`, and its row for an unreachable archive. These tests make no system."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.rounds import Account, Outcome, ending
from tests.systems import roots, steps
from tests.systems.roots import SYSTEMS
from tests.systems.steps import StepResult, SystemResult, last_line, result_table, run_facts, run_verdict, try_system

ROOT = Path(__file__).resolve().parents[1]


def debootstrap(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Put a program with this name first on the PATH."""
    program = folder / "bin" / "debootstrap"
    program.parent.mkdir()
    program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def results(folder: Path, place: str, figure: bool = True) -> Path:
    """A results folder with the files that are read."""
    facts = {"python": "3.13.5", "frr": "10.3-3", "kernel": "6.12.1", "place": place, "host_kernel": "6.1.0"}
    (folder / "run.json").write_text(json.dumps({"facts": facts}))
    (folder / "summary.json").write_text(json.dumps({"verdict": "trustworthy"}))
    if figure:
        (folder / "figure.png").touch()
    return folder


def test_an_unreachable_archive_is_not_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debootstrap(tmp_path, monkeypatch, "echo E: Failed getting release file somewhere", "exit 1")
    system_result = try_system(SYSTEMS["debian13"], tmp_path / "systems", steps.STEPS)
    assert system_result.succeeded() and not system_result.step_results
    assert "| Debian 13 | not tried: its archive does not reply |" in result_table([system_result])


def test_other_failures_to_make_a_system_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debootstrap(tmp_path, monkeypatch, "echo E: Couldn\\'t download packages: bash", "exit 1")
    with pytest.raises(subprocess.CalledProcessError) as failure:
        try_system(SYSTEMS["debian13"], tmp_path / "systems", steps.STEPS)
    assert "download packages: bash" in failure.value.output


def test_the_table_has_the_versions_and_step_results_of_each_system() -> None:
    facts = {"python": "3.11.2", "frr": "8.4.4", "kernel": "6.1.0"}
    failed_debian = SystemResult(
        "Debian 12",
        facts=facts,
        step_results={"run": StepResult(0, 61.4, "trustworthy"), "test": StepResult(1, 2.0, "1 failed")},
    )
    failed_ubuntu = SystemResult(
        "Ubuntu 24.04",
        facts={"python": "3.12.3"},
        step_results={"build": StepResult(3, 5.0, "a | b")},
        changed_files=["etc/passwd"],
    )
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in result_table([failed_debian, failed_ubuntu]).splitlines()
    ]
    assert rows == [
        ["system", "Python", "FRR", "lab kernel", "run", "test", "build", "changed outside of the home"],
        ["---"] * 8,
        ["Debian 12", "3.11.2", "8.4.4", "6.1.0", "0; 61 s; trustworthy", "1; 2 s; 1 failed", "", "nothing"],
        ["Ubuntu 24.04", "3.12.3", "", "", "", "", r"3; 5 s; a \| b", "etc/passwd"],
    ]
    assert not failed_debian.succeeded() and not failed_ubuntu.succeeded()


def test_facts_and_verdict_are_read_from_a_results_folder(tmp_path: Path) -> None:
    assert run_facts(results(tmp_path, "labkernel")) == {"python": "3.13.5", "frr": "10.3-3", "kernel": "6.12.1"}
    assert "kernel" not in run_facts(results(tmp_path, "namespace"))
    assert run_verdict(tmp_path) == "trustworthy"
    (tmp_path / "figure.png").unlink()
    assert run_verdict(tmp_path) == "trustworthy, no figure"


def test_the_totals_of_the_suite_are_printed_without_its_time() -> None:
    account = Account({"t": Outcome("t", "passed", 1.0, "")}, seconds=1234.5)
    assert last_line("\n".join(ending(account)) + "\n") == "1 passed, 0 failed"
    assert last_line("") == "nothing"


def test_users_of_fresh_systems_get_only_the_network_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "there")
    monkeypatch.setenv("DISPLAY", ":7")
    variables = roots.environment("student")
    assert variables["https_proxy"] == "there" and "DISPLAY" not in variables and variables["HOME"] == "/home/student"


def test_the_documentation_lists_exactly_the_tested_systems() -> None:
    section = (ROOT / "docs" / "testing.md").read_text().split("## Fresh systems")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ((?:Debian|Ubuntu) [\d.]+) \| `([\w.]+)` ", section, re.MULTILINE)
    assert rows == [(system.title, name) for name, system in SYSTEMS.items()]


def test_changes_outside_of_the_home_are_a_failure(tmp_path: Path) -> None:
    for name in ("etc/passwd", "home/student/notes", "tmp/x", "usr/bin/sh", "usr/lib/gone"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    before = roots.files_of_others(tmp_path)
    assert set(before) == {"etc/passwd", "usr/bin/sh", "usr/lib/gone"}
    (tmp_path / "etc/passwd").write_text("22")
    (tmp_path / "home/student/notes").write_text("22")
    after = roots.files_of_others(tmp_path)
    assert [name for name in before if before[name] != after[name]] == ["etc/passwd"]
    assert not SystemResult("Debian 13", changed_files=["etc/passwd"]).succeeded()
