"""The processor on which a lab kernel runs, and its moves away from a busy one.

A User-Mode Linux kernel and the processes in it are processes of this machine that take turns: at any moment one of
them runs and the others wait for it. Left alone, the scheduler spreads them over idle processors, and every system call
and page fault in the lab then wakes a sleeping processor, twice, which costs far more than the call. On one processor
it is only a context switch.
"""

from __future__ import annotations

import contextlib
import os
import time

from frrlib.place.confinement import syscalls as sys_

#: The time slice of a lab kernel. Its timers must not wait for the slice of a lab's program, which may be 3 ms.
KERNEL_SLICE_NS = 100_000
#: Seconds between two reviews of the lab's waiting time.
INTERVAL_S = 0.5
#: A lab that waited for more than this share of the time may move to another processor.
WAITED_SHARE = 0.1
#: The other processor must have been idle for this share of the time.
IDLE_SHARE = 0.5


class Processor:
    """The processor of a lab kernel.

    Args:
        allowed: processors to choose from; at least one.
    """

    def __init__(self, allowed: set[int]) -> None:
        self._allowed = allowed
        self._idle_s = _idle_s()
        self.number = _here() if _here() in allowed else min(allowed)
        self._waited_s = self._at_s = 0.0

    def settle(self) -> None:
        """Bind the calling process, which becomes the lab kernel, and all that it starts to the processor."""
        with contextlib.suppress(OSError):  # labs also run on machines that do not allow it
            os.sched_setaffinity(0, {self.number})
        with contextlib.suppress(OSError):
            sys_.set_own_slice(KERNEL_SLICE_NS)

    def review(self, kernel: int) -> None:
        """Move the lab of a kernel process if it waits for its processor and another one is idle."""
        if len(self._allowed) < 2:
            return
        now_s, waited_s, idle_s = time.monotonic(), _waited_s(kernel), _idle_s()
        passed_s = now_s - self._at_s
        share = (waited_s - self._waited_s) / passed_s
        idlest = max(self._allowed, key=lambda cpu: idle_s.get(cpu, 0.0) - self._idle_s.get(cpu, 0.0))
        idle_share = (idle_s.get(idlest, 0.0) - self._idle_s.get(idlest, 0.0)) / passed_s
        first, self._at_s, self._waited_s, self._idle_s = not self._at_s, now_s, waited_s, idle_s
        if not first and share > WAITED_SHARE and idle_share > IDLE_SHARE and idlest != self.number:
            self.number = idlest
            for task in _tasks(kernel):
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(task, {idlest})


def _here() -> int:
    """The processor that this process runs on; it was idle when the process was started."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def _idle_s() -> dict[int, float]:
    """Idle seconds of each processor."""
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = {}
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *times = line.split()
            if name.startswith("cpu") and name != "cpu":
                seconds[int(name[3:])] = (int(times[3]) + int(times[4])) / ticks
    return seconds


def _waited_s(process: int) -> float:
    """Seconds that a process's first thread waited for a processor. 0 if the kernel does not count them."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def _tasks(kernel: int) -> list[int]:
    """All threads of a lab kernel's process and of the processes below it."""
    threads, todo = [], [kernel]
    while todo:
        process = todo.pop()
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{process}/task"):
                threads.append(int(name))
                with open(f"/proc/{process}/task/{name}/children", encoding="ascii") as file:
                    todo += [int(child) for child in file.read().split()]
    return threads
