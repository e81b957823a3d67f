"""An interactive terminal in a lab of namespaces: `terminal.py HELPER PID NODE COMMAND...`, on a terminal of the user.

The lab gets a terminal of its own, made in the lab, and never a descriptor of the user's: a program in the lab could
type into it. This program copies bytes and window sizes between the two. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from frrlib.place.enter.enter import LabEntry
from frrlib.safe_text.plain import plain
from frrlib.system.ready import ready

#: Exit status after Ctrl-C, like that of a shell.
_INTERRUPTED = 130


def main() -> int:
    """Run the command in the lab's namespaces on a terminal of the lab; return its exit status."""
    helper_path, lab, node, *argv = sys.argv[1:]
    try:
        entry = LabEntry(helper_path, int(lab), node, argv)
    except ProcessLookupError:
        sys.exit("the lab has ended")
    ours, theirs = socket.socketpair()
    problem, errors = os.pipe()
    helper = os.fork()
    if helper == 0:
        _enter(entry, theirs, errors)
    entry.close()
    theirs.close()
    os.close(errors)
    try:
        _, handles, _, _ = socket.recv_fds(ours, 16, 1)
    except KeyboardInterrupt:
        return _INTERRUPTED
    if not handles:
        status = os.waitpid(helper, 0)[1]
        print(plain(os.read(problem, 4096).decode(errors="replace").strip()), file=sys.stderr)
        return os.waitstatus_to_exitcode(status) or 1
    with _raw_screen():
        _carry(handles[0])
    os.close(handles[0])
    status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
    return status if status >= 0 else 128 - status


def _enter(entry: LabEntry, terminal: socket.socket, errors: int) -> NoReturn:
    """Replace the forked process by the command, or print the error. It leaves the user's terminal before it enters."""
    try:
        nothing = os.open("/dev/null", os.O_RDWR)
        entry.execute((nothing, errors, errors), terminal.fileno())
    except OSError as error:
        os.write(errors, f"the lab cannot be entered: {error.strerror}".encode())
    finally:
        os._exit(1)


@contextlib.contextmanager
def _raw_screen() -> Iterator[None]:
    """Pass every key to the lab within the block."""
    if not os.isatty(0):
        yield
        return
    attributes = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)  # keys that were typed ahead are kept
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, attributes)


def _carry(master: int) -> None:
    """Copy bytes and window sizes until the lab's side closes."""
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGWINCH, lambda *_: None)
    _copy_size(master)
    sources = [0, master, wake]
    while True:
        readable = ready(sources)[0]
        if wake in readable:
            os.read(wake, 512)
            _copy_size(master)
        if master in readable:
            try:
                data = os.read(master, 65536)
            except OSError:  # the last program on the terminal has ended
                return
            if not data:
                return
            _write_all(1, data)
        if 0 in readable:
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
