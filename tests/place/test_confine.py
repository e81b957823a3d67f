"""The wall around a lab kernel, against code in the lab kernel's own process, such as a module of it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.confinement import kernel_process, syscalls
from frrlib.place.confinement.kernel_process import ABOUT_PROCESSES, DENIED, SIGNALLING, WITH_MODES

# Confines itself like the lab kernel's process and then tries everything directly.
_PROGRAM = """
import ctypes, fcntl, json, os, resource, select, signal, socket, sys, time
from frrlib.place.confinement import kernel_process, syscalls
from frrlib.place.supervisor import signal_filter
home, victim, abi = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
inside, canary = home + "/inside", home + "/canary"
near, far = socket.socketpair()
attacker = os.fork()
if attacker:  # the supervisor's part
    far.close()
    ended = os.pidfd_open(attacker)
    word, handles, *_ = socket.recv_fds(near, 100, 1)
    judge = signal_filter.SignalJudge(handles[0]) if handles else None
    while not select.select([ended], [], [], 0)[0]:
        readable = select.select([ended, *handles], [], [])[0]
        if judge:
            judge.serve(readable, [])
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(attacker, 0)[1]))
near.close()
if abi < kernel_process.SCOPES_ABI:
    signal_filter.submit_signals(far)
far.close()
kernel_process.landlock(["/"], [inside], ["/dev/null"], abi)
kernel_process.system_calls()
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
attempt("signal to a group", lambda: os.kill(-victim, 0))
attempt("signal to a thread", lambda: checked(libc.syscall(200, victim, 0)))
attempt("signal to a thread of a process", lambda: checked(libc.syscall(234, victim, victim, 0)))
attempt("signal by a handle", lambda: checked(libc.syscall(434, victim, 0)))
attempt("signals of a file", lambda: fcntl.fcntl(pair[0], fcntl.F_SETOWN, victim))
attempt("signals of a file by ioctl", lambda: fcntl.ioctl(pair[0], 0x8901, victim.to_bytes(4, "little")))
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
attempt("set-user-id", lambda: os.open(inside + "/suid", os.O_CREAT | os.O_WRONLY, 0o6755))
attempt("set-group-id", lambda: os.mkdir(inside + "/sgid", 0o2755))
attempt("namespace", lambda: os.unshare(0x10000000) if hasattr(os, "unshare") else checked(libc.unshare(0x10000000)))
attempt("process in a namespace", lambda: checked(libc.syscall(56, 0x10000011, 0, 0, 0, 0)) or os._exit(9))
attempt("clone3", lambda: checked(libc.syscall(435, bytes(88), 88)))
attempt("attributes", lambda: fcntl.ioctl(reading, 0x40086602, bytes(8)))
attempt("verity", lambda: fcntl.ioctl(reading, 0x40806685, bytes(128)))
attempt("watch", lambda: checked(libc.inotify_init1(0)))
def end_own():
    child = os.fork()
    if not child:
        time.sleep(100)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
def hear_own():
    heard = []
    signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    for send in (lambda: os.kill(os.getpid(), signal.SIGUSR1), lambda: signal.raise_signal(signal.SIGUSR1)):
        send()
    child = os.fork()
    if not child:
        os.kill(os.getpid(), signal.SIGSTOP)  # as a lab kernel's programs begin
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    os.kill(child, signal.SIGCONT)
    if os.waitpid(child, 0)[1] or len(heard) != 2:
        raise OSError
attempt("signal to its own", end_own)
attempt("signal to itself", hear_own)
attempt("own signals of a file", lambda: fcntl.fcntl(pair[0], fcntl.F_SETOWN, os.getpid()))
attempt("how much to read", lambda: fcntl.ioctl(pair[0], 0x541B, bytes(4)))
attempt("own limits", lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)))
attempt("own affinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attempt("read", lambda: open(canary).read())
attempt("own file", lambda: open(inside + "/own", "w").write("x"))
attempt("own file again", lambda: open(inside + "/own", "w").write("y"))
attempt("own folder", lambda: os.mkdir(inside + "/folder"))
attempt("own rename", lambda: os.rename(inside + "/own", inside + "/folder/own"))
print(json.dumps(done))
"""

ALLOWED = {
    "signal to its own", "signal to itself", "own signals of a file", "how much to read", "own limits", "own affinity",
    "read", "own file", "own file again", "own folder", "own rename",
}  # fmt: skip


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="lab kernels run on x86 only")
@pytest.mark.parametrize("abi", [5, 6])
def test_the_process_cannot_get_out(abi: int, ordinary_user: Any) -> None:
    """With a Landlock that keeps signals in, and with one that does not, where each is judged."""
    if syscalls.landlock_abi() < abi:
        pytest.skip("this kernel's Landlock is older")
    home: Path = ordinary_user.home
    (home / "inside").mkdir()
    (home / "canary").write_text("safe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(home / "sock"))
    server.listen()
    for path in home.iterdir():
        os.chown(path, ordinary_user.uid, ordinary_user.gid)
        path.chmod(0o700)
    victim: subprocess.Popen[Any] = ordinary_user.popen(["setsid", "sleep", "100"])
    try:
        argv = [ordinary_user.python, "-c", _PROGRAM, str(home), str(victim.pid), str(abi)]
        before = (home / "canary").stat()
        done = ordinary_user.run(argv)
        assert done.returncode == 0, done.stderr
        tried = json.loads(done.stdout)
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
    named = [(number, name) for number, _, name in (*ABOUT_PROCESSES, *WITH_MODES)]
    for number, name in [*DENIED.items(), *SIGNALLING.items(), *named]:
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
def test_a_kernel_that_hands_over_memory_sends_to_no_other_socket(hands_over: bool, kind: int, result: str) -> None:
    """Seen in a child, which the filter stays on."""
    results = ["sent", "no pair", "not sent"]
    child = os.fork()
    if not child:
        outcome = "no pair"
        with contextlib.suppress(PermissionError):
            kernel_process.system_calls(hands_over=hands_over)
            near, _ = socket.socketpair(type=kind)
            outcome = "not sent"
            near.sendmsg([b"x"])
            outcome = "sent"
        os._exit(results.index(outcome))
    _, status = os.waitpid(child, 0)
    assert results[os.waitstatus_to_exitcode(status)] == result
