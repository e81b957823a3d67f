"""FRR on a router: its folders, its daemons from start to end, and what they say of their configuration."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from frrlib.agent import processes
from frrlib.agent.frr import daemon_copies, vtysh
from frrlib.agent.network import namespaces
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.errors import LabFailed, PlaceError
from frrlib.wire.plan import FrrPlan

#: Where distributions put the daemons.
FOLDERS = ("/usr/lib/frr", "/usr/libexec/frr", "/usr/local/sbin")
#: Where a daemon leaves its trace when it crashes, and a core dump if those are allowed.
CRASHES = "/var/tmp/frr"
#: Folders of FRR that every router has for itself.
PRIVATE = ("/etc/frr", "/run/frr", "/var/log/frr", CRASHES)
#: Since FRR 10 this daemon keeps the configuration of some others, or a part of it, so the files of those are not
#: enough where anything stands in them.
MANAGEMENT = "mgmtd"
MANAGED = frozenset(("zebra", "staticd", "ripd", "ripngd"))
#: Those that read no file then; zebra keeps a part of its configuration itself.
_WITHOUT_FILES = (MANAGED - {"zebra"}) | {MANAGEMENT}
#: Of this daemon some routers start theirs when it listens at others (`FrrPlan.turn`).
IN_TURNS = "bgpd"
START_TIMEOUT_S = 30.0
#: What vtysh says while that daemon hands a configuration to another one, as it does when daemons have just begun.
_BUSY = "locked by another session"
_ZEBRA_SOCKET = "/run/frr/zserv.api"
_LOG_END_BYTES = 4000
#: How much too long a daemon may sleep in virtual time: so much that what is due together is woken together.
_OVERSLEEP_NS = 4_000_000
#: Lines that a daemon takes from its own file, be it managed.
_UNMANAGED = re.compile(r"(!.*|(frr|hostname|log|zebra dplane limit) .*|)")
#: How the management daemon logs whose file it reads.
_READS_FOR = re.compile(r"reading config file: \S*/(\w+)\.conf")
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

    def __init__(self, thread: NodeThread, plan: FrrPlan, died: processes.ReportExit) -> None:
        self.router, self.plan = thread.name, plan
        self._thread, self._died = thread, died
        self._processes: dict[str, processes.Process | processes.Orphan] = {}
        self._stopping = False
        self._asked_to_end: set[int] = set()
        self._managed = is_managed()
        self._owner = owner()
        self.daemons = _in_order(plan.daemons, self._managed)
        #: Whether daemons read their own files; else they get the whole configuration from vtysh.
        self._own_files = all(self._is_enough(daemon) for daemon in self.daemons)

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

    def commands(self) -> list[tuple[str, ...]]:
        """The command of each of its daemons."""
        return [self._command(daemon) for daemon in self.daemons]

    def start_first(self, patterns: daemon_copies.Patterns) -> None:
        """Start zebra (and what manages configurations), which all other daemons need."""
        for daemon in self.daemons:
            if daemon in ("zebra", MANAGEMENT):
                self._start(daemon, patterns)

    def start_others(self, patterns: daemon_copies.Patterns, deadline_s: float) -> None:
        """Start the other daemons, but those whose turn comes later, when zebra listens.

        Raises LabFailed where it died, or does not listen at that time of the monotonic clock.
        """
        while not os.path.exists(self._thread.root + _ZEBRA_SOCKET):
            self._raise_if_ended(self.daemons)
            if time.monotonic() > deadline_s:
                raise LabFailed(f"{self.router}: zebra does not listen; its log ends with: {self.log('zebra')}")
            time.sleep(0.005)
        for daemon in self.daemons:
            if daemon not in self._processes and not (daemon == IN_TURNS and self.plan.turn):
                self._start(daemon, patterns)

    def start_last(self, patterns: daemon_copies.Patterns) -> None:
        """Start the daemons that have waited for their turn."""
        if IN_TURNS in self.daemons and IN_TURNS not in self._processes:
            self._start(IN_TURNS, patterns)

    def wait_answers(self, deadline_s: float) -> None:
        """Wait until every daemon that has been started answers.

        Args:
            deadline_s: the latest time, of the monotonic clock.

        Raises:
            LabFailed: a daemon died or did not answer in time; names router and daemon.
        """
        for daemon in self._processes:
            self._wait_answer(self.daemons, daemon, deadline_s)

    def wait_ready(self, deadline_s: float) -> None:
        """Wait until every daemon answers, then see that its configuration was taken as it stands.

        Args:
            deadline_s: the latest time, of the monotonic clock.

        Raises:
            LabFailed: a daemon died or did not answer in time, or refused a line; names router, daemon and line.
        """
        self.wait_answers(deadline_s)
        if not self._reads_own_files or self._read_in_vain():
            self._load_by_vtysh()
        for daemon in self.daemons:
            self._raise_if_refused(daemon)

    def signal_all(self, daemons: Sequence[str], number: int) -> None:
        """Send a signal to those of some daemons that run."""
        for daemon in daemons:
            if daemon in self._processes:
                self._processes[daemon].send_signal(number)

    def signal(self, daemon: str, number: int) -> None:
        """Send a signal to a daemon. Raises LabFailed where the router runs no such daemon."""
        process = self._processes.get(daemon)
        if process is None or process.poll() is not None:
            raise LabFailed(f"{self.router}: does not run {daemon} (it runs: {', '.join(self.running()) or 'none'})")
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
        self._start(daemon, daemon_copies.Patterns())
        self._wait_answer((daemon,), daemon, time.monotonic() + START_TIMEOUT_S)
        if not self._reads_own_files:
            self._load_by_vtysh(daemon)
        self._raise_if_refused(daemon)

    def add(self, daemon: str) -> None:
        """Start a daemon that the router was planned without, with no configuration, and wait until it answers.

        Raises:
            LabFailed: it did not start.
        """
        uid, gid, _, _ = self._owner
        file = f"{self._thread.root}/etc/frr/{daemon}.conf"
        if not os.path.exists(file):
            with open(file, "w", encoding="utf-8"):
                os.chown(file, uid, gid)
        self.daemons = (*self.daemons, daemon)
        self._start(daemon, daemon_copies.Patterns())
        self._wait_answer((daemon,), daemon, time.monotonic() + START_TIMEOUT_S)

    def power_off(self) -> None:
        """Kill all daemons at once, without a report, and leave nothing of them but what they wrote to files."""
        running = [process for process in self._processes.values() if process.poll() is None]
        self._asked_to_end |= {process.pid for process in running}
        for process in running:
            processes.kill(process)
        for process in running:
            process.wait(START_TIMEOUT_S)
        self._processes.clear()
        for name in os.listdir(self.socket_path("")):
            with contextlib.suppress(OSError):
                os.unlink(self.socket_path(name))

    def runs(self, daemon: str) -> bool:
        """Whether a daemon runs now, be it stopped."""
        return daemon in self.running()

    def running(self) -> list[str]:
        """The daemons that run now."""
        return [daemon for daemon, process in self._processes.items() if process.poll() is None]

    def pid(self, daemon: str) -> int | None:
        """The process of a daemon that runs; None for one that does not."""
        process = self._processes.get(daemon)
        return process.pid if process is not None and process.poll() is None else None

    def expect_end(self) -> list[processes.Process | processes.Orphan]:
        """From now on daemons may end without a report; gives their processes, to be ended."""
        self._stopping = True
        return list(self._processes.values())

    def ask(self, daemon: str, command: str, timeout_s: float = 5.0) -> str:
        """A daemon's answer to a command at its own socket. Raises OSError if there is none, CommandFailed."""
        return vtysh.ask(self.socket_path(f"{daemon}.vty"), command, timeout_s)

    def configure(self, daemon: str, lines: Sequence[str], timeout_s: float = 5.0) -> None:
        """Have a daemon take lines of configuration, which its file does not get. Raises OSError, CommandFailed."""
        vtysh.ask_sequence(self.socket_path(f"{daemon}.vty"), ("configure terminal", *lines), timeout_s)

    def socket_path(self, name: str) -> str:
        """The path at which the agent finds a socket of a daemon ("zebra.vty")."""
        return f"{self._thread.root}/run/frr/{name}"

    def log_path(self, daemon: str) -> str:
        """The path at which the agent finds a daemon's log."""
        return self._logs(daemon)[0]

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

    def _is_enough(self, daemon: str) -> bool:
        """Whether a daemon has its whole configuration when it has read its own file."""
        if daemon == MANAGEMENT:
            return True
        text = self.plan.files.get(f"{daemon}.conf")
        if text is None or not (self._managed and daemon in MANAGED):
            return text is not None
        return all(map(_UNMANAGED.fullmatch, text.splitlines()))

    def _read_in_vain(self) -> bool:
        """Whether this FRR's management daemon keeps the configuration of more daemons than those known here."""
        if not self._managed:
            return False
        log, _ = self._logs(MANAGEMENT)
        return not MANAGED.issuperset(_READS_FOR.findall(_bytes_of(log).decode(errors="replace")))

    @property
    def _reads_own_files(self) -> bool:
        """Whether daemons read their own files: not once somebody has written the whole, which only frr.conf has."""
        written = _bytes_of(f"{self._thread.root}/etc/frr/frr.conf").decode(errors="replace")
        return self._own_files and written == self.plan.files.get("frr.conf", "")

    def _command(self, daemon: str) -> tuple[str, ...]:
        _, _, user, group = self._owner
        words = [program(daemon), "-u", user, "-g", group, "-P", "0"]
        # To its standard output, which is the log: `log timestamp precision` has no effect on files named here.
        words += ["--log", "stdout", "--log-level", "informational"]
        has_file = self._reads_own_files and not (self._managed and daemon in _WITHOUT_FILES)
        return (*words, *(["-f", f"/etc/frr/{daemon}.conf"] if has_file else []))

    def _start(self, daemon: str, patterns: daemon_copies.Patterns) -> None:
        def ended(process: processes.Process | processes.Orphan) -> None:
            self._ended(daemon, process)

        def in_router() -> processes.Process:
            log, printed = f"/var/log/frr/{daemon}.log", f"/var/log/frr/{daemon}.out"
            with _oversleeping(), open(log, "ab") as out, open(printed, "ab") as err:
                known = daemon_copies.environment()
                return processes.spawn(command, ended, cwd=CRASHES, env=known, stdout=out, stderr=err)

        command = self._command(daemon)
        self._processes[daemon] = patterns.copy(command, self._thread, ended) or self._thread.call(in_router)

    def _ended(self, daemon: str, process: processes.Process | processes.Orphan) -> None:
        if not self._stopping and process.pid not in self._asked_to_end:
            self._died(self.router, daemon, process.returncode or 0, self.log(daemon))

    def _answers(self, daemon: str) -> bool:
        try:
            vtysh.ask(self.socket_path(f"{daemon}.vty"), "show version")
        except OSError:
            return False
        return True

    def _wait_answer(self, needed: Sequence[str], daemon: str, deadline_s: float) -> None:
        """Wait until a daemon answers. Raises LabFailed when one of those that it needs has ended."""
        while not self._answers(daemon):
            self._raise_if_ended(needed)
            if time.monotonic() > deadline_s:
                raise LabFailed(f"{self.router}: {daemon} does not respond; its log ends with: {self.log(daemon)}")
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
        # The management daemon has no file of its own: it reads zebra's, and refuses what is zebra's alone.
        if refused and self._own_files and daemon != MANAGEMENT:
            lines = [f"line {line} of {daemon}.conf, {text.strip()!r}: {why.strip()}" for why, line, text in refused]
            said = "; ".join(lines)
            raise LabFailed(f"{self.router}: {daemon} refused {said}")

    def _load_by_vtysh(self, daemon: str = "") -> None:
        """Give a daemon, or all, their part of frr.conf. Raises LabFailed where they refuse it."""
        only = ["-d", daemon] if daemon and not self._managed else []

        def in_router() -> tuple[int, str]:
            import subprocess

            pipe = subprocess.PIPE
            process = processes.spawn(["vtysh", *only, "-b"], stdout=pipe, stderr=subprocess.STDOUT)
            output, _ = process.communicate(timeout=START_TIMEOUT_S)
            return process.returncode, output.decode(errors="replace")

        status, said = until_free(lambda: self._thread.call(in_router))
        wrong = [line for line in said.splitlines() if "%" in line or "ERROR" in line or "failed" in line.lower()]
        if status or wrong:
            raise LabFailed(f"{self.router}: FRR refused its configuration: {'; '.join(wrong) or said.strip()}")


@contextlib.contextmanager
def _oversleeping() -> Iterator[None]:
    """Programs that the calling thread starts meanwhile may sleep a little too long, in virtual time.

    FRR cuts off what is less than a millisecond of a time to wait, and then asks again and again whether it has come
    (its pull request 19715 mended that). Each time costs virtual time hardly anything, so it asks a thousand times; it
    does not if it has slept long enough.
    """
    if not in_virtual_time():
        yield
        return
    namespaces.set_timer_slack(_OVERSLEEP_NS)
    try:
        yield
    finally:
        namespaces.set_timer_slack(0)


def until_free(load: Callable[[], tuple[int, str]], timeout_s: float = START_TIMEOUT_S) -> tuple[int, str]:
    """Load a configuration, and again for as long as FRR's management daemon is busy with another one.

    Args:
        load: loads it; gives vtysh's exit status and what it printed.
        timeout_s: how long to go on; what it then says counts.
    """
    deadline_s = time.monotonic() + timeout_s
    status, said = load()
    while _BUSY in said and time.monotonic() < deadline_s:
        time.sleep(0.02)
        status, said = load()
    return status, said


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
