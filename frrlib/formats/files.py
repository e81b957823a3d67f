"""Atomic replacement of a file: its content is always either the old or the new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from frrlib.errors import PlaceError


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace a file by `data`: a new file is written beside it, then renamed over it.

    An existing file keeps its mode and, if permitted, its owner. A symbolic link stays, and its target is replaced. A
    failure changes nothing.

    Raises:
        PlaceError: the folder or the file is not writable, the disk is full, or the path is not a regular file.
    """
    target = Path(os.path.realpath(path))
    try:
        _replace(target, data)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise PlaceError(f"{path} cannot be written: {reason}", "save the file in another folder") from None


def _replace(target: Path, data: bytes) -> None:
    old = target.stat() if target.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise ValueError("it is not a regular file")
    if old is not None and not os.access(target, os.W_OK):
        raise ValueError("it is write-protected")
    # A new file gets the default mode. A replacement is private until it has the mode of the old file.
    name = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o666 if old is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _copy_owner_and_mode(descriptor, old)
            os.fsync(descriptor)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(target.parent)


def _copy_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    """Give the new file the old one's owner and mode."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def _sync_folder(folder: Path) -> None:
    """Make the renaming survive a power failure, if the file system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
