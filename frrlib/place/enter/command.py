"""A command in a lab of namespaces with this program's streams: `command.py HELPER PID NODE COMMAND...`.

The lab gets pipes, and this program copies bytes between them and its streams. The lab never gets a descriptor of the
user's: a program in it could reopen the file and write there, or type into the terminal. The command ends with this
program, however that ends, and receives the same signals. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from frrlib.place.enter.enter import LabEntry
from frrlib.system import signals
from frrlib.system.ready import ready

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: Bytes that a pipe holds.
_PIPE = 65536


def main() -> NoReturn:
    """Run the command, and exit with its exit status or its signal."""
    signals.begin()
    _have_streams()
    helper_path, lab, node, *argv = sys.argv[1:]
    try:
        entry = LabEntry(helper_path, int(lab), node, argv)
    except ProcessLookupError:
        sys.exit("the lab has ended")
    stdin, stdout, stderr = (os.pipe() for _ in range(3))
    helper = os.fork()
    if helper == 0:
        _enter(entry, (stdin[0], stdout[1], stderr[1]))
    entry.close()
    for handle in (stdout[1], stderr[1]):
        os.close(handle)
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: _tell(os.kill, helper, number))
    signal.signal(
        signal.SIGTTIN, signal.SIG_IGN
    )  # in a shell's background, reading a terminal fails then, as at the end of input
    _Carrier(stdin, {stdout[0]: 1, stderr[0]: 2}).carry_until_end(os.pidfd_open(helper))
    _end_like(os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1]))


def _have_streams() -> None:
    """Open the standard streams that the caller has closed: a pipe must not get one of their numbers."""
    for standard in (0, 1, 2):
        try:
            os.fstat(standard)
        except OSError:
            os.open("/dev/null", os.O_RDWR)


def _tell(kill: Callable[[int, int], None], process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        kill(process, number)


def _end_like(status: int) -> NoReturn:
    """Exit with a status. A negative one is a signal."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _enter(entry: LabEntry, streams: tuple[int, int, int]) -> NoReturn:
    """Replace the forked process by the command, or print the error."""
    try:
        entry.execute(streams)
    except OSError as error:
        os.write(streams[2], f"the lab cannot be entered: {error.strerror}\n".encode())
    finally:
        os._exit(1)


class _Carrier:
    """Copies bytes from standard input to one pipe, and from other pipes to standard output and error.

    Args:
        stdin: both ends of the first pipe. The end that the command reads serves to count unread bytes.
        outputs: descriptors of pipes to those that they are copied to.
    """

    def __init__(self, stdin: tuple[int, int], outputs: dict[int, int]) -> None:
        self._unread, self._in = stdin
        self._waiting = b""
        self._outputs = outputs
        os.set_blocking(self._in, False)

    def carry_until_end(self, helper: int) -> None:
        """Copy until the process of the pidfd has ended, then the output that is still in the pipes."""
        while True:
            reads_input = self._in >= 0 and not self._waiting
            reading = [*self._outputs, helper, *([0] if reads_input else [])]
            readable, writable = ready(reading, [self._in] if self._waiting else [])
            for handle in [handle for handle in self._outputs if handle in readable]:
                self._take(handle)
            if writable:
                self._give()
            if 0 in readable:
                self._ask()
            if helper in readable:
                break
        for handle in list(self._outputs):
            os.set_blocking(handle, False)
            self._take(handle)  # the whole content of a pipe
        self._give_back()

    def _take(self, handle: int) -> None:
        """Copy output of the command. If its reader is gone, close the pipe, so that the next write fails."""
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
        except OSError:  # a terminal with another program in the foreground
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
        """Seek a file on standard input back by the unread bytes, for its next reader."""
        unread = struct.unpack("i", fcntl.ioctl(self._unread, termios.FIONREAD, bytes(4)))[0]
        with contextlib.suppress(OSError):  # not a file
            os.lseek(0, -len(self._waiting) - unread, os.SEEK_CUR)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(handle, data) :]
        except BlockingIOError:
            ready([], [handle])


if __name__ == "__main__":
    main()
