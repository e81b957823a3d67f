"""Enters a lab by every path, as a user with a terminal, files and keys; part of `place.py`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pexpect

from frrlib.errors import CommandFailed
from tests.waiting import comes

if TYPE_CHECKING:
    from frrlib.place.sandbox import SupervisedSandbox

#: A program in the lab that tries its terminals, files and system calls, and prints one JSON value.
_LOOK = r"""
import ctypes, errno, fcntl, json, os, socket, stat, struct, sys, termios
libc = ctypes.CDLL(None, use_errno=True)

def tried(work):
    try:
        work()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

def call(number, *words):
    return "done" if libc.syscall(number, *words) >= 0 else errno.errorcode[ctypes.get_errno()]

def type_into(path):
    with open(path, "rb") as terminal:
        fcntl.ioctl(terminal, termios.TIOCSTI, b"#")

def made(path, mode):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, mode))

# everybody may do everything with what is made in the folder; all capabilities, as of the namespace's root
ACL = struct.pack("<I" + 3 * "HHI", 2, 1, 7, 0xFFFFFFFF, 4, 7, 0xFFFFFFFF, 32, 7, 0xFFFFFFFF)
CAPABILITY = struct.pack("<IIIII", 0x02000001, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0)
keyctl = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
said = {
    "terminals": [number for number in range(3) if os.isatty(number)],
    "kinds": [stat.S_IFMT(os.fstat(number).st_mode) == stat.S_IFIFO for number in range(3)],
    "more": sorted(set(os.listdir("/proc/self/fd")) - {"0", "1", "2", "3"}),
    "tty": tried(lambda: open("/dev/tty").close()),
    "typed": tried(lambda: type_into("/dev/tty")),
    "key": call(keyctl, 11, ctypes.c_int(KEY), None, 0, 0),
    "keys": call(keyctl, 0, ctypes.c_int(-4), 1),
    "environment": sorted(os.environ),
    "plain": tried(lambda: made("/run/lab/files/plain", 0o755)),
    "made": tried(lambda: made("/run/lab/files/suid1", 0o4755)),
    "creat": call(85, b"/run/lab/files/suid2", 0o2755) if os.uname().machine == "x86_64" else "EPERM",
    "mode": tried(lambda: os.chmod("/run/lab/files/plain", 0o4755)),
    "group": tried(lambda: os.chmod("/run/lab/files/plain", 0o2755)),
    "usual": tried(lambda: os.chmod("/run/lab/files/plain", 0o1777)),
    "openat2": call(437, -100, b"/", 0, 0),
    "io_uring": call(425, 1, 0),
    "groups": tried(lambda: os.setgroups([])),
    "list": tried(lambda: os.setxattr("/run/lab/files", "system.posix_acl_default", ACL)),
    "capability": tried(lambda: os.setxattr("/run/lab/files/plain", "security.capability", CAPABILITY)),
    "attribute": tried(lambda: os.removexattr("/run/lab/files", "user.any")),
    "families": [tried(lambda: socket.socket(family, socket.SOCK_DGRAM).close()) for family in (1, 2, 10, 40, 42)],
}
print("SAID" + json.dumps(said))
"""


def go_in(lab: SupervisedSandbox, folder: Path) -> dict[str, Any]:
    """Enter by a command on a terminal, by one with the user's files, and by a terminal of the lab's own."""
    code = _LOOK.replace("KEY", (folder / "key").read_text())
    (folder / "input").write_text("one\ntwo\nthree\n")
    outcome: dict[str, Any] = {"first": lab.command(["grep", "^Seccomp:", "/proc/1/status"]).stdout.decode().split()[1]}
    argv = lab.pipe_argv(["python3", "-c", code])
    outcome["command"] = _on_a_terminal(argv)
    outcome["terminal"] = _on_a_terminal(lab.terminal_argv(["python3", "-c", code]))
    outcome["file"] = _with_files(lab, folder)
    outcome["line by line"] = _line_by_line(lab, folder)
    outcome["signals"] = [_ended_by(lab, number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    outcome["killed"] = _killed(lab)
    outcome["no reader"] = _without_reader(lab)
    outcome["flood"] = _refused(lambda: lab.command(["yes"]))
    return outcome


def _refused(work: Callable[[], object]) -> str:
    """The message of the failure."""
    try:
        work()
    except CommandFailed as error:
        return str(error)
    return ""


def _on_a_terminal(argv: list[str]) -> Any:
    """The program's report, if the program has a terminal that belongs to another session."""
    child = pexpect.spawn(argv[0], argv[1:], timeout=30, encoding="utf-8", env={**os.environ, "SECRET": "token"})
    child.setecho(False)
    child.expect(r"SAID(\{.*?\})\r?\n")
    report = json.loads(child.match.group(1))  # type: ignore[union-attr]
    child.expect(pexpect.EOF)
    child.close()
    return report


def _with_files(lab: SupervisedSandbox, folder: Path) -> list[Any]:
    """The user's files after they were the streams of a command, the first of them opened only for reading."""
    script = "cat; for n in 0 1 2; do echo EVIL >/proc/self/fd/$n; chmod 4755 /proc/self/fd/$n; done; echo end"
    with (folder / "input").open() as input_file, (folder / "output").open("w") as output_file:
        done = subprocess.run(
            lab.pipe_argv(["sh", "-c", script]), stdin=input_file, stdout=output_file, stderr=output_file, timeout=30
        )
    modes = [oct((folder / name).stat().st_mode & 0o7777) for name in ("input", "output")]
    text = (folder / "output").read_text()
    # another program writes its errors in pieces, and the last word may be within them
    return [done.returncode, (folder / "input").read_text(), modes, text.splitlines()[:3], "end\n" in text]


def _line_by_line(lab: SupervisedSandbox, folder: Path) -> str:
    """A command that reads nothing leaves the input to the next one."""
    script = 'while read -r word; do "$@" </dev/stdin; echo "$word"; done < "$INPUT"'
    argv = ["sh", "-c", script, "sh", *lab.pipe_argv(["true"])]
    done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "INPUT": str(folder / "input")})
    return done.stdout


def _ended_by(lab: SupervisedSandbox, number: int) -> int:
    argv = lab.pipe_argv(["sh", "-c", "echo begun; exec sleep 1000"])
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stdout.readline() == b"begun\n"
    process.send_signal(number)
    return -process.wait(20)


def _killed(lab: SupervisedSandbox) -> str:
    """Whether the command goes on when what started it is killed."""
    argv = lab.pipe_argv(["sh", "-c", "echo $$; exec sleep 1000"])
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert process.stdout is not None
    pid = process.stdout.readline().decode().strip()
    process.kill()
    process.wait()
    # whoever is the first process out here may leave it a zombie
    runs = ["grep", "-q", "^State:[[:space:]]*[^ZX[:space:]]", f"/proc/{pid}/status"]
    is_gone = comes(lambda: lab.command(runs).status)
    return "gone" if is_gone else "goes on"


def _without_reader(lab: SupervisedSandbox) -> list[int]:
    """A command whose words nobody wants ends by that."""
    command = [*lab.pipe_argv(["sh", "-c", "yes; exit 3"])]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    assert first.stdout is not None
    first.stdout.read(10)
    first.stdout.close()
    return [first.wait(20)]


if __name__ == "__main__":
    sys.exit("a part of place.py")
