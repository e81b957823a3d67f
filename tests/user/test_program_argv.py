"""The command by which this program starts itself, in a stranger's folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from frrlib import __version__
from miniedit_frr.user.paths import program_argv


@pytest.mark.parametrize("module", ["typer", "miniedit_frr", "json", "sitecustomize"])
def test_modules_in_the_current_folder_are_not_executed(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    done = subprocess.run([*program_argv(), "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert __version__ in done.stdout
    assert not (tmp_path / "executed").exists()
