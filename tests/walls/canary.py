"""A tree with every kind of file, which nobody may change; and its current state, to the byte."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from frrlib.system import removal

#: Folders of the tree: name and mode. Their owner cannot list the last ones.
_FOLDERS = (("plain", 0o755), ("sticky", 0o1777), ("private", 0o700), ("entered", 0o111), ("closed", 0o000))
_MODES = (0o644, 0o600, 0o444, 0o755, 0o666, 0o000, 0o2755)
#: The maximum depth of folders in results.
_DEEPEST = 65
#: A time with nanoseconds.
_THEN_NS = 1_234_567_890_123_456_789
#: Owners of some files, if the caller may set them. The number is no user of any machine.
_OTHERS = (0, 54321)


class Entry(NamedTuple):
    """The state of one path, without the time of its last reading."""

    mode: int
    uid: int
    gid: int
    links: int
    size: int
    blocks: int
    modified_ns: int
    changed_ns: int
    attributes: tuple[tuple[str, bytes], ...]
    content: str


def make(folder: Path, uid: int, gid: int) -> None:
    """Make the tree in a new folder, for a user. If the caller is root, some of its files have other owners."""
    folder.mkdir()
    for name, _ in _FOLDERS:
        (folder / name).mkdir()
        for file_mode in _MODES:
            path = folder / name / f"{file_mode:o}"
            path.write_bytes(f"{name}/{file_mode:o}\n".encode() * (file_mode + 1))
            with suppress(OSError):  # not every file system has attributes
                os.setxattr(path, "user.kept", name.encode())
        with (folder / name / "sparse").open("wb") as file:
            file.truncate(1 << 30)
            file.seek(1 << 20)
            file.write(b"in the middle")
        os.link(folder / name / "644", folder / name / "hard")
        os.symlink("644", folder / name / "link")
        os.symlink("/nowhere/at all", folder / name / "broken")
        os.mkfifo(folder / name / "pipe", 0o622)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, uid, gid, follow_symlinks=False)
    if os.geteuid() == 0:
        for number, owner in enumerate(_OTHERS):
            os.chown(folder / "sticky" / f"{_MODES[number]:o}", owner, owner)
    for name, mode in _FOLDERS:
        for file_mode in _MODES:
            os.chmod(folder / name / f"{file_mode:o}", file_mode)
        for path in (folder / name).iterdir():
            os.utime(path, ns=(_THEN_NS, _THEN_NS), follow_symlinks=False)
        os.utime(folder / name, ns=(_THEN_NS, _THEN_NS + 1))
        os.chmod(folder / name, mode)


def state_of(folder: Path, names: set[str] | None = None) -> dict[str, Entry]:
    """The state of everything in the tree. Reading it changes nothing.

    Args:
        names: paths in the tree to read even if their folder cannot be listed, such as those known from before.
    """
    entries: dict[str, Entry] = {}
    waiting = ["", *sorted(names or ())]
    while waiting:
        name = waiting.pop()
        path = folder / name
        if name in entries:
            continue
        try:
            status = path.lstat()
        except OSError:  # removed, or in a closed folder
            continue
        entries[name] = _entry(path, status)
        if stat.S_ISDIR(status.st_mode):
            with suppress(PermissionError):
                waiting += [os.path.join(name, child) for child in os.listdir(path)]
    return entries


def _entry(path: Path, status: os.stat_result) -> Entry:
    attributes: list[tuple[str, bytes]] = []
    content = ""
    with suppress(OSError):
        attributes = [
            (attribute, os.getxattr(path, attribute, follow_symlinks=False))
            for attribute in os.listxattr(path, follow_symlinks=False)
        ]
    if stat.S_ISLNK(status.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(status.st_mode):
        with suppress(PermissionError):
            content = _sum(path)
    return Entry(
        status.st_mode, status.st_uid, status.st_gid, status.st_nlink, status.st_size, status.st_blocks,
        status.st_mtime_ns, status.st_ctime_ns, tuple(sorted(attributes)), content,
    )  # fmt: skip


def _sum(path: Path) -> str:
    """A checksum of the written parts of a file. Holes are described by the file's blocks and size."""
    hasher = hashlib.blake2b()
    with path.open("rb", buffering=0) as file:
        position, end = 0, os.fstat(file.fileno()).st_size
        while position < end:
            try:
                position = os.lseek(file.fileno(), position, os.SEEK_DATA)
            except OSError:  # no more data
                break
            stop = os.lseek(file.fileno(), position, os.SEEK_HOLE)
            hasher.update(b"%d %d " % (position, stop))
            os.lseek(file.fileno(), position, os.SEEK_SET)
            while position < stop and (data := file.read(min(1 << 20, stop - position))):
                hasher.update(data)
                position += len(data)
    return hasher.hexdigest()


def checksum(entries: dict[str, Entry]) -> str:
    """One checksum for a whole tree."""
    return hashlib.blake2b(repr(sorted(entries.items())).encode(), digest_size=16).hexdigest()


def armed(folder: Path, uid: int) -> list[str]:
    """Dangerous or obstructive entries of a results folder, a line for each.

    These are: modes by which a file or folder runs as another user or is changed by one, access control lists, links
    that lead out, pipes, sockets and devices; files and folders that their owner cannot read; files of other owners.
    Closed folders are opened for reading, as their owner could do.
    """
    real, lines = folder.resolve(), []

    def look(name: str, path: str, parent: int) -> None:
        if path.count("/") > _DEEPEST:
            lines.append(f"{path}: deeper than what is kept")
            return
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
        if status.st_uid != uid:
            lines.append(f"{path}: belongs to {status.st_uid}")
        if kind == stat.S_IFLNK:
            target = os.path.join(os.readlink(f"/proc/self/fd/{parent}"), os.readlink(name, dir_fd=parent))
            if not Path(os.path.realpath(target)).is_relative_to(real):
                lines.append(f"{path}: leads out, to {os.readlink(name, dir_fd=parent)}")
        elif mode & 0o7022:
            lines.append(f"{path}: serves others, mode {mode:o}")
        elif lists := [attribute for attribute in os.listxattr(f"/proc/self/fd/{parent}/{name}") if "acl" in attribute]:
            lines.append(f"{path}: has {lists}")
        elif kind == stat.S_IFREG:
            if not mode & stat.S_IRUSR:
                lines.append(f"{path}: unreadable, mode {mode:o}")
        elif kind != stat.S_IFDIR:
            lines.append(f"{path}: neither a file nor a folder nor a link")
        if kind == stat.S_IFDIR:
            if mode & stat.S_IRWXU != stat.S_IRWXU:
                lines.append(f"{path}: closed, mode {mode:o}")
            into(removal.open_folder(name, parent), path)

    def into(handle: int, path: str) -> None:
        try:
            for child in os.listdir(handle):
                look(child, f"{path}/{child}", handle)
        finally:
            os.close(handle)

    into(os.open(real, os.O_RDONLY | os.O_DIRECTORY), "")
    return lines
