"""Packs a results folder into a zip file and unpacks it.

A lab may have written anything into the folder: names that are not UTF-8, paths that are too long, sparse files of many
gigabytes. A file that cannot be packed or unpacked is left out and named; it never costs the rest of the run.
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
#: The longest path within the folder, in bytes: the folder itself may lie deep in another machine's tree.
_LONGEST_PATH = 1000
#: Bytes that are copied between two looks at whether the run is still wanted, and seconds between two looks.
_BLOCK, _LOOK_S = 1 << 18, 0.25
#: How many files are named one by one, and how many characters of each name are shown.
_NAMED, _SHOWN = 5, 120
#: Errors that concern one file, not the disk or the whole folder.
_OF_ONE_FILE = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


class PackingCancelled(Exception):
    """The run is no longer wanted."""


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of packing.

    Attributes:
        files_bytes: bytes of all files.
        packed_bytes: bytes of the zip file.
        entries: files and folders.
        until_s: on the monotonic clock; files that are not packed by then are left out.
    """

    files_bytes: int = MOST_BYTES
    packed_bytes: int = MOST_PACKED_BYTES
    entries: int = MOST_ENTRIES
    until_s: float = float("inf")


class OmittedFiles:
    """The files that were left out, and why."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0

    def add(self, name: str, why: str) -> None:
        """Note a file."""
        if len(self._lines) < _NAMED:
            label = ascii(name) if len(name) <= _SHOWN else f"{name[:_SHOWN]!a}..."
            self._lines.append(f"{label}: {why}")
        else:
            self._more += 1

    def told(self) -> tuple[str, ...]:
        """One line a file for the first files, and how many more there are."""
        return (*self._lines, *([f"and {self._more} more"] if self._more else []))


def pack(
    folder: Path, target: Path, is_wanted: Callable[[], bool] = lambda: True, bounds: ArchiveLimits = ArchiveLimits()
) -> tuple[str, ...]:
    """Write the plain files and folders of a results folder into a zip file, the lab's own files last.

    Args:
        folder: a folder that no program changes meanwhile; links in it are not followed, and not kept.
        target: the zip file, which is made.
        is_wanted: asked now and then.

    Returns:
        The files that were left out and why, one line a file.

    Raises:
        PackingCancelled: `is_wanted` said no.
        OSError: the zip file cannot be written.
    """
    left = OmittedFiles()
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with target.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            packer = _Packer(archive, file, is_wanted, bounds, left)
            for name in sorted(os.listdir(handle), key=lambda name: (name == FILES, name)):
                packer.add(name, name, handle)
    finally:
        os.close(handle)
    return left.told()


class _Packer:
    """Adds files to a zip file until a limit is reached."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        file: IO[bytes],
        is_wanted: Callable[[], bool],
        bounds: ArchiveLimits,
        left: OmittedFiles,
    ) -> None:
        self._archive, self._file, self._is_wanted, self._bounds, self._left = archive, file, is_wanted, bounds, left
        self._bytes = self._entries = 0
        self._look_s = 0.0

    def add(self, path: str, name: str, within: int) -> None:
        """Add the file or folder `name` of the open folder `within`; `path` is its path in the zip file."""
        self._look()
        try:
            about = os.stat(name, dir_fd=within, follow_symlinks=False)
            if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
                return  # links and the like are never kept
            if why := self._refusal(path, about):
                self._left.add(path, why)
            elif stat.S_ISDIR(about.st_mode):
                self._add_folder(path, name, within)
            else:
                self._add_file(path, name, within)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            self._left.add(path, error.strerror or str(error))

    def _refusal(self, path: str, about: os.stat_result) -> str:
        """Why a file is left out; empty where it is packed."""
        try:
            length = len(path.encode())
        except UnicodeEncodeError:
            return "its name is not UTF-8"
        bounds = self._bounds
        if length > _LONGEST_PATH:
            return f"its path has {length} bytes, of {_LONGEST_PATH} at most"
        if self._entries >= bounds.entries:
            return f"the run has more than {bounds.entries} files and folders"
        if stat.S_ISREG(about.st_mode) and self._bytes + about.st_size > bounds.files_bytes:
            return f"with its {about.st_size} bytes the run would have more than {bounds.files_bytes}"
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
        # A lease or a pipe in the place of a file would make opening it wait.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, dir_fd=within), "rb", buffering=0) as source:
            about = os.fstat(source.fileno())
            if not stat.S_ISREG(about.st_mode):
                return
            self._entries += 1
            self._bytes += about.st_size
            moment = max(time.localtime(about.st_mtime)[:6], (1980, 1, 1, 0, 0, 0))
            info = zipfile.ZipInfo(path, min(moment, (2107, 12, 31, 23, 59, 58)))
            info.compress_type = zipfile.ZIP_DEFLATED
            with self._archive.open(info, "w", force_zip64=about.st_size > 1 << 30) as entry:
                copied = self._copy(source, entry, about.st_size)
            if copied < about.st_size:
                self._left.add(path, f"only its first {copied} of {about.st_size} bytes are kept")

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
        The files that were left out and why, one line a file.

    Raises:
        OSError: the folder cannot be written.
    """
    left, room = OmittedFiles(), MOST_BYTES
    try:
        with zipfile.ZipFile(packed) as archive:
            for info in _bounded(archive.infolist(), left):
                room -= info.file_size
                if room < 0:
                    left.add(info.filename, f"the run has more than {MOST_BYTES} bytes")
                    room += info.file_size
                    continue
                try:
                    # `zipfile` keeps every path within the folder, and every file as short as its table says.
                    archive.extract(info, folder)
                except OSError as error:
                    if error.errno not in _OF_ONE_FILE:
                        raise
                    left.add(info.filename, error.strerror or str(error))
                except _DAMAGED as error:
                    left.add(info.filename, str(error) or type(error).__name__)
    except _DAMAGED as error:
        left.add("the zip file", str(error) or type(error).__name__)
    return left.told()


def _bounded(infos: list[zipfile.ZipInfo], left: OmittedFiles) -> Iterator[zipfile.ZipInfo]:
    yield from infos[:MOST_ENTRIES]
    for info in infos[MOST_ENTRIES:]:
        left.add(info.filename, f"the run has more than {MOST_ENTRIES} files and folders")
