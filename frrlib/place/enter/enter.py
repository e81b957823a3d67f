"""The steps of a process that enters a lab of namespaces, before `kernel/enter.c` takes over.

Every step that needs an interpreter happens here, outside of the lab: the lab's root chooses the files that a Python
program would read in the lab's mount namespace. The process gets a session of its own, and loses the user's
descriptors, keys and environment. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Sequence
from typing import NoReturn

from frrlib.place.confinement import bounds, control_group, syscall_filter
from frrlib.place.confinement import syscalls as sys_
from frrlib.system import signals

_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
#: Descriptors of the process that enters, besides its streams.
_LAB, _FILTER, _TERMINAL = 3, 4, 5


class LabEntry:
    """A command that will enter a lab. The process that stays outside makes it before it forks.

    Args:
        helper: the compiled `kernel/enter.c`.
        lab: process number of the lab's first process.
        node: the node whose namespaces the command joins; empty for the lab's own.
        argv: the command and its arguments. The lab's search path applies.

    Raises:
        ProcessLookupError: the lab has ended.
    """

    def __init__(self, helper: str, lab: int, node: str, argv: Sequence[str]) -> None:
        self._helper, self._node, self._argv = helper, node, list(argv)
        self._parent = os.getpid()
        self._lab = os.pidfd_open(lab)
        self._filter = _filter_file(lab)

    def close(self) -> None:
        """Close the descriptors; for the process that stays outside."""
        os.close(self._lab)
        os.close(self._filter)

    def execute(self, streams: tuple[int, int, int], terminal: int = -1) -> NoReturn:
        """Replace the forked process by the command.

        Args:
            streams: the descriptors that become standard input, output and error.
            terminal: a UNIX socket that receives the master of a terminal in the lab, on which the command then runs;
                -1 for a command that keeps the streams.

        Raises:
            OSError: this user has no permission, or the helper is missing.
        """
        os.setsid()
        sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGKILL)
        bounds.be_killed_first()
        control_group.join_group_of(self._lab)
        with contextlib.suppress(OSError):  # the user's limit of keyrings; the filter hides all keys anyway
            sys_.new_session_keyring()
        inherited = [*streams, self._lab, self._filter, *([terminal] if terminal >= 0 else [])]
        _place(inherited)
        signals.reset()
        environment = {**_ENVIRONMENT, "TERM": os.environ.get("TERM", "dumb")}
        words = [str(word) for word in (_LAB, _FILTER, _TERMINAL if terminal >= 0 else -1, self._parent)]
        os.execve(self._helper, ["enter", *words, self._node, *self._argv], environment)


def _filter_file(lab: int) -> int:
    """A file in memory with the filter of system calls. Empty on a machine whose calls are unknown."""
    file = os.memfd_create("filter")
    machine = os.uname().machine
    if syscall_filter.knows(machine):
        program = syscall_filter.filter_program(machine, groups_closed=syscall_filter.groups_are_closed(lab))
        os.write(file, program)
        os.lseek(file, 0, os.SEEK_SET)
    return file


def _place(handles: list[int]) -> None:
    """Renumber these descriptors to 0, 1, 2 and so on, inherited by the next program, and close all others."""
    above = [fcntl.fcntl(handle, fcntl.F_DUPFD, len(handles)) for handle in handles]
    for number, handle in enumerate(above):
        os.dup2(handle, number)
    os.closerange(len(handles), os.sysconf("SC_OPEN_MAX"))
