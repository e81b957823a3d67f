"""A tree of everything that a file can be, which nobody may change; and what it is now, to the byte."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from frrlib.system import removal

#: Folders of the tree: name and mode; the last ones cannot be listed by whoever owns them.
_FOLDERS = (("plain", 0o755), ("sticky", 0o1777), ("private", 0o700), ("entered", 0o111), ("closed", 0o000))
_MODES = (0o644, 0o600, 0o444, 0o755, 0o666, 0o000, 0o2755)
#: Folders in folders that results may have.
_DEEPEST = 65
#: A moment whose nanoseconds are kept or are not.
_THEN_NS = 1_234_567_890_123_456_789
#: Owners that files have where the caller may give them away; nobody else's on any machine.
_OTHERS = (0, 54321)


class Entry(NamedTuple):
    """What one path is; all but the time of its last reading."""

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
    """Make the tree in a new folder, for a user; for root some files of it are others'."""
    folder.mkdir()
    for name, _ in _FOLDERS:
        (folder / name).mkdir()
        for each in _MODES:
            path = folder / name / f"{each:o}"
            path.write_bytes(f"{name}/{each:o}\n".encode() * (each + 1))
            with suppress(OSError):  # not every file system has them
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
        for number, other in enumerate(_OTHERS):
            os.chown(folder / "sticky" / f"{_MODES[number]:o}", other, other)
    for name, mode in _FOLDERS:
        for each in _MODES:
            os.chmod(folder / name / f"{each:o}", each)
        for path in (folder / name).iterdir():
            os.utime(path, ns=(_THEN_NS, _THEN_NS), follow_symlinks=False)
        os.utime(folder / name, ns=(_THEN_NS, _THEN_NS + 1))
        os.chmod(folder / name, mode)


def taken(folder: Path, names: set[str] | None = None) -> dict[str, Entry]:
    """What everything in the tree is; nothing of it is changed by looking.

    Args:
        names: paths in the tree to look at also where their folder cannot be listed, such as those known from before.
    """
    found: dict[str, Entry] = {}
    waiting = ["", *sorted(names or ())]
    while waiting:
        name = waiting.pop()
        path = folder / name
        if name in found:
            continue
        try:
            about = path.lstat()
        except OSError:  # gone, or in a folder that is closed
            continue
        found[name] = _entry(path, about)
        if stat.S_ISDIR(about.st_mode):
            with suppress(PermissionError):
                waiting += [os.path.join(name, each) for each in os.listdir(path)]
    return found


def _entry(path: Path, about: os.stat_result) -> Entry:
    attributes: list[tuple[str, bytes]] = []
    content = ""
    with suppress(OSError):
        attributes = [
            (each, os.getxattr(path, each, follow_symlinks=False)) for each in os.listxattr(path, follow_symlinks=False)
        ]
    if stat.S_ISLNK(about.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(about.st_mode):
        with suppress(PermissionError):
            content = _sum(path)
    return Entry(
        about.st_mode, about.st_uid, about.st_gid, about.st_nlink, about.st_size, about.st_blocks, about.st_mtime_ns,
        about.st_ctime_ns, tuple(sorted(attributes)), content,
    )  # fmt: skip


def _sum(path: Path) -> str:
    """A checksum of what is written in a file; holes are told by the file's blocks and size."""
    summed = hashlib.blake2b()
    with path.open("rb", buffering=0) as file:
        at, end = 0, os.fstat(file.fileno()).st_size
        while at < end:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # no more data
                break
            stop = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            summed.update(b"%d %d " % (at, stop))
            os.lseek(file.fileno(), at, os.SEEK_SET)
            while at < stop and (data := file.read(min(1 << 20, stop - at))):
                summed.update(data)
                at += len(data)
    return summed.hexdigest()


def checksum(entries: dict[str, Entry]) -> str:
    """One word for a whole tree."""
    return hashlib.blake2b(repr(sorted(entries.items())).encode(), digest_size=16).hexdigest()


def armed(folder: Path, uid: int) -> list[str]:
    """What in a results folder is a trap, or in the way of its owner: a line for each, none where all is well.

    Modes by which a file or folder runs as another user or is changed by one, access control lists, links that lead
    out, pipes, sockets and devices; files and folders that their owner cannot read; files of other owners. Folders that
    are closed are opened to look, as their owner could.
    """
    real, lines = folder.resolve(), []

    def look(name: str, path: str, within: int) -> None:
        if path.count("/") > _DEEPEST:
            lines.append(f"{path}: deeper than what is kept")
            return
        about = os.stat(name, dir_fd=within, follow_symlinks=False)
        kind, mode = stat.S_IFMT(about.st_mode), stat.S_IMODE(about.st_mode)
        if about.st_uid != uid:
            lines.append(f"{path}: belongs to {about.st_uid}")
        if kind == stat.S_IFLNK:
            target = os.path.join(os.readlink(f"/proc/self/fd/{within}"), os.readlink(name, dir_fd=within))
            if not Path(os.path.realpath(target)).is_relative_to(real):
                lines.append(f"{path}: leads out, to {os.readlink(name, dir_fd=within)}")
        elif mode & 0o7022:
            lines.append(f"{path}: serves others, mode {mode:o}")
        elif lists := [attribute for attribute in os.listxattr(f"/proc/self/fd/{within}/{name}") if "acl" in attribute]:
            lines.append(f"{path}: has {lists}")
        elif kind == stat.S_IFREG:
            if not mode & stat.S_IRUSR:
                lines.append(f"{path}: unreadable, mode {mode:o}")
        elif kind != stat.S_IFDIR:
            lines.append(f"{path}: neither a file nor a folder nor a link")
        if kind == stat.S_IFDIR:
            if mode & stat.S_IRWXU != stat.S_IRWXU:
                lines.append(f"{path}: closed, mode {mode:o}")
            into(removal.open_folder(name, within), path)

    def into(handle: int, path: str) -> None:
        try:
            for each in os.listdir(handle):
                look(each, f"{path}/{each}", handle)
        finally:
            os.close(handle)

    into(os.open(real, os.O_RDONLY | os.O_DIRECTORY), "")
    return lines
