"""The error of this room. It runs before anything is installed, on Python 3.9 or newer."""

from __future__ import annotations

import os
from pathlib import Path

#: Messages of the kernel and of apt. Programs run with messages in English.
_NO_SPACE = ("No space left on device", "enough free space", "Disk quota exceeded")
#: MB that lists, downloads and the root folder of all packages of labs take, rounded up. A layer takes less.
_NEEDED_MB = 900


class SetupError(Exception):
    """The missing packages cannot be fetched or used. The message has the reason and the remedy."""


def no_space(folder: Path, output: str, least_mb: float = 0) -> str:
    """The message for a full disk.

    Args:
        folder: a folder on the disk.
        output: the messages of a program that failed.
        least_mb: with less free space than this number of MB, the disk is the reason whatever the messages.

    Returns: the message; empty if the program failed for another reason.
    """
    is_named = any(text in output for text in _NO_SPACE)
    if not is_named and not least_mb:
        return ""
    disk = os.statvfs(folder)
    free_mb = disk.f_bavail * disk.f_frsize / 1e6
    if not is_named and free_mb >= least_mb:
        return ""
    problem = f"The disk of {folder} is full: {free_mb:.0f} MB are free, and all packages need about {_NEEDED_MB} MB."
    return f"{problem} Free space there, or set XDG_CACHE_HOME to a folder on another disk."
