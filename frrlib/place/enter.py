"""The way into a lab of namespaces, for programs that are started there from outside.

Who goes in has nothing of the user's any more when a program of the lab begins: neither a terminal, nor a descriptor,
nor an environment, and no keys. Standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from frrlib import signals
from frrlib.place import bounds, control_group, forbidden
from frrlib.place import syscalls as sys_

ALL = (
    sys_.CLONE_NEWUSER | sys_.CLONE_NEWNS | sys_.CLONE_NEWPID | sys_.CLONE_NEWNET
    | sys_.CLONE_NEWIPC | sys_.CLONE_NEWUTS
)  # fmt: skip
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


def join(lab: int) -> None:
    """Join the namespaces of the process that the pidfd `lab` means, as the lab's root; that of pids is for children.

    Raises:
        OSError: the lab has ended, or this user may not.
    """
    bounds.go_first()
    control_group.follow(lab)
    sys_.prctl(sys_.PR_SET_DUMPABLE, 0)  # the lab's root must not look into a process that is still half outside
    sys_.setns(lab, ALL)
    if os.getuid() != 0:
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        sys_.prctl(sys_.PR_SET_DUMPABLE, 0)


def become(argv: Sequence[str], kind: str) -> NoReturn:
    """Become a program of the lab, which this process has joined: with the descriptors 0, 1 and 2, and no others.

    Args:
        argv: its name, found as the lab finds it, and its arguments.
        kind: the kind of terminal that it writes to, `TERM`.
    """
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    forbidden.forbid()
    signals.reset()
    try:
        os.execvpe(argv[0], list(argv), {**_ENVIRONMENT, "TERM": kind})
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    os._exit(127)
