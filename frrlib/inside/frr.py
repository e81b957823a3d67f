"""FRR on a router: its folders, its daemons from start to end, and what they say of their configuration."""

from __future__ import annotations

import os
import pwd
import re
import time
from collections.abc import Callable, Sequence
from functools import cache

from frrlib.errors import LabFailed, PlaceError
from frrlib.inside import namespaces, processes, vtysh
from frrlib.inside.namespaces import NodeThread
from frrlib.wire import FrrPlan

#: Where distributions put the daemons.
FOLDERS = ("/usr/lib/frr", "/usr/libexec/frr", "/usr/local/sbin")
#: Where a daemon leaves its trace when it crashes, and a core dump if those are allowed.
CRASHES = "/var/tmp/frr"
#: Folders of FRR that every router has for itself.
PRIVATE = ("/etc/frr", "/run/frr", "/var/log/frr", CRASHES)
#: Since FRR 10 this daemon keeps the configuration of some others, so the files of those are not enough.
MANAGEMENT = "mgmtd"
START_TIMEOUT_S = 30.0
_ZEBRA_SOCKET = "/run/frr/zserv.api"
_LOG_END_BYTES = 4000
#: How a daemon logs a line of its file that it did not take.
_REFUSED_LINE = re.compile(r"([^\]\n]*) on config line (\d+): *(.*)")


@cache
def program(daemon: str) -> str:
    """The path of a daemon. Raises PlaceError where FRR is not installed or lacks it."""
    for folder in FOLDERS:
        if os.access(f"{folder}/{daemon}", os.X_OK):
            return f"{folder}/{daemon}"
    raise PlaceError(f"FRR's {daemon} is not installed", "sudo apt-get install frr")


def is_managed() -> bool:
    """Whether this FRR has the management daemon."""
    return any(os.access(f"{folder}/{MANAGEMENT}", os.X_OK) for folder in FOLDERS)


class Frr:
    """FRR on one router.

    Args:
        thread: the router's thread.
        plan: daemons and files.
        died: called with router, daemon, exit status and the end of its log when a daemon ends unasked.
    """

    def __init__(self, thread: NodeThread, plan: FrrPlan, died: processes.Died) -> None:
        self.router, self.plan = thread.name, plan
        self._thread, self._died = thread, died
        self._processes: dict[str, processes.Process] = {}
        self._stopping = False
        self._asked_to_end: set[int] = set()
        self._managed = is_managed()
        self._owner = owner()
        self.daemons = _in_order(plan.daemons, self._managed)
        #: Daemons that read their own file; the others get the whole configuration from vtysh.
        self._own_files = not self._managed and all(f"{daemon}.conf" in plan.files for daemon in self.daemons)

    def prepare(self) -> None:
        """Make folders and files with the owners that FRR wants. To be called in the router's thread."""
        uid, gid, _, _ = self._owner
        for folder in PRIVATE:
            namespaces.tmpfs(folder)
            os.chown(folder, uid, gid)
        files = {"vtysh.conf": "service integrated-vtysh-config\n", "frr.conf": "", **self.plan.files}
        for name, text in files.items():
            path = f"/etc/frr/{name}"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chown(path, uid, gid)
            os.chmod(path, 0o640)

    def start_first(self) -> None:
        """Start zebra (and what manages configurations), which all other daemons need."""
        for daemon in self.daemons:
            if daemon in ("zebra", MANAGEMENT):
                self._start(daemon)

    def start_others(self) -> bool:
        """Start all other daemons if zebra listens by now; whether it does. Raises LabFailed where it died."""
        if not os.path.exists(self._thread.root + _ZEBRA_SOCKET):
            self._raise_if_ended(self.daemons)
            return False
        for daemon in self.daemons:
            if daemon not in self._processes:
                self._start(daemon)
        return True

    def wait_ready(self, deadline_s: float) -> None:
        """Wait until every daemon answers, then see that its configuration was taken as it stands.

        Args:
            deadline_s: the latest time, of the monotonic clock.

        Raises:
            LabFailed: a daemon died or did not answer in time, or refused a line; names router, daemon and line.
        """
        for daemon in self.daemons:
            self._wait_answer(self.daemons, daemon, deadline_s)
        if not self._own_files:
            self._load_by_vtysh()
        for daemon in self.daemons:
            self._raise_if_refused(daemon)

    def signal(self, daemon: str, number: int) -> None:
        """Send a signal to a daemon. Raises LabFailed where the router runs no such daemon."""
        process = self._processes.get(daemon)
        if process is None or process.poll() is not None:
            raise LabFailed(f"{self.router}: runs no {daemon} (it runs: {', '.join(self.running()) or 'none'})")
        process.send_signal(number)

    def restart(self, daemon: str) -> None:
        """End a daemon if it runs, start it with its configuration file as that is now, and wait until it answers.

        Raises:
            LabFailed: the router has no such daemon, or it did not start or refused its configuration.
        """
        if daemon not in self.daemons:
            raise LabFailed(f"{self.router}: has no {daemon} (it has: {', '.join(self.daemons)})")
        process = self._processes.get(daemon)
        if process is not None and process.poll() is None:
            self._asked_to_end.add(process.pid)
            processes.end([process])
        self._start(daemon)
        self._wait_answer((daemon,), daemon, time.monotonic() + START_TIMEOUT_S)
        if not self._own_files:
            self._load_by_vtysh()
        self._raise_if_refused(daemon)

    def running(self) -> list[str]:
        """The daemons that run now."""
        return [daemon for daemon, process in self._processes.items() if process.poll() is None]

    def expect_end(self) -> list[processes.Process]:
        """From now on daemons may end without a report; gives their processes, to be ended."""
        self._stopping = True
        return list(self._processes.values())

    def log(self, daemon: str) -> str:
        """The end of a daemon's log, and of what it printed."""
        return "\n".join(part for part in (_end_of(path) for path in self._logs(daemon)) if part)

    def save_logs(self, folder: str) -> None:
        """Copy the daemons' logs to `folder`, as "ROUTER-DAEMON.log"."""
        for daemon in self._processes:
            text = b"".join(_bytes_of(path) for path in self._logs(daemon))
            with open(f"{folder}/{self.router}-{daemon}.log", "wb") as file:
                file.write(text)

    def _logs(self, daemon: str) -> tuple[str, str]:
        return tuple(f"{self._thread.root}/var/log/frr/{daemon}.{end}" for end in ("log", "out"))  # type: ignore[return-value]

    def _start(self, daemon: str) -> None:
        _, _, user, group = self._owner
        words = [program(daemon), "-u", user, "-g", group, "-P", "0"]
        words += ["--log", f"file:/var/log/frr/{daemon}.log", "--log-level", "informational"]
        words += ["-f", f"/etc/frr/{daemon}.conf"] if self._own_files else []

        def ended(process: processes.Process) -> None:
            self._ended(daemon, process)

        def in_router() -> processes.Process:
            with open(f"/var/log/frr/{daemon}.out", "ab") as printed:
                return processes.spawn(words, ended, cwd=CRASHES, stdout=printed, stderr=printed)

        self._processes[daemon] = self._thread.call(in_router)

    def _ended(self, daemon: str, process: processes.Process) -> None:
        if not self._stopping and process.pid not in self._asked_to_end:
            self._died(self.router, daemon, process.returncode, self.log(daemon))

    def _answers(self, daemon: str) -> bool:
        try:
            vtysh.ask(f"{self._thread.root}/run/frr/{daemon}.vty", "show version")
        except OSError:
            return False
        return True

    def _wait_answer(self, needed: Sequence[str], daemon: str, deadline_s: float) -> None:
        """Wait until a daemon answers. Raises LabFailed when one of those that it needs has ended."""
        while not self._answers(daemon):
            self._raise_if_ended(needed)
            if time.monotonic() > deadline_s:
                raise LabFailed(f"{self.router}: {daemon} does not answer; its log ends with: {self.log(daemon)}")
            time.sleep(0.005)

    def _raise_if_ended(self, daemons: Sequence[str]) -> None:
        for daemon in daemons:
            process = self._processes.get(daemon)
            if process is not None and process.poll() is not None:
                raise LabFailed(
                    f"{self.router}: {daemon} ended with status {process.returncode} at its start; "
                    f"its log ends with: {self.log(daemon) or 'nothing'}"
                )

    def _raise_if_refused(self, daemon: str) -> None:
        log, _ = self._logs(daemon)
        refused = [match.groups() for match in _REFUSED_LINE.finditer(_bytes_of(log).decode(errors="replace"))]
        if refused and self._own_files:
            lines = [f"line {line} of {daemon}.conf, {text.strip()!r}: {why.strip()}" for why, line, text in refused]
            said = "; ".join(lines)
            raise LabFailed(f"{self.router}: {daemon} refused {said}")

    def _load_by_vtysh(self) -> None:
        def in_router() -> tuple[int, str]:
            import subprocess

            pipe = subprocess.PIPE
            process = processes.spawn(["vtysh", "-b"], stdout=pipe, stderr=subprocess.STDOUT)
            output, _ = process.communicate(timeout=START_TIMEOUT_S)
            return process.returncode, output.decode(errors="replace")

        status, said = self._thread.call(in_router)
        wrong = [line for line in said.splitlines() if "%" in line or "ERROR" in line or "failed" in line.lower()]
        if status or wrong:
            raise LabFailed(f"{self.router}: FRR refused its configuration: {'; '.join(wrong) or said.strip()}")


def start_all(routers: Sequence[Frr], step: Callable[[str, str], None]) -> None:
    """Start FRR on all routers side by side and wait until all of it answers.

    Args:
        routers: prepared routers.
        step: called with a router's name and "start" or "done".

    Raises:
        LabFailed: a daemon died, did not answer in time or refused its configuration.
    """
    deadline_s = time.monotonic() + START_TIMEOUT_S
    for router in routers:
        step(router.router, "start")
        router.start_first()
    waiting = list(routers)
    while waiting:
        waiting = [router for router in waiting if not router.start_others()]
        if waiting:
            if time.monotonic() > deadline_s:
                first = waiting[0]
                raise LabFailed(f"{first.router}: zebra does not listen; its log ends with: {first.log('zebra')}")
            time.sleep(0.005)
    for router in routers:
        router.wait_ready(deadline_s)
        step(router.router, "done")


@cache
def owner() -> tuple[int, int, str, str]:
    """Numbers and names of the user and group under which FRR runs: its own, or root where only root exists.

    Not to be called first by two threads at once.
    """
    try:
        entry = pwd.getpwnam("frr")
    except KeyError:
        return 0, 0, "root", "root"
    probe = "/run/.owner"
    with open(probe, "wb"):
        pass
    try:
        os.chown(probe, entry.pw_uid, entry.pw_gid)
    except OSError:  # in a user namespace these numbers may not exist
        return 0, 0, "root", "root"
    finally:
        os.unlink(probe)
    return entry.pw_uid, entry.pw_gid, "frr", "frr"


def _in_order(daemons: Sequence[str], managed: bool) -> tuple[str, ...]:
    names = ["zebra", *([MANAGEMENT] if managed else []), *daemons]
    return tuple(dict.fromkeys(names))


def _bytes_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _end_of(path: str) -> str:
    return _bytes_of(path)[-_LOG_END_BYTES:].decode(errors="replace").strip()
