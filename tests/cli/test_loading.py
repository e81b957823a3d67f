"""Ctrl-C while the command's modules are still being loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


def test_a_command_loads_only_its_modules() -> None:
    code = "import sys; from typer.testing import CliRunner; from miniedit_frr.cli.main import app\n" \
        "result = CliRunner().invoke(app, ['--version']); print(result.exit_code, *sorted(sys.modules))"  # fmt: skip
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert printed[0] == "0"
    assert "miniedit_frr.cli.exits" in printed
    assert not {"numpy", "pydantic", "networkx", "miniedit_frr.cli.labs", "frrlib.lab.lab"} & set(printed)
