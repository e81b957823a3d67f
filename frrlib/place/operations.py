"""Operations on a running lab by processes in it: run commands, copy files.

The lab's root may have replaced every program that runs for this, so output and time are limited.
"""

from __future__ import annotations

import io
import os
import selectors
import subprocess
import tarfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from frrlib.errors import CommandFailed
from frrlib.place.archives import unpack
from frrlib.place.base import CommandResult

#: Maximum output of a command in MiB, both streams together. Beyond it the command is killed.
MOST_OUTPUT_MIB = 64
#: Seconds for a copy into the lab or out of it: a lab kernel's serial line carries some 20 MB/s.
_COPY_S = 300.0
_PIPE_BYTES = 1 << 16
#: Seconds that a command may take to end after its output has ended.
_END_S = 10.0
#: The environment of a program in a lab.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


class SandboxOperations(ABC):
    """The operations on a running lab, by commands in it."""

    @abstractmethod
    def alive(self) -> bool:
        """Whether the lab still runs."""

    @abstractmethod
    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams.

        They must not be a terminal of the user's, into which a program in the lab could type.
        """

    def command(
        self, argv: Sequence[str], node: str = "", data: bytes = b"", timeout_s: float | None = 60.0
    ) -> CommandResult:
        """Run a command in the lab, or in a node of it, with `data` as its input, and wait for its end.

        Raises:
            CommandFailed: it took longer than `timeout_s`, printed more than `MOST_OUTPUT_MIB`, or the lab has ended.
        """
        if not self.alive():
            raise CommandFailed(argv, -9, "the lab has ended")
        pipe = subprocess.PIPE
        full = self.pipe_argv(argv, node)
        with subprocess.Popen(full, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=ENVIRONMENT) as process:
            try:
                return _communicate(process, data, timeout_s, MOST_OUTPUT_MIB << 20)
            except subprocess.TimeoutExpired:
                raise CommandFailed(argv, -9, f"not finished after {timeout_s:g} s") from None
            except OverflowError:
                raise CommandFailed(argv, -9, f"more than {MOST_OUTPUT_MIB} MiB of output") from None
            finally:
                process.kill()

    def _checked(self, argv: Sequence[str], data: bytes = b"") -> bytes:
        done = self.command(argv, data=data, timeout_s=_COPY_S)
        if done.status:
            raise CommandFailed(argv, done.status, done.stderr.decode(errors="replace"))
        return done.stdout

    def put(self, local: Path, inside: str) -> None:
        """Copy a file or folder into the lab as `inside`, an absolute path. Its parent is made if it is missing."""
        target = PurePosixPath(inside)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(local, target.name, filter=_anonymous)
        script = 'mkdir -p -- "$1" && tar -C "$1" --no-same-owner -xf -'
        self._checked(["/bin/sh", "-c", script, "put", str(target.parent)], buffer.getvalue())

    def get(self, inside: str, local: Path) -> list[str]:
        """Copy a file, or a folder with its files, out of the lab as `local`. Links and devices are left out.

        Returns:
            The names of the files that this machine's file system refuses.

        Raises:
            CommandFailed: the lab has ended, there is no such file, or the lab sends too much or nothing.
            OSError: `local` cannot be written.
        """
        source = PurePosixPath(inside)
        argv = ["/usr/bin/tar", "-C", str(source.parent), "-cf", "-", "--", source.name]
        if not self.alive():
            raise CommandFailed(argv, -9, "the lab has ended")
        process = subprocess.Popen(
            self.pipe_argv(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            with process.stdout as stream:
                refused = unpack(stream, argv, source.name, local)
            if status := process.wait(_END_S):
                raise CommandFailed(argv, status, f"{inside} does not exist in the lab, or some of it cannot be read")
        except subprocess.TimeoutExpired:
            raise CommandFailed(argv, -9, f"not finished after {_END_S:g} s") from None
        finally:
            process.kill()
            process.wait()
        return refused


def _communicate(
    process: subprocess.Popen[bytes], data: bytes, timeout_s: float | None, most_bytes: int
) -> CommandResult:
    """Write a process's input and read its outputs until it ends.

    Raises:
        subprocess.TimeoutExpired: it takes longer than `timeout_s`.
        OverflowError: it prints more than `most_bytes`.
    """
    assert process.stdin and process.stdout and process.stderr
    outputs: dict[object, list[bytes]] = {process.stdout: [], process.stderr: []}
    ends_s = None if timeout_s is None else time.monotonic() + timeout_s
    remaining, room = memoryview(data), most_bytes
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as waiting:
        for stream in (process.stdout, process.stderr):
            waiting.register(stream, selectors.EVENT_READ)
        waiting.register(process.stdin, selectors.EVENT_WRITE)
        while waiting.get_map():
            ready = waiting.select(None if ends_s is None else max(0.0, ends_s - time.monotonic()))
            if not ready:
                raise subprocess.TimeoutExpired(process.args, timeout_s or 0)
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    remaining = _write_some(process, remaining)
                    if not remaining:
                        waiting.unregister(process.stdin)
                        process.stdin.close()
                elif piece := os.read(key.fd, _PIPE_BYTES):
                    outputs[key.fileobj].append(piece)
                    room -= len(piece)
                else:
                    waiting.unregister(key.fileobj)
            if room < 0:
                raise OverflowError
    status = process.wait(None if ends_s is None else max(0.0, ends_s - time.monotonic()))
    return CommandResult(status, b"".join(outputs[process.stdout]), b"".join(outputs[process.stderr]))


def _write_some(process: subprocess.Popen[bytes], remaining: memoryview) -> memoryview:
    """Write as much as the pipe takes, and return the rest. It is empty if the reader has closed the pipe."""
    assert process.stdin
    try:
        return remaining[os.write(process.stdin.fileno(), remaining[:_PIPE_BYTES]) :]
    except BlockingIOError:
        return remaining
    except BrokenPipeError:
        return remaining[:0]


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def node_argv(node: str, argv: Sequence[str]) -> list[str]:
    """The command that runs `argv` in the namespaces of `node`; without a node, in the lab's own."""
    return ["/run/lab/bin/enter", node, *argv] if node else list(argv)
