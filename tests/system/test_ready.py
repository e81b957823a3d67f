"""Waiting for descriptors, also for those above 1,023, compared with what was written and closed."""

from __future__ import annotations

import ast
import errno
import fcntl
import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from frrlib.system.ready import ready

ROOT = Path(__file__).resolve().parents[2]
#: The first number that `select.select` refuses (FD_SETSIZE of glibc) and more.
HIGH = 1100


@pytest.fixture
def high_pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose descriptors have numbers above 1,023."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard <= HIGH + 2:
        pytest.skip(f"this machine allows {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, HIGH + 2), hard))
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, HIGH) for end in ends)
    for end in ends:
        os.close(end)
    try:
        yield high[0], high[1]
    finally:
        for end in high:
            with suppress(OSError):  # the test has closed it
                os.close(end)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_descriptors_above_1023_become_ready_as_they_are_written_and_closed(high_pipe: tuple[int, int]) -> None:
    reading, writing = high_pipe
    assert min(high_pipe) >= HIGH
    assert ready([reading], [writing], 0) == ([], [writing])
    os.write(writing, b"x")
    assert ready([reading], [writing]) == ([reading], [writing])
    assert os.read(reading, 8) == b"x"
    os.close(writing)
    assert ready([reading]) == ([reading], [])
    os.close(reading)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        ready([reading], timeout_s=0)


def test_objects_are_returned_as_they_were_given_and_closed_ones_are_refused() -> None:
    near, far = socket.socketpair()
    with closing(near), closing(far):
        assert ready([near], [near, far], 0) == ([], [near, far])
        far.send(b"x")
        assert ready([near, far], [far]) == ([near], [far])
    with pytest.raises(ValueError, match="closed"):
        ready([near], timeout_s=0)


@pytest.mark.parametrize("timeout_s", [0.0, 0.0004, 0.0026])
def test_a_wait_lasts_at_least_its_timeout(timeout_s: float) -> None:
    near, far = socket.socketpair()
    with closing(near), closing(far):
        before_s = time.monotonic()
        assert ready([near], timeout_s=timeout_s) == ([], [])
        assert time.monotonic() - before_s >= timeout_s


def test_no_module_calls_select() -> None:
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("frrlib", "miniedit_frr", "experiments")
        for path in (ROOT / folder).rglob("*.py")
        if "select" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and ast.unparse(node) == "select.select")
        or (isinstance(node, ast.ImportFrom) and node.module == "select" and "select" in {n.name for n in node.names})
    ]
    assert calls == []
