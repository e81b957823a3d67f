"""Unpacks the files of a package (`.deb`) without dpkg. Scripts of the package do not run."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from frrlib.debian_archive.errors import ArchiveError

_MAGIC = b"!<arch>\n"
_HEADER_BYTES = 60
#: Compression of the files of a package, as a mode of `tarfile`. Packages of Debian use the first.
_MODES = {"data.tar.xz": "r|xz", "data.tar.gz": "r|gz", "data.tar.bz2": "r|bz2", "data.tar": "r|"}
#: Links that are followed on the way to a file before the package counts as malformed.
_MOST_LINKS = 40


def unpack(package: Path, folder: Path) -> None:
    """Unpack a package into a folder. Links that earlier packages made in the folder are followed inside of it.

    Files get this user as their owner; device files are left out.

    Raises:
        ArchiveError: it is malformed, or has a compression that Python does not support.
        OSError: a file cannot be written.
    """
    try:
        with package.open("rb") as file:
            name, size = _find_data(file)
            with tarfile.open(fileobj=_Member(file, size), mode=_MODES[name]) as data:  # type: ignore[call-overload]
                for member in data:
                    _write(data, member, folder)
    except KeyError as error:
        raise ArchiveError(f"{package.name} has a compression that is not supported: {error}") from error
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise ArchiveError(f"{package.name} is malformed: {error}") from error


class _Member(io.RawIOBase):
    """A part of a file, from its position on."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _find_data(file: BinaryIO) -> tuple[str, int]:
    """Move to the member with the files of the package. Returns its name and size."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("it is no archive")
    while True:
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES:
            raise ValueError("it has no files")
        name, size = header[:16].decode("ascii").strip().rstrip("/"), int(header[48:58])
        if name.startswith("data.tar"):
            return name, size
        file.seek(size + size % 2, os.SEEK_CUR)


def _write(data: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    parts = _parts(member.name)
    if not parts:
        return
    path = _parent(folder, parts) / parts[-1]
    if member.isdir():
        if not path.is_symlink():  # a link in place of a folder stays, as with dpkg
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o700 | (member.mode & 0o777))
        return
    if not (member.isreg() or member.issym() or member.islnk()):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove(path)
    if member.issym():
        path.symlink_to(member.linkname)
    elif member.islnk():
        parts = _parts(member.linkname)
        os.link(_parent(folder, parts) / parts[-1], path, follow_symlinks=False)
    else:
        source = data.extractfile(member)
        if source is not None:
            with source, path.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            path.chmod(0o600 | (member.mode & 0o7777))
            os.utime(path, (member.mtime, member.mtime))


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()


def _parts(name: str) -> list[str]:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"it contains {name!r}")
    return parts


def _parent(folder: Path, parts: list[str]) -> Path:
    """The folder of a file, with all links on the way followed as if `folder` was the root folder."""
    rest, resolved, links = list(parts[:-1]), list[str](), 0
    while rest:
        part = rest.pop(0)
        if part == "..":
            del resolved[-1:]
            continue
        path = folder.joinpath(*resolved, part)
        if not path.is_symlink():
            resolved.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise ValueError("its links never end")
        target = os.readlink(path)
        if target.startswith("/"):
            resolved = []
        rest = [word for word in target.split("/") if word not in ("", ".")] + rest
    return folder.joinpath(*resolved)
