"""The command of a program, read from the end of its stack: arguments, environment, path, zeros."""

from __future__ import annotations

import os
import subprocess

import pytest

from frrlib.place.kernel_programs import _command, cpu_seconds
from tests.waiting import wait_for


def _tail(path: str, arguments: tuple[str, ...], environment: tuple[str, ...] = ("PATH=/bin", "A=b c")) -> bytes:
    words = [b"\x17\x05rnd", b"x86_64", *(word.encode() for word in (*arguments, *environment, path))]
    return b"\0".join(words) + bytes(9)


@pytest.mark.parametrize(
    ("tail", "command"),
    [
        (
            _tail("/usr/bin/python3", ("/usr/bin/python3", "-c", "while True: pass")),
            "/usr/bin/python3 -c while True: pass",
        ),
        (_tail("/usr/bin/yes", ("yes", "no")), "yes no"),
        (_tail("/usr/sbin/zebra", ("renamed",)), "/usr/sbin/zebra"),
        (bytes(4096), ""),
        (b"\x00some heap\x00" + bytes(8), ""),
        (_tail("/bin/sh", ("sh",))[:-9], ""),
    ],
)
def test_a_command_is_read_from_the_end_of_a_stack(tail: bytes, command: str) -> None:
    assert _command(tail) == command


def test_the_processor_time_of_descendants_is_counted() -> None:
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
        try:
            wait_for(lambda: cpu_seconds(os.getpid()).get(busy.pid, 0.0) >= 0.1, "its time")
        finally:
            busy.kill()
    assert busy.pid not in cpu_seconds(os.getpid())
