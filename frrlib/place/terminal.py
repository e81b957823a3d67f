"""An interactive terminal in a lab of namespaces: `terminal.py PID COMMAND...`, started by the process that has
the screen.

The lab gets a terminal of its own, made in the lab, and never a descriptor of the user's: a program in the
lab could type into that. Bytes and window sizes are carried between the two. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from frrlib.place import enter


def main() -> int:
    """Run the command in the lab's namespaces on a terminal of the lab; return its exit status."""
    lab = os.pidfd_open(int(sys.argv[1]))
    ours, theirs = socket.socketpair()
    helper = os.fork()
    if helper == 0:
        _guard(lab, ours, theirs, sys.argv[2:])
    theirs.close()
    _, handles, _, _ = socket.recv_fds(ours, 16, 1)
    if not handles:
        os.waitpid(helper, 0)
        print("terminal: the lab has ended or refused", file=sys.stderr)
        return 1
    with _raw_screen():
        _carry(handles[0])
    os.close(handles[0])
    return os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])


def _guard(lab: int, ours: socket.socket, theirs: socket.socket, argv: list[str]) -> NoReturn:
    status = 1
    try:
        ours.close()
        status = _inside(lab, theirs, argv)
    except OSError as error:
        print(f"terminal: {error}", file=sys.stderr)
    os._exit(status)


def _inside(lab: int, outside: socket.socket, argv: list[str]) -> int:
    """Enter the lab, make a terminal there, pass its master out, run the command on it."""
    enter.join(lab)
    master, slave = os.openpty()
    socket.send_fds(outside, [b"terminal"], [master])
    os.close(master)
    outside.close()
    child = os.fork()
    if child == 0:
        os.login_tty(slave) if hasattr(os, "login_tty") else _login(slave)
        enter.become(argv, os.environ.get("TERM", "dumb"))
    os.close(slave)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _login(slave: int) -> None:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(slave, number)


@contextlib.contextmanager
def _raw_screen() -> Iterator[None]:
    """Let every key through to the lab while it lasts."""
    if not os.isatty(0):
        yield
        return
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)  # what was typed ahead is kept
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _carry(master: int) -> None:
    """Carry bytes and window sizes until the lab's side closes."""
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGWINCH, lambda *_: None)
    _copy_size(master)
    sources = [0, master, wake]
    while True:
        ready = select.select(sources, [], [])[0]
        if wake in ready:
            os.read(wake, 512)
            _copy_size(master)
        if master in ready:
            try:
                data = os.read(master, 65536)
            except OSError:  # the last program on the terminal has ended
                return
            if not data:
                return
            _write_all(1, data)
        if 0 in ready:
            data = os.read(0, 4096)
            if data:
                _write_all(master, data)
            else:
                sources.remove(0)
                os.write(master, b"\x04")


def _copy_size(master: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


if __name__ == "__main__":
    sys.exit(main())
