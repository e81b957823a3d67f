"""The running configurations of all routers: read from all daemons side by side, without starting any process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from frrlib.agent.frr import vtysh

if TYPE_CHECKING:
    from frrlib.agent.network.nodes import FrrRouter

#: How long after the start the configurations are read, unless somebody is about to change one before.
QUIET_S = 1.0
_QUESTION = "do write terminal"


class Configurations:
    """The configurations of a lab's daemons, at the start and now.

    Args:
        routers: name to router, all of which run.
    """

    def __init__(self, routers: Mapping[str, FrrRouter]) -> None:
        self._routers = routers
        self._start: dict[str, dict[str, str]] = {}
        self._reading = threading.Lock()
        self._ended = threading.Event()

    def watch(self) -> None:
        """Read the configurations in force at the start, a little later and in the background."""
        threading.Thread(target=self._later, name="configurations", daemon=True).start()

    def before_change(self, routers: Iterable[str], timeout_s: float = 5.0) -> None:
        """Read the first configurations of these routers where they are not known yet: somebody may change them now."""
        with self._reading:
            wanted = [name for name in routers if name in self._routers and name not in self._start]
            if wanted:
                self._start |= {name: said for name, (said, _) in self._ask(wanted, timeout_s).items()}

    def add_daemon(self, router: str, daemon: str) -> None:
        """A daemon was added to a router that is up: all that it has from now on, somebody has typed."""
        with self._reading:
            self._start.get(router, {}).setdefault(daemon, "")

    def read(self, routers: Iterable[str], timeout_s: float) -> dict[str, Any]:
        """Each router's configuration at the start and now; see `wire.ReadConfigurations`."""
        names = [name for name in routers or self._routers if name in self._routers]
        self.before_change(names, timeout_s)
        answers = self._ask(names, timeout_s)
        return {
            name: {"start": self._start[name], "now": now, "silent": silent, "written": self._written(name)}
            for name, (now, silent) in answers.items()
        }

    def close(self) -> None:
        """Read nothing in the background any more."""
        self._ended.set()

    def _later(self) -> None:
        if not self._ended.wait(QUIET_S):
            self.before_change(self._routers)

    def _ask(self, names: Iterable[str], timeout_s: float) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
        """Router to what its daemons say, and to why others say nothing."""
        sockets, silent = {}, {}
        for name in names:
            frr = self._routers[name].frr
            for daemon in frr.daemons:
                why = _standstill(frr.pid(daemon))
                if why:
                    silent[name, daemon] = why
                else:
                    sockets[name, daemon] = frr.socket_path(f"{daemon}.vty")
        said, failed = vtysh.ask_all(sockets, _QUESTION, timeout_s)
        silent |= failed
        return {
            name: (
                {daemon: said[name, daemon] for daemon in daemons if (name, daemon) in said},
                {daemon: silent[name, daemon] for daemon in daemons if (name, daemon) in silent},
            )
            for name in names
            for daemons in [self._routers[name].frr.daemons]
        }

    def _written(self, name: str) -> dict[str, str]:
        """Files of a router's /etc/frr that are not as they were made."""
        made, folder = self._routers[name].frr.plan.files, f"{self._routers[name].thread.root}/etc/frr"
        found = {}
        for file in os.listdir(folder):
            if file.endswith(".conf") and file != "vtysh.conf":
                with open(f"{folder}/{file}", encoding="utf-8", errors="replace") as opened:
                    text = opened.read()
                if text != made.get(file, ""):
                    found[file] = text
        return found


def _standstill(pid: int | None) -> str:
    """Why a process cannot answer; empty where it may."""
    if pid is None:
        return "does not run"
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "does not run"
    return "is stopped" if state in "Tt" else "does not run" if state in "ZX" else ""
