"""The modules that a command loads, and Ctrl-C while they are being loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib import __version__
from frrlib.lab_server import register
from tests.cli.commands import ROOT

_RUN = """
sys.argv = ["miniedit-frr", "--version"]
runpy.run_module("miniedit_frr", run_name="__main__")
"""
#: Ctrl-C is pressed while the module with all commands is imported.
_WHILE_LOADED = """
import runpy, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "miniedit_frr.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
"""
#: Ctrl-C is pressed while the command line is built from the commands.
_WHILE_PUT_TOGETHER = """
import runpy, sys, typer.main

def interrupted(*_, **__):
    raise KeyboardInterrupt

typer.main.get_command = interrupted
"""


@pytest.mark.parametrize("interruption", [_WHILE_LOADED, _WHILE_PUT_TOGETHER], ids=["loaded", "put together"])
def test_ctrl_c_ends_the_program_cleanly(interruption: str) -> None:
    argv = [sys.executable, "-c", interruption + _RUN]
    completed = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stdout, completed.stderr) == (130, "", "")


#: Modules that take long to load: of other projects, and of this one.
_HEAVY = {"numpy", "matplotlib", "networkx", "PIL", "markdown_it", "distributed", "pandas", "tkinter",
          "frrlib.lab.lab", "frrlib.run.run", "frrlib.place.launch", "frrlib.results.layout"}  # fmt: skip
#: These two are heavy, too, but every topology needs them.
_OF_TOPOLOGIES = {"pydantic", "frrlib.model.base"}
_PRINT_MODULES = """
import atexit, runpy, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv[0] = "miniedit-frr"
runpy.run_module("miniedit_frr", run_name="__main__")
"""


def run_and_list_modules(*argv: str, **variables: str) -> tuple[str, set[str]]:
    """The output of a command, and all modules that are loaded at its end."""
    completed = subprocess.run(
        [sys.executable, "-c", _PRINT_MODULES, *argv], capture_output=True, text=True, check=True, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
    )  # fmt: skip
    modules = set(completed.stderr.split())
    assert {"typer", "miniedit_frr.cli.main"} <= modules
    return completed.stdout, modules


@pytest.fixture
def running_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A lab in a register of its own, which this process holds. Yields its name."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    reservation = register.reserve("two-as")
    yield reservation.folder.name
    os.close(reservation.lock)


def test_the_version_needs_little_more_than_typer() -> None:
    output, modules = run_and_list_modules("--version")
    assert output == f"miniedit-frr {__version__}\n"
    assert sorted(modules & (_HEAVY | _OF_TOPOLOGIES | {"rich.console", "msgspec", "miniedit_frr.cli.exits"})) == []


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["table", "json"])
def test_the_list_of_labs_needs_no_topologies(options: tuple[str, ...], running_lab: str) -> None:
    output, modules = run_and_list_modules("labs", *options)
    assert running_lab in output
    assert sorted(modules & (_HEAVY | _OF_TOPOLOGIES)) == []


def test_the_stop_of_no_labs_needs_no_topologies(tmp_path: Path) -> None:
    output, modules = run_and_list_modules("labs", "stop", "--all", XDG_RUNTIME_DIR=str(tmp_path))
    assert output == ""
    assert sorted(modules & (_HEAVY | {"frrlib.model.base"})) == []  # typer loads pydantic for the option


@pytest.mark.parametrize("words", ["labs stop two", "exec two", "ssh-config two"])
def test_the_completion_of_a_lab_needs_no_topologies(words: str, running_lab: str) -> None:
    output, modules = run_and_list_modules(
        _MINIEDIT_FRR_COMPLETE="complete_bash", COMP_WORDS=f"miniedit-frr {words}", COMP_CWORD=str(len(words.split()))
    )
    assert output.split() == [running_lab]
    assert sorted(modules & (_HEAVY | {"frrlib.model.base"})) == []  # typer loads pydantic for the arguments


def test_a_check_needs_no_runs_and_no_labs() -> None:
    output, modules = run_and_list_modules("check", "examples/bgp-policy.mn")
    assert "no problems" in output
    assert modules >= _OF_TOPOLOGIES
    assert sorted(modules & _HEAVY) == []


def test_the_list_of_exercises_needs_no_runs_and_no_cluster() -> None:
    output, modules = run_and_list_modules("exercise", "list")
    assert "ospf-costs" in output
    assert modules >= _OF_TOPOLOGIES
    assert sorted(modules & (_HEAVY - {"frrlib.lab.lab", "frrlib.place.launch"})) == []
