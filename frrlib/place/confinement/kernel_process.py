"""The wall around a lab kernel's process, which runs as the user that started the lab.

The lab's root can mount the host's files again, and can run its own code in the lab kernel's process by loading a
module. So the process itself must be unable to write elsewhere. Landlock restricts the paths that it may write. A
filter of system calls refuses operations that Landlock does not cover: changes of modes, owners and times, truncation
by name, sockets. If this kernel's Landlock does not confine signals, the supervisor judges each of them
(`signal_filter`). Standard library only.
"""

from __future__ import annotations

import errno
import os
import struct
import termios

from frrlib.place.confinement import syscalls as sys_

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15

#: The rights on files that Landlock knows: first version, rights.
_FILE_RIGHTS = ((1, (1 << 13) - 1), (2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
_NET_RIGHTS = ((4, 0b11),)  # bind and connect TCP
#: Abstract UNIX sockets and signals stay inside.
SCOPES_ABI = 6
_SCOPES = ((SCOPES_ABI, 0b11),)

READ = EXECUTE | READ_FILE | READ_DIR
#: Access rights for a file that is not a folder.
_OF_FILES = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV
#: The lab's access rights in its results folder. No links: a program outside that writes there follows none by
#: mistake.
FILES = READ | WRITE_FILE | TRUNCATE | REFER | MAKE_REG | MAKE_DIR | REMOVE_FILE | REMOVE_DIR
DEVICE = READ_FILE | WRITE_FILE


def _known(table: tuple[tuple[int, int], ...], abi: int) -> int:
    return sum(rights for first, rights in table if abi >= first)


def landlock(readable: list[str], writable: list[str], devices: list[str], abi: int) -> None:
    """Confine this process: it reads only files and folders of `readable`, and writes only below `writable` and to
    `devices`.

    It can list folders everywhere: a right to list a folder includes all folders below, and a lab lists `/`.

    Args:
        readable: files and folders.
        writable: folders.
        devices: device files, which it may read and write.
        abi: version of Landlock to use: the kernel's, or an earlier one.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    rules, handled = _ruleset(abi)
    sys_.landlock_allow(rules, "/", READ_DIR & handled)
    _allow_reading(rules, readable, handled)
    for path in writable:
        sys_.landlock_allow(rules, path, FILES & handled)
    for path in devices:
        sys_.landlock_allow(rules, path, DEVICE & handled)
    sys_.landlock_restrict(rules)
    os.close(rules)


def landlock_reading(readable: list[str], abi: int) -> None:
    """Confine this process to reading: it writes nothing, and lists no folders but those below `readable`.

    Args:
        readable: files and folders; missing ones are skipped. Its open files stay usable.
        abi: version of Landlock to use: the kernel's, or an earlier one.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    rules, handled = _ruleset(abi)
    _allow_reading(rules, readable, handled)
    sys_.landlock_restrict(rules)
    os.close(rules)


def _ruleset(abi: int) -> tuple[int, int]:
    """Make a rule set that handles all rights of this version of Landlock. Returns it and its rights on files."""
    if abi < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    handled = _known(_FILE_RIGHTS, abi)
    attributes = struct.pack("Q", handled)
    if abi >= 4:
        attributes += struct.pack("Q", _known(_NET_RIGHTS, abi))
    if abi >= 6:
        attributes += struct.pack("Q", _known(_SCOPES, abi))
    return sys_.landlock_ruleset(attributes), handled


def _allow_reading(rules: int, readable: list[str], handled: int) -> None:
    for path in readable:
        try:  # noqa: SIM105 - importing contextlib takes longer than all of this
            sys_.landlock_allow(rules, path, READ & handled & (-1 if os.path.isdir(path) else _OF_FILES))
        except FileNotFoundError:  # removed meanwhile
            pass


# Lab kernels exist for x86 only, and so does this table of system calls.
_X86_64 = 0xC000003E
#: Refused with any arguments: number on x86_64, name.
DENIED = {
    41: "socket", 42: "connect", 43: "accept", 46: "sendmsg", 49: "bind", 288: "accept4", 307: "sendmmsg",
    76: "truncate", 90: "chmod", 91: "fchmod", 92: "chown", 93: "fchown", 94: "lchown", 132: "utime",
    86: "link", 88: "symlink", 133: "mknod", 188: "setxattr", 189: "lsetxattr", 190: "fsetxattr",
    73: "flock", 197: "removexattr", 198: "lremovexattr", 199: "fremovexattr", 235: "utimes", 259: "mknodat",
    260: "fchownat", 261: "futimesat", 265: "linkat", 266: "symlinkat", 268: "fchmodat", 280: "utimensat",
    425: "io_uring_setup", 426: "io_uring_enter", 427: "io_uring_register", 437: "openat2",
    452: "fchmodat2", 463: "setxattrat", 466: "removexattrat", 469: "file_setattr",
    165: "mount", 166: "umount2", 272: "unshare", 308: "setns", 250: "keyctl", 248: "add_key",
    249: "request_key", 304: "open_by_handle_at", 29: "shmget", 30: "shmat", 31: "shmctl", 64: "semget",
    65: "semop", 68: "msgget", 69: "msgsnd", 71: "msgctl", 66: "semctl", 240: "mq_open", 241: "mq_unlink",
    321: "bpf", 298: "perf_event_open", 155: "pivot_root", 161: "chroot", 428: "open_tree", 429: "move_mount",
    430: "fsopen", 431: "fsconfig", 432: "fsmount", 433: "fspick", 442: "mount_setattr", 253: "inotify_init",
    294: "inotify_init1", 300: "fanotify_init", 103: "syslog", 163: "acct", 179: "quotactl", 162: "sync",
    306: "syncfs", 323: "userfaultfd", 310: "process_vm_readv", 311: "process_vm_writev", 312: "kcmp",
    424: "pidfd_send_signal", 434: "pidfd_open", 438: "pidfd_getfd", 440: "process_madvise",
    448: "process_mrelease", 256: "migrate_pages", 279: "move_pages",
}  # fmt: skip
_OPEN, _OPENAT, _IOCTL, _SENDTO, _GETRANDOM = 2, 257, 16, 44, 318
_SENDMSG, _SOCKETPAIR, _SOCKET_TYPE = 46, 53, 0xF
_SOCK_STREAM = 1
#: Calls that make files and folders: number on x86_64, index of the argument that is the mode, name.
WITH_MODES = ((_OPEN, 2, "open"), (_OPENAT, 3, "openat"), (85, 1, "creat"), (83, 1, "mkdir"), (258, 2, "mkdirat"))
_SET_IDS = 0o6000
_CLONE, _CLONE3 = 56, 435
_NEW_NAMESPACES = (
    sys_.CLONE_NEWNS | sys_.CLONE_NEWCGROUP | sys_.CLONE_NEWUTS | sys_.CLONE_NEWIPC | sys_.CLONE_NEWUSER
    | sys_.CLONE_NEWPID | sys_.CLONE_NEWNET
)  # fmt: skip
#: Calls about a process, which must be the caller itself (0): number on x86_64, index of the argument, name.
ABOUT_PROCESSES = (
    (302, 0, "prlimit64"), (142, 0, "sched_setparam"), (144, 0, "sched_setscheduler"), (203, 0, "sched_setaffinity"),
    (314, 0, "sched_setattr"), (141, 1, "setpriority"), (251, 1, "ioprio_set"),
)  # fmt: skip
_FCNTL = 72
#: Commands that no lab kernel needs: locks and leases, which block other processes that open the same file, and
#: F_SETOWN_EX, which sets the owner of a file's signals by kind.
_FCNTLS = (6, 7, 15, 37, 38, 1024, 1026)
_SETOWN = 8
_O_ACCMODE_TRUNC = os.O_ACCMODE | os.O_TRUNC
#: The ioctls that a lab kernel needs: settings and sizes of its terminals, non-blocking mode, the number of readable
#: bytes, and close-on-exec.
IOCTLS = (
    termios.TCGETS, termios.TCSETS, termios.TCSETSW, termios.TCSETSF, termios.TIOCGWINSZ, termios.FIONBIO,
    termios.FIONREAD, termios.FIOCLEX, termios.FIONCLEX,
)  # fmt: skip
#: Calls that send a signal: number on x86_64, name. The first argument is a process; that of `tkill` is a thread.
KILL, TKILL = 62, 200
SIGNALLING = {
    KILL: "kill", TKILL: "tkill", 234: "tgkill", 129: "rt_sigqueueinfo", 297: "rt_tgsigqueueinfo",
}  # fmt: skip

_LD, _JEQ, _AND, _JGE, _RET = 0x20, 0x15, 0x54, 0x35, 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM
_NO_SUCH_CALL = 0x00050000 | errno.ENOSYS
_ASK = 0x7FC00000  # the filter's listener
_KILL = 0x80000000


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _argument(index: int) -> bytes:
    return _op(_LD, 16 + 8 * index)


def _machine() -> list[bytes]:
    """The beginning of a filter: it kills callers of other machines' numbers, and loads the number of the call."""
    code = [_op(_LD, 4), _op(_JEQ, _X86_64, 1), _op(_RET, _KILL), _op(_LD, 0)]
    return [*code, _op(_JGE, 0x40000000, 0, 1), _op(_RET, _KILL)]  # the x32 numbers


def _call(number: int, test: list[bytes]) -> list[bytes]:
    """A part of a filter for one call. A call that passes the test continues after this part."""
    return [_op(_JEQ, number, 0, len(test) + 1), *test, _op(_LD, 0)]


def _none_of(argument: int, bits: int) -> list[bytes]:
    return [_argument(argument), _op(_AND, bits), _op(_JEQ, 0, 1), _op(_RET, _REFUSE)]


def filter_program(process: int, *, no_chance: bool = False, hands_over: bool = False) -> bytes:
    """The filter as an array of struct sock_filter.

    Args:
        process: the process that the filter is for. It may make no other process the owner of a file's signals.
        no_chance: whether random numbers of this machine are refused, so that a lab kernel has only those of its seed.
        hands_over: whether sendmsg is allowed. A kernel with `seccomp=` needs it to hand memory to its programs. Then
            pairs of sockets must have a type that cannot send to a third socket.
    """
    code = _machine()
    if no_chance:
        code += [_op(_JEQ, _GETRANDOM, 0, 1), _op(_RET, _NO_SUCH_CALL)]
    code += [
        _op(_JEQ, _CLONE3, 0, 1),
        _op(_RET, _NO_SUCH_CALL),
    ]  # a filter cannot read its flags; programs then use clone
    for number in DENIED:
        if not (hands_over and number == _SENDMSG):
            code += [_op(_JEQ, number, 0, 1), _op(_RET, _REFUSE)]
    code += _call(_CLONE, _none_of(0, _NEW_NAMESPACES))
    if hands_over:
        test = [_argument(1), _op(_AND, _SOCKET_TYPE), _op(_JEQ, _SOCK_STREAM, 1), _op(_RET, _REFUSE)]
        code += _call(_SOCKETPAIR, test)
    for number, index in ((_OPEN, 1), (_OPENAT, 2)):  # truncation without a right to write
        test = [_argument(index), _op(_AND, _O_ACCMODE_TRUNC), _op(_JEQ, os.O_TRUNC, 0, 1), _op(_RET, _REFUSE)]
        code += _call(number, test)
    for number, index, _ in WITH_MODES:
        code += _call(number, _none_of(index, _SET_IDS))
    test = [_argument(1)]
    for remaining, command in zip(range(len(IOCTLS), 0, -1), IOCTLS, strict=True):
        test.append(_op(_JEQ, command, remaining))
    code += _call(_IOCTL, [*test, _op(_RET, _REFUSE)])
    test = [_argument(1)]
    for command in _FCNTLS:
        test += [_op(_JEQ, command, 0, 1), _op(_RET, _REFUSE)]
    test += [_op(_JEQ, _SETOWN, 0, 3), _argument(2), _op(_JEQ, process, 1), _op(_RET, _REFUSE)]
    code += _call(_FCNTL, test)
    for number, index, _ in ABOUT_PROCESSES:
        code += _call(number, [_argument(index), _op(_JEQ, 0, 1), _op(_RET, _REFUSE)])
    # sendto with an address: both halves of the pointer must be 0
    upper = _op(_LD, 20 + 8 * 4)
    none = [_op(_JEQ, 0, 1), _op(_RET, _REFUSE)]
    code += _call(_SENDTO, [_argument(4), *none, upper, *none])
    return b"".join([*code, _op(_RET, _ALLOW)])


def system_calls(*, no_chance: bool = False, hands_over: bool = False) -> None:
    """Install the filter on this process and all that it starts. The arguments are those of `filter_program`."""
    sys_.seccomp_filter(filter_program(os.getpid(), no_chance=no_chance, hands_over=hands_over))


def signals_program(process: int) -> bytes:
    """A filter that asks its listener about each signal that is sent to a process other than `process`."""
    code = _machine()
    for number in SIGNALLING:
        ask = [_argument(0), _op(_JEQ, process, 1), _op(_RET, _ASK)]
        code += _call(number, ask)
    return b"".join([*code, _op(_RET, _ALLOW)])


def ask_about_signals() -> int:
    """Have the kernel ask a listener about the signals of this process and all that it starts.

    Returns:
        The handle for `signal_filter.SignalJudge`.

    Raises:
        OSError: the kernel has no such filters, or another filter of this process has a listener.
    """
    return sys_.seccomp_listener(signals_program(os.getpid()))
