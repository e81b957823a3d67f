"""Programs that change their list of groups, in a lab whose only user is root.

An ordinary user's lab may not change that list, which is empty of any meaning there; but an SSH server or tcpdump that
is refused it gives up. So everything in such a lab is told that it has been done. Standard library only.
"""

from __future__ import annotations

import os
import struct

from frrlib.place import syscalls as sys_

#: The kernel's word for a machine, and the number of setgroups(2) there.
_SETGROUPS = {"x86_64": (0xC000003E, 116), "aarch64": (0xC00000B7, 159)}
_LD, _JEQ, _RET = 0x20, 0x15, 0x06
_ALLOW, _DONE = 0x7FFF0000, 0x00050000


def pretend() -> None:
    """Have setgroups(2) say that all is well in this process and its children, where it is forbidden."""
    if _are_closed() and os.uname().machine in _SETGROUPS:
        sys_.seccomp_filter(filter_program(*_SETGROUPS[os.uname().machine]))


def _are_closed() -> bool:
    try:
        with open("/proc/self/setgroups", encoding="ascii") as file:
            return file.read().strip() == "deny"
    except OSError:
        return False


def filter_program(machine: int, setgroups: int) -> bytes:
    """A filter under which setgroups(2) does nothing and says that all is well."""
    code = [(_LD, 0, 0, 4), (_JEQ, 0, 3, machine), (_LD, 0, 0, 0), (_JEQ, 0, 1, setgroups), (_RET, 0, 0, _DONE)]
    return b"".join(struct.pack("HBBI", *each) for each in [*code, (_RET, 0, 0, _ALLOW)])
