"""Unwanted remains of a lab: daemons that crashed, core dumps, processes that still run.

All of it goes with the lab, so call this before its end to learn whether a test was clean.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from frrlib import wire
from frrlib.model.topology import Topology

#: Everything that runs in a lab: network namespace and command line. One process, where reading /proc takes hundreds.
_PS = ("ps", "-eo", "netns=,args=")
#: Threads of a kernel, the ways into a lab, and the question itself.
_NOT_THEIRS = ("[", "sshd:", "sshd-session:", "sshd-auth:", "ps -eo ")
#: What FRR's daemons and the kernel leave of a crash. Only the begin of each is of use to people.
_CRASH_FILES = 'cd /var/tmp/frr && for f in */crashlog core* */core*; do [ -s "$f" ] && echo "$PWD/$f"; done; true'
#: Signals by which a test ends daemons; by any other one a daemon ended itself. The last one is SIGKILL.
_ASKED = frozenset((-2, -15, -9))
#: What is just ending gets so long to be gone.
_PATIENCE_S = 1.0


class RunningLab(Protocol):
    """A running lab."""

    topology: Topology

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = ...) -> wire.Reply:
        """The command's result, as its docstring says."""


@dataclass(frozen=True)
class Leftover:
    """One thing that a lab left behind.

    Attributes:
        kind: "crash", "core dump" or "process".
        node: where, empty where that is not known.
        text: what it is, for people.
    """

    kind: str
    node: str
    text: str

    def __str__(self) -> str:
        return f"{self.node + ': ' if self.node else ''}{self.kind}: {self.text}"


class LeftoverMonitor:
    """Notices what a lab leaves behind: `hear` listens to it, `begin` comes after its start, `remains` before its end.

    watch = Watch()
    with Lab(topology, listener=watch.hear) as lab:
        watch.begin(lab)
        ...
        print(watch.remains(lab))
    """

    def __init__(self) -> None:
        self._before: Counter[tuple[str, str]] = Counter()
        self._died: list[wire.DaemonExit] = []

    def hear(self, message: wire.Message) -> None:
        """Take an event of the lab."""
        if isinstance(message, wire.DaemonExit) and message.status not in _ASKED:
            self._died.append(message)

    def begin(self, lab: RunningLab) -> None:
        """Remember what runs now, which will be no remain."""
        self._before = Counter(_processes(lab))

    def remains(self, lab: RunningLab) -> list[Leftover]:
        """All that is left now. Daemons that were killed or ended on purpose do not count, nor restarted ones.

        Raises:
            LabError: the lab does not answer any more.
        """
        return [*map(_crash, self._died), *_files(lab), *self._left_running(lab)]

    def _left_running(self, lab: RunningLab) -> list[Leftover]:
        deadline_s = time.monotonic() + _PATIENCE_S
        while (left := Counter(_processes(lab)) - self._before) and time.monotonic() < deadline_s:
            time.sleep(0.1)
        if not left:
            return []
        nodes = {_network(lab, node.name): node.name for node in lab.topology.nodes}
        return [Leftover("process", nodes.get(network, ""), words) for network, words in left.elements()]


def _processes(lab: RunningLab) -> list[tuple[str, str]]:
    """(network namespace, command line) of all processes that may be a test's and have not ended."""
    rows = [line.split(None, 1) for line in _said(lab, "", *_PS).splitlines()]
    return [
        (row[0], row[1].strip())
        for row in rows
        if len(row) == 2
        and not row[1].startswith(_NOT_THEIRS)
        and "<defunct>" not in row[1]
        # The lab itself starts it, in case somebody types a static route.
        and "/staticd -u " not in row[1]
    ]


def _network(lab: RunningLab, node: str) -> str:
    """The number of a node's network namespace, as `ps` writes it."""
    return _said(lab, node, "readlink", "/proc/self/ns/net").strip().removeprefix("net:[").removesuffix("]")


def _files(lab: RunningLab) -> list[Leftover]:
    """The traces of crashes on routers."""
    found = []
    for router in (each.name for each in lab.topology.routers if each.runs_frr):
        for path in _said(lab, router, "sh", "-c", _CRASH_FILES).split():
            if path.rpartition("/")[2].startswith("core"):
                found.append(Leftover("core dump", router, path))
            else:
                found.append(
                    Leftover("crash", router, f"{path}:\n{_said(lab, router, 'head', '-n', '12', path).rstrip()}")
                )
    return found


def _said(lab: RunningLab, node: str, *argv: str) -> str:
    return str(lab.ask(wire.Execute(node, argv, 10.0))["stdout"])


def _crash(died: wire.DaemonExit) -> Leftover:
    if died.status < 0:  # its trace is in a file; the log ends with what it had in memory
        return Leftover("crash", died.router, f"{died.daemon} ended with signal {-died.status}")
    last = died.log.strip().splitlines()[-1:] or ["nothing"]
    return Leftover(
        "crash", died.router, f"{died.daemon} ended with status {died.status}; its log ends with: {last[0]}"
    )
