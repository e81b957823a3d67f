"""The command while it is still being loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

_RUN = """
sys.argv = ["miniedit-frr", "--version"]
runpy.run_module("miniedit_frr", run_name="__main__")
"""
#: Ctrl-C comes while the module is imported that has all commands.
_WHILE_LOADED = """
import runpy, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "miniedit_frr.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
"""
#: It comes while the commands are put together.
_WHILE_PUT_TOGETHER = """
import runpy, sys, typer.main

def interrupted(*_, **__):
    raise KeyboardInterrupt

typer.main.get_command = interrupted
"""


@pytest.mark.parametrize("when", [_WHILE_LOADED, _WHILE_PUT_TOGETHER], ids=["loaded", "put together"])
def test_ctrl_c_ends_the_program_cleanly(when: str) -> None:
    argv = [sys.executable, "-c", when + _RUN]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
