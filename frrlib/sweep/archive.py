"""Packs a results folder into a zip file and unpacks it.

A lab may have written anything into the folder: names that are not UTF-8, paths that are too long, sparse files of many
gigabytes. A file that cannot be packed or unpacked is left out and reported; the other files are kept.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from frrlib.results.layout import FILES

#: Limits of one run: bytes of its files, bytes of the zip file, and number of files and folders.
MOST_BYTES, MOST_PACKED_BYTES, MOST_ENTRIES = 4 << 30, 512 << 20, 60_000
#: The longest path within the folder, in bytes. The folder itself may have a long path on another machine.
_LONGEST_PATH = 1000
#: Copied bytes between two checks for cancellation, and seconds between two checks.
_BLOCK, _LOOK_S = 1 << 18, 0.25
#: Maximum number of omitted files that are named, and of characters of each name.
_NAMED, _SHOWN = 5, 120
#: Errors that concern one file, not the disk or the whole folder.
_OF_ONE_FILE = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


class PackingCancelled(Exception):
    """The run was cancelled."""


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of packing.

    Attributes:
        files_bytes: bytes of all files.
        packed_bytes: bytes of the zip file.
        entries: files and folders.
        until_s: deadline on the monotonic clock; files that are not packed by then are left out.
    """

    files_bytes: int = MOST_BYTES
    packed_bytes: int = MOST_PACKED_BYTES
    entries: int = MOST_ENTRIES
    until_s: float = float("inf")


class OmittedFiles:
    """The files that were left out, with reasons."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._further = 0

    def add(self, name: str, reason: str) -> None:
        """Note a file."""
        if len(self._lines) < _NAMED:
            label = ascii(name) if len(name) <= _SHOWN else f"{name[:_SHOWN]!a}..."
            self._lines.append(f"{label}: {reason}")
        else:
            self._further += 1

    def as_lines(self) -> tuple[str, ...]:
        """One line per file for the first files, and the number of further files."""
        return (*self._lines, *([f"and {self._further} more"] if self._further else []))


def pack(
    folder: Path, target: Path, is_wanted: Callable[[], bool] = lambda: True, bounds: ArchiveLimits = ArchiveLimits()
) -> tuple[str, ...]:
    """Write the plain files and folders of a results folder into a zip file, the lab's own files last.

    Args:
        folder: a folder that no program changes meanwhile; links in it are not followed, and not packed.
        target: the zip file to make.
        is_wanted: called regularly; False cancels packing.

    Returns:
        The files that were left out with reasons, one line per file.

    Raises:
        PackingCancelled: `is_wanted` returned False.
        OSError: the zip file cannot be written.
    """
    omitted = OmittedFiles()
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with target.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            packer = _Packer(archive, file, is_wanted, bounds, omitted)
            for name in sorted(os.listdir(handle), key=lambda name: (name == FILES, name)):
                packer.add(name, name, handle)
    finally:
        os.close(handle)
    return omitted.as_lines()


class _Packer:
    """Adds files to a zip file until a limit is reached."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        file: IO[bytes],
        is_wanted: Callable[[], bool],
        bounds: ArchiveLimits,
        omitted: OmittedFiles,
    ) -> None:
        self._archive, self._file, self._is_wanted, self._bounds, self._omitted = (
            archive,
            file,
            is_wanted,
            bounds,
            omitted,
        )
        self._bytes = self._entries = 0
        self._look_s = 0.0

    def add(self, path: str, name: str, within: int) -> None:
        """Add the file or folder `name` of the open folder `within`; `path` is its path in the zip file."""
        self._look()
        try:
            status = os.stat(name, dir_fd=within, follow_symlinks=False)
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                return  # links and special files are never packed
            if reason := self._refusal(path, status):
                self._omitted.add(path, reason)
            elif stat.S_ISDIR(status.st_mode):
                self._add_folder(path, name, within)
            else:
                self._add_file(path, name, within)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            self._omitted.add(path, error.strerror or str(error))

    def _refusal(self, path: str, status: os.stat_result) -> str:
        """The reason to leave a file out; empty if it is packed."""
        try:
            length = len(path.encode())
        except UnicodeEncodeError:
            return "its name is not UTF-8"
        bounds = self._bounds
        if length > _LONGEST_PATH:
            return f"its path has {length} bytes, of {_LONGEST_PATH} at most"
        if self._entries >= bounds.entries:
            return f"the run has more than {bounds.entries} files and folders"
        if stat.S_ISREG(status.st_mode) and self._bytes + status.st_size > bounds.files_bytes:
            return f"with its {status.st_size} bytes the run would have more than {bounds.files_bytes}"
        if self._file.tell() > bounds.packed_bytes:
            return f"the packed run has more than {bounds.packed_bytes} bytes"
        return "the run's time was over" if time.monotonic() > bounds.until_s else ""

    def _add_folder(self, path: str, name: str, within: int) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=within)
        try:
            self._entries += 1
            self._archive.mkdir(path)
            for inner in sorted(os.listdir(handle)):
                self.add(f"{path}/{inner}", inner, handle)
        finally:
            os.close(handle)

    def _add_file(self, path: str, name: str, within: int) -> None:
        # Opening a pipe or a file with a lease would block.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, dir_fd=within), "rb", buffering=0) as source:
            status = os.fstat(source.fileno())
            if not stat.S_ISREG(status.st_mode):
                return
            self._entries += 1
            self._bytes += status.st_size
            moment = max(time.localtime(status.st_mtime)[:6], (1980, 1, 1, 0, 0, 0))
            info = zipfile.ZipInfo(path, min(moment, (2107, 12, 31, 23, 59, 58)))
            info.compress_type = zipfile.ZIP_DEFLATED
            with self._archive.open(info, "w", force_zip64=status.st_size > 1 << 30) as entry:
                copied = self._copy(source, entry, status.st_size)
            if copied < status.st_size:
                self._omitted.add(path, f"only its first {copied} of {status.st_size} bytes are kept")

    def _copy(self, source: IO[bytes], entry: IO[bytes], size: int) -> int:
        """Copy blocks until the file's end or a limit. Returns the number of bytes."""
        copied = 0
        while copied < size and (block := source.read(min(_BLOCK, size - copied))):
            self._look()
            if self._file.tell() > self._bounds.packed_bytes or time.monotonic() > self._bounds.until_s:
                break
            entry.write(block)
            copied += len(block)
        return copied

    def _look(self) -> None:
        if time.monotonic() >= self._look_s:
            self._look_s = time.monotonic() + _LOOK_S
            if not self._is_wanted():
                raise PackingCancelled


def unpack(packed: IO[bytes], folder: Path) -> tuple[str, ...]:
    """Unpack a zip file, which a worker on another machine may have made, into a folder.

    Returns:
        The files that were left out with reasons, one line per file.

    Raises:
        OSError: the folder cannot be written.
    """
    omitted, remaining_bytes = OmittedFiles(), MOST_BYTES
    try:
        with zipfile.ZipFile(packed) as archive:
            for info in _bounded(archive.infolist(), omitted):
                remaining_bytes -= info.file_size
                if remaining_bytes < 0:
                    omitted.add(info.filename, f"the run has more than {MOST_BYTES} bytes")
                    remaining_bytes += info.file_size
                    continue
                try:
                    # `zipfile` keeps every path within the folder, and no file gets longer than its table says.
                    archive.extract(info, folder)
                except OSError as error:
                    if error.errno not in _OF_ONE_FILE:
                        raise
                    omitted.add(info.filename, error.strerror or str(error))
                except _DAMAGED as error:
                    omitted.add(info.filename, str(error) or type(error).__name__)
    except _DAMAGED as error:
        omitted.add("the zip file", str(error) or type(error).__name__)
    return omitted.as_lines()


def _bounded(infos: list[zipfile.ZipInfo], omitted: OmittedFiles) -> Iterator[zipfile.ZipInfo]:
    yield from infos[:MOST_ENTRIES]
    for info in infos[MOST_ENTRIES:]:
        omitted.add(info.filename, f"the run has more than {MOST_ENTRIES} files and folders")
