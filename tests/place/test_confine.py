"""The wall around a lab kernel, against code that runs in the lab kernel's own process, as a module of it
could."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from frrlib.place import confine, syscalls
from frrlib.place.confine import ABOUT_PROCESSES, DENIED

# Confines itself like the lab kernel's process and then tries everything directly.
_PROGRAM = """
import ctypes, fcntl, json, os, resource, signal, socket, sys
from frrlib.place import confine, syscalls
home, victim = sys.argv[1], int(sys.argv[2])
inside, canary = home + "/inside", home + "/canary"
confine.landlock(["/"], [inside], ["/dev/null"])
confine.system_calls()
libc = ctypes.CDLL(None, use_errno=True)
reading = os.open(canary, os.O_RDONLY)
done = {}
def attempt(name, act):
    try:
        act()
        done[name] = "done"
    except OSError as error:
        done[name] = type(error).__name__
def checked(result):
    if result < 0:
        raise PermissionError(ctypes.get_errno(), "refused")
def connect():
    socket.socket(socket.AF_UNIX).connect(home + "/sock")
attempt("write", lambda: open(canary, "a"))
attempt("create", lambda: open(home + "/new", "w"))
attempt("remove", lambda: os.remove(canary))
attempt("rename", lambda: os.rename(canary, home + "/moved"))
attempt("rename in", lambda: os.rename(canary, inside + "/moved"))
attempt("link in", lambda: os.link(canary, inside + "/hard"))
attempt("symlink in", lambda: os.symlink(canary, inside + "/soft"))
attempt("truncate", lambda: os.truncate(canary, 0))
attempt("open and truncate", lambda: os.open(canary, os.O_RDONLY | os.O_TRUNC))
attempt("chmod", lambda: os.chmod(canary, 0o777))
attempt("fchmod", lambda: os.fchmod(reading, 0o777))
attempt("fchmodat2", lambda: checked(libc.syscall(452, -100, canary.encode(), 0o777, 0)))
attempt("chown", lambda: os.chown(canary, os.getuid(), os.getgid()))
attempt("utime", lambda: os.utime(canary, (1, 1)))
attempt("futime", lambda: os.utime(reading, (1, 1)))
attempt("xattr", lambda: os.setxattr(canary, "user.evil", b"1"))
attempt("openat2", lambda: checked(libc.syscall(437, -100, canary.encode(), bytes(24), 24)))
attempt("io_uring", lambda: checked(libc.syscall(425, 4, bytes(120))))
attempt("mkfifo", lambda: os.mkfifo(home + "/pipe"))
attempt("unix socket", connect)
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)))
pair = socket.socketpair(type=socket.SOCK_DGRAM)
attempt("sendto on a pair", lambda: pair[0].sendto(b"x", home + "/dgram"))
attempt("signal", lambda: os.kill(victim, signal.SIGTERM))
attempt("trace", lambda: checked(libc.ptrace(16, victim, 0, 0)))
attempt("memory", lambda: open(f"/proc/{victim}/mem", "r+b"))
attempt("terminal", lambda: os.open("/dev/ptmx", os.O_RDWR))
attempt("shared memory", lambda: checked(libc.shmget(1, 4096, 0o1666)))
attempt("limits", lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE, (10, 10)))
attempt("affinity", lambda: os.sched_setaffinity(victim, os.sched_getaffinity(0)))
attempt("policy", lambda: os.sched_setscheduler(victim, os.SCHED_IDLE, os.sched_param(0)))
attempt("niceness", lambda: os.setpriority(os.PRIO_PROCESS, victim, 10))
attempt("lock", lambda: fcntl.flock(reading, fcntl.LOCK_SH))
attempt("lease", lambda: fcntl.fcntl(reading, fcntl.F_SETLEASE, fcntl.F_RDLCK))
attempt("lock of a part", lambda: fcntl.lockf(reading, fcntl.LOCK_SH))
attempt("own limits", lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)))
attempt("own affinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attempt("read", lambda: open(canary).read())
attempt("own file", lambda: open(inside + "/own", "w").write("x"))
attempt("own file again", lambda: open(inside + "/own", "w").write("y"))
attempt("own folder", lambda: os.mkdir(inside + "/folder"))
attempt("own rename", lambda: os.rename(inside + "/own", inside + "/folder/own"))
print(json.dumps(done))
"""

ALLOWED = {"own limits", "own affinity", "read", "own file", "own file again", "own folder", "own rename"}


@pytest.mark.skipif(syscalls.landlock_abi() < 1, reason="this kernel has no Landlock")
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="lab kernels run on x86 only")
def test_the_process_cannot_get_out(ordinary_user: Any) -> None:
    home: Path = ordinary_user.home
    (home / "inside").mkdir()
    (home / "canary").write_text("safe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(home / "sock"))
    server.listen()
    for path in home.iterdir():
        os.chown(path, ordinary_user.uid, ordinary_user.gid)
        path.chmod(0o700)
    victim: subprocess.Popen[Any] = ordinary_user.popen(["sleep", "100"])
    try:
        argv = [ordinary_user.python, "-c", _PROGRAM, str(home), str(victim.pid)]
        before = (home / "canary").stat()
        done = ordinary_user.run(argv)
        assert done.returncode == 0, done.stderr
        tried = json.loads(done.stdout)
        if syscalls.landlock_abi() < 6:  # signals are kept in from Linux 6.12 on
            tried.pop("signal")
        assert {name for name, result in tried.items() if result == "done"} == ALLOWED
        after = (home / "canary").stat()
        assert (after.st_mode, after.st_mtime_ns, after.st_nlink, after.st_size) == (
            before.st_mode,
            before.st_mtime_ns,
            before.st_nlink,
            before.st_size,
        )
        assert (home / "canary").read_text() == "safe"
    finally:
        victim.kill()
        victim.wait()
        server.close()


def test_the_numbers_of_the_refused_calls_are_the_machine_s() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("there is no header with the numbers of system calls")
    words = (line.split() for line in header.read_text().splitlines() if line.startswith("#define __NR_"))
    numbers = {int(line[2]): line[1].removeprefix("__NR_") for line in words}
    for number, name in [*DENIED.items(), *((number, name) for number, _, name in ABOUT_PROCESSES)]:
        assert numbers.get(number, name) == name


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="lab kernels run on x86 only")
@pytest.mark.parametrize(
    ("hands_over", "kind", "result"),
    [
        (True, socket.SOCK_STREAM, "sent"),  # a kernel hands its memory to its programs by such a pair
        (True, socket.SOCK_DGRAM, "no pair"),  # which could send to any socket of this machine
        (True, socket.SOCK_SEQPACKET, "no pair"),
        (False, socket.SOCK_STREAM, "not sent"),
    ],
)
def test_what_hands_over_memory_can_send_to_nobody_else(hands_over: bool, kind: int, result: str) -> None:
    """Seen in a child, which the filter stays on."""
    results = ["sent", "no pair", "not sent"]
    child = os.fork()
    if not child:
        said = "no pair"
        with contextlib.suppress(PermissionError):
            confine.system_calls(hands_over=hands_over)
            near, _ = socket.socketpair(type=kind)
            said = "not sent"
            near.sendmsg([b"x"])
            said = "sent"
        os._exit(results.index(said))
    _, status = os.waitpid(child, 0)
    assert results[os.waitstatus_to_exitcode(status)] == result
