"""The running configurations of all routers, read from all daemons in parallel without a process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from frrlib.agent.frr import vtysh

if TYPE_CHECKING:
    from frrlib.agent.network.nodes import FrrRouter

#: Time from the start to the first reading, unless a change is about to happen before.
QUIET_S = 1.0
_COMMAND = "do write terminal"


class Configurations:
    """The configurations of a lab's daemons, at the start and now.

    Args:
        routers: routers by name, all of them running.
    """

    def __init__(self, routers: Mapping[str, FrrRouter]) -> None:
        self._routers = dict(routers)
        self._start: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def watch(self) -> None:
        """Read the configurations in force at the start, a little later in the background."""
        threading.Thread(target=self._read_later, name="configurations", daemon=True).start()

    def before_change(self, routers: Iterable[str], timeout_s: float = 5.0) -> None:
        """Read the first configurations of these routers if they are not read yet, since they may change now."""
        with self._lock:
            unread = [name for name in routers if name in self._routers and name not in self._start]
            if unread:
                self._start |= {
                    name: configuration for name, (configuration, _) in self._ask(unread, timeout_s).items()
                }

    def add_daemon(self, router: str, daemon: str) -> None:
        """Enter a daemon that was added to a running router. Its configuration at the start is empty."""
        with self._lock:
            self._start.get(router, {}).setdefault(daemon, "")

    def add_router(self, name: str, router: FrrRouter) -> None:
        """Enter a router that was added to the lab. Its first configuration is that of now."""
        self._routers = {**self._routers, name: router}

    def remove_router(self, name: str) -> None:
        """Forget a router."""
        with self._lock:
            self._routers = {other: router for other, router in self._routers.items() if other != name}
            self._start.pop(name, None)

    def now(self, routers: Iterable[str], timeout_s: float = 5.0) -> dict[str, dict[str, str]]:
        """The present configuration of each router by daemon."""
        return {name: texts for name, (texts, _) in self._ask(routers, timeout_s).items()}

    def take_change(self, before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]) -> None:
        """Take over a change of the lab: a daemon whose configuration was that of the start has a new one for the
        start, so that the change does not count as typed."""
        with self._lock:
            for name, texts in after.items():
                start = self._start.get(name, {})
                for daemon, text in texts.items():
                    if start.get(daemon, "") == before.get(name, {}).get(daemon, ""):
                        start[daemon] = text

    def read(self, routers: Iterable[str], timeout_s: float) -> dict[str, Any]:
        """Each router's configuration at the start and now; see `wire.ReadConfigurations`."""
        names = [name for name in routers or self._routers if name in self._routers]
        self.before_change(names, timeout_s)
        answers = self._ask(names, timeout_s)
        return {
            name: {"start": self._start[name], "now": now, "silent": silent, "written": self._changed_files(name)}
            for name, (now, silent) in answers.items()
        }

    def close(self) -> None:
        """Read nothing in the background any more."""
        self._closed.set()

    def _read_later(self) -> None:
        if not self._closed.wait(QUIET_S):
            self.before_change(self._routers)

    def _ask(self, names: Iterable[str], timeout_s: float) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
        """For each router, the output of its daemons, and the reasons of those that do not answer."""
        sockets, silent = {}, {}
        for name in names:
            frr = self._routers[name].frr
            for daemon in frr.daemons:
                reason = _silence_reason(frr.pid(daemon))
                if reason:
                    silent[name, daemon] = reason
                else:
                    sockets[name, daemon] = frr.socket_path(f"{daemon}.vty")
        replies, failed = vtysh.ask_all(sockets, _COMMAND, timeout_s)
        silent |= failed
        return {
            name: (
                {daemon: replies[name, daemon] for daemon in daemons if (name, daemon) in replies},
                {daemon: silent[name, daemon] for daemon in daemons if (name, daemon) in silent},
            )
            for name in names
            for daemons in [self._routers[name].frr.daemons]
        }

    def _changed_files(self, name: str) -> dict[str, str]:
        """Files in a router's /etc/frr that differ from the planned ones."""
        planned, folder = self._routers[name].frr.plan.files, f"{self._routers[name].thread.root}/etc/frr"
        changed = {}
        for file in os.listdir(folder):
            if file.endswith(".conf") and file != "vtysh.conf":
                with open(f"{folder}/{file}", encoding="utf-8", errors="replace") as stream:
                    text = stream.read()
                if text != planned.get(file, ""):
                    changed[file] = text
        return changed


def _silence_reason(pid: int | None) -> str:
    """The reason why a process cannot answer; empty if it may."""
    if pid is None:
        return "does not run"
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "does not run"
    return "is stopped" if state in "Tt" else "does not run" if state in "ZX" else ""
