"""`miniedit-frr config`: configurations from folders and results, into a drawing's file and out of it."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from frrlib.conf.merge import merged
from frrlib.conf.running import RunningConfig
from frrlib.configs.adoption import full_text
from frrlib.configs.history import kept_runs, read_configs, write_configs
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.results import layout
from miniedit_frr.cli import config
from tests.cli.commands import invoke

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    """A drawing's file of two routers that speak BGP."""
    return Path(shutil.copy(ROOT / "examples" / "two-as-no-delay.mn", tmp_path / "two.mn"))


@pytest.fixture
def results(drawing: Path, tmp_path: Path) -> Path:
    """A results folder of a run in which something was typed on r1."""
    start = full_text(mn.load(drawing).topology, "r1")
    now = merged(start, "router bgp 100\n address-family ipv4 unicast\n  network 10.9.0.0/16\n")
    write_configs(tmp_path / "results" / layout.CONFIGS, {"r1": RunningConfig("r1", start, now)})
    return tmp_path / "results"


def test_what_was_typed_in_a_run_is_told_and_taken(drawing: Path, results: Path) -> None:
    said = invoke("config", "changes", results)
    assert [line for line in said.stdout.splitlines() if line[:1] == "+"][1:] == ["+  network 10.9.0.0/16"]
    before = drawing.read_text()
    assert "network 10.9.0.0/16" in invoke("config", "take", drawing, "--from", results, "--dry-run").stdout
    assert drawing.read_text() == before
    assert invoke("config", "take", drawing, "--from", results).exit_code == 0
    router = mn.load(drawing).topology.node("r1")
    assert isinstance(router, Router)
    assert router.bgp is not None
    assert "10.9.0.0/16" in map(str, router.bgp.networks)
    assert "  network 10.9.0.0/16" in invoke("config", "show", results, "r1").stdout.splitlines()
    assert invoke("config", "show", results, "r7").exit_code == 1
    assert "already has all changes" in invoke("config", "take", drawing, "--from", results).stderr


def test_at_a_labs_end_it_is_told_how_what_was_typed_is_taken(
    drawing: Path, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(config, "history_folder", lambda: tmp_path / "history")
    configs = read_configs(results / layout.CONFIGS)
    config.save_final_configs("two", str(drawing), configs)
    said = capsys.readouterr().err
    assert "changed on r1" in said
    argv = shlex.split(said.splitlines()[-1])
    assert invoke(*argv[1:]).exit_code == 0
    config.save_final_configs("two", str(drawing), configs)
    assert capsys.readouterr().err == ""  # the file has it now
    assert len(kept_runs(tmp_path / "history")) == 2


def test_export_and_import(drawing: Path, tmp_path: Path) -> None:
    assert invoke("config", "export", drawing, tmp_path / "out").exit_code == 0
    (tmp_path / "out" / "r9").mkdir()
    (tmp_path / "out" / "r9" / "frr.conf").write_text("router rip\n version 2\n")
    said = invoke("config", "import", drawing, tmp_path / "out")
    assert said.exit_code == 0
    assert "r9 is not in the topology" in said.stderr
    assert invoke("config", "import", drawing, tmp_path / "out", "--add").exit_code == 0
    assert isinstance(mn.load(drawing).topology.node("r9"), Router)
    assert invoke("config", "import", drawing, tmp_path / "absent").exit_code == 2


@pytest.mark.skipif(shutil.which("vtysh") is None, reason="needs FRR")
def test_check_names_the_line_that_frr_does_not_take(drawing: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "r1.conf").write_text("router bgp 100\n bgp router-id 1.1.1.1\n netwrk 10.0.0.0/8\n")
    assert invoke("config", "import", drawing, tmp_path / "out").exit_code == 0
    said = invoke("check", drawing)
    assert said.exit_code == 1
    assert '"netwrk 10.0.0.0/8": Unknown command' in said.stdout
    assert "r1, Lines of your own: FRR refuses line " in said.stdout
