"""Copies of the agent's process: their descriptors, and their end."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from frrlib.agent import processes


def _tell_descriptors() -> None:
    numbers = [number for number in range(1024) if _is_open(number)]
    os.write(1, json.dumps(numbers).encode())


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def test_a_copy_has_its_standard_streams_and_the_kept_descriptors() -> None:
    pairs = [os.pipe() for _ in range(3)]
    kept_descriptors = [pairs[0][1], pairs[2][0]]
    copy = processes.fork(_tell_descriptors, keep=kept_descriptors)
    assert json.loads(copy.stdout.read()) == sorted([0, 1, 2, *kept_descriptors])
    assert copy.wait(5) == 0
    for descriptor in (end for pair in pairs for end in pair):
        os.close(descriptor)


def test_a_copy_reads_its_input_to_the_end() -> None:
    def answer() -> None:
        while chunk := os.read(0, 100):
            os.write(1, chunk.upper())

    copy = processes.fork(answer)
    copy.stdin.write(b"yes")
    copy.stdin.close()
    assert copy.stdout.read() == b"YES"
    assert copy.wait(5) == 0


def test_a_failing_copy_prints_its_traceback() -> None:
    def fail() -> None:
        raise ValueError("no such thing")

    copy = processes.fork(fail)
    assert b"ValueError: no such thing" in copy.stderr.read()
    assert copy.wait(5) == 1


def test_a_copy_that_does_not_end_is_killed_after_a_wait() -> None:
    copy = processes.fork(signal.pause)
    with pytest.raises(subprocess.TimeoutExpired):
        copy.wait(0.05)
    assert copy.poll() is None
    processes.kill(copy)
    assert copy.wait(5) == -9
    processes.kill(copy)  # a second call is harmless
