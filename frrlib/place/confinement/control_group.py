"""A control group for a lab in a namespace, if this user may make one.

Systemd delegates a part of the tree of control groups to a user's session manager. Programs of a desktop are in it, and
those of `systemd-run --user --scope`. In a group of its own, the kernel counts all of a lab's memory, including that of
its temporary folders and of its network, and limits it. Standard library only; used by the supervisor.
"""

from __future__ import annotations

import contextlib
import os
import time

#: Seconds that the kernel may take to release a group whose processes have ended.
_END_S = 2.0


class ControlGroup:
    """The control group of a lab.

    Args:
        folder: the path to make, as returned by `available_folder`.
        memory_mib, processes: limits of the lab.

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
        """Move a process into the group. All that it starts from now on is in the group, too."""
        self._write("cgroup.procs", str(process))

    def has_killed(self) -> bool:
        """Whether the kernel has killed a process of the group because of the memory limit."""
        with contextlib.suppress(OSError), open(f"{self.folder}/memory.events", encoding="ascii") as file:
            return any(line.split()[0] == "oom_kill" and int(line.split()[1]) > 0 for line in file)
        return False


def remove(folder: str) -> None:
    """Kill the processes in a group and remove it. A missing group is no error."""
    with contextlib.suppress(OSError), open(f"{folder}/cgroup.kill", "w", encoding="ascii") as file:  # Linux 5.14
        file.write("1")
    until_s = time.monotonic() + _END_S
    while os.path.isdir(folder) and time.monotonic() < until_s:
        try:
            os.rmdir(folder)
        except OSError:
            time.sleep(0.01)


def join_group_of(lab: int) -> None:
    """Move this process into the control group of another one.

    Args:
        lab: pidfd of the other process.
    """
    with contextlib.suppress(OSError):
        with open(f"/proc/self/fdinfo/{lab}", encoding="ascii") as file:
            process = next(line.split()[1] for line in file if line.startswith("Pid:"))
        group = _of(process)
        if group not in ("", _of("self")):
            with open(f"{_mounted()}{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")


def available_folder(name: str) -> str:
    """The path at which a group of that name can be made. Empty if this user may make none.

    It is in the nearest group that permits it, from the parent of this process's group upwards.
    """
    top, group = _mounted(), _of("self")
    while top and group not in ("", "/"):
        group = os.path.dirname(group)
        folder = top + group.rstrip("/")
        if _counts_memory(folder) and os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK):
            return f"{folder}/{name}"
    return ""


def _of(process: str) -> str:
    """The control group (version 2) of a process."""
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
    """The mount point of control groups (version 2)."""
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
