"""The few Linux calls that Python's standard library lacks, as functions that raise OSError.

Used outside by the supervisor and inside by init. Standard library only, and light: every module that a lab kernel
imports costs its start time.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_NOEXEC = 1, 2, 4, 8

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
OPEN_TREE_CLONE = 1
MOVE_MOUNT_F_EMPTY_PATH = 4
_MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_SECUREBITS = 28
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_ASK_PERSONALITY, _ADDR_NO_RANDOMIZE = 0xFFFFFFFF, 0x0040000
_CLOCK_MONOTONIC, _TIMER_ABSTIME = 1, 1

# Calls of 2018 and later have one number on every machine; the older ones do not.
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_BY_MACHINE = {
    "x86_64": {
        "clone": 56, "pivot_root": 155, "keyctl": 250, "finit_module": 313, "sched_setattr": 314, "seccomp": 317,
    },
    "aarch64": {
        "clone": 220, "pivot_root": 41, "keyctl": 219, "finit_module": 273, "sched_setattr": 274, "seccomp": 277,
    },
}  # fmt: skip
_KEYCTL_JOIN_SESSION = 1
_SIGCHLD = 17  # importing `signal` takes longer than all else here

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def _number(name: str) -> int:
    machine = os.uname().machine
    try:
        return _BY_MACHINE[machine][name]
    except KeyError:
        raise OSError(f"{name}(2) has no known number on {machine}") from None


def _long(value: int) -> ctypes.c_long:
    return ctypes.c_long(value)


def clone(flags: int) -> int:
    """Fork into new namespaces (`CLONE_NEW*` in `flags`): 0 in the child, the child's pid in the parent.

    Call it from a process with one thread only: Python's fork handlers do not run.
    """
    word = _long(flags | _SIGCHLD)
    return _checked(_libc.syscall(_long(_number("clone")), word, _long(0), _long(0), _long(0), _long(0)), "clone")


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _checked(_libc.unshare(flags), "unshare")


def setns(handle: int, flags: int) -> None:
    """Join the namespaces `flags` of a process, given its pidfd, or the namespace of an open namespace file."""
    _checked(_libc.setns(handle, flags), "setns")


def sethostname(name: str) -> None:
    """Set the host name of this UTS namespace."""
    text = name.encode()
    _checked(_libc.sethostname(text, len(text)), "sethostname")


def drop_capabilities() -> None:
    """Give up all capabilities for good, also those that root gets with each program. Raises OSError."""
    with contextlib.suppress(PermissionError):  # without CAP_SETPCAP there is nothing to give up
        prctl(PR_SET_SECUREBITS, 0b11)  # SECBIT_NOROOT, and locked
    header = (ctypes.c_uint32 * 2)(0x2008_0522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def prctl(option: int, value: int) -> None:
    """Set one property of this process."""
    _checked(_libc.prctl(option, _long(value), _long(0), _long(0), _long(0)), f"prctl {option}")


def set_own_slice(slice_ns: int) -> None:
    """Have this process, but none that it starts, run in slices of this length, at least 100,000 ns.

    A process with short slices waits less for its turn, and gets no more of the processor. Linux 6.12 and later;
    earlier ones take no notice. A process that has no slices, since its policy is that of a real-time program or of one
    that waits for all others, keeps it; so does a nice one its niceness.
    """
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    reset_on_fork, nice = 1, os.getpriority(os.PRIO_PROCESS, 0)
    attributes = struct.pack("=IIQiIQQQII", 56, 0, reset_on_fork, nice, 0, slice_ns, 0, 0, 0, 0)
    _checked(_libc.syscall(_long(_number("sched_setattr")), _long(0), attributes, _long(0)), "sched_setattr")


def new_session_keyring() -> None:
    """Leave the user's session keyring (tickets, passphrases) for an empty one. A kernel may have no keyrings."""
    result = _libc.syscall(_long(_number("keyctl")), _long(_KEYCTL_JOIN_SESSION), _long(0))
    if result >= 0 or ctypes.get_errno() != errno.ENOSYS:
        _checked(result, "keyctl")


def power_off() -> None:
    """End this kernel."""
    _checked(_libc.reboot(ctypes.c_int(0x4321FEDC)), "reboot")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """mount(2). Empty `kind` and `data` become NULL."""
    _checked(
        _libc.mount(
            os.fsencode(source),
            os.fsencode(target),
            kind.encode() or None,
            ctypes.c_ulong(flags),
            os.fsencode(data) or None,
        ),
        f"mount {kind or source} on {target}",
    )


def unmount(path: str) -> None:
    """Remove the mount at `path` as soon as no process uses it."""
    _checked(_libc.umount2(os.fsencode(path), _MNT_DETACH), f"umount {path}")


def change_root(path: str) -> None:
    """Make the mount at `path` this mount namespace's root, and remove the old root with all mounts on it."""
    os.chdir(path)
    _checked(_libc.syscall(_long(_number("pivot_root")), b".", b"."), f"pivot_root {path}")
    _checked(_libc.umount2(b".", _MNT_DETACH), "umount of the old root")
    os.chdir("/")


def set_mount(path: str, *, add: int = 0, clear: int = 0, recursive: bool = False) -> None:
    """Add and clear properties (`ATTR_*`) of the mount at `path`, or of the mount tree below it."""
    attributes = ctypes.create_string_buffer(struct.pack("QQQQ", add, clear, 0, 0))
    flags = _long(AT_RECURSIVE if recursive else 0)
    _checked(
        _libc.syscall(
            _long(_MOUNT_SETATTR), _long(AT_FDCWD), os.fsencode(path), flags, attributes, ctypes.c_size_t(32)
        ),
        f"mount_setattr {path}",
    )


def keep_addresses() -> None:
    """Have the programs that this process becomes run at the same addresses each time. Raises OSError."""
    personality = _checked(_libc.personality(ctypes.c_ulong(_ASK_PERSONALITY)), "personality")
    _checked(_libc.personality(ctypes.c_ulong(personality | _ADDR_NO_RANDOMIZE)), "personality")


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def sleep_until(seconds: int) -> None:
    """Sleep until the monotonic clock shows a whole number of seconds. Raises OSError."""
    number = _libc.clock_nanosleep(_CLOCK_MONOTONIC, _TIMER_ABSTIME, ctypes.byref(_Timespec(seconds, 0)), None)
    if number:
        raise OSError(number, f"clock_nanosleep: {os.strerror(number)}")


def clone_tree(path: str) -> int:
    """A detached copy of the mount tree at `path`, as a file descriptor for `attach_tree`.

    It stays usable when `path` is covered by another mount afterwards.
    """
    flags = _long(OPEN_TREE_CLONE | os.O_CLOEXEC | AT_RECURSIVE)
    return _checked(_libc.syscall(_long(_OPEN_TREE), _long(AT_FDCWD), os.fsencode(path), flags), f"open_tree {path}")


def attach_tree(tree: int, target: str) -> None:
    """Mount the tree from `clone_tree` on `target` and close its descriptor."""
    flags = _long(MOVE_MOUNT_F_EMPTY_PATH)
    try:
        _checked(
            _libc.syscall(_long(_MOVE_MOUNT), _long(tree), b"", _long(AT_FDCWD), os.fsencode(target), flags),
            f"move_mount on {target}",
        )
    finally:
        os.close(tree)


def insert_module(path: str, parameters: str = "") -> None:
    """Load a kernel module file with parameters ("a=1 b=2"); one that is loaded already raises FileExistsError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = parameters.encode("ascii")
        _checked(_libc.syscall(_long(_number("finit_module")), _long(handle), text, _long(0)), f"module {path}")
    finally:
        os.close(handle)


def landlock_abi() -> int:
    """Version of the kernel's Landlock. 0 if it has none or it is switched off."""
    return max(0, int(_libc.syscall(_long(_LANDLOCK_CREATE), None, ctypes.c_size_t(0), _long(1))))


def landlock_ruleset(attributes: bytes) -> int:
    """A new Landlock rule set that handles the rights of `attributes` (struct landlock_ruleset_attr)."""
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    return _checked(
        _libc.syscall(_long(_LANDLOCK_CREATE), buffer, ctypes.c_size_t(len(attributes)), _long(0)), "landlock"
    )


def landlock_allow(ruleset: int, path: str, rights: int) -> None:
    """Allow `rights` on `path` and, if it is a folder, below it."""
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, handle))
        _checked(_libc.syscall(_long(_LANDLOCK_ADD), _long(ruleset), _long(1), rule, _long(0)), f"landlock {path}")
    finally:
        os.close(handle)


def landlock_restrict(ruleset: int) -> None:
    """Put this process and all it starts under the rule set, for good."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _checked(_libc.syscall(_long(_LANDLOCK_RESTRICT), _long(ruleset), _long(0)), "landlock_restrict_self")


def seccomp_filter(program: bytes) -> None:
    """Put this process and all it starts under a BPF filter of system calls (an array of struct
    sock_filter)."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _code, fprog = _fprog(program)
    _checked(_libc.prctl(PR_SET_SECCOMP, _long(2), ctypes.byref(fprog), _long(0), _long(0)), "seccomp filter")


def has_filters() -> bool:
    """Whether the kernel has filters of system calls."""
    # A filter at address 0 cannot be read. A kernel without filters reports EINVAL before it looks at the address.
    result = _libc.prctl(PR_SET_SECCOMP, _long(2), _long(0), _long(0), _long(0))
    return bool(result < 0 and ctypes.get_errno() == errno.EFAULT)


def seccomp_listener(program: bytes) -> int:
    """As `seccomp_filter`. Returns a handle by which another process decides about calls."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _code, fprog = _fprog(program)
    set_filter, new_listener = _long(1), _long(1 << 3)
    return _checked(
        _libc.syscall(_long(_number("seccomp")), set_filter, new_listener, ctypes.byref(fprog)), "seccomp listener"
    )


def _fprog(program: bytes) -> tuple[object, ctypes.Array[ctypes.c_char]]:
    """A struct sock_fprog, and the filter that it points to."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(code))
    return code, ctypes.create_string_buffer(head, len(head))
