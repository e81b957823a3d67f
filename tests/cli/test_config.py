"""`miniedit-frr config`: configurations of folders and results, copied into a topology file and exported from it."""

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
def topology_file(tmp_path: Path) -> Path:
    """A topology file with two BGP routers."""
    return Path(shutil.copy(ROOT / "examples" / "two-as-no-delay.mn", tmp_path / "two.mn"))


@pytest.fixture
def results(topology_file: Path, tmp_path: Path) -> Path:
    """A results folder of a run in which r1's configuration was changed in vtysh."""
    start = full_text(mn.load(topology_file).topology, "r1")
    now = merged(start, "router bgp 100\n address-family ipv4 unicast\n  network 10.9.0.0/16\n")
    write_configs(tmp_path / "results" / layout.CONFIGS, {"r1": RunningConfig("r1", start, now)})
    return tmp_path / "results"


def test_changes_typed_in_a_run_are_printed_and_copied(topology_file: Path, results: Path) -> None:
    result = invoke("config", "changes", results)
    assert [line for line in result.stdout.splitlines() if line[:1] == "+"][1:] == ["+  network 10.9.0.0/16"]
    original_text = topology_file.read_text()
    assert "network 10.9.0.0/16" in invoke("config", "adopt", topology_file, "--from", results, "--dry-run").stdout
    assert topology_file.read_text() == original_text
    assert invoke("config", "adopt", topology_file, "--from", results).exit_code == 0
    router = mn.load(topology_file).topology.node("r1")
    assert isinstance(router, Router)
    assert router.bgp is not None
    assert "10.9.0.0/16" in map(str, router.bgp.networks)
    assert "  network 10.9.0.0/16" in invoke("config", "show", results, "r1").stdout.splitlines()
    assert invoke("config", "show", results, "r7").exit_code == 1
    assert "already has all changes" in invoke("config", "take", topology_file, "--from", results).stderr


def test_the_end_of_a_lab_prints_the_command_that_copies_changes(
    topology_file: Path,
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(config, "history_folder", lambda: tmp_path / "history")
    configs = read_configs(results / layout.CONFIGS)
    config.save_final_configs("two", str(topology_file), configs)
    message = capsys.readouterr().err
    assert "changed on r1" in message
    argv = shlex.split(message.splitlines()[-1])
    assert invoke(*argv[1:]).exit_code == 0
    config.save_final_configs("two", str(topology_file), configs)
    assert capsys.readouterr().err == ""  # the file has it now
    assert len(kept_runs(tmp_path / "history")) == 2


def test_export_and_import(topology_file: Path, tmp_path: Path) -> None:
    assert invoke("config", "export", topology_file, tmp_path / "out").exit_code == 0
    (tmp_path / "out" / "r9").mkdir()
    (tmp_path / "out" / "r9" / "frr.conf").write_text("router rip\n version 2\n")
    result = invoke("config", "import", topology_file, tmp_path / "out")
    assert result.exit_code == 0
    assert "r9 is not in the topology" in result.stderr
    assert invoke("config", "import", topology_file, tmp_path / "out", "--add").exit_code == 0
    assert isinstance(mn.load(topology_file).topology.node("r9"), Router)
    assert invoke("config", "import", topology_file, tmp_path / "absent").exit_code == 2


@pytest.mark.skipif(shutil.which("vtysh") is None, reason="needs FRR")
def test_check_names_the_line_that_frr_refuses(topology_file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "r1.conf").write_text("router bgp 100\n bgp router-id 1.1.1.1\n netwrk 10.0.0.0/8\n")
    assert invoke("config", "import", topology_file, tmp_path / "out").exit_code == 0
    result = invoke("check", topology_file)
    assert result.exit_code == 1
    assert '"netwrk 10.0.0.0/8": Unknown command' in result.stdout
    assert "r1, Lines of your own: FRR refuses line " in result.stdout
