"""The reproducibility of a lab kernel, as far as it can be tested without one, and refused kernels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.place import virtual_time
from frrlib.place.base import Program
from frrlib.place.confinement import kernel_process
from frrlib.place.labkernel import check_virtual_time


def _fake_kernel(folder: Path, says: str) -> Path:
    path = folder / "linux"
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_the_command_line_contains_no_path_of_this_run(tmp_path: Path) -> None:
    programs = [Program("m", tmp_path / name, tmp_path / f"{name}-files", seed=seed) for seed, name in enumerate("ab")]
    lines = [virtual_time.command_line(program, "/usr/bin/python3") for program in programs]
    assert lines[0] == lines[1]
    assert not [word for word in lines[0] if str(tmp_path) in word]


def test_a_kernel_without_virtual_time_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="does not support virtual time") as refused:
        check_virtual_time(_fake_kernel(tmp_path, "mem=<Amount of desired ram>"))
    assert "miniedit-frr kernel build" in refused.value.remedy
    check_virtual_time(_fake_kernel(tmp_path, "time-travel=inf-cpu"))


def test_the_wall_gives_a_lab_in_virtual_time_no_random_numbers() -> None:
    """Seen in a child, which the filter stays on."""
    child = os.fork()
    if not child:
        try:
            kernel_process.system_calls(no_chance=True)
            os.getrandom(8)
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.strerror(os.waitstatus_to_exitcode(status)) == "Function not implemented"
