"""A control group for a lab in a namespace, where this user has one to make groups in.

Systemd gives a user's own session manager a part of the tree of control groups: programs that a desktop starts are in
it, and those of `systemd-run --user --scope`. There the kernel counts all of a lab's memory, that of its temporary
folders and of its network too, and keeps it within a bound. Standard library only; used by the keeper.
"""

from __future__ import annotations

import contextlib
import os
import time

#: How long the kernel may take to let go of a group whose processes have ended, in seconds.
_END_S = 2.0


class ControlGroup:
    """A group of its own for a lab.

    Args:
        folder: where it is made, as `available_folder` says.
        memory_mib, processes: what it may have at most.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, folder: str, memory_mib: int, processes: int) -> None:
        self.folder = folder
        os.mkdir(folder)
        try:
            self._write("memory.max", str(memory_mib << 20))
            for file, value in (("memory.swap.max", "0"), ("memory.oom.group", "1"), ("pids.max", str(processes))):
                with contextlib.suppress(OSError):  # not every kernel has swap, nor every group a count of processes
                    self._write(file, value)
        except OSError:
            remove(folder)
            raise

    def _write(self, file: str, value: str) -> None:
        with open(f"{self.folder}/{file}", "w", encoding="ascii") as opened:
            opened.write(value)

    def take(self, process: int) -> None:
        """Have a process, and all that it starts from now on, be in it."""
        self._write("cgroup.procs", str(process))

    def has_killed(self) -> bool:
        """Whether the kernel has ended a process in it for want of memory."""
        with contextlib.suppress(OSError), open(f"{self.folder}/memory.events", encoding="ascii") as file:
            return any(line.split()[0] == "oom_kill" and int(line.split()[1]) > 0 for line in file)
        return False


def remove(folder: str) -> None:
    """End the processes in a group and remove it; a missing group is no error."""
    with contextlib.suppress(OSError), open(f"{folder}/cgroup.kill", "w", encoding="ascii") as file:  # Linux 5.14
        file.write("1")
    until_s = time.monotonic() + _END_S
    while os.path.isdir(folder) and time.monotonic() < until_s:
        try:
            os.rmdir(folder)
        except OSError:
            time.sleep(0.01)


def join_group_of(lab: int) -> None:
    """Have this process be in the group of the process that the pidfd `lab` means, where that has another one."""
    with contextlib.suppress(OSError):
        with open(f"/proc/self/fdinfo/{lab}", encoding="ascii") as file:
            process = next(line.split()[1] for line in file if line.startswith("Pid:"))
        group = _of(process)
        if group not in ("", _of("self")):
            with open(f"{_mounted()}{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")


def available_folder(name: str) -> str:
    """Where a group of that name can be made: in the nearest one that lets this user, from that of this process
    upwards. Empty where there is none."""
    top, own = _mounted(), _of("self")
    while top and own not in ("", "/"):
        own = os.path.dirname(own)
        folder = top + own.rstrip("/")
        if _counts_memory(folder) and os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK):
            return f"{folder}/{name}"
    return ""


def _of(process: str) -> str:
    """The group of version 2 that a process is in."""
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{process}/cgroup", encoding="utf-8", errors="surrogateescape") as file,
    ):
        for line in file:
            number, _, path = line.rstrip("\n").split(":", 2)
            if number == "0":
                return path
    return ""


def _mounted() -> str:
    """Where all control groups of version 2 can be seen, from the top of the tree."""
    with contextlib.suppress(OSError), open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            _, place, kind, *_ = line.split()
            if kind == "cgroup2":
                return place
    return ""


def _counts_memory(folder: str) -> bool:
    with contextlib.suppress(OSError), open(f"{folder}/cgroup.subtree_control", encoding="ascii") as file:
        return "memory" in file.read().split()
    return False
