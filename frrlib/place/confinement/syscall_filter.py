"""System calls that no process in a lab on the running kernel may make: a filter for all processes that enter it.

Inside namespaces most of the kernel is the lab's own, but not all of it. Keys belong to the user's id in all
namespaces. A set-user-id program works for every user who reaches it, also after the lab, in its results folder. A
folder's access control list (ACL) applies to files that the user writes there later. Some kinds of socket have no
namespaces: AF_VSOCK reaches the host of a virtual machine, and every program on this machine.
The filter cannot read the arguments of some calls (openat2, io_uring), so it reports these as unknown. Programs then
use the older calls, as on an older kernel. Standard library only.
"""

from __future__ import annotations

import errno
import os
import stat
import struct

from frrlib.place.confinement import syscalls as sys_

#: Numbers of calls by machine, with the kernel's number of the machine. A call that a machine lacks is left out.
_MACHINES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "add_key": 248, "request_key": 249, "keyctl": 250, "setgroups": 116, "chmod": 90, "fchmod": 91,
            "fchmodat": 268, "mknod": 133, "mknodat": 259, "open": 2, "openat": 257, "creat": 85, "socket": 41,
            "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198,
            "fremovexattr": 199,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "add_key": 217, "request_key": 218, "keyctl": 219, "setgroups": 159, "fchmod": 52, "fchmodat": 53,
            "mknodat": 33, "openat": 56, "socket": 198, "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7,
            "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        },
    ),
}  # fmt: skip
#: Recent calls have one number on every machine.
_EVERYWHERE = {
    "fchmodat2": 452, "openat2": 437, "io_uring_setup": 425, "io_uring_enter": 426, "setxattrat": 463,
    "removexattrat": 466,
}  # fmt: skip

#: Calls that are reported as unknown: those for the user's keys, and those whose arguments no filter can read.
UNKNOWN = ("add_key", "request_key", "keyctl", "openat2", "io_uring_setup", "io_uring_enter")
#: Calls for extended attributes, which are stored with a file. They are reported as unsupported by the file system.
ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
)  # fmt: skip
#: Families of sockets that ignore network namespaces. They are reported as unsupported.
FAMILIES = {"AF_IUCV": 32, "AF_VSOCK": 40, "AF_QIPCRTR": 42}
#: Calls that set a file's mode, and the index of that argument. The mode may have no set-user-id or set-group-id bit.
MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "mknod": 1, "mknodat": 2, "creat": 1}
#: Calls that set the mode only of a file that they make: indices of the flags and of the mode.
MAKING = {"open": (1, 2), "openat": (2, 3)}

_SET_IDS = stat.S_ISUID | stat.S_ISGID
_MAKES = os.O_CREAT | 0o20000000  # the second is O_TMPFILE without O_DIRECTORY

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _DONE = 0x7FFF0000, 0x00050000
_REFUSE, _NO_SUCH_CALL = _DONE | errno.EPERM, _DONE | errno.ENOSYS
_NO_ATTRIBUTES, _NO_FAMILY = _DONE | errno.EOPNOTSUPP, _DONE | errno.EAFNOSUPPORT
#: Numbers from here on are those of the x32 programs of x86_64.
_X32 = 0x40000000


def forbid() -> None:
    """Install the filter on this process and all that it starts. It needs the rights of the lab's root.

    On a machine type without a table of calls, and on a kernel without filters, this does nothing.

    Raises:
        OSError: the kernel refused.
    """
    if not knows(os.uname().machine):
        return
    try:
        sys_.seccomp_filter(filter_program(os.uname().machine, groups_closed=groups_are_closed("self")))
    except OSError as error:
        if error.errno != errno.EINVAL:  # as of a kernel that has none, such as a lab kernel in which a lab is started
            raise


def knows(machine: str) -> bool:
    """Whether this module has the numbers of a machine's system calls. `machine` is the output of `uname -m`."""
    return machine in _MACHINES


def groups_are_closed(process: int | str) -> bool:
    """Whether the user namespace of a process, by its number or "self", refuses to change lists of groups."""
    try:
        with open(f"/proc/{process}/setgroups", encoding="ascii") as file:
            return file.read().strip() == "deny"
    except OSError:
        return False


def filter_program(machine: str, *, groups_closed: bool) -> bytes:
    """The filter as an array of struct sock_filter.

    Args:
        machine: a supported machine type, as printed by `uname -m`.
        groups_closed: whether an ordinary user's lab may not change its list of groups. The list has no meaning there,
            but an SSH server or tcpdump exits if the call fails. So the call succeeds without any effect.
    """
    word, native = _MACHINES[machine]
    numbers = {**native, **_EVERYWHERE}
    code = [_op(_LD, 4), _op(_JEQ, word, 1), _op(_RET, _NO_SUCH_CALL), _op(_LD, 0)]
    code += [_op(_JGE, _X32, 0, 1), _op(_RET, _NO_SUCH_CALL)]
    for names, answer in ((UNKNOWN, _NO_SUCH_CALL), (ATTRIBUTES, _NO_ATTRIBUTES)):
        for name in names:
            code += [_op(_JEQ, numbers[name], 0, 1), _op(_RET, answer)]
    if groups_closed:
        code += [_op(_JEQ, numbers["setgroups"], 0, 1), _op(_RET, _DONE)]
    refused = [part for family in FAMILIES.values() for part in (_op(_JEQ, family, 0, 1), _op(_RET, _NO_FAMILY))]
    code += _unless(numbers["socket"], [_argument(0), *refused])
    for name, mode in MODES.items():
        code += _unless(numbers.get(name), [*_if_any_set(mode, _SET_IDS, _REFUSE)])
    for name, (flags, mode) in MAKING.items():
        refused = _if_any_set(mode, _SET_IDS, _REFUSE)
        test = [_argument(flags), _op(_JSET, _MAKES, 0, len(refused)), *refused]
        code += _unless(numbers.get(name), test)
    return b"".join([*code, _op(_RET, _ALLOW)])


def _unless(number: int | None, test: list[bytes]) -> list[bytes]:
    """A test for one system call. It is allowed if the test does not return."""
    if number is None:
        return []
    return [_op(_JEQ, number, 0, len(test) + 1), *test, _op(_RET, _ALLOW)]


def _if_any_set(index: int, bits: int, answer: int) -> list[bytes]:
    """Return a result if an argument has any of some bits."""
    return [_argument(index), _op(_JSET, bits, 0, 1), _op(_RET, answer)]


def _argument(index: int) -> bytes:
    """Load the lower half of an argument."""
    return _op(_LD, 16 + 8 * index)


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)
