"""`miniedit-frr` as a person calls it: in this process, in one of its own, and with a lab that runs by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


def invoke(*argv: object) -> Any:
    """Call a command in this process, with room for long lines."""
    return CliRunner().invoke(app, [str(each) for each in argv], env={"COLUMNS": "200"})


def command_output(*argv: object, status: int = 0) -> str:
    """What a command prints, called in this process; it must end with this status."""
    done = invoke(*argv)
    assert done.exit_code == status, done.output
    return str(done.output)


def process_output(*argv: str, cwd: Path, status: int = 0) -> str:
    """What a command prints in a process of its own; it must end with this status."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "miniedit_frr", *argv], capture_output=True, text=True, timeout=120, cwd=cwd,
        env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextmanager
def detached_lab(topology: Topology, folder: Path, name: str) -> Iterator[str]:
    """A lab that runs by itself, under a name that no other lab has; gives that name."""
    file = folder / f"{name}-{os.getpid()}.mn"
    file.write_text(mn.dumps(topology))
    process_output("start", str(file), "--place", "namespace", cwd=folder)
    try:
        yield file.stem
    finally:
        process_output("labs", "stop", file.stem, cwd=folder)
