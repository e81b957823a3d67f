"""A lab's root folder on the running kernel: the host's files behind an overlay of nothing.

A read-only mount does not stop a program from connecting to a UNIX socket, or from writing to a named pipe: it could
reach the user's own programs. Behind an overlay these are other sockets and pipes, without a program at their other
ends. Standard library only.
"""

from __future__ import annotations

import os

from frrlib.place.confinement import syscalls as sys_

#: Folder in which the new root is made. A lab gets an empty folder of its own at this path afterwards.
_WORK = "/tmp"
ROOT = f"{_WORK}/root"
_NOTHING = f"{_WORK}/nothing"
#: Mount point of a folder with special characters in its name, while an overlay of it is made.
_PLAIN = f"{_WORK}/plain"

_CLOSED = sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV
#: Characters that separate the options of an overlay.
_SPECIAL = frozenset(",:\\")


def mount_points() -> list[str]:
    """All mount points of this namespace, in the order in which they came."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return [_plain(line.split(" ")[4]) for line in file]


def _plain(text: str) -> str:
    """Undo the octal escapes of a mount table."""
    for escape, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(escape, plain)
    return text


def put_up(covered: tuple[str, ...]) -> bool:
    """Make a root folder of overlays of the host's folders, read-only, and move this namespace to it.

    Args:
        covered: folders that are private to the lab. Mounts in them are left out.

    Returns:
        Whether the kernel has overlays. If not, nothing has changed except for an empty `/tmp`.
    """
    points = [path for path in mount_points() if path != "/" and not _below(path, covered)]
    sys_.mount("tmpfs", _WORK, "tmpfs", sys_.MS_NOSUID | sys_.MS_NODEV, "mode=755")
    os.mkdir(_NOTHING)
    os.mkdir(ROOT)
    try:
        _overlay("/usr", _NOTHING)
    except OSError:
        return False
    os.umask(0o022)
    sys_.mount("tmpfs", ROOT, "tmpfs", sys_.MS_NOSUID | sys_.MS_NODEV, "mode=755")
    _compose("", points, covered)
    sys_.set_mount(ROOT, add=_CLOSED, recursive=True)
    closed = sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC
    sys_.mount("proc", f"{ROOT}/proc", "proc", closed)
    sys_.mount("sysfs", f"{ROOT}/sys", "sysfs", closed)
    sys_.change_root(ROOT)
    return True


def cover(tree: int, target: str, nothing: str) -> None:
    """Show a folder at `target`, behind an overlay if the kernel makes one.

    Args:
        tree: the folder as a tree of mounts.
        target: mount point.
        nothing: an empty folder that stays.
    """
    lower = f"{nothing}.lower"  # a path without special characters, for the overlay's options
    os.mkdir(lower)
    sys_.attach_tree(tree, lower)
    try:
        sys_.mount("overlay", target, "overlay", sys_.MS_RDONLY, f"lowerdir={lower}:{nothing}")
        sys_.set_mount(target, add=_CLOSED)
    except OSError:  # a file system that overlays do not take
        sys_.attach_tree(sys_.clone_tree(lower), target)
    sys_.unmount(lower)
    os.rmdir(lower)


def _below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _overlay(path: str, target: str) -> None:
    if not _SPECIAL & set(path):
        sys_.mount("overlay", target, "overlay", sys_.MS_RDONLY, f"lowerdir={path}:{_NOTHING}")
        return
    os.makedirs(_PLAIN, exist_ok=True)
    sys_.attach_tree(sys_.clone_tree(path), _PLAIN)
    try:
        _overlay(_PLAIN, target)
    finally:
        sys_.unmount(_PLAIN)


def _compose(folder: str, points: list[str], covered: tuple[str, ...]) -> None:
    """Show each entry of a folder that contains mount points, of which no overlay can be made."""
    try:
        entries = sorted(os.scandir(folder or "/"), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{folder}/{entry.name}"
        target = ROOT + path
        if entry.is_symlink():
            os.symlink(os.readlink(path), target)
        elif entry.is_dir():
            os.mkdir(target, 0o755)
            if path in covered:
                continue
            if any(point.startswith(f"{path}/") for point in points):
                _compose(path, points, covered)
            else:
                _show(path, target)
        elif entry.is_file():
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
            _bind(path, target)


def _show(path: str, target: str) -> None:
    try:
        _overlay(path, target)
    except OSError:  # a file system that overlays do not take
        _bind(path, target)


def _bind(path: str, target: str) -> None:
    try:
        sys_.attach_tree(sys_.clone_tree(path), target)
    except OSError:  # out of this user's reach
        return
