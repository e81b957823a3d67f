"""Removes files of a lab, also if its programs tried to prevent that. Standard library only.

The owner's removal succeeds for folders without rights to list or enter them, for folders nested a hundred thousand
levels deep, and for names that are no valid text. It uses descriptors throughout, so that a name never leads to another
place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat

#: The modes that an owner needs to list, enter and change a folder.
_OPEN = stat.S_IRWXU


def remove(path: str | os.PathLike[str]) -> str:
    """Remove a file, a link, or a folder with its content.

    Returns:
        The path and the reason if it could not be removed, for people. Empty if nothing is left.
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
        return ""  # it does not exist, or another process has removed it
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def open_folder(name: str, within: int) -> int:
    """Open the folder `name` in the folder `within`, after giving its owner the rights to list and change it.

    Raises:
        OSError: it is no folder (ENOTDIR, also for a link to one), or belongs to another user.
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
        OSError: a part of it could not be removed.
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
    """Remove one entry of a folder. Folders in it are moved to the top first, so any depth is possible."""
    with contextlib.suppress(FileNotFoundError):
        if _unlinked(top, name):
            return
        folder = open_folder(name, top)
        try:
            for inner in os.listdir(folder):
                with contextlib.suppress(FileNotFoundError):
                    if not _unlinked(folder, inner):
                        os.close(open_folder(inner, folder))  # moving a folder needs the right to change it
                        os.rename(inner, f".{secrets.token_hex(16)}", src_dir_fd=folder, dst_dir_fd=top)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _unlinked(within: int, name: str) -> bool:
    """Remove an entry unless it is a folder. Returns whether it is removed."""
    try:
        os.unlink(name, dir_fd=within)
    except IsADirectoryError:
        return False
    except PermissionError:  # some file systems report this for a folder
        if not stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode):
            raise
        return False
    return True
