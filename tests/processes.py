"""Processes of this machine, as /proc tells of them."""

from __future__ import annotations

import os
from pathlib import Path

from tests.waiting import comes


def stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent and so on; none for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def below(parent: int) -> set[int]:
    """All processes that descend from one."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    parents = {pid: int(fields[1]) for pid in pids if (fields := stat(pid))}
    descendants: set[int] = set()
    new = {parent}
    while new:
        new = {pid for pid, above in parents.items() if above in new} - descendants
        descendants |= new
    return descendants


def command(pid: int) -> str:
    """Its command line; empty for one that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def gone(pids: set[int]) -> bool:
    """Whether none of the processes runs, after waiting for it."""
    return comes(lambda: not any(map(runs, pids)))


def runs(pid: int) -> bool:
    """Whether a process exists and has not ended; in a container nobody may collect ended ones."""
    return stat(pid)[:1] not in ([], ["Z"])
