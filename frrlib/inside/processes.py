"""Every process that a lab starts, known by its pid until it has ended.

The agent is the first process of its lab, so orphans become its children and must be collected; but collecting just any
child would steal the exit status from whoever started it. So every start is entered here, and one thread collects.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Process = subprocess.Popen[bytes]
#: Told of a program that ended unasked: its node, what it is, its exit status, and the end of its log.
Died = Callable[[str, str, int, str], None]

_lock = threading.Lock()
_known: dict[int, tuple[Process, Callable[[Process], None] | None]] = {}


def spawn(argv: Sequence[str], ended: Callable[[Process], None] | None = None, **options: Any) -> Process:
    """Start a process from the calling thread, in that thread's namespaces.

    Args:
        argv: the command.
        ended: called once, by the collecting thread, when the process has ended.
        options: those of `subprocess.Popen`. Standard input is empty unless given.

    Raises:
        OSError: the program cannot be started.
    """
    options.setdefault("stdin", subprocess.DEVNULL)
    with _lock:
        process: Process = subprocess.Popen(argv, **options)
        _known[process.pid] = (process, ended)
    return process


def collect() -> None:
    """Collect ended children for ever: known ones for those who started them, all others for tidiness."""
    while True:
        try:
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            time.sleep(0.1)
            continue
        if seen is not None:
            _collect(seen.si_pid)


def start_collecting() -> None:
    """Run `collect` in a thread."""
    threading.Thread(target=collect, name="collector", daemon=True).start()


def _collect(pid: int) -> None:
    with _lock:  # no start is half entered now
        process, ended = _known.get(pid, (None, None))
        if process is None:
            os.waitpid(pid, os.WNOHANG)
            return
    if process.poll() is None:
        time.sleep(0.005)  # someone else is just waiting for it
        return
    with _lock:
        _known.pop(pid, None)
    if ended is not None:
        ended(process)


def end(processes: Iterable[Process], patience_s: float = 2.0) -> None:
    """End processes side by side, by pid: ask, wait at most `patience_s`, then kill."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        _signal(process, signal.SIGCONT)
        _signal(process, signal.SIGTERM)
    deadline = time.monotonic() + patience_s
    while running and time.monotonic() < deadline:
        time.sleep(0.005)
        running = [process for process in running if process.poll() is None]
    for process in running:
        _signal(process, signal.SIGKILL)
    for process in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)


def _signal(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)
