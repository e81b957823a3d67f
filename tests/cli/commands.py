"""Calls `miniedit-frr` as a user does: in this process, in a new process, and with a detached lab."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


def invoke(*argv: object) -> Any:
    """Run a command in this process, on a wide console."""
    return CliRunner().invoke(app, [str(word) for word in argv], env={"COLUMNS": "200"})


def command_output(*argv: object, status: int = 0) -> str:
    """The output of a command in this process. The command must end with this status."""
    result = invoke(*argv)
    assert result.exit_code == status, result.output
    return str(result.output)


def output_in(folder: Path, *argv: object, status: int = 0) -> str:
    """The output of a command in this process, with a working directory."""
    with chdir(folder):
        return command_output(*argv, status=status)


def process_output(*argv: str, cwd: Path, status: int = 0) -> str:
    """The output of a command in a new process. The command must end with this status.

    A process spends most of its processor time on imports. Tests start one per exit status of a command, and use
    `command_output` for further output of the same kind.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    completed = subprocess.run(
        [sys.executable, "-m", "miniedit_frr", *argv], capture_output=True, text=True, timeout=120, cwd=cwd,
        env=environment, check=False,
    )  # fmt: skip
    assert completed.returncode == status, completed.stdout + completed.stderr
    return completed.stdout + completed.stderr


@contextmanager
def detached_lab(topology: Topology, folder: Path, name: str) -> Iterator[str]:
    """Start a detached lab with a unique name, and stop it at the end of the block. Yields the name."""
    file = folder / f"{name}-{os.getpid()}.mn"
    file.write_text(mn.dumps(topology))
    process_output("start", str(file), "--place", "namespace", cwd=folder)
    try:
        yield file.stem
    finally:
        process_output("labs", "stop", file.stem, cwd=folder)
