"""All processes that a lab starts, known by process id until they have ended.

The agent is the first process of its lab, so orphans become its children and must be collected. A plain wait for any
child would take the exit status from the code that started it. So every start is registered here, and one thread
collects. Any thread may find the end of a process first, by `poll` or `wait`; another thread reports each end once.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import signal
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

#: Called at the unexpected end of a program with its node, its name, its exit status, and the end of its log.
ReportExit = Callable[[str, str, int, str], None]

_lock = threading.Lock()
_registered: dict[int, tuple[Any, Callable[[Any], None] | None]] = {}
_ends: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()


class Process(subprocess.Popen[bytes]):
    """A process that the agent started."""

    def poll(self) -> int | None:
        """Its exit status if it has ended."""
        status = super().poll()
        if status is not None:
            _forget(self)
        return status

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit status. Raises TimeoutExpired after `timeout` seconds."""
        status = super().wait(timeout)
        _forget(self)
        return status


class Orphan:
    """A child of the agent that another process started, with the methods of a `Process`.

    Attributes:
        pid, returncode: as in a `Process`.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._waiting = threading.Lock()

    def poll(self) -> int | None:
        """Its exit status if it has ended."""
        with self._waiting:
            if self.returncode is None:
                with contextlib.suppress(ChildProcessError):
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                    if pid:
                        self.returncode = os.waitstatus_to_exitcode(status)
                        _forget(self)
            return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for its end and return its exit status. Raises TimeoutExpired after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            time.sleep(0.005)
        return status

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkedProcess(Orphan):
    """A copy of the agent's process for one task, with the streams of a `Process`.

    In a lab kernel, a start of Python with its imports costs more than most of these tasks.

    Attributes:
        stdin, stdout, stderr: the agent's ends of its standard streams.
    """

    def __init__(self, work: Callable[[], None], keep: Sequence[int]) -> None:
        pipes = [os.pipe() for _ in range(3)]
        child_ends = [pipes[0][0], pipes[1][1], pipes[2][1]]
        super().__init__(os.fork())
        if not self.pid:
            _run_copy(work, child_ends, keep)
        for descriptor in child_ends:
            os.close(descriptor)
        self.stdin = open(pipes[0][1], "wb")  # noqa: SIM115 - closed by its user
        self.stdout, self.stderr = open(pipes[1][0], "rb"), open(pipes[2][0], "rb")  # noqa: SIM115


def _run_copy(work: Callable[[], None], standard: Sequence[int], keep: Sequence[int]) -> NoReturn:
    """Do the work with these standard streams and exit. Of the agent's other descriptors only `keep` stay open."""
    status = 1
    try:
        gc.freeze()  # existing objects are never scanned, so their memory stays shared
        for number, descriptor in enumerate(standard):
            os.dup2(descriptor, number)
        first = 3
        for descriptor in sorted(keep):
            os.closerange(first, descriptor)
            first = descriptor + 1
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))
        work()
        status = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def spawn(argv: Sequence[str], ended: Callable[[Process], None] | None = None, **options: Any) -> Process:
    """Start a process from the calling thread, in that thread's namespaces.

    Args:
        argv: the command.
        ended: called once, by the reporting thread, when the process has ended.
        options: those of `subprocess.Popen`. Standard input is empty unless given.

    Raises:
        OSError: the program cannot be started.
    """
    options.setdefault("stdin", subprocess.DEVNULL)
    with _lock:
        process = Process(argv, **options)
        _registered[process.pid] = (process, ended)
    return process


def fork(
    work: Callable[[], None], ended: Callable[[ForkedProcess], None] | None = None, keep: Sequence[int] = ()
) -> ForkedProcess:
    """Start a copy of this process, in the calling thread's namespaces, that does `work` and exits.

    Args:
        work: the task; it runs in the only thread of the copy, and takes no lock of the agent.
        ended: as in `spawn`.
        keep: descriptors that stay open besides its standard streams.
    """
    with _lock:
        process = ForkedProcess(work, keep)
        _registered[process.pid] = (process, ended)
    return process


def adopt(pid: int, ended: Callable[[Orphan], None] | None = None) -> Orphan:
    """Register a running child of the agent that another process started; `ended` as in `spawn`."""
    process = Orphan(pid)
    with _lock:
        _registered[pid] = (process, ended)
    return process


def collect() -> None:
    """Collect ended children forever."""
    while True:
        try:
            child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            time.sleep(0.1)
            continue
        if child is not None:
            _collect(child.si_pid)


def report_ends() -> None:
    """Call `ended` of each process that has ended, forever."""
    while True:
        _ends.get()()


def start_collecting() -> None:
    """Run `collect` and `report_ends` in threads."""
    threading.Thread(target=collect, name="collector", daemon=True).start()
    threading.Thread(target=report_ends, name="end reporter", daemon=True).start()


def _collect(pid: int) -> None:
    with _lock:  # no start is half registered now
        process, _ = _registered.get(pid, (None, None))
        if process is None:
            with contextlib.suppress(ChildProcessError):  # another thread took its exit status
                os.waitpid(pid, os.WNOHANG)
            return
    if process.poll() is None:
        time.sleep(0.005)  # another thread is waiting for it


def _forget(process: Process | Orphan) -> None:
    """Remove an ended process from the registered ones; its end will be reported."""
    with _lock:
        registered, ended = _registered.get(process.pid, (None, None))
        if registered is not process:
            return
        del _registered[process.pid]
    if ended is not None:
        _ends.put(partial(ended, process))


def end(processes: Iterable[Process | Orphan], patience_s: float = 2.0) -> None:
    """End processes in parallel, by process id: ask, wait up to `patience_s`, then kill."""
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


def prioritize(task: int = 0) -> None:
    """Let a process, or the calling thread, run before all others in a lab with one processor of its own.

    For short tasks that must be on time.

    Args:
        task: its id, 0 for the calling thread.
    """
    if os.environ.get("LAB_PLACE") == "labkernel":
        with contextlib.suppress(OSError):  # everything works without it, only later
            os.sched_setscheduler(task, os.SCHED_FIFO, os.sched_param(1))


def kill(process: Process | Orphan) -> None:
    """Kill a process, unless it has ended."""
    _signal(process, signal.SIGKILL)


def _signal(process: Process | Orphan, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)
