"""A program that reads a stranger's text outside of a lab: this confines itself, then becomes that program.

Started as `checker.py PARENT CPU_S MEMORY_BYTES OUTPUT_BYTES PROGRAM ARGUMENT...` by Python of the system. The program
may read libraries, its own folder and its open files. It cannot write a file, open a socket, start a process or send a
signal. It ends with its parent. Standard library only, and few modules of it: importing them is most of the start time.
"""

from __future__ import annotations

import errno
import os
import resource
import struct
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))))

from frrlib.place.confinement import kernel_process
from frrlib.place.confinement import syscalls as sys_

#: Exit status if the confinement failed; the program was not started.
NOT_CONFINED = 125

#: Folders and files that programs are linked from.
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store", "/gnu/store",
              "/etc/ld.so.cache")  # fmt: skip
_OPEN_FILES = 32
_SIGKILL = 9

#: Allowed system calls by machine: the AUDIT_ARCH constant, then numbers. All calls are about the process itself or
#: about files that Landlock lets it open. Anything else fails with EPERM.
_MACHINES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
            "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
            "rt_sigreturn": 15, "ioctl": 16, "pread64": 17, "readv": 19, "writev": 20, "access": 21, "select": 23,
            "sched_yield": 24, "mremap": 25, "madvise": 28, "dup": 32, "dup2": 33, "nanosleep": 35, "getpid": 39,
            "clone": 56, "execve": 59, "exit": 60, "uname": 63, "fcntl": 72, "getcwd": 79, "readlink": 89,
            "umask": 95, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98, "sysinfo": 99, "times": 100,
            "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "getgroups": 115,
            "sigaltstack": 131, "statfs": 137, "fstatfs": 138, "prctl": 157, "arch_prctl": 158, "gettid": 186,
            "time": 201, "futex": 202, "sched_getaffinity": 204, "getdents64": 217, "set_tid_address": 218,
            "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230,
            "exit_group": 231, "openat": 257, "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "pselect6": 270,
            "ppoll": 271, "set_robust_list": 273, "dup3": 292, "pipe2": 293, "prlimit64": 302, "getrandom": 318,
            "membarrier": 324, "statx": 332, "rseq": 334,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "getcwd": 17, "dup": 23, "dup3": 24, "fcntl": 25, "ioctl": 29, "statfs": 43, "fstatfs": 44, "faccessat": 48,
            "openat": 56, "close": 57, "pipe2": 59, "getdents64": 61, "lseek": 62, "read": 63, "write": 64, "readv": 65,
            "writev": 66, "pread64": 67, "pselect6": 72, "ppoll": 73, "readlinkat": 78, "newfstatat": 79, "fstat": 80,
            "exit": 93, "exit_group": 94, "set_tid_address": 96, "futex": 98, "set_robust_list": 99, "nanosleep": 101,
            "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "sched_getaffinity": 123,
            "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
            "rt_sigreturn": 139, "times": 153, "getgroups": 158, "uname": 160, "getrlimit": 163, "getrusage": 165,
            "umask": 166, "prctl": 167, "gettimeofday": 169, "getpid": 172, "getppid": 173, "getuid": 174,
            "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215,
            "mremap": 216, "clone": 220, "execve": 221, "mmap": 222, "mprotect": 226, "madvise": 233, "prlimit64": 261,
            "getrandom": 278, "membarrier": 283, "statx": 291, "rseq": 293,
        },
    ),
}  # fmt: skip
#: Recent calls have one number on every machine.
_EVERYWHERE = {"faccessat2": 439}
#: Unknown to the program, so that its C library falls back to `clone`, whose flags the filter can read.
_CLONE3 = 435
_CLONE_THREAD = 0x00010000
#: `open` and `openat`, with the index of their flags. Only plain reading is allowed, also where there is no Landlock.
_OPENING = {"open": 1, "openat": 2}
_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | 0o20000000  # the last is O_TMPFILE without O_DIRECTORY
#: `ioctl` only asks whether a file is a terminal (TCGETS) and how large it is (TIOCGWINSZ).
_IOCTLS = (0x5401, 0x5413)
#: `prctl` only reads: PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_GET_NAME, PR_CAPBSET_READ, PR_GET_SECUREBITS,
#: PR_GET_NO_NEW_PRIVS, PR_CAP_AMBIENT. Apart from these, PR_SET_NAME and PR_SET_VMA name things of the process itself.
_PRCTLS = (3, 7, 15, 16, 23, 27, 39, 47, 0x53564D41)

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_KILL = 0x80000000
#: Numbers from here on are those of the x32 programs of x86_64.
_X32 = 0x40000000


def can_confine() -> bool:
    """Whether the system calls of this machine are known and its kernel has filters for them."""
    return os.uname().machine in _MACHINES and sys_.has_filters()


def filter_program(machine: str) -> bytes:
    """The filter of system calls as an array of struct sock_filter.

    Args:
        machine: as reported by `uname -m`, a key of the table above.
    """
    audit_arch, native = _MACHINES[machine]
    numbers = {**native, **_EVERYWHERE}
    code = [_op(_LD, 4), _op(_JEQ, audit_arch, 1), _op(_RET, _KILL), _op(_LD, 0)]
    code += [_op(_JGE, _X32, 0, 1), _op(_RET, _KILL)]
    code += [_op(_JEQ, _CLONE3, 0, 1), _op(_RET, _NO_SUCH_CALL)]
    for name, index in _OPENING.items():
        if name in numbers:
            code += _call(numbers.pop(name), [_argument(index), _op(_JSET, _WRITING, 0, 1), _op(_RET, _REFUSE)])
    code += _call(numbers.pop("clone"), [_argument(0), _op(_JSET, _CLONE_THREAD, 1), _op(_RET, _REFUSE)])
    for name, index, allowed in (("ioctl", 1, _IOCTLS), ("prctl", 0, _PRCTLS)):
        tests = [
            _op(_JEQ, value, remaining) for remaining, value in zip(range(len(allowed), 0, -1), allowed, strict=True)
        ]
        code += _call(numbers.pop(name), [_argument(index), *tests, _op(_RET, _REFUSE)])
    # prlimit64 of another process is refused, and so is setting a limit: the third argument must be 0.
    none = [_op(_JEQ, 0, 1), _op(_RET, _REFUSE)]
    code += _call(numbers.pop("prlimit64"), [_argument(0), *none, _argument(2), *none, _op(_LD, 20 + 8 * 2), *none])
    for number in numbers.values():
        code += [_op(_JEQ, number, 0, 1), _op(_RET, _ALLOW)]
    return b"".join([*code, _op(_RET, _REFUSE)])


def _call(number: int, test: list[bytes]) -> list[bytes]:
    """A test for one call, which is allowed if no test returns."""
    return [_op(_JEQ, number, 0, len(test) + 1), *test, _op(_RET, _ALLOW)]


def _argument(index: int) -> bytes:
    """Load the lower half of an argument."""
    return _op(_LD, 16 + 8 * index)


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def confine_this(program: str, cpu_s: int, memory_bytes: int, output_bytes: int) -> None:
    """Confine this process for good; it may then only become `program`.

    Args:
        program: absolute path; its folder and the library folders beside it can be read.
        cpu_s: seconds of the processor, after which it is killed.
        memory_bytes: size of its address space.
        output_bytes: size of each file that it writes; at a byte more it is killed.

    Raises:
        OSError: the kernel refused a part of it.
    """
    separate_network()
    folder = os.path.dirname(os.path.realpath(program))
    beside = [os.path.join(os.path.dirname(folder), name) for name in ("lib", "lib64")]
    abi = sys_.landlock_abi()
    if abi >= 1:
        kernel_process.landlock_reading([program, folder, *beside, *_LIBRARIES], abi)
    for limit, value in (
        (resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, output_bytes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES), (resource.RLIMIT_NPROC, 0), (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        hard = resource.getrlimit(limit)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (least, least))
    sys_.seccomp_filter(filter_program(os.uname().machine))


def separate_network() -> None:
    """Move to a network namespace without interfaces, where this kernel has user namespaces for this user."""
    try:
        sys_.unshare(sys_.CLONE_NEWUSER | sys_.CLONE_NEWNET | sys_.CLONE_NEWIPC)
    except OSError:
        return  # the filter refuses every socket anyway


def main() -> None:
    """Confine this process and become the program that the arguments name, with an empty environment."""
    parent, cpu_s, memory_bytes, output_bytes = (int(word) for word in sys.argv[1:5])
    argv = sys.argv[5:]
    try:
        sys_.prctl(sys_.PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != parent:  # it ended before the kernel knew
            os._exit(NOT_CONFINED)
        confine_this(argv[0], cpu_s, memory_bytes, output_bytes)
        os.execve(argv[0], argv, {})
    except OSError as error:
        os.write(2, f"{argv[0]} was not started: {error}\n".encode())
    os._exit(NOT_CONFINED)


if __name__ == "__main__":
    main()
