"""FRR on a router: its folders, its daemons from start to end, and the result of reading their configuration."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from frrlib.agent import processes
from frrlib.agent.frr import daemon_copies, rejections, vtysh
from frrlib.agent.frr.log_files import bytes_of, end_of
from frrlib.agent.network import namespaces
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.errors import LabFailed, PlaceError
from frrlib.wire.plan import FrrPlan

#: The folders in which distributions install the daemons.
FOLDERS = ("/usr/lib/frr", "/usr/libexec/frr", "/usr/local/sbin")
#: The folder for a daemon's trace after a crash, and for a core dump if those are allowed.
CRASHES = "/var/tmp/frr"
#: Folders of FRR that are private to each router.
PRIVATE = ("/etc/frr", "/run/frr", "/var/log/frr", CRASHES)
#: Since FRR 10 this daemon manages the configuration of some others, or a part of it, so their own files have no full
#: effect.
MANAGEMENT = "mgmtd"
MANAGED = frozenset(("zebra", "staticd", "ripd", "ripngd"))
#: Daemons that read no file then; zebra manages a part of its configuration itself.
_WITHOUT_FILES = (MANAGED - {"zebra"}) | {MANAGEMENT}
#: The daemon that some routers start only after their peers' is listening (`FrrPlan.turn`).
IN_TURNS = "bgpd"
START_TIMEOUT_S = 30.0
#: Output of vtysh while the management daemon hands a configuration to another daemon, as it does after their start.
_BUSY = "locked by another session"
_ZEBRA_SOCKET = "/run/frr/zserv.api"
#: Timer slack of daemons in virtual time, so that events due together cause one wake-up.
_OVERSLEEP_NS = 4_000_000
#: Lines that a managed daemon, too, reads from its own file.
_UNMANAGED = re.compile(r"(!.*|(frr|hostname|log|zebra dplane limit) .*|)")
#: A log line of the management daemon that names the daemon whose file it reads.
_READS_FOR = re.compile(r"reading config file: \S*/(\w+)\.conf")


@cache
def program(daemon: str) -> str:
    """The path of a daemon. Raises PlaceError if FRR is not installed or lacks it."""
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
        report_exit: called with router, daemon, exit status and the end of its log when a daemon ends unexpectedly.
    """

    def __init__(self, thread: NodeThread, plan: FrrPlan, report_exit: processes.ReportExit) -> None:
        self.router, self.plan = thread.name, plan
        self._thread, self._report_exit = thread, report_exit
        self._processes: dict[str, processes.Process | processes.Orphan] = {}
        self._stopping = False
        self.skipped: list[str] = []  # refused lines, in words, without which it has started
        self._expected_ends: set[int] = set()
        self._managed = is_managed()
        self._owner = owner()
        self.daemons = _in_order(plan.daemons, self._managed)
        #: Whether daemons read their own files; otherwise vtysh loads the whole configuration.
        self._own_files = all(self._is_complete(daemon) for daemon in self.daemons)

    def prepare(self) -> None:
        """Make folders and files with the owners that FRR requires. Call it in the router's thread."""
        uid, gid, _, _ = self._owner
        for folder in PRIVATE:
            namespaces.tmpfs(folder)
            os.chown(folder, uid, gid)
        files = {"vtysh.conf": "service integrated-vtysh-config\n", "frr.conf": "", **self.plan.files}
        for name, text in files.items():
            self.write_file(f"/etc/frr/{name}", text)

    def write_file(self, path: str, text: str) -> None:
        """Write a file with the owner that FRR requires."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chown(path, *self._owner[:2])
        os.chmod(path, 0o640)

    def set_plan(self, plan: FrrPlan) -> None:
        """Use other files and daemons from the next start of a daemon on. Daemons that a user added stay."""
        added = [daemon for daemon in self.daemons if daemon not in _in_order(self.plan.daemons, self._managed)]
        self.plan, self.daemons = plan, _in_order((*plan.daemons, *added), self._managed)
        self._own_files = all(self._is_complete(daemon) for daemon in self.daemons)

    def commands(self) -> list[tuple[str, ...]]:
        """The command of each of its daemons."""
        return [self._command(daemon) for daemon in self.daemons]

    def start_first(self, patterns: daemon_copies.Patterns) -> None:
        """Start zebra and the management daemon, which all other daemons need."""
        for daemon in self.daemons:
            if daemon in ("zebra", MANAGEMENT):
                self._start(daemon, patterns)

    def start_others(self, patterns: daemon_copies.Patterns, deadline_s: float) -> None:
        """Start the other daemons, except those with a later turn, when zebra listens.

        Raises LabFailed if zebra died, or does not listen by this time of the monotonic clock.
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
        """Wait until every started daemon answers.

        Args:
            deadline_s: the latest time, of the monotonic clock.

        Raises:
            LabFailed: a daemon died or did not answer in time. The message names router and daemon.
        """
        for daemon in self._processes:
            self._wait_answer(self.daemons, daemon, deadline_s)

    def wait_ready(self, deadline_s: float) -> None:
        """Wait until every daemon answers, then check that it accepted its whole configuration.

        Args:
            deadline_s: the latest time, of the monotonic clock.

        Raises:
            LabFailed: a daemon died, did not answer in time, or refused a line. The message names router, daemon and
                line.
        """
        self.wait_answers(deadline_s)
        if not self._reads_own_files or self._manages_more():
            self._load_by_vtysh()
        for daemon in self.daemons:
            self._raise_if_refused(daemon)

    def signal_all(self, daemons: Sequence[str], number: int) -> None:
        """Send a signal to the running ones of some daemons."""
        for daemon in daemons:
            if daemon in self._processes:
                self._processes[daemon].send_signal(number)

    def signal(self, daemon: str, number: int) -> None:
        """Send a signal to a daemon. Raises LabFailed if it does not run on the router."""
        process = self._processes.get(daemon)
        if process is None or process.poll() is not None:
            raise LabFailed(f"{self.router}: does not run {daemon} (it runs: {', '.join(self.running()) or 'none'})")
        process.send_signal(number)

    def restart(self, daemon: str) -> None:
        """End a daemon if it runs, start it with its present configuration file, and wait until it answers.

        Raises:
            LabFailed: the router has no such daemon, or it did not start or refused its configuration.
        """
        if daemon not in self.daemons:
            raise LabFailed(f"{self.router}: has no {daemon} (it has: {', '.join(self.daemons)})")
        self.end(daemon)
        self._start(daemon, daemon_copies.Patterns())
        self._wait_answer((daemon,), daemon, time.monotonic() + START_TIMEOUT_S)
        if not self._reads_own_files:
            self._load_by_vtysh(daemon)
        self._raise_if_refused(daemon)

    def end(self, daemon: str) -> None:
        """End a daemon if it runs, without a report."""
        process = self._processes.get(daemon)
        if process is not None and process.poll() is None:
            self._expected_ends.add(process.pid)
            processes.end([process])

    def add(self, daemon: str) -> None:
        """Start a daemon that is not in the router's plan, without a configuration, and wait until it answers.

        Raises:
            LabFailed: it did not start.
        """
        file = f"{self._thread.root}/etc/frr/{daemon}.conf"
        if not os.path.exists(file):
            self.write_file(file, "")
        self.daemons = (*self.daemons, daemon)
        self._start(daemon, daemon_copies.Patterns())
        self._wait_answer((daemon,), daemon, time.monotonic() + START_TIMEOUT_S)

    def power_off(self) -> None:
        """Kill all daemons at once, without a report. Only files that they wrote remain."""
        running = [process for process in self._processes.values() if process.poll() is None]
        self._expected_ends |= {process.pid for process in running}
        for process in running:
            processes.kill(process)
        for process in running:
            process.wait(START_TIMEOUT_S)
        self._processes.clear()
        for name in os.listdir(self.socket_path("")):
            with contextlib.suppress(OSError):
                os.unlink(self.socket_path(name))

    def runs(self, daemon: str) -> bool:
        """Whether a daemon runs now, even if it is stopped."""
        return daemon in self.running()

    def running(self) -> list[str]:
        """The daemons that run now."""
        return [daemon for daemon, process in self._processes.items() if process.poll() is None]

    def pid(self, daemon: str) -> int | None:
        """The process id of a running daemon; None for any other."""
        process = self._processes.get(daemon)
        return process.pid if process is not None and process.poll() is None else None

    def expect_end(self) -> list[processes.Process | processes.Orphan]:
        """Expect the end of all daemons, without reports of it, and return their processes, to be ended."""
        self._stopping = True
        return list(self._processes.values())

    def ask(self, daemon: str, command: str, timeout_s: float = 5.0) -> str:
        """A daemon's reply to a command at its own socket. Raises OSError if there is none, CommandFailed."""
        return vtysh.ask(self.socket_path(f"{daemon}.vty"), command, timeout_s)

    def configure(self, daemon: str, lines: Sequence[str], timeout_s: float = 5.0) -> None:
        """Send lines of configuration to a daemon, without a change of its file. Raises OSError, CommandFailed."""
        vtysh.ask_sequence(self.socket_path(f"{daemon}.vty"), ("configure terminal", *lines), timeout_s)

    def sockets(self) -> dict[str, str]:
        """The agent's paths to the sockets of the daemons that run now."""
        return {daemon: self.socket_path(f"{daemon}.vty") for daemon in self.running()}

    def socket_path(self, name: str) -> str:
        """The agent's path to a socket of a daemon ("zebra.vty")."""
        return f"{self._thread.root}/run/frr/{name}"

    def log_path(self, daemon: str) -> str:
        """The agent's path to a daemon's log."""
        return self._logs(daemon)[0]

    def log(self, daemon: str) -> str:
        """The end of a daemon's log and of its other output."""
        return "\n".join(part for part in (end_of(path) for path in self._logs(daemon)) if part)

    def save_logs(self, folder: str) -> None:
        """Copy the daemons' logs to `folder`, as "ROUTER-DAEMON.log"."""
        for daemon in self._processes:
            text = b"".join(bytes_of(path) for path in self._logs(daemon))
            with open(f"{folder}/{self.router}-{daemon}.log", "wb") as file:
                file.write(text)

    def _logs(self, daemon: str) -> tuple[str, str]:
        return tuple(f"{self._thread.root}/var/log/frr/{daemon}.{end}" for end in ("log", "out"))  # type: ignore[return-value]

    def _is_complete(self, daemon: str) -> bool:
        """Whether a daemon's own file is its whole configuration."""
        if daemon == MANAGEMENT:
            return True
        text = self.plan.files.get(f"{daemon}.conf")
        if text is None or not (self._managed and daemon in MANAGED):
            return text is not None
        return all(map(_UNMANAGED.fullmatch, text.splitlines()))

    def _manages_more(self) -> bool:
        """Whether this FRR's management daemon manages more daemons than those in MANAGED."""
        if not self._managed:
            return False
        log, _ = self._logs(MANAGEMENT)
        return not MANAGED.issuperset(_READS_FOR.findall(bytes_of(log).decode(errors="replace")))

    @property
    def _reads_own_files(self) -> bool:
        """Whether daemons read their own files. They do not after a change of frr.conf, which then has the whole
        configuration."""
        written = bytes_of(f"{self._thread.root}/etc/frr/frr.conf").decode(errors="replace")
        return self._own_files and written == self.plan.files.get("frr.conf", "")

    def _command(self, daemon: str) -> tuple[str, ...]:
        _, _, user, group = self._owner
        words = [program(daemon), "-u", user, "-g", group, "-P", "0"]
        # To standard output, which is the log file: `log timestamp precision` has no effect on files named here.
        words += ["--log", "stdout", "--log-level", "informational"]
        has_file = self._reads_own_files and not (self._managed and daemon in _WITHOUT_FILES)
        return (*words, *(["-f", f"/etc/frr/{daemon}.conf"] if has_file else []))

    def _start(self, daemon: str, patterns: daemon_copies.Patterns) -> None:
        def ended(process: processes.Process | processes.Orphan) -> None:
            self._ended(daemon, process)

        def in_router() -> processes.Process:
            log, printed = f"/var/log/frr/{daemon}.log", f"/var/log/frr/{daemon}.out"
            with _timer_slack(), open(log, "ab") as out, open(printed, "ab") as err:
                variables = daemon_copies.environment()
                return processes.spawn(command, ended, cwd=CRASHES, env=variables, stdout=out, stderr=err)

        command = self._command(daemon)
        self._processes[daemon] = patterns.copy(command, self._thread, ended) or self._thread.call(in_router)

    def _ended(self, daemon: str, process: processes.Process | processes.Orphan) -> None:
        if not self._stopping and process.pid not in self._expected_ends:
            self._report_exit(self.router, daemon, process.returncode or 0, self.log(daemon))

    def _answers(self, daemon: str) -> bool:
        try:
            vtysh.ask(self.socket_path(f"{daemon}.vty"), "show version")
        except OSError:
            return False
        return True

    def _wait_answer(self, needed: Sequence[str], daemon: str, deadline_s: float) -> None:
        """Wait until a daemon answers. Raises LabFailed when one of the daemons that it needs has ended."""
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
        # The management daemon has no file of its own: it reads zebra's, and refuses lines for zebra alone.
        if not self._own_files or daemon == MANAGEMENT:
            return
        log, printed = (bytes_of(path).decode(errors="replace") for path in self._logs(daemon))
        if lines := rejections.refused_lines(log, daemon):
            self._refuse(f"{daemon} refused {'; '.join(lines)}")
        if reasons := rejections.rejected_values(printed):
            self._refuse(f"{daemon} rejected values of its configuration: {'; '.join(reasons)}")

    def _refuse(self, refusal: str) -> None:
        """Raise LabFailed about refused lines, or add them to `skipped` if the router starts without them."""
        if not self.plan.skips_refused:
            raise LabFailed(f"{self.router}: {refusal}")
        self.skipped.append(f"{self.router}: {refusal}")

    def _load_by_vtysh(self, daemon: str = "") -> None:
        """Load frr.conf into a daemon, or into all. Raises LabFailed if they refuse it."""
        arguments = ["-d", daemon] if daemon and not self._managed else []

        def in_router() -> tuple[int, str]:
            import subprocess

            pipe = subprocess.PIPE
            process = processes.spawn(["vtysh", *arguments, "-b"], stdout=pipe, stderr=subprocess.STDOUT)
            output, _ = process.communicate(timeout=START_TIMEOUT_S)
            return process.returncode, output.decode(errors="replace")

        status, printed = until_free(lambda: self._thread.call(in_router))
        complaints = rejections.complaints(printed)
        if status or complaints:
            self._refuse(f"FRR refused its configuration: {'; '.join(complaints) or printed.strip()}")


@contextlib.contextmanager
def _timer_slack() -> Iterator[None]:
    """Let programs that the calling thread starts meanwhile sleep a little too long, in virtual time.

    FRR cuts fractions of a millisecond off a waiting time, and then polls until the time has come (fixed by its pull
    request 19715). A poll takes hardly any virtual time, so there are a thousand of them. A longer sleep avoids them.
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
    """Load a configuration, and repeat that while FRR's management daemon is busy with another one.

    Args:
        load: loads it and returns vtysh's exit status and output.
        timeout_s: how long to repeat; the last result counts.
    """
    deadline_s = time.monotonic() + timeout_s
    status, output = load()
    while _BUSY in output and time.monotonic() < deadline_s:
        time.sleep(0.02)
        status, output = load()
    return status, output


@cache
def owner() -> tuple[int, int, str, str]:
    """Ids and names of the user and group under which FRR runs: its own, or root if only root exists.

    The first call must not come from two threads at once.
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
