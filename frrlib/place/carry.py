"""A command in a lab of namespaces with this program's streams: `carry.py PID COMMAND...`.

The lab gets pipes, and bytes are carried between them and the streams. A descriptor of the user's itself never goes in:
a program in the lab could open its file anew and write there, or type into its terminal. The command ends with this
program, however that ends, and hears the signals that this hears. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import select
import signal
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from frrlib import signals
from frrlib.place import enter
from frrlib.place import syscalls as sys_

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: Bytes that a pipe holds.
_PIPE = 65536


def main() -> NoReturn:
    """Run the command and end as it ends, by its exit status or its signal."""
    signals.begin()
    _have_streams()
    try:
        lab = os.pidfd_open(int(sys.argv[1]))
    except ProcessLookupError:
        sys.exit("the lab has ended")
    stdin, stdout, stderr = (os.pipe() for _ in range(3))
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        _help(me, lab, (stdin[0], stdout[1], stderr[1]), sys.argv[2:])
    for handle in (lab, stdout[1], stderr[1]):
        os.close(handle)
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: _tell(os.kill, helper, number))
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)  # in a shell's background, where nobody types, input is at its end
    _Carrier(stdin, {stdout[0]: 1, stderr[0]: 2}).carry_until_end(os.pidfd_open(helper))
    _end_like(os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1]))


def _have_streams() -> None:
    """Open what the caller has closed: a pipe must not get one of these numbers."""
    for standard in (0, 1, 2):
        try:
            os.fstat(standard)
        except OSError:
            os.open("/dev/null", os.O_RDWR)


def _tell(kill: Callable[[int, int], None], process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        kill(process, number)


def _end_like(status: int) -> NoReturn:
    """End with an exit status; a negative one is a signal."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


# --- in the lab -------------------------------------------------------------------------------------------------------


def _help(parent: int, lab: int, streams: tuple[int, int, int], argv: list[str]) -> NoReturn:
    """Leave all that is the user's, go in, and wait there for the end of the command."""
    try:
        os.setsid()
        for standard, handle in enumerate(streams):
            os.dup2(handle, standard)
        os.dup2(lab, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        enter.join(3)
        _die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        child = _start(argv)
    except OSError as error:
        os.write(2, f"the lab has ended or refused: {error.strerror}\n".encode())
        os._exit(1)
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: _tell(os.killpg, child, number))
    for standard in (0, 1, 2):  # the other ends must see when the command has closed its own
        os.close(standard)
    _end_like(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _start(argv: list[str]) -> int:
    child = os.fork()
    if child == 0:
        os.setsid()
        _die_with_parent()
        enter.become(argv, os.environ.get("TERM", "dumb"))
    return child


def _die_with_parent() -> None:
    sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGKILL)


# --- outside ----------------------------------------------------------------------------------------------------------


class _Carrier:
    """Carries bytes from standard input to one pipe, and from others to standard output and error.

    Args:
        stdin: both ends of the first pipe; that which the command reads, too, to see what it has not read.
        outputs: for an end of a pipe, where that goes.
    """

    def __init__(self, stdin: tuple[int, int], outputs: dict[int, int]) -> None:
        self._unread, self._in = stdin
        self._waiting = b""
        self._outputs = outputs
        os.set_blocking(self._in, False)

    def carry_until_end(self, helper: int) -> None:
        """Carry until the process of the pidfd has ended, then what has been said until then."""
        while True:
            asks = self._in >= 0 and not self._waiting
            reading = [*self._outputs, helper, *([0] if asks else [])]
            ready, room, _ = select.select(reading, [self._in] if self._waiting else [], [])
            for handle in [handle for handle in self._outputs if handle in ready]:
                self._take(handle)
            if room:
                self._give()
            if 0 in ready:
                self._ask()
            if helper in ready:
                break
        for handle in list(self._outputs):
            os.set_blocking(handle, False)
            self._take(handle)  # all that a pipe holds
        self._give_back()

    def _take(self, handle: int) -> None:
        """Pass on what the command says; where nobody wants that, its next word finds a closed pipe."""
        try:
            if data := os.read(handle, _PIPE):
                _write_all(self._outputs[handle], data)
                return
        except OSError:
            pass
        del self._outputs[handle]
        os.close(handle)

    def _ask(self) -> None:
        """Read standard input."""
        try:
            self._waiting = os.read(0, _PIPE)
        except BlockingIOError:
            return
        except OSError:  # a terminal on which another program is in front
            self._waiting = b""
        if self._waiting:
            self._give()
        else:
            os.close(self._in)
            self._in = -1

    def _give(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._waiting = self._waiting[os.write(self._in, self._waiting) :]

    def _give_back(self) -> None:
        """Leave the command's unread input in a file, for its next reader."""
        unread = struct.unpack("i", fcntl.ioctl(self._unread, termios.FIONREAD, bytes(4)))[0]
        with contextlib.suppress(OSError):  # it is no file
            os.lseek(0, -len(self._waiting) - unread, os.SEEK_CUR)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(handle, data) :]
        except BlockingIOError:
            select.select([], [handle], [])


if __name__ == "__main__":
    main()
