"""The agent's end of the wire in virtual time: no time passes in the lab while no request is open."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

from frrlib.agent.channel import Channel
from frrlib.virtual_time.gate import InnerGate
from frrlib.wire.events import ClockEvent
from frrlib.wire.messages import Done, Failed, Message, encode

#: The interval in which the clock is reported and new requests are read while another request is open; in seconds of
#: virtual time.
BEAT_S = 0.5
#: Computing takes no virtual time, so even a small share is a program that polls the clock in a loop.
BUSY_SHARE = 0.5


def in_virtual_time() -> bool:
    """Whether this lab is in virtual time."""
    return os.environ.get("LAB_WIRE", "").startswith("gate:")


class GatedChannel:
    """A `Channel` for a wire that is a folder (`frrlib.virtual_time.gate`).

    Args:
        folder: its path in the lab.
    """

    def __init__(self, folder: str) -> None:
        self._gate = InnerGate(folder)
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        #: The number of requests without a reply.
        self._open = 0
        self._over = False
        self._processor = _Processor()
        # Without passing time the scheduler never takes the processor from a task by itself. A kernel task that waits
        # in a loop for another one, as at the end of processes, would wait forever if that one was interrupted. Tasks
        # of this class, which all processes in the lab inherit, never interrupt each other.
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

    def send(self, *messages: Message) -> None:
        """Send messages, one after the other. A reply is preceded by the present time."""
        for message in messages:
            if not isinstance(message, Done | Failed):
                self.send_line(encode(message))
            else:
                self.send_line(encode(_clock()) + encode(message))
                with self._changed:
                    self._open -= 1
                    self._changed.notify_all()

    def send_line(self, line: bytes) -> None:
        """Send an encoded message, its newline included."""
        with self._writing:
            self._gate.write(line)

    def lines(self) -> Iterator[bytes]:
        """The arriving lines, without newlines, until `end` is called.

        While no request is open, the lab stands still until one arrives; while one is, the clock is reported.
        """
        while not self._over:
            if self._is_idle():
                self.send(_clock(stands=True))
                data = self._gate.wait()
            else:
                self.send(_clock(busy=self._processor.busiest()))
                data = self._gate.wait() if self._gate.is_handed_in() else b""
            for line in data.splitlines():
                with self._changed:
                    self._open += 1
                yield line

    def end(self) -> None:
        """End `lines`, from any thread."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _is_idle(self) -> bool:
        """Whether all requests are answered, now or within a beat."""
        with self._changed:
            return self._changed.wait_for(lambda: self._over or not self._open, BEAT_S) and not self._over


def report_clock(channel: Channel | GatedChannel) -> None:
    """Report the clock, in virtual time: a sign of life while much must be done before time passes."""
    if isinstance(channel, GatedChannel):
        channel.send(_clock())


def _clock(*, stands: bool = False, busy: str = "") -> ClockEvent:
    return ClockEvent(round(time.monotonic(), 6), stands, busy)


AnyChannel = Channel | GatedChannel


class _Processor:
    """Finds processes that compute in virtual time."""

    def __init__(self) -> None:
        self._busy_s, self._seen_s = 0.0, time.monotonic()
        self._spent: dict[int, float] = {}

    def busiest(self) -> str:
        """The processes that took most of the processor since the last call; empty if none took much."""
        busy_s, now_s = _spent_s("/proc/stat", slice(1, 4), "cpu "), time.monotonic()
        share = (busy_s - self._busy_s) / max(now_s - self._seen_s, BEAT_S)
        self._busy_s, self._seen_s = busy_s, now_s
        if share < BUSY_SHARE:
            self._spent = {}
            return ""
        previous, self._spent = (
            self._spent,
            {int(name): _process_s(name) for name in os.listdir("/proc") if name.isdigit()},
        )
        worst = max(self._spent, key=lambda pid: self._spent[pid] - previous.get(pid, 0.0))
        return f"{_command(worst) or 'a thread of the kernel'} (process {worst})"


def _process_s(pid: str) -> float:
    try:
        return _spent_s(f"/proc/{pid}/stat", slice(11, 13))
    except OSError:  # it has ended
        return 0.0


def _spent_s(path: str, fields: slice, begin: str = "") -> float:
    """Seconds of processor time: the sum of some fields of a file in /proc, counted behind the command's name if it
    has one."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.readline()
    words = text.split() if begin else text.rpartition(")")[2].split()
    return sum(map(int, words[fields])) / os.sysconf("SC_CLK_TCK")


def _command(pid: int) -> str:
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
        return " ".join(file.read().split("\0"))[:120].strip()
