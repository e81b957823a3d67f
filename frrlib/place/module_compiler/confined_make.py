"""A program that compiles a stranger's source text outside of a lab: this confines itself, then becomes make.

Started as `confined_make.py PARENT CPU_S MEMORY_BYTES FILE_BYTES KIT FOLDER ARGUMENT...` by Python of the system. make
and its compilers may read programs, libraries and the kit. They write only below FOLDER, and reach no network. Standard
library only.
"""

from __future__ import annotations

import os
import resource
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))))

from frrlib.place.checker.checker import NOT_CONFINED
from frrlib.place.confinement import kernel_process
from frrlib.place.confinement import syscalls as sys_

#: Folders and files of compilers. Nothing of a home folder is among them.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
             "/etc/alternatives")  # fmt: skip
_DEVICES = ["/dev/null"]
_MAKE = "/usr/bin/make"
#: The folders of the programs that compile.
PATH = "/usr/bin:/bin"
_SIGKILL = 9


def confine_this(cpu_s: int, memory_bytes: int, file_bytes: int, kit: str, folder: str) -> None:
    """Confine this process and all that it starts, for good.

    Args:
        cpu_s: seconds of the processor that a process may take.
        memory_bytes: largest address space of a process.
        file_bytes: largest size of a written file.
        kit: folder of headers and scripts, which can be read.
        folder: the only folder that can be written.

    Raises:
        OSError: the kernel refused a part of it.
    """
    _separate_network()
    for limit, value in (
        (resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        hard = resource.getrlimit(limit)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (least, least))
    kernel_process.landlock([*_PROGRAMS, kit], [folder], _DEVICES, sys_.landlock_abi())


def _separate_network() -> None:
    """Move to a network namespace without interfaces, where this machine lets this user have one.

    Elsewhere the compiler keeps the network; it opens no socket of its own accord.
    """
    child = os.fork()  # a process that has failed halfway would have no ids
    if not child:
        try:
            _enter_namespaces()
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        _enter_namespaces()


def _enter_namespaces() -> None:
    ids = (os.geteuid(), os.getegid())
    sys_.unshare(sys_.CLONE_NEWUSER | sys_.CLONE_NEWNET | sys_.CLONE_NEWIPC)
    # make sets its own ids before it starts a program, so the namespace must have them.
    for name, text in (("setgroups", "deny"), ("uid_map", f"{ids[0]} {ids[0]} 1"), ("gid_map", f"{ids[1]} {ids[1]} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def main() -> None:
    """Confine this process and become make."""
    parent, cpu_s, memory_bytes, file_bytes = (int(word) for word in sys.argv[1:5])
    kit, folder, *arguments = sys.argv[5:]
    environment = {"PATH": PATH, "LC_ALL": "C", "TMPDIR": folder, "HOME": folder}
    try:
        sys_.prctl(sys_.PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != parent:  # it ended before the kernel knew
            os._exit(NOT_CONFINED)
        confine_this(cpu_s, memory_bytes, file_bytes, kit, folder)
        os.execve(_MAKE, [_MAKE, *arguments], environment)
    except OSError as error:
        os.write(2, f"make was not started: {error}\n".encode())
    os._exit(NOT_CONFINED)


if __name__ == "__main__":
    main()
