"""Runs programs that read a stranger's text outside of a lab, such as FRR's vtysh.

The program is confined (`checker.py`): it reads its text and its libraries, and does nothing else. Time, memory and
output are bounded. It ends at the latest when the call returns, or when the calling program is killed.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from frrlib.place.checker.checker import NOT_CONFINED, can_confine
from frrlib.place.machine import PYTHON

__all__ = ["can_confine", "output_of"]

_CHECKER = Path(__file__).with_name("checker.py")
_MEMORY_BYTES = 1 << 30
#: Bytes of output: a basic amount, and the amount per byte of the text, since an error repeats its line.
_OUTPUT_BYTES, _OUTPUT_PER_BYTE = 1 << 20, 4


def output_of(argv: Sequence[str], text: bytes, limit_s: float) -> str:
    """Run a program on a text; its output, standard output before standard error. Invalid UTF-8 is replaced.

    Args:
        argv: an absolute path and arguments. The text is the file `/proc/self/fd/0`, and standard input.
        limit_s: seconds after which the program is killed.

    Raises:
        OSError: the program could not be confined or started.
        subprocess.TimeoutExpired: it was killed after `limit_s`.
    """
    with contextlib.ExitStack() as stack:
        source, output, errors = (_memory(stack) for _ in range(3))
        with open(source, "wb", closefd=False) as file:
            file.write(text)
        os.lseek(source, 0, os.SEEK_SET)
        bounds = (os.getpid(), math.ceil(limit_s) + 1, _MEMORY_BYTES, _OUTPUT_BYTES + _OUTPUT_PER_BYTE * len(text))
        process = subprocess.Popen(
            [PYTHON, "-I", "-S", str(_CHECKER), *map(str, bounds), *argv],
            stdin=source,
            stdout=output,
            stderr=errors,
            cwd="/",
            env={},
            start_new_session=True,
        )
        try:
            _wait(process, limit_s)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed = "".join(_content(handle) for handle in (output, errors))
    if process.returncode == NOT_CONFINED:
        raise OSError(printed.strip())
    return printed


def _wait(process: subprocess.Popen[bytes], limit_s: float) -> None:
    """Wait until it ends, without the polling of `Popen.wait`, which would take longer than the program."""
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(limit_s * 1000):
            raise subprocess.TimeoutExpired(process.args, limit_s)
    finally:
        os.close(handle)


def _memory(stack: contextlib.ExitStack) -> int:
    """A file in memory: even if this process is killed, none is left behind."""
    handle = os.memfd_create("checked")
    stack.callback(os.close, handle)
    return handle


def _content(handle: int) -> str:
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        return file.read().decode(errors="replace")
