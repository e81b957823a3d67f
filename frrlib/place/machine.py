"""The requirements of every lab on this machine and on the calling process, checked before the start."""

from __future__ import annotations

import os
import resource

from frrlib.errors import PlaceError

#: Python of the system: it starts labs and runs in them, because the lab sees it at the same path.
PYTHON = "/usr/bin/python3"
#: Open files of a process: the lab's programs inherit the limit, and the sockets of its routers count.
LEAST_OPEN_FILES = 256


def check() -> None:
    """Raise the limit of open files to the minimum of a lab.

    Raises:
        PlaceError: that is not allowed, or `/proc` is not mounted.
    """
    if not os.path.exists("/proc/self/stat"):
        raise PlaceError("/proc is not mounted, but every lab needs it", "sudo mount -t proc proc /proc")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < LEAST_OPEN_FILES:
        if hard != resource.RLIM_INFINITY and hard < LEAST_OPEN_FILES:
            raise PlaceError(
                f"a lab needs {LEAST_OPEN_FILES} open files per process, but the limit is {hard}",
                "log in again, or raise the limit (ulimit -n 1024, /etc/security/limits.conf)",
            )
        resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_OPEN_FILES, hard))
