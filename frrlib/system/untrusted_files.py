"""Files that another user or a lab wrote, opened without waiting and read within limits. Standard library only.

Opening a pipe without a writer, or a file on which a program of a lab holds a lease, would block. A sparse file of many
gigabytes would fill the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_file(path: str | os.PathLike[str], *, follow: bool = True) -> BinaryIO:
    """Open an ordinary file for reading.

    Args:
        follow: whether a link in the place of the file is followed.

    Raises:
        OSError: it cannot be opened at once, or is no ordinary file.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    file = open(os.open(path, flags), "rb")  # noqa: SIM115  (the caller closes it)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    return file


def read_bytes(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """The content of a file. Raises OSError, also if it is longer than `most_bytes`."""
    with open_file(path) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"longer than {most_bytes} bytes", str(path))
    return data


def read_end(path: str | os.PathLike[str], most_bytes: int, *, follow: bool = True) -> tuple[bytes, int]:
    """The last `most_bytes` of a file, and its length. Raises OSError."""
    with open_file(path, follow=follow) as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - most_bytes))
        return file.read(most_bytes), length
