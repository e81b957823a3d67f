"""`export`, `script`, and those options of an exported script that need no lab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from frrlib.formats import mn, script
from frrlib.results.layout import ResultsError
from miniedit_frr.cli import script as script_command
from tests.cli.commands import invoke

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "two-as-no-delay.mn"
TOPOLOGY = mn.load(EXAMPLE).topology


def test_export_writes_the_script(tmp_path: Path) -> None:
    out = tmp_path / "mine.py"
    assert invoke("export", EXAMPLE, "--to", "script", "--out", out).exit_code == 0
    assert out.read_text() == script.dumps(TOPOLOGY, name="mine.py")
    printed = invoke("export", EXAMPLE)
    assert printed.stdout == script.dumps(TOPOLOGY, name="two-as-no-delay.py")


def test_the_name_of_a_picture_sets_its_format(tmp_path: Path) -> None:
    for name, begin in (("lab.svg", b"<?xml"), ("lab.PNG", b"\x89PNG"), ("lab.pdf", b"%PDF"), ("lab.txt", b'"""')):
        assert invoke("export", EXAMPLE, "--out", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(begin)


def test_export_keeps_existing_files(tmp_path: Path) -> None:
    out = tmp_path / "lab.py"
    out.write_text("# mine")
    refused = invoke("export", EXAMPLE, "--out", out)
    assert (refused.exit_code, out.read_text()) == (2, "# mine")
    assert "--overwrite" in refused.stderr
    assert invoke("export", EXAMPLE, "--out", out, "--overwrite").exit_code == 0
    assert out.read_text() == script.dumps(TOPOLOGY)


@pytest.mark.parametrize(
    ("content", "out", "status"), [("{}", "nowhere/lab.py", 3), ("{", "lab.py", 2)], ids=["no-folder", "no-topology"]
)
def test_an_export_that_fails_leaves_nothing(tmp_path: Path, content: str, out: str, status: int) -> None:
    topology_file = tmp_path / "a.mn"
    topology_file.write_text(EXAMPLE.read_text() if content == "{}" else content)
    result = invoke("export", topology_file, "--out", tmp_path / out)
    assert result.exit_code == status, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.mn"]


def exported(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run the exported example as `miniedit-frr script lab.py ARGV`."""
    (folder / "lab.py").write_text(script.dumps(TOPOLOGY))
    command = [sys.executable, "-m", "miniedit_frr", "script", "lab.py", *argv]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=env)


def test_script_passes_its_options_on(tmp_path: Path) -> None:
    result = exported(tmp_path, "--frr")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("! r1: frr.conf\n")
    helped = exported(tmp_path, "--help").stdout
    assert all(option in helped for option in ("--place", "--repeat", "--cc", "--out", "--kernel"))
    seeded = exported(tmp_path, "--seed", "7")
    assert seeded.returncode == 2 and "--seed needs --virtual-time" in seeded.stderr
    wrong = exported(tmp_path, "--cc", "bbr;cubic")
    assert wrong.returncode == 2
    assert "not a list of congestion controls" in wrong.stderr


def test_a_missing_script_is_refused(tmp_path: Path) -> None:
    result = invoke("script", tmp_path / "lab.py")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_a_single_run_has_the_unchanged_topology() -> None:
    (single_run,) = script_command.runs(TOPOLOGY)
    assert (single_run.topology, single_run.folder) == (TOPOLOGY, "")
    assert [run.folder for run in script_command.runs(TOPOLOGY, 2)] == ["run-1", "run-2"]


def test_a_run_for_each_congestion_control_and_repetition() -> None:
    runs = list(script_command.runs(TOPOLOGY, 2, ("bbr", "cubic")))
    assert [(run.folder, run.repetition) for run in runs] == [
        ("bbr-1", 1), ("cubic-1", 1), ("bbr-2", 2), ("cubic-2", 2),
    ]  # fmt: skip
    for run in runs:
        name = run.folder.partition("-")[0]
        assert {flow.congestion_control for flow in run.topology.flows} == {name}
        assert [(f.id, f.start_s, f.duration_s) for f in run.topology.flows] == [
            (f.id, f.start_s, f.duration_s) for f in TOPOLOGY.flows
        ]
    with pytest.raises(ValidationError):
        list(script_command.runs(TOPOLOGY, 1, ("BBR!",)))


def test_results_use_a_temporary_folder_if_owners_cannot_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", refuse)
    folder = tmp_path / "out" / "cubic-1"
    with script_command._writable_folder(folder) as written:
        assert written.parent != folder.parent
        (written / "samples").mkdir(parents=True)
        (written / "samples" / "tcp.csv").write_text("1")
    assert (folder / "samples" / "tcp.csv").read_text() == "1"
    assert not written.exists()
    with pytest.raises(ResultsError, match="already exists"), script_command._writable_folder(folder):
        pass


def test_results_are_written_directly_to_an_ordinary_folder(tmp_path: Path) -> None:
    with script_command._writable_folder(tmp_path / "out") as written:
        assert written == tmp_path / "out"


def test_help_of_the_command_and_help_of_the_script_are_told_apart(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint(sys.argv[1:])\n")
    assert "Run an exported script" in invoke("script", "--help").stdout
    assert invoke("script", program, "--help", "--seed", "3").stdout == "['--help', '--seed', '3']\n"
