"""A running lab seen from outside: how it is started through its keeper, and what every place's labs have
in common."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import shutil
import socket
import subprocess
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn

from frrlib.errors import Interrupted, PlaceError
from frrlib.place import ownership
from frrlib.place.base import Facts, Program, Wire
from frrlib.place.reach import Reach, within
from frrlib.place.scratch import Scratch

#: Python of the system: it starts labs and runs in them, because the lab sees it at the same path.
PYTHON = "/usr/bin/python3"
_KEEPER = Path(__file__).with_name("keeper.py")
_START_LIMIT_S = 60.0
_TAIL = 2000


def code_folder() -> Path:
    """The folder that contains this package, which a lab needs too."""
    return Path(__file__).resolve().parents[2]


class Running(Reach):
    """A lab that a keeper process owns. Made by `launch`; `stop` it, or use it as a context manager."""

    def __init__(self, launched: Launched) -> None:
        self._launched = launched
        self._ended = threading.Event()
        # If the keeper is killed, the lab dies with it, and this process tidies up.
        threading.Thread(target=self._tidy, name="lab-keeper", daemon=True).start()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def wire(self) -> Wire:
        """Streams to the lab's first program."""
        return self._launched.wire

    @property
    def facts(self) -> Facts:
        """Kernel and times of the start."""
        return self._launched.facts

    @property
    def pid(self) -> int:
        """The lab's process 1, or its kernel, as seen from outside."""
        return self._launched.pid

    @property
    def keeper_pid(self) -> int:
        """The process that ends the lab when this one ends."""
        return self._launched.keeper.pid

    @property
    def scratch(self) -> Path:
        """Temporary folder of this lab, removed at its end."""
        return self._launched.scratch.path

    @property
    def console(self) -> Path:
        """What the lab's first program and kernel print."""
        return self._launched.console

    def last_words(self) -> str:
        """The end of what the lab printed; also after its end, when `console` is gone."""
        return self._launched.tail()

    def alive(self) -> bool:
        """Whether the lab still runs."""
        return not self._ended.is_set() and self._launched.runs()

    def cut(self) -> None:
        """Have the lab end at once and do not wait for it."""
        self._launched.cut()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the lab at once and wait until nothing of it is left.

        Raises:
            PlaceError: something was left after `timeout_s`.
        """
        self._launched.cut()
        if not self._ended.wait(timeout_s):
            raise PlaceError(f"the keeper of a lab, process {self.keeper_pid}, did not end within {timeout_s:g} s")
        self._launched.close()

    def _tidy(self) -> None:
        self._launched.hear_last_words()
        self._launched.keeper.wait()
        self._launched.remove_rest()
        self._ended.set()

    @abstractmethod
    def _argv(self, argv: Sequence[str]) -> list[str]:
        """The command of this machine that runs `argv` in the lab with its standard streams."""

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""
        return self._argv(within(node, argv))

    @abstractmethod
    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""


class Launched:
    """The handles on a started lab: its keeper, its wire, its scratch folder."""

    def __init__(self, place: str, scratch: Scratch) -> None:
        self.place, self.scratch = place, scratch
        self.console = scratch.path / "console.log"
        self.began = time.monotonic()
        self._near, far = socket.socketpair()
        self.far_wire = far.detach()
        self.lifeline, self._lifeline_write = os.pipe()
        self._cutting, self._hearing = threading.Lock(), threading.Lock()
        self._abandon = -1
        status, self.status_write = os.pipe()
        self._answers: IO[bytes] = open(status, "rb")  # noqa: SIM115 - closed with the keeper's last words
        self._last_words = ""
        self.me = os.pidfd_open(os.getpid())
        self.wire = Wire(_raw(self._near, "rb"), _raw(self._near, "wb"))
        self.pid = self.handle = -1
        self.facts = Facts(place, "", 0, 0, 0)

    def plan(self, kind: str, program: Program) -> dict[str, Any]:
        """What the keeper is told in every place."""
        self._abandon = program.abandon
        return {
            "kind": kind,
            "python": PYTHON,
            "scratch": str(self.scratch.path),
            "lifeline": self.lifeline,
            "program": self.me,
            "status": self.status_write,
            "lock": self.scratch.lock,
            "wire": self.far_wire,
            "code": str(program.code),
            "site": [str(path) for path in program.site],
            "files": str(program.writable),
            "temporary": program.temporary,
            "interfaces": list(program.interfaces),
            "boot": str(self.scratch.path / "boot"),
            "ids": ownership.spare_ids() if os.geteuid() == 0 else [],
            "sockets": [],
            "console": str(self.console),
        }

    def launch(self, plan: dict[str, Any], ready_limit_s: float = _START_LIMIT_S) -> None:
        """Start the keeper with `plan` and wait until the lab's first program is about to run.

        Raises:
            PlaceError: it could not start; the text has the end of the lab's console.
            Interrupted: the start was given up.
        """
        path = self.scratch.path / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf-8")
        handed = (self.lifeline, self.me, self.status_write, self.scratch.lock, self.far_wire)
        with self.console.open("ab") as log:
            self.keeper: subprocess.Popen[bytes] = subprocess.Popen(
                [PYTHON, "-I", "-S", str(_KEEPER), str(path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
                pass_fds=handed,
                start_new_session=True,
            )
        for handle in handed:
            os.close(handle)
        try:
            self._await_keeper()
            self._await_stage(ready_limit_s)
        except BaseException:
            self._abort()
            raise

    def _await_any(self, stream: Any, limit_s: float | None = None) -> bool:
        """Wait until a stream has something to read; whether it has, in time. Raises Interrupted."""
        sources = [stream] if self._abandon < 0 else [stream, self._abandon]
        ready = select.select(sources, [], [], limit_s)[0]
        if self._abandon in ready:
            raise Interrupted("the start of a lab was given up")
        return bool(ready)

    def _await_keeper(self) -> None:
        self._await_any(self._answers)
        answer = self._hear()
        if "pid" not in answer:
            error = answer.get("error") or f"its keeper ended\n{self.tail()}"
            raise PlaceError(f"the lab did not start: {error}", _remedy(error, answer.get("errno", 0)))
        self.pid = answer["pid"]
        with contextlib.suppress(ProcessLookupError):  # it may have ended already; then its wire says so
            self.handle = os.pidfd_open(self.pid)

    def _hear(self) -> dict[str, Any]:
        """The next thing that the keeper says; nothing if it has ended."""
        line = self._answers.readline()
        return dict(json.loads(line)) if line else {}

    def _await_stage(self, limit_s: float) -> None:
        line = b""
        stop_at = time.monotonic() + limit_s
        while not line.endswith(b"\n"):
            if not self._await_any(self._near, max(0.0, stop_at - time.monotonic())):
                raise PlaceError(f"the lab was not ready after {limit_s:g} s\n{self.tail()}")
            byte = self._near.recv(1)
            if not byte:
                raise PlaceError(f"the lab ended during its start\n{self.tail()}")
            line += byte
        self._read_facts(line.decode(errors="replace"))

    def _read_facts(self, line: str) -> None:
        try:
            word, kernel, boot_ms, stage_ms = line.split()
            if word != "lab":
                raise ValueError(word)
            start_ms = round((time.monotonic() - self.began) * 1000)
            self.facts = Facts(self.place, kernel, int(boot_ms), int(stage_ms), start_ms)
        except ValueError:
            raise PlaceError(f"the lab began with {line!r}\n{self.tail()}") from None

    def tail(self) -> str:
        """The end of what the lab and its keeper printed."""
        try:
            return self.console.read_bytes()[-_TAIL:].decode(errors="replace").strip()
        except OSError:
            self.hear_last_words()
            return self._last_words[-_TAIL:].strip()

    def hear_last_words(self) -> None:
        """Wait for what the keeper says when it ends. May be called from any thread; one of them hears it."""
        with self._hearing:
            if not self._answers.closed:
                while answer := self._hear():
                    self._last_words = answer.get("last_words", self._last_words)
                self._answers.close()

    def _abort(self) -> None:
        self.cut()
        self.hear_last_words()
        self.keeper.wait()
        self.remove_rest()
        self.close()

    def runs(self) -> bool:
        """Whether the lab's process has not ended."""
        return self.handle >= 0 and not select.select([self.handle], [], [], 0)[0]

    def cut(self) -> None:
        """Tell the keeper to end the lab. May be called from any thread, more than once."""
        with self._cutting:
            if self._lifeline_write >= 0:
                os.close(self._lifeline_write)
                self._lifeline_write = -1

    def remove_rest(self) -> None:
        """Remove what a killed keeper left."""
        shutil.rmtree(self.scratch.path, ignore_errors=True)

    def close(self) -> None:
        """Close the wire and the handle on the lab."""
        for stream in self.wire:
            with contextlib.suppress(OSError):
                stream.close()
        self._near.close()
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _raw(line: socket.socket, mode: str) -> BinaryIO:
    stream: IO[bytes] = line.makefile(mode, buffering=0)  # type: ignore[call-overload]
    return stream  # type: ignore[return-value]


def _remedy(error: str, number: int) -> str:
    if "cannot read" in error:
        return "chmod -R a+rX the project's folder, or start the lab as an ordinary user"
    if number in (errno.EPERM, errno.ENOSPC, errno.EACCES):
        return (
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
            "kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces), "
            "or use the place labkernel"
        )
    return ""


def write_start_file(scratch: Path, plan: dict[str, Any], code: str) -> Path:
    """Write the first lines that run in a lab: its plan and the call of the stage. Returns the folder that
    holds it."""
    boot = scratch / "boot"
    boot.mkdir()
    text = (
        f'"""Start of a lab."""\nimport sys\nsys.path.insert(0, {code!r})\n'
        f"from frrlib.place import stage\nstage.main({plan!r})\n"
    )
    (boot / "init.py").write_text(text, encoding="utf-8")
    return boot


def no_writable(program: Program) -> NoReturn:
    """Refuse a program whose folder for results does not exist."""
    raise PlaceError(f"the lab's folder {program.writable} does not exist", f"mkdir -p {program.writable}")
