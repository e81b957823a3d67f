"""Signals of a lab kernel, judged outside of it, on kernels whose Landlock does not confine them (before Linux 6.12).

Code in the lab kernel's own process, such as a module that the lab's root loads, has the rights of the process's user.
It could kill any program of that user. So the kernel asks the supervisor before it sends a signal to another process
(seccomp_unotify(2)). Processes of the lab get the signal, all others do not. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import socket
import struct

from frrlib.place.confinement import kernel_process

#: The message that carries the handle of the filter.
HANDLE = b"signals"

_RECV, _SEND = 0xC0502100, 0xC0182101
_QUESTION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_GO_ON = 1


def submit_signals(judge: socket.socket) -> None:
    """Have the signals of this process, and of all that it starts, judged by the process at the socket's other end.

    A kernel without such filters (before Linux 5.5) does not confine them; `walls` reports that.
    """
    with contextlib.suppress(OSError):
        handle = kernel_process.ask_about_signals()
        socket.send_fds(judge, [HANDLE], [handle])
        os.close(handle)


class SignalJudge:
    """Judges the signals that the lab sends. All processes below this one belong to the lab.

    Args:
        handle: the handle of the filter, by which the kernel asks.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def waits_for(self) -> tuple[list[int], list[int]]:
        """The descriptors to wait for: until one can be read, and until one can be written."""
        return [self._handle], []

    def serve(self, readable: list[int], _writable: list[int]) -> None:
        """Answer one question of the kernel, if one has arrived."""
        if self._handle not in readable:
            return
        question = bytearray(_QUESTION.size)
        try:
            fcntl.ioctl(self._handle, _RECV, question)
        except OSError:  # the asking process has ended
            return
        number, caller, _, call, _, _, target, second, *_ = _QUESTION.unpack(question)
        try:
            goes_on = _judge(caller, call, _signed(target), _signed(second))
            answer = _ANSWER.pack(number, 0, 0, _GO_ON if goes_on else 0)
        except OSError as error:
            answer = _ANSWER.pack(number, 0, -(error.errno or errno.EPERM), 0)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._handle, _SEND, answer)


def _judge(caller: int, call: int, target: int, second: int) -> bool:
    """Whether the kernel may continue the call. False if the signal has been sent here.

    The kernel continues if the target is certain: the caller itself, which waits meanwhile, or its own process group,
    which is in the lab's session. Any other process could end between the judgment and the signal, and its number
    could belong to another one then. So this function opens a pidfd, judges that process, and sends the signal by the
    pidfd.

    Raises:
        OSError: the signal is forbidden, or cannot be sent.
    """
    if call == kernel_process.TKILL:
        itself = target == caller
    else:
        itself = target == _process_of(caller) or (call == kernel_process.KILL and target == 0)
    if itself:
        return True
    if call != kernel_process.KILL or target < 0:
        raise PermissionError(errno.EPERM, "a signal to others")
    handle = os.pidfd_open(target)
    try:
        if not _is_below(target):
            raise PermissionError(errno.EPERM, "a signal to a process outside of the lab")
        signal.pidfd_send_signal(handle, second)
    finally:
        os.close(handle)
    return False


def _signed(argument: int) -> int:
    """The content of a register as a signed int."""
    return int(struct.unpack("=i", struct.pack("=I", argument & 0xFFFFFFFF))[0])


def _process_of(thread: int) -> int:
    return _status(thread, "Tgid")


def _is_below(process: int) -> bool:
    """Whether a process is a descendant of this one."""
    while process > 1:
        process = _status(process, "PPid")
        if process == os.getpid():
            return True
    return False


def _status(process: int, name: str) -> int:
    """A number in the status file of a process. 0 once it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status", "rb") as file:
        for line in file:
            if line.startswith(name.encode() + b":"):
                return int(line.split()[1])
    return 0
