"""CPU limits for a node's processes: a control group with a quota, and a set of cores.

A node is a thread, and what it starts inherits its group and its cores. So the limits are put on the thread, in a
threaded group: one that takes single threads of a process. Terminals and commands from outside come by another way and
join the group by the lines in `BEFORE`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import LabFailed
from frrlib.wire.plan import CpuPlan

GROUPS = "/sys/fs/cgroup"
#: Lines of a shell for a process that comes into a node from outside, a file for each node.
BEFORE = "/run/lab/nodes"
#: Time over which a quota is counted, as Mininet has it.
PERIOD_US = 100_000
#: The kernel takes no smaller quota.
LEAST_US = 1_000

_enabling = threading.Lock()


def quota_us(percent: float, cpus: int) -> int:
    """CPU time that a node may use in each period, when it may use `percent` of all `cpus` CPUs."""
    return max(LEAST_US, round(PERIOD_US * cpus * percent / 100))


def limit(node: str, thread: NodeThread, plan: CpuPlan) -> None:
    """Put a node's limits on the thread that starts its processes. Not to be called in that thread.

    Raises:
        LabFailed: the place cannot do it; says what it lacks.
    """
    before = []
    if plan.cores:
        _pin(node, thread.tid, plan.cores)
        before.append(f"taskset -cp {','.join(map(str, plan.cores))} $$ >/dev/null")
    if plan.percent:
        group = f"{GROUPS}/{node}"
        _make_group(node, group, quota_us(plan.percent, os.cpu_count() or 1))
        _write(node, f"{group}/cgroup.threads", str(thread.tid))
        before.append(f"echo $$ >{group}/cgroup.procs")
    os.makedirs(BEFORE, exist_ok=True)
    with open(f"{BEFORE}/{node}", "w", encoding="ascii") as file:
        file.write("".join(f"{line}\n" for line in before))


def _pin(node: str, tid: int, cores: Sequence[int]) -> None:
    try:
        os.sched_setaffinity(tid, cores)
        given = os.sched_getaffinity(tid)
    except OSError:
        given = set()
    if given != set(cores):
        there = ", ".join(str(number) for number in sorted(os.sched_getaffinity(0)))
        asked = ", ".join(map(str, cores))
        raise LabFailed(f"{node}: cannot be pinned to the CPUs {asked}: this place has the CPUs {there}")


def _make_group(node: str, group: str, quota: int) -> None:
    with _enabling:
        _write(node, f"{GROUPS}/cgroup.subtree_control", "+cpu")
    os.makedirs(group, exist_ok=True)
    _write(node, f"{group}/cgroup.type", "threaded")
    _write(node, f"{group}/cpu.max", f"{quota} {PERIOD_US}")


def _write(node: str, path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        raise LabFailed(f"{node}: its CPU share cannot be limited here ({path}: {error.strerror})") from error
