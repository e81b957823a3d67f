"""Directories of tests in the style of FRR's topotests are run without changes."""

from __future__ import annotations

import os
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from frrlib.topotest.runner import TopotestSettings, joined_reports, run_directory

SUITE = Path(__file__).parent / "suite"
#: The path of FRR's tests/topotests, if it is available. Only one test depends on it.
TREE = os.environ.get("FRR_TOPOTESTS", "")


@pytest.mark.lab
def test_a_directory_passes_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "anywhere" / "ospf_triangle"  # below /tmp, which is private in a lab
    shutil.copytree(SUITE / "ospf_triangle", folder)
    shutil.copy(SUITE / "conftest.py", folder.parent)
    outcome = run_directory(folder, TopotestSettings(timeout_s=240, quiet=True))
    assert outcome.ok, outcome.printed
    assert (outcome.passed, outcome.failed, outcome.skipped) == (9, 0, 0)
    assert outcome.logs is None
    assert len(outcome.places) == 1
    assert not list(folder.rglob("__pycache__"))


@pytest.mark.lab
def test_networks_that_are_described_in_json() -> None:
    outcome = run_directory(SUITE / "described", TopotestSettings(timeout_s=240, quiet=True))
    assert (outcome.passed, outcome.failed, outcome.skipped) == (5, 0, 1), outcome.printed
    assert outcome.reasons == ("skipped: needs lib.bgp.verify_no_such_thing, which is not offered",)


@pytest.mark.lab
def test_a_failure_is_reported_and_its_logs_are_kept() -> None:
    outcome = run_directory(SUITE / "unified", TopotestSettings(timeout_s=240, quiet=True))
    assert (outcome.passed, outcome.failed, outcome.skipped) == (1, 1, 1), outcome.printed
    assert "it is meant to fail" in outcome.reasons[0]
    assert "failed" in outcome.reasons[1]
    assert outcome.logs is not None
    assert (outcome.logs / "test_unified" / "r2" / "bgpd.log").read_text(encoding="utf-8")
    report = ET.fromstring(joined_reports([outcome.report, "", outcome.report]))
    assert len(list(report.iter("testcase"))) == 6
    shutil.rmtree(outcome.logs)


def test_a_failure_is_reported_with_its_reason(tmp_path: Path) -> None:
    message = "Testcase test_it : Failed \\n Error: r1 has no route"
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    assert False, '{message}'\n", encoding="utf-8")
    outcome = run_directory(tmp_path, TopotestSettings(timeout_s=60, quiet=True))
    assert outcome.reasons == ("test_it: AssertionError: Testcase test_it : Failed Error: r1 has no route",)
    assert outcome.logs is not None
    shutil.rmtree(outcome.logs)


def test_missing_features_are_a_reason_to_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    outcome = run_directory(SUITE / "needs_exabgp", TopotestSettings(timeout_s=120, quiet=True))
    assert (outcome.passed, outcome.failed, outcome.skipped) == (0, 0, 1), outcome.printed
    assert outcome.reasons == ("skipped: needs ExaBGP 3.4, and there is no `exabgp` on the PATH",)
    assert outcome.places == ()


@pytest.mark.lab
def test_the_time_limit_ends_the_lab() -> None:
    outcome = run_directory(SUITE / "ospf_triangle", TopotestSettings(timeout_s=3, quiet=True))
    assert not outcome.ok
    assert outcome.reasons[0] == "not done within 3 s"
    assert outcome.logs is not None
    shutil.rmtree(outcome.logs)


@pytest.mark.lab
@pytest.mark.skipif(not TREE, reason="FRR_TOPOTESTS names no tree of FRR's")
@pytest.mark.parametrize("name", ["rip_topo1", "bfd_topo1", "ospf_unnumbered"])
def test_directories_of_frr_pass(name: str) -> None:
    outcome = run_directory(Path(TREE) / name, TopotestSettings(timeout_s=240, quiet=True))
    assert outcome.ok, outcome.printed
