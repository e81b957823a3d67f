"""Operations on a running lab for which a process in it suffices: run commands, copy files."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from frrlib.errors import CommandFailed
from frrlib.place.base import Completed

#: The environment of a program in a lab.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


class Reach(ABC):
    """A running lab, as far as it can be reached by commands."""

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
    ) -> Completed:
        """Run a command in the lab, or in a node of it, with `data` as its input, and wait for its end.

        Raises:
            CommandFailed: it took longer than `timeout_s`, or the lab has ended.
        """
        if not self.alive():
            raise CommandFailed(argv, -9, "the lab has ended")
        pipe = subprocess.PIPE
        full = self.pipe_argv(argv, node)
        with subprocess.Popen(full, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
            try:
                stdout, stderr = process.communicate(data, timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                raise CommandFailed(argv, -9, f"no end after {timeout_s:g} s") from None
        return Completed(process.returncode, stdout, stderr)

    def _checked(self, argv: Sequence[str], data: bytes = b"") -> bytes:
        done = self.command(argv, data=data, timeout_s=None)
        if done.status:
            raise CommandFailed(argv, done.status, done.stderr.decode(errors="replace"))
        return done.stdout

    def put(self, local: Path, inside: str) -> None:
        """Copy a file or folder into the lab as `inside`, an absolute path whose parent is made if need
        be."""
        target = PurePosixPath(inside)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(local, target.name, filter=_anonymous)
        script = 'mkdir -p -- "$1" && tar -C "$1" --no-same-owner -xf -'
        self._checked(["/bin/sh", "-c", script, "put", str(target.parent)], buffer.getvalue())

    def get(self, inside: str, local: Path) -> None:
        """Copy a file, or a folder with its files, out of the lab as `local`; links and devices are left
        out."""
        source = PurePosixPath(inside)
        data = self._checked(["/usr/bin/tar", "-C", str(source.parent), "-cf", "-", "--", source.name])
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                _extract(archive, member, source.name, local)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, top: str, local: Path) -> None:
    """Write one member below `local`; the archive comes from the lab and is not trusted."""
    parts = PurePosixPath(member.name).parts
    if not parts or parts[0] != top or ".." in parts:
        raise CommandFailed(["tar"], 1, f"the lab's archive has a member {member.name!r}")
    target = local.joinpath(*parts[1:])
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    elif member.isreg():
        content = archive.extractfile(member)
        assert content is not None
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        with open(handle, "wb") as file:
            file.write(content.read())


def within(node: str, argv: Sequence[str]) -> list[str]:
    """`argv` as run by the lab's root in the namespaces of `node`; without a node, in the lab's own."""
    return ["/run/lab/bin/enter", node, *argv] if node else list(argv)
