"""A process that enters a lab of namespaces keeps nothing: no terminal, no file, no key, no environment."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.confinement import syscall_filter

DRIVER = Path(__file__).parent / "drivers/place.py"
#: Its user's keyring gets a key, of which the test's program in the lab knows the number.
_WITH_A_KEY = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
key = libc.syscall(number, b"user", b"canary", b"secret", 6, ctypes.c_int(-4))
open(sys.argv[1] + "/key", "w").write(str(key))
os.execv(sys.executable, [sys.executable, sys.argv[2], sys.argv[3], "go in", sys.argv[1]])
"""


def _check(outcome: dict[str, Any]) -> None:
    assert outcome["first"] == "2", "the lab's first process has no filter"
    for entry in ("command", "terminal"):
        looked = outcome[entry]
        has_terminal = entry == "terminal"
        assert looked["terminals"] == ([0, 1, 2] if has_terminal else [])
        assert looked["kinds"] == [not has_terminal] * 3
        assert looked["more"] == []
        assert looked["tty"] == ("done" if has_terminal else "ENXIO")
        assert "SECRET" not in looked["environment"]
        assert (looked["key"], looked["keys"]) == ("ENOSYS", "ENOSYS")
        assert (looked["plain"], looked["usual"], looked["groups"]) == ("done", "done", "done")
        assert [looked[name] for name in ("made", "creat", "mode", "group")] == ["EPERM"] * 4
        assert (looked["openat2"], looked["io_uring"]) == ("ENOSYS", "ENOSYS")
        assert [looked[name] for name in ("list", "capability", "attribute")] == ["ENOTSUP"] * 3
        assert looked["families"] == ["done"] * 3 + ["EAFNOSUPPORT"] * 2
    assert outcome["file"] == [0, "one\ntwo\nthree\n", ["0o644", "0o644"], ["one", "two", "three"], True]
    assert outcome["line by line"] == "one\ntwo\nthree\n"
    assert outcome["signals"] == [2, 15, 1]
    assert outcome["killed"] == "gone"
    assert outcome["no reader"] == [3]
    assert "more than 64 MiB of output" in outcome["flood"]
    assert outcome["left"] == ["plain"]


@pytest.mark.lab
def test_an_entering_process_of_an_ordinary_user_keeps_nothing(ordinary_user: Any) -> None:
    argv = [ordinary_user.python, "-c", _WITH_A_KEY, str(ordinary_user.home), str(DRIVER), "namespace"]
    done = ordinary_user.run(argv, timeout=120)
    assert done.returncode == 0, done.stderr
    _check(json.loads(done.stdout))


@pytest.mark.lab
@pytest.mark.root
@pytest.mark.parametrize("place", ["namespace", "root"])
def test_an_entering_process_of_root_keeps_nothing(tmp_path: Path, place: str) -> None:
    argv = [sys.executable, "-c", _WITH_A_KEY, str(tmp_path), str(DRIVER), place]
    environment = {**os.environ, "PYTHONPATH": str(DRIVER.parents[3])}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    _check(json.loads(done.stdout))


#: Starts a lab and runs a command in it on both ways, under strace.
_TRACED = """
import subprocess, sys
from pathlib import Path
import pexpect
from tests.place.drivers import place
folder = Path(sys.argv[1])
(folder / "files").mkdir()
with place.start("namespace", folder / "files") as lab:
    calls = "trace=open,openat,openat2,readlink,stat,execve,execveat,setns,prctl,seccomp"
    for name, argv in (("pipes", lab.pipe_argv(["true"])), ("terminal", lab.terminal_argv(["true"]))):
        spawned = pexpect.spawn("strace", ["-f", "-o", str(folder / name), "-e", calls, *argv], timeout=60)
        spawned.expect(pexpect.EOF)
        spawned.close()
        print(name, spawned.exitstatus, spawned.before)
"""


def _calls(trace: str) -> list[list[str]]:
    """The process and the text of each system call that `strace -f` printed, in the order of their ends.

    A call during which another process makes one is printed in two lines: "open(... <unfinished ...>" at its beginning
    and "<... open resumed>...) = 3" at its end.
    """
    calls, begun = [], {}
    for line in trace.splitlines():
        process, call = line.split(None, 1)
        if call.startswith(("---", "+++")):  # a signal, or the end of a process
            continue
        if call.endswith(" <unfinished ...>"):
            begun[process] = call.removesuffix(" <unfinished ...>")
        elif resumed := re.match(r"<\.\.\. \w+ resumed>", call):
            calls.append([process, begun.pop(process) + call[resumed.end() :]])
        else:
            calls.append([process, call])
    return calls


@pytest.mark.lab
def test_the_filter_is_on_before_a_file_of_the_lab_is_opened(ordinary_user: Any) -> None:
    """In the kernel's view, the process that joins the lab's mount namespace has the filter and reads nothing there."""
    done = ordinary_user.run(
        [ordinary_user.python, "-c", _TRACED, str(ordinary_user.home)],
        env={"PYTHONPATH": str(DRIVER.parents[3])}, timeout=120,
    )  # fmt: skip
    if "Operation not permitted" in done.stdout or shutil.which("strace") is None:
        pytest.skip("no process may be traced here")
    assert done.returncode == 0, done.stdout + done.stderr
    for name, opened in (("pipes", 0), ("terminal", 1)):  # the lab's /dev/ptmx, after the filter is on
        calls = _calls((ordinary_user.home / name).read_text(encoding="utf-8"))
        joined = [at for at, (_, call) in enumerate(calls) if "CLONE_NEWNS" in call or "CLONE_NEWUSER|CLONE" in call]
        filtered = [at for at, (_, call) in enumerate(calls) if "SECCOMP" in call and call.endswith("= 0")]
        assert len(joined) == 1 and len(filtered) == 1, (name, done.stdout)
        assert filtered[0] < joined[0], name
        process = calls[joined[0]][0]
        entered = [call for number, call in calls[joined[0] + 1 :] if number == process]
        assert [call.partition("(")[0] for call in entered[: opened + 1]] == ["openat"] * opened + ["execve"], name
        helpers = {number for number, call in calls[: joined[0]] if call.startswith('execve("') and "/enter-" in call}
        waiting = [call for number, call in calls[joined[0] + 1 :] if number in helpers and "open" in call]
        assert len(helpers) == 1 and waiting == [], name


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_one_that_the_kernel_takes(machine: str) -> None:
    for closed in (True, False):
        program = syscall_filter.filter_program(machine, groups_closed=closed)
        jumps = [program[at : at + 8] for at in range(0, len(program), 8)]
        assert len(jumps) < 4096  # BPF_MAXINSNS
        for place, op in enumerate(jumps):
            assert max(op[2], op[3]) + place < len(jumps), "a jump past the end"
