"""The project's handling of page faults in a source tree of Linux."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.kernels import page_faults

TRAP = """#include <os.h>
#include <skas.h>

int handle_page_fault(unsigned long address, unsigned long ip,
\t\t      int is_write, int is_user, int *code_out)
{
\terr = 0;
out:
\treturn err;
}
"""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """The file `trap.c` of a source tree."""
    path = tmp_path / "arch" / "um" / "kernel" / "trap.c"
    path.parent.mkdir(parents=True)
    path.write_text(TRAP)
    return path


def test_the_handler_is_changed_once(trap: Path, tmp_path: Path) -> None:
    assert page_faults.add(tmp_path)
    lines = trap.read_text().splitlines()
    assert lines[1:3] == ["#include <skas.h>", '#include "page_faults.h"']
    assert lines[lines.index("\terr = 0;") + 1] == "\thandle_block(vma, address, is_write);"
    assert len(lines) == len(TRAP.splitlines()) + 2
    header = trap.with_name("page_faults.h")
    assert "static void handle_block(" in header.read_text()
    stamps = [path.stat().st_mtime_ns for path in (trap, header)]
    assert page_faults.add(tmp_path)
    assert [path.stat().st_mtime_ns for path in (trap, header)] == stamps  # make compiles nothing


@pytest.mark.parametrize("text", [TRAP.replace("err = 0", "err = EFAULT"), TRAP + TRAP, ""])
def test_an_unknown_tree_is_unchanged(trap: Path, tmp_path: Path, text: str) -> None:
    trap.write_text(text)
    assert not page_faults.add(tmp_path)
    assert trap.read_text() == text and not trap.with_name("page_faults.h").exists()
