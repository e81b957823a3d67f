"""Programs that read a stranger's text outside of a lab: hostile ones fail, and none outlives its call.

The hostile program is Python itself in the place of vtysh; an ordinary user starts it, since root needs less protection
from itself than that user from a stranger.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.checker import checkers
from tests.conftest import OrdinaryUser

pytestmark = pytest.mark.skipif(not checkers.can_confine(), reason="this kernel has no filters of system calls")

_ATTEMPTS = """
import os, signal, socket, sys
home = sys.argv[1]
done = {}
def attempt(name, act):
    try:
        act()
        done[name] = "done"
    except (OSError, ValueError):
        done[name] = "refused"
attempt("write", lambda: open(home + "/canary", "a"))
attempt("write in place", lambda: open(home + "/canary", "r+"))
attempt("create", lambda: open(home + "/new", "x"))
attempt("empty by opening", lambda: os.open(home + "/canary", os.O_RDONLY | os.O_TRUNC))
attempt("unnamed file", lambda: os.open(home, os.O_RDWR | os.O_TMPFILE))
attempt("truncate", lambda: os.truncate(home + "/canary", 0))
attempt("mkdir", lambda: os.mkdir(home + "/folder"))
attempt("link", lambda: os.link(home + "/canary", home + "/hard"))
attempt("symlink", lambda: os.symlink("canary", home + "/soft"))
attempt("mkfifo", lambda: os.mkfifo(home + "/pipe"))
attempt("chmod", lambda: os.chmod(home + "/canary", 0o777))
attempt("utime", lambda: os.utime(home + "/canary", (1, 1)))
attempt("xattr", lambda: os.setxattr(home + "/canary", "user.evil", b"1"))
for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK", "AF_PACKET"):
    attempt(family, lambda: socket.socket(getattr(socket, family), socket.SOCK_DGRAM))
attempt("socketpair", socket.socketpair)
attempt("fork", lambda: os.fork() or os._exit(0))
attempt("spawn", lambda: os.posix_spawn("/usr/bin/true", ["true"], {}))
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("signal to the group", lambda: os.kill(0, signal.SIGURG))
attempt("more processor time", lambda: __import__("resource").setrlimit(0, (9, 9)))
"""
_READING = """
attempt("read a home", lambda: open(home + "/canary"))
attempt("read /etc/passwd", lambda: open("/etc/passwd"))
attempt("list a home", lambda: os.listdir(home))
"""
_END = """
attempt("rename", lambda: os.rename(home + "/canary", home + "/moved"))
attempt("remove", lambda: os.remove(home + "/canary"))
import json; print(json.dumps(done))
"""
#: Needs rights, a kernel's option or a file system's that not every machine has.
_NOT_EVERYWHERE = {"AF_PACKET", "AF_VSOCK", "xattr", "unnamed file", "more processor time", "remove"}
_CALLS = "from frrlib.place.checker import checkers; print(checkers.output_of({argv!r}, b'', 60), end='')"
_CONFINED = """
import sys
from frrlib.place.checker import checker
from frrlib.place.confinement import syscalls
syscalls.landlock_abi = lambda: int(sys.argv[2])
checker.confine_this(sys.executable, 60, 1 << 30, 1 << 20)
"""


@pytest.fixture
def canary(ordinary_user: OrdinaryUser) -> Path:
    path = ordinary_user.home / "canary"
    path.write_text("untouched")
    os.chown(path, ordinary_user.uid, ordinary_user.gid)
    return path


def _state(folder: Path) -> list[tuple[Any, ...]]:
    files = [path for path in folder.iterdir() if path.is_file()]
    return [(path.name, path.read_text(), path.stat().st_mode, path.stat().st_mtime_ns) for path in files]


def test_a_hostile_program_can_do_nothing(ordinary_user: OrdinaryUser, canary: Path) -> None:
    before = _state(canary.parent)
    argv = ["/usr/bin/python3", "-I", "-S", "-c", _ATTEMPTS + _READING + _END, str(canary.parent)]
    done = ordinary_user.run([ordinary_user.python, "-c", _CALLS.format(argv=argv)])
    outcomes = json.loads(done.stdout)
    assert set(outcomes.values()) == {"refused"}, outcomes
    assert _state(canary.parent) == before
    program = f"import subprocess; subprocess.run({argv!r})"
    freely = json.loads(ordinary_user.run([ordinary_user.python, "-c", program]).stdout)
    assert {name for name, outcome in freely.items() if outcome == "refused"} <= _NOT_EVERYWHERE
    assert freely.keys() == outcomes.keys()


@pytest.mark.parametrize("abi", [0, 1, 3])
def test_it_is_confined_on_kernels_with_less_or_no_landlock(
    ordinary_user: OrdinaryUser, canary: Path, abi: int
) -> None:
    before = _state(canary.parent)
    program = _CONFINED + _ATTEMPTS + (_READING if abi else "") + _END
    done = ordinary_user.run([ordinary_user.python, "-c", program, str(canary.parent), str(abi)])
    assert set(json.loads(done.stdout).values()) == {"refused"}, done
    assert _state(canary.parent) == before


def test_its_environment_and_open_files_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    read, write = os.pipe()
    os.set_inheritable(write, True)
    program = f"import os; print('SECRET' in os.environ, os.getcwd(), input()); os.fstat({write})"
    outcome = checkers.output_of(["/usr/bin/python3", "-I", "-S", "-c", program], b"text\n", 60)
    os.close(read)
    os.close(write)
    assert outcome.startswith("False / text\n")
    assert "Bad file descriptor" in outcome


def test_time_memory_and_output_have_bounds() -> None:
    python = ["/usr/bin/python3", "-I", "-S", "-c"]
    with pytest.raises(subprocess.TimeoutExpired):
        checkers.output_of(["/usr/bin/sleep", "1000"], b"", 0.2)
    printed = checkers.output_of(["/usr/bin/yes"], b"1234", 60)
    assert printed.count("y\n") == ((1 << 20) + 4 * 4) / 2
    assert "MemoryError" in checkers.output_of([*python, "bytearray(1 << 30)"], b"", 60)


def test_it_ends_with_its_parent() -> None:
    program = textwrap.dedent("""
        from frrlib.place.checker import checkers
        checkers.output_of(["/bin/sh", "-c", "echo; exec /usr/bin/sleep 1000"], b"", 1000)
    """)
    with subprocess.Popen([sys.executable, "-c", program]) as caller:
        child = 0
        while not child:
            assert caller.poll() is None
            for word in Path(f"/proc/{caller.pid}/task/{caller.pid}/children").read_text().split():
                child = int(word) if Path(f"/proc/{word}/comm").read_text() == "sleep\n" else 0
        handle = os.pidfd_open(child)
        caller.kill()
    assert select.select([handle], [], [], 60)[0]
    os.close(handle)


def test_a_program_that_is_missing_is_an_error() -> None:
    with pytest.raises(OSError, match="No such file"):
        checkers.output_of(["/usr/bin/no-such-program"], b"", 60)
