"""Copies the daemons' logs from the folder that the lab writes to into the results folder."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from frrlib.results.writer import Writer

#: Bounds on the copied logs: how many, and how much of each. The end of a longer log is kept.
_MOST_LOGS, _LOG_BYTES = 2000, 16 << 20
_FOLDER = "logs"
#: A lab that still runs may replace a log by a link or a FIFO: neither is followed nor waited for.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def copy_logs(writer: Writer, *, remove: bool = False) -> None:
    """Copy the daemons' logs into the run's own folder. The lab may still run, or have ended.

    Links and folders in the place of a log are left alone.

    Args:
        writer: of the run; its `lab_folder` has the logs.
        remove: whether each log is removed from there once it is copied, for a lab that has ended.
    """
    try:
        folder = os.open(writer.lab_folder / _FOLDER, _READ | os.O_DIRECTORY)
    except OSError:
        return  # no daemon wrote a log
    try:
        for name in sorted(os.listdir(folder))[:_MOST_LOGS]:
            text = _log_text(writer, folder, name)
            if text is None:
                continue
            writer.add_log(name, text)
            if writer.failure is not None:
                return  # the other logs stay in the lab's folder
            if remove:
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)
    if remove:
        with suppress(OSError):
            (writer.lab_folder / _FOLDER).rmdir()


def _log_text(writer: Writer, folder: int, name: str) -> str | None:
    """The text of a log, or its end; None for a log that cannot be read, and for anything but a regular file."""
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return None
        with open(os.open(name, _READ, dir_fd=folder), "rb") as file:
            length = os.fstat(file.fileno()).st_size
            file.seek(max(0, length - _LOG_BYTES))
            text = file.read(_LOG_BYTES).decode(errors="replace")
    except OSError as error:
        writer.log(f"the log {name!r} cannot be read: {error.strerror}")
        return None
    return text if length <= _LOG_BYTES else f"(the last {len(text)} of {length} bytes)\n{text}"
