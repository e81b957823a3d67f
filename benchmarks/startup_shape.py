"""Shared parts of the sides of `startup.py`: the networks, questions and answers, and the usage of a process tree.

The standard library only: peers run under the Python that has them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TICKS = os.sysconf("SC_CLK_TCK")
#: The folder of FRR's daemons, and the folders that each router has of its own.
DAEMONS = "/usr/lib/frr"
FOLDERS = ("/etc/frr", "/run/frr", "/var/log/frr", "/var/tmp/frr")
Ends = tuple[tuple[str, str, int], tuple[str, str, int]]
#: OSPF reacts at once, as the preset "lab timers" has it.
LAB_TIMERS = (" timers throttle spf 10 50 500", " timers throttle lsa all 0", " timers lsa min-arrival 0")


@dataclass(frozen=True)
class Shape:
    """A network: names, and pairs of link ends as (router, interface, index)."""

    names: tuple[str, ...]
    links: tuple[Ends, ...]

    def loopback(self, name: str) -> str:
        """The router's own address."""
        number = self.names.index(name) + 1
        return f"10.255.{number // 256}.{number % 256}/32"

    def interfaces(self, name: str) -> Iterator[tuple[str, int, str]]:
        """Name, index and address of each interface."""
        for number, ends in enumerate(self.links):
            for side, (router, interface, index) in enumerate(ends):
                if router == name:
                    yield interface, index, f"10.{number // 64}.{number % 64 * 4}.{side + 1}/30"

    def missing(self, lines: int, name: str) -> bool:
        """Whether a kernel table of so many lines lacks a prefix; loopbacks are no lines of their own router."""
        interface_count = sum(1 for _ in self.interfaces(name))
        return lines < len(self.links) + len(self.names) - 1 or lines < interface_count


def shape(side: int, *, line: bool) -> Shape:
    """A grid of side by side routers, or a line of as many."""
    count = side * side
    names = tuple(f"r{number}" for number in range(1, count + 1))
    if line:
        pairs = [(number, number + 1) for number in range(count - 1)]
    else:
        pairs = [(n, n + 1) for n in range(count) if (n + 1) % side] + [(n, n + side) for n in range(count - side)]
    used = dict.fromkeys(names, 0)
    links = []
    for number, pair in enumerate(pairs):
        ends = []
        for side_number, position in enumerate(pair):
            name = names[position]
            ends.append((name, f"{name}-eth{used[name]}", 1000 + 2 * number + side_number))
            used[name] += 1
        links.append((ends[0], ends[1]))
    return Shape(names, tuple(links))


def config(net: Shape, name: str, *, lab_timers: bool) -> str:
    """The router's frr.conf: OSPF in one area, point-to-point, hello 1 s, dead 4 s."""
    lines = ["frr defaults traditional", f"hostname {name}", "interface lo", " ip ospf area 0", "exit"]
    for interface, _, _ in net.interfaces(name):
        lines += [f"interface {interface}", " ip ospf area 0", " ip ospf hello-interval 1", " ip ospf dead-interval 4"]
        lines += [" ip ospf network point-to-point", "exit"]
    lines += ["router ospf", f" ospf router-id {net.loopback(name).partition('/')[0]}"]
    return "\n".join([*lines, *(LAB_TIMERS if lab_timers else ()), "exit"]) + "\n"


def arguments() -> argparse.ArgumentParser:
    """The parser of the arguments that all programs of this comparison take."""
    parser = argparse.ArgumentParser()
    parser.add_argument("side", type=int)
    parser.add_argument("--line", action="store_true")
    parser.add_argument("--frr-timers", action="store_true")
    return parser


def wait_routes(net: Shape, pids: Mapping[str, int]) -> None:
    """Until the kernel's table of every router, told by the pid of a process in it, has every prefix."""
    waiting = set(net.names)
    while waiting:
        time.sleep(0.02)
        waiting = {name for name in waiting if net.missing(_routes(pids[name]), name)}


def _routes(pid: int) -> int:
    with open(f"/proc/{pid}/net/route") as file:
        return sum(1 for _ in file) - 1


def tell(
    begun: float, built: float, started: float, converged: float, *, stop_s: float, cpu_s: float, memory_mib: float
) -> None:
    """Print every side's output: seconds of each phase, and resources used."""
    print(json.dumps({
        "built": built - begun, "daemons": started - built, "routes": converged - started, "stop": stop_s,
        "total": converged - begun, "cpu_s": cpu_s, "memory_mib": memory_mib,
    }))  # fmt: skip


def usage(pid: int) -> tuple[float, float]:
    """CPU seconds and memory (MiB, shared pages counted once) of a process and all that it has started."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry))
    ticks, memory_kib, todo = 0, 0, [pid]
    while todo:
        current = todo.pop()
        todo += children.get(current, [])
        try:
            with open(f"/proc/{current}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            ticks += sum(int(word) for word in fields[11:15])
            with open(f"/proc/{current}/smaps_rollup") as file:
                memory_kib += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return ticks / _TICKS, memory_kib / 1024
