"""Signals of a lab kernel, judged outside of it, on kernels whose Landlock does not keep them in (before Linux 6.12).

Code in the lab kernel's own process, such as a module of the lab's root, has the rights of the user whose process it
is, and could end whatever that user runs. So the kernel asks here before a signal is sent to another process
(seccomp_unotify(2)): those that belong to the lab get it, all others do not. Standard library only.
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

#: The message that goes with the asking process's handle.
HANDLE = b"signals"

_RECV, _SEND = 0xC0502100, 0xC0182101
_QUESTION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_GO_ON = 1


def submit_signals(keeper: socket.socket) -> None:
    """Have the signals of this process, and of all that it starts, judged by the process at the socket's other end.

    A kernel that knows nothing of this (before Linux 5.5) leaves them free; `walls` says so.
    """
    with contextlib.suppress(OSError):
        handle = kernel_process.ask_about_signals()
        socket.send_fds(keeper, [HANDLE], [handle])
        os.close(handle)


class SignalJudge:
    """Judges the signals that the lab below this process sends.

    Args:
        handle: by which the kernel asks; what is below this process is the lab, nothing else.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def waits_for(self) -> tuple[list[int], list[int]]:
        """The descriptors to wait for: until one can be read, and until one can be written."""
        return [self._handle], []

    def serve(self, readable: list[int], _writable: list[int]) -> None:
        """Answer one question, if there is one."""
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
    """Whether the kernel may go on with the call, or it has been done here.

    It goes on where nobody else can be meant: with the caller itself, which waits meanwhile, and its own group, which
    is of the lab's session. For any other process, which could end between the judgement and the signal, that which is
    judged is held by a handle, and sent its signal by that.

    Raises:
        OSError: it may not be sent, or cannot.
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
    """The int that a register holds."""
    return int(struct.unpack("=i", struct.pack("=I", argument & 0xFFFFFFFF))[0])


def _process_of(thread: int) -> int:
    return _status(thread, "Tgid")


def _is_below(process: int) -> bool:
    """Whether this process started it, or one that did."""
    while process > 1:
        process = _status(process, "PPid")
        if process == os.getpid():
            return True
    return False


def _status(process: int, name: str) -> int:
    """A number that the kernel says of a process; 0 once it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status", "rb") as file:
        for line in file:
            if line.startswith(name.encode() + b":"):
                return int(line.split()[1])
    return 0
