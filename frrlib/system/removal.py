"""Removes what programs of a lab left, whatever they did to hinder it. Standard library only.

A folder that its owner can neither list nor enter, one in another for a hundred thousand levels, names that no text can
hold: none of them stands in the way of who owns them. Everything is reached by descriptors, so that a name is never
followed to another place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat

#: The modes that an owner needs to list, enter and change a folder.
_OPEN = stat.S_IRWXU


def remove(path: str | os.PathLike[str]) -> str:
    """Remove a file, a link or a folder with all that is in it.

    Returns:
        What is left and why, for people; empty where nothing is, also where nothing was.
    """
    path = os.fspath(path)
    folder, name = os.path.split(os.path.abspath(path))
    try:
        handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            remove_in(handle, name)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return ""  # nothing is there, or somebody else has removed it
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def open_folder(name: str, within: int) -> int:
    """A descriptor that lists the folder `name` in the folder `within`; its owner may list and change it from here on.

    Raises:
        OSError: it is no folder (ENOTDIR, also of a link to one), or not this user's to change.
    """
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=within)
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        if mode & _OPEN != _OPEN:
            os.chmod(f"/proc/self/fd/{handle}", mode | _OPEN)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)


def remove_in(within: int, name: str) -> None:
    """Remove the file, link or folder `name` in the folder whose descriptor is `within`. Others may do so meanwhile.

    Raises:
        OSError: something of it is left.
    """
    with contextlib.suppress(FileNotFoundError):
        if not _unlinked(within, name):
            top = open_folder(name, within)
            try:
                while names := os.listdir(top):
                    for entry in names:
                        _flatten(top, entry)
            finally:
                os.close(top)
            os.rmdir(name, dir_fd=within)


def _flatten(top: int, name: str) -> None:
    """Remove one thing in a folder. Folders in it are brought to the top first, so no depth is too much."""
    with contextlib.suppress(FileNotFoundError):
        if _unlinked(top, name):
            return
        folder = open_folder(name, top)
        try:
            for inner in os.listdir(folder):
                with contextlib.suppress(FileNotFoundError):
                    if not _unlinked(folder, inner):
                        os.close(open_folder(inner, folder))  # only who may change a folder can move it
                        os.rename(inner, f".{secrets.token_hex(16)}", src_dir_fd=folder, dst_dir_fd=top)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _unlinked(within: int, name: str) -> bool:
    """Remove what is no folder; whether it was none."""
    try:
        os.unlink(name, dir_fd=within)
    except IsADirectoryError:
        return False
    except PermissionError:  # some file systems say this of a folder
        if not stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode):
            raise
        return False
    return True
