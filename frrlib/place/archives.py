"""Unpacks an archive that a lab sends: by blocks, within limits, and without trust in its content."""

from __future__ import annotations

import errno
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from frrlib.errors import CommandFailed
from frrlib.system.ready import ready

#: Limits of one copy out of a lab: bytes, and number of files and folders.
MOST_BYTES, MOST_ENTRIES = 16 << 30, 50_000
#: Limits of one header, which is read into memory, and of the silence between two blocks, in seconds.
_HEADER_BYTES, _SILENCE_S = 1 << 20, 60.0
_BLOCK = 1 << 18
#: Errors that concern one file, not the disk or the whole folder.
_OF_ONE_FILE = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.EINVAL, errno.EILSEQ)
_LONG_HEADERS = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
)  # fmt: skip


class _Member(tarfile.TarInfo):
    """A member of an archive that has no long header and no map of holes: either may fill the memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> Any:
        if self.type in _LONG_HEADERS and self.size > _HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a file with holes")
        return super()._proc_member(archive)  # type: ignore[misc]

    def _no_holes(self, *_: Any) -> None:
        raise tarfile.ReadError("a file with holes")

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _no_holes


class _Blocks:
    """The output of a command in the lab. Reading fails if it is too large or if no data arrives."""

    def __init__(self, stream: IO[bytes], argv: Sequence[str], most_bytes: int) -> None:
        self._stream, self._argv, self._left = stream, argv, most_bytes

    def read(self, size: int) -> bytes:
        """The next bytes. They are fewer than `size` only at the end."""
        parts: list[bytes] = []
        while size > 0:
            if not ready([self._stream], timeout_s=_SILENCE_S)[0]:
                raise CommandFailed(self._argv, -9, f"no data for {_SILENCE_S:g} s")
            part = os.read(self._stream.fileno(), min(size, _BLOCK))
            if not part:
                break
            parts.append(part)
            size -= len(part)
            self._left -= len(part)
            if self._left < 0:
                raise CommandFailed(self._argv, -9, "the lab sends more data than the limit of a copy")
        return b"".join(parts)


def unpack(stream: IO[bytes], argv: Sequence[str], top: str, local: Path, most_bytes: int = MOST_BYTES) -> list[str]:
    """Write the members of a tar archive below `local`; links and devices are left out.

    Args:
        stream: a pipe with the archive.
        argv: the command that writes it, for errors.
        top: the first part of all members' names, which stands for `local`.

    Returns:
        The names of the files that this machine's file system refuses.

    Raises:
        CommandFailed: the archive is damaged or too large, or it does not arrive.
        OSError: `local` cannot be written.
    """
    refused: list[str] = []
    blocks = _Blocks(stream, argv, most_bytes)
    try:
        with tarfile.open(fileobj=blocks, mode="r|", tarinfo=_Member, bufsize=tarfile.BLOCKSIZE * 20) as archive:  # type: ignore[call-overload]
            for number, member in enumerate(archive):
                if number >= MOST_ENTRIES:
                    raise CommandFailed(argv, 1, f"there are more than {MOST_ENTRIES} files and folders")
                archive.members = []  # otherwise it would keep all members
                try:
                    _extract(archive, member, argv, top, local)
                except OSError as error:
                    if error.errno not in _OF_ONE_FILE:
                        raise
                    refused.append(member.name)
        while blocks.read(_BLOCK):  # tar pads its last record
            pass
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise CommandFailed(argv, 1, f"the lab's archive is damaged: {error}") from None
    return refused


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, argv: Sequence[str], top: str, local: Path) -> None:
    parts = PurePosixPath(member.name).parts
    if not parts or parts[0] != top or ".." in parts:
        raise CommandFailed(argv, 1, f"the lab's archive has a member {member.name!r}")
    target = local.joinpath(*parts[1:])
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    elif member.isreg():
        content = archive.extractfile(member)
        assert content is not None
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(target, flags, 0o666), "wb") as file:
            while block := content.read(_BLOCK):
                file.write(block)
