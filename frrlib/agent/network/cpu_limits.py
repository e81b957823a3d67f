"""CPU limits for a node's processes: a control group with a quota, and a set of cores.

A node is a thread, and its processes inherit its group and its cores. So the limits are set on the thread, in a
threaded group, which takes single threads of a process. Terminals and commands from outside enter the node differently,
and join the group by the shell lines in `SHELL_FOLDER`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import LabFailed
from frrlib.wire.plan import CpuPlan

GROUPS = "/sys/fs/cgroup"
#: Folder of shell lines for processes that enter a node from outside, a file for each node.
SHELL_FOLDER = "/run/lab/nodes"
#: The period of a quota, as in Mininet.
PERIOD_US = 100_000
#: The smallest quota that the kernel accepts.
LEAST_US = 1_000

_enabling = threading.Lock()


def quota_us(percent: float, cpus: int) -> int:
    """CPU time of a node in each period, for a share of `percent` of all `cpus` CPUs."""
    return max(LEAST_US, round(PERIOD_US * cpus * percent / 100))


def limit(node: str, thread: NodeThread, plan: CpuPlan) -> None:
    """Set a node's limits on the thread that starts its processes. Do not call it in that thread.

    Raises:
        LabFailed: the place cannot set them. The message names what is missing.
    """
    shell_lines = []
    if plan.cores:
        _pin(node, thread.tid, plan.cores)
        shell_lines.append(f"taskset -cp {','.join(map(str, plan.cores))} $$ >/dev/null")
    if plan.percent:
        group = f"{GROUPS}/{node}"
        _make_group(node, group, quota_us(plan.percent, os.cpu_count() or 1))
        _write(node, f"{group}/cgroup.threads", str(thread.tid))
        shell_lines.append(f"echo $$ >{group}/cgroup.procs")
    os.makedirs(SHELL_FOLDER, exist_ok=True)
    with open(f"{SHELL_FOLDER}/{node}", "w", encoding="ascii") as file:
        file.write("".join(f"{line}\n" for line in shell_lines))


def _pin(node: str, tid: int, cores: Sequence[int]) -> None:
    try:
        os.sched_setaffinity(tid, cores)
        actual = os.sched_getaffinity(tid)
    except OSError:
        actual = set()
    if actual != set(cores):
        available = ", ".join(str(number) for number in sorted(os.sched_getaffinity(0)))
        requested = ", ".join(map(str, cores))
        raise LabFailed(f"{node}: cannot be pinned to the CPUs {requested}: this place has the CPUs {available}")


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
