"""Leftovers of a test in a lab: crashed daemons, core dumps, processes that still run.

They vanish with the lab, so look for them before its end.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from frrlib import wire
from frrlib.lab.running_lab import RunningLab

#: Lists all processes of a lab with network namespace and command line. Reading /proc instead takes many processes.
_PS = ("ps", "-eo", "netns=,args=")
#: Command lines that are never a test's: kernel threads, SSH sessions, and `ps` itself.
_NOT_THEIRS = ("[", "sshd:", "sshd-session:", "sshd-auth:", "ps -eo ")
#: Lists the files that FRR's daemons and the kernel write after a crash.
_CRASH_FILES = 'cd /var/tmp/frr && for f in */crashlog core* */core*; do [ -s "$f" ] && echo "$PWD/$f"; done; true'
#: Statuses of daemons that a test has ended: SIGINT, SIGTERM, SIGKILL. After any other signal a daemon has crashed.
_ASKED = frozenset((-2, -15, -9))
#: Time limit for processes that are just exiting.
_PATIENCE_S = 1.0


@dataclass(frozen=True)
class Leftover:
    """One leftover of a test.

    Attributes:
        kind: "crash", "core dump" or "process".
        node: its node; empty if unknown.
        text: a description, for people.
    """

    kind: str
    node: str
    text: str

    def __str__(self) -> str:
        return f"{self.node + ': ' if self.node else ''}{self.kind}: {self.text}"


class LeftoverMonitor:
    """Finds the leftovers of a test in a lab.

    monitor = LeftoverMonitor()
    with Lab(topology, listener=monitor.hear) as lab:
        monitor.begin(lab)
        ...
        print(monitor.remains(lab))
    """

    def __init__(self) -> None:
        self._before: Counter[tuple[str, str]] = Counter()
        self._died: list[wire.DaemonExit] = []

    def record(self, message: wire.Message) -> None:
        """Record an event of the lab; to be used as its listener."""
        if isinstance(message, wire.DaemonExit) and message.status not in _ASKED:
            self._died.append(message)

    def begin(self, lab: RunningLab) -> None:
        """Record the processes that run now: they are no leftovers. Call it after the lab's start."""
        self._before = Counter(_processes(lab))

    def find_leftovers(self, lab: RunningLab) -> list[Leftover]:
        """All present leftovers. Daemons that a test has killed, ended or restarted do not count.

        Raises:
            LabError: the lab does not answer.
        """
        return [*map(_crash, self._died), *_files(lab), *self._left_running(lab)]

    def _left_running(self, lab: RunningLab) -> list[Leftover]:
        deadline_s = time.monotonic() + _PATIENCE_S
        while (new_processes := Counter(_processes(lab)) - self._before) and time.monotonic() < deadline_s:
            time.sleep(0.1)
        if not new_processes:
            return []
        nodes = {_network(lab, node.name): node.name for node in lab.topology.nodes}
        return [Leftover("process", nodes.get(network, ""), words) for network, words in new_processes.elements()]


def _processes(lab: RunningLab) -> list[tuple[str, str]]:
    """(network namespace, command line) of all processes that a test may have started and that still run."""
    rows = [line.split(None, 1) for line in _said(lab, "", *_PS).splitlines()]
    return [
        (row[0], row[1].strip())
        for row in rows
        if len(row) == 2
        and not row[1].startswith(_NOT_THEIRS)
        and "<defunct>" not in row[1]
        # The lab itself starts it, so that vtysh accepts static routes.
        and "/staticd -u " not in row[1]
    ]


def _network(lab: RunningLab, node: str) -> str:
    """The number of a node's network namespace, as `ps` writes it."""
    return _said(lab, node, "readlink", "/proc/self/ns/net").strip().removeprefix("net:[").removesuffix("]")


def _files(lab: RunningLab) -> list[Leftover]:
    """The files that crashes have left on routers."""
    leftovers = []
    for router in (node.name for node in lab.topology.routers if node.runs_frr):
        for path in _said(lab, router, "sh", "-c", _CRASH_FILES).split():
            if path.rpartition("/")[2].startswith("core"):
                leftovers.append(Leftover("core dump", router, path))
            else:
                leftovers.append(
                    Leftover("crash", router, f"{path}:\n{_said(lab, router, 'head', '-n', '12', path).rstrip()}")
                )
    return leftovers


def _said(lab: RunningLab, node: str, *argv: str) -> str:
    return str(lab.ask(wire.Execute(node, argv, 10.0))["stdout"])


def _crash(exit_event: wire.DaemonExit) -> Leftover:
    if exit_event.status < 0:  # its trace is in a file; its log ends with unrelated lines
        return Leftover("crash", exit_event.router, f"{exit_event.daemon} ended with signal {-exit_event.status}")
    last = exit_event.log.strip().splitlines()[-1:] or ["nothing"]
    return Leftover(
        "crash",
        exit_event.router,
        f"{exit_event.daemon} ended with status {exit_event.status}; its log ends with: {last[0]}",
    )
