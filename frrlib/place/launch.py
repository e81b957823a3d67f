"""The start of a lab: its supervisor first, then its folders, then the lab itself."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

from frrlib.errors import Interrupted, LabError, PlaceError, TopologyError
from frrlib.place import machine, temporary_folder
from frrlib.place.base import Program, SandboxFacts, Wire
from frrlib.place.confinement import bounds, control_group, private_files
from frrlib.place.machine import PYTHON
from frrlib.place.plans import (
    InitPlan,
    LabFolders,
    LabLimits,
    SupervisorArguments,
    SupervisorPlan,
    VisibleFolder,
)
from frrlib.place.supervisor import ownership
from frrlib.place.supervisor.messages import reason_of_refusal
from frrlib.safe_text.plain import plain
from frrlib.system import removal
from frrlib.system.ready import ready

_SUPERVISOR = Path(__file__).parent / "supervisor" / "supervisor.py"
_START_LIMIT_S = 60.0
#: The remedy where root has no id for a lab.
ONE_ID = (
    "start the lab as an ordinary user, or in a container with a range of ids (65,536 in /etc/subuid and /etc/subgid)"
)
#: How the name of a temporary folder for results begins.
_FILES = "miniedit-frr-files-"
_TAIL = 2000
#: Seconds that a lab's process may take to end after its wire has ended. A busy machine takes long to free the memory
#: of a killed lab kernel.
_END_S = 5.0
#: How often the output of a lab that starts is searched for a refusal.
_LOOK_S = 1.0


class LabLaunch:
    """The start of one lab, and the handles on it: its supervisor, its wire, its scratch folder.

    The supervisor starts first and gets the names of all folders before they exist, so that nothing is left even if the
    calling program is killed early. As a context manager, an error in the block ends the supervisor and removes the
    folders.

    Args:
        place: name of the place.
        program: the lab's first program.
        room_mib: free memory that the scratch folder needs.

    Raises:
        PlaceError: a folder for results does not exist, there is no room, or `machine.check` fails.
    """

    def __init__(self, place: str, program: Program, room_mib: int = 0) -> None:
        machine.check()
        if program.writable is not None and not program.writable.is_dir():
            folder = program.writable
            raise PlaceError(f"the lab's folder {folder} does not exist", f"mkdir -p {folder}")
        self.place, self._program, self.servers = place, program, program.servers
        self.began = time.monotonic()
        path = temporary_folder.choose(room_mib)
        self.console = path / "console.log"
        self._temporary = (
            [] if program.writable else [temporary_folder.unused_path(Path(tempfile.gettempdir()), _FILES)]
        )
        # The folder around it stays closed to other users, also if the lab opens its own.
        self._files = program.writable or self._temporary[0] / "files"
        self._folders = [path, *self._temporary]
        self._near, far = socket.socketpair()
        self.far_wire = far.detach()
        self.lifeline, self._lifeline_write = os.pipe()
        self._cutting, self._reading_reports = threading.Lock(), threading.Lock()
        self._abandon = program.abandon
        status, self.status_write = os.pipe()
        self._reports: IO[bytes] = open(status, "rb")  # noqa: SIM115 - closed after the supervisor's last report
        self._last_words, self._is_tidy = "", False
        self._loan: ownership.Loan | None = None
        self._group = ""
        #: Files that the supervisor could neither take back from the lab nor remove, each with the reason.
        self.leftovers: list[str] = []
        self.program_handle = os.pidfd_open(os.getpid())
        self.wire = Wire(_raw(self._near, "rb"), _raw(self._near, "wb"))
        self.pid = self.handle = self._lock = -1
        self.facts = SandboxFacts(place, "", 0, 0, 0)
        self._early = tempfile.TemporaryFile()  # noqa: SIM115 - the supervisor's output before the console exists
        self._orders, theirs = socket.socketpair()
        self._start_supervisor(theirs)
        try:
            self.scratch = temporary_folder.take(path)
            self._lock = self.scratch.lock
            for folder in self._temporary:
                folder.mkdir(mode=0o700)
                self._files.mkdir(mode=0o700)
        except BaseException:
            self._abort()
            raise

    def _start_supervisor(self, orders: socket.socket) -> None:
        arguments = SupervisorArguments(
            orders=orders.detach(),
            lifeline=self.lifeline,
            program=self.program_handle,
            status=self.status_write,
            wire=self.far_wire,
            folders=tuple(str(folder) for folder in self._folders),
        )
        handles = (arguments.orders, arguments.lifeline, arguments.program, arguments.status, arguments.wire)
        self.supervisor: subprocess.Popen[bytes] = subprocess.Popen(
            [PYTHON, "-I", "-S", str(_SUPERVISOR), json.dumps(arguments.to_dict())],
            stdin=subprocess.DEVNULL,
            stdout=self._early,
            stderr=self._early,
            cwd="/",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
            pass_fds=handles,
            start_new_session=True,
        )
        for handle in handles:
            os.close(handle)

    def __enter__(self) -> LabLaunch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._abort()

    def plan(self, sockets: Sequence[str] = ()) -> SupervisorPlan:
        """The supervisor's plan for a lab in namespaces; that of a lab kernel has further parts.

        Args:
            sockets: UNIX sockets of this machine that are hidden from the lab.

        Raises:
            PlaceError: root has no ids for a lab.
        """
        program = self._program
        try:
            ids = ownership.lab_ids()
        except PermissionError as error:
            raise PlaceError(f"a lab cannot start: {error.strerror}", ONE_ID) from None
        self._loan = ownership.Loan(str(self._files), ids)
        limits = LabLimits(
            processes=program.processes,
            memory_mib=bounds.in_namespace_mib(program.memory_mib),
            spare_mib=bounds.spare_mib(),
        )
        folders = LabFolders(
            code=str(program.code),
            site=tuple(str(path) for path in program.site),
            files=str(self._files),
            boot=str(self.scratch.path / "boot"),
            visible=_visible(program),
            hidden=private_files.hidden(),
        )
        return SupervisorPlan(
            python=PYTHON,
            scratch=str(self.scratch.path),
            console=str(self.console),
            files=str(self._files),
            ids=ids,
            interfaces=program.interfaces,
            sockets=tuple(sockets),
            limits=limits,
            folders=folders,
            kernel=None,
        )

    def launch(self, plan: SupervisorPlan, ready_limit_s: float = _START_LIMIT_S) -> None:
        """Have the supervisor start the lab of `plan`, and wait until the lab's first program is about to run.

        Raises:
            PlaceError: it could not start; the text has the end of the lab's console.
            TopologyError: the kernel refuses a module or a parameter of the topology.
            Interrupted: the start was given up.
        """
        with contextlib.suppress(BrokenPipeError):  # it has ended, and its report has the reason
            socket.send_fds(self._orders, [b" "], [self.scratch.lock])
            self._orders.sendall(json.dumps(plan.to_dict()).encode() + b"\n")
        self._hand_over_lock()
        self._await_supervisor()
        self._await_init(ready_limit_s)

    def _await_any(self, stream: Any, limit_s: float | None = None) -> bool:
        """Wait until a stream is readable. Returns whether it is within the limit. Raises Interrupted."""
        sources = [stream] if self._abandon < 0 else [stream, self._abandon]
        readable = ready(sources, timeout_s=limit_s)[0]
        if self._abandon in readable:
            raise Interrupted("the start of a lab was canceled")
        return bool(readable)

    def _await_supervisor(self) -> None:
        self._await_any(self._reports)
        report = self._read_report()
        if "pid" not in report:
            error = report.get("error") or f"its supervisor ended\n{self.tail()}"
            raise PlaceError(f"the lab did not start: {error}", _remedy(error, report.get("errno", 0)))
        self.pid, self._group = report["pid"], report["group"]
        with contextlib.suppress(ProcessLookupError):  # it may have ended already; then its wire has ended, too
            self.handle = os.pidfd_open(self.pid)

    def _read_report(self) -> dict[str, Any]:
        """The next report of the supervisor. Empty if it has ended."""
        line = self._reports.readline()
        return dict(json.loads(line)) if line else {}

    def _await_init(self, limit_s: float) -> None:
        line = b""
        stop_at = time.monotonic() + limit_s
        while not line.endswith(b"\n"):
            left_s = stop_at - time.monotonic()
            if self._await_any(self._near, max(0.0, min(left_s, _LOOK_S))):
                byte = self._near.recv(1)
                if not byte:
                    raise self._start_error("the lab ended during its start")
                line += byte
            elif left_s <= 0 or reason_of_refusal(self.tail()):
                raise self._start_error(f"the lab was not ready after {limit_s:g} s")
        self._read_facts(line.decode(errors="replace"))

    def _start_error(self, what: str) -> LabError:
        """The error for a start that failed: the reason that the lab gives, else `what` and its last output."""
        tail = self.tail()
        if reason := reason_of_refusal(tail):
            return TopologyError(reason, remedy="correct it in the topology preferences")
        return PlaceError(f"{what}\n{tail}")

    def _read_facts(self, line: str) -> None:
        try:
            word, kernel, boot_ms, stage_ms = line.split()
            if word != "lab":
                raise ValueError(word)
            start_ms = round((time.monotonic() - self.began) * 1000)
            self.facts = SandboxFacts(self.place, kernel, int(boot_ms), int(stage_ms), start_ms)
        except ValueError:
            raise PlaceError(f"the lab started with the unexpected output {line!r}\n{self.tail()}") from None

    def last_words(self) -> str:
        """As `tail`, for a lab whose wire has ended. Wait a moment for the last report of its supervisor."""
        with contextlib.suppress(OSError, ValueError):  # another thread has closed it
            if self.handle >= 0 and ready([self.handle], timeout_s=_END_S)[0]:
                self.read_last_words()
        return self.tail()

    def tail(self) -> str:
        """The end of the output of the lab and its supervisor, without control characters."""
        try:
            output = temporary_folder.read_text_end(self.console, _TAIL)
        except OSError:
            self.read_last_words()
            output = self._last_words
        return plain((output or self._early_output())[-_TAIL:].strip())

    def _early_output(self) -> str:
        if self._early.closed:
            return ""
        self._early.seek(0)
        return self._early.read().decode(errors="replace")

    def read_last_words(self) -> None:
        """Wait for the supervisor's reports at its end. May be called from any thread; one of them reads them."""
        with self._reading_reports:
            if not self._reports.closed:
                while report := self._read_report():
                    self._is_tidy |= "last_words" in report  # sent when all folders have been taken back
                    self._last_words = report.get("last_words", self._last_words)
                    self.leftovers += report.get("left", [])
                self._reports.close()

    def _abort(self) -> None:
        self.cut()
        self.read_last_words()
        self.supervisor.wait()
        self.remove_leftovers()
        self.close()

    def _hand_over_lock(self) -> None:
        """Leave the lock to the supervisor."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def runs(self) -> bool:
        """Whether the lab's process has not ended."""
        return self.handle >= 0 and not ready([self.handle], timeout_s=0)[0]

    def cut(self) -> None:
        """Have the supervisor end the lab. May be called from any thread, more than once."""
        with self._cutting:
            if self._lifeline_write >= 0:
                os.close(self._lifeline_write)
                self._lifeline_write = -1

    def remove_leftovers(self) -> None:
        """Do the work of killed supervisors, once they have ended, and remove the folders."""
        if not self._is_tidy:
            temporary_folder.kill_remaining(self._folders[0])
            if self.handle >= 0:
                ready([self.handle], timeout_s=_END_S)
            if self._loan:
                self.leftovers += ownership.take_back(self._loan)
            if self._group:
                control_group.remove(self._group)
        for folder in self._folders:
            removal.remove(folder)

    def close(self) -> None:
        """Close the wire and the handle on the lab."""
        for stream in self.wire:
            with contextlib.suppress(OSError):
                stream.close()
        for line in (self._near, self._orders, self._early):
            line.close()
        self._hand_over_lock()
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _visible(program: Program) -> tuple[VisibleFolder, ...]:
    """Further folders that the lab sees. A shown folder comes before copies of it or of folders in it."""
    shown_paths = [(str(path), False) for path in program.visible_folders if private_files.is_out_of_sight(str(path))]
    copied = [(str(path), True) for path in program.copied]
    return tuple(VisibleFolder(source=path, target=path, is_copy=is_copy) for path, is_copy in (*shown_paths, *copied))


def _raw(line: socket.socket, mode: str) -> BinaryIO:
    stream: IO[bytes] = line.makefile(mode, buffering=0)  # type: ignore[call-overload]
    return stream  # type: ignore[return-value]


def _remedy(error: str, number: int) -> str:
    if "cannot read" in error:
        return "chmod -R a+rX the project's folder, or start the lab as an ordinary user"
    if "cannot be watched" in error:
        return (
            "raise the limit (sudo sysctl fs.inotify.max_user_instances=512), or end programs that watch many folders"
        )
    if number in (errno.EPERM, errno.ENOSPC, errno.EACCES):
        return (
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
            "kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces), "
            "or use the place labkernel"
        )
    return ""


def write_start_file(folder: Path, plan: InitPlan, code: str) -> Path:
    """Write the first lines that run in a lab: its plan and the call of init.

    Args:
        folder: folder in which `boot` is made for the file.
        plan: the plan for init.
        code: path of the package's folder, as the lab's first process sees it.

    Returns:
        The folder `boot`.
    """
    boot = folder / "boot"
    boot.mkdir()
    text = (
        f'"""Start of a lab."""\nimport sys\nsys.path.insert(0, {code!r})\n'
        f"from frrlib.place.init import init\ninit.main({plan.to_dict()!r})\n"
    )
    (boot / "init.py").write_text(text, encoding="utf-8")
    boot.chmod(0o755)  # whatever the umask: a lab that root starts has another id
    (boot / "init.py").chmod(0o644)
    return boot
