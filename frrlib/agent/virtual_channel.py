"""The agent's end of the wire in virtual time: no time passes in the lab while no request is open."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

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
        self._processor = BusyProcesses()
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


class BusyProcesses:
    """Finds processes that compute in virtual time.

    Args:
        proc: the folder of the proc file system.
        now_s: reads the lab's clock.
    """

    def __init__(self, proc: str = "/proc", now_s: Callable[[], float] = time.monotonic) -> None:
        self._proc, self._now_s = proc, now_s
        self._busy_s, self._seen_s = 0.0, now_s()
        self._spent: dict[int, float] = {}

    def busiest(self) -> str:
        """The process that took most of the processor since the last call; empty if all together took little.

        The count of all processes in /proc/stat only suggests it: a tick of the clock counts for the process that the
        tick wakes up, however short it runs. The processes' own counts are exact.
        """
        busy_s, now_s = _spent_s(f"{self._proc}/stat", slice(1, 4), "cpu "), self._now_s()
        passed_s = max(now_s - self._seen_s, BEAT_S)
        share = (busy_s - self._busy_s) / passed_s
        self._busy_s, self._seen_s = busy_s, now_s
        if share < BUSY_SHARE:
            self._spent = {}
            return ""
        previous, self._spent = (
            self._spent,
            {int(name): self._process_s(name) for name in os.listdir(self._proc) if name.isdigit()},
        )
        # On the first suspicion, a time since the start of its process is the best estimate.
        used_s = {pid: spent_s - previous.get(pid, 0.0) for pid, spent_s in self._spent.items()}
        if sum(used_s.values()) < BUSY_SHARE * passed_s:
            return ""
        worst = max(used_s, key=lambda pid: used_s[pid])
        return f"{self._command(worst) or 'a thread of the kernel'} (process {worst})"

    def _process_s(self, pid: str) -> float:
        try:
            return _spent_s(f"{self._proc}/{pid}/stat", slice(11, 13))
        except OSError:  # it has ended
            return 0.0

    def _command(self, pid: int) -> str:
        with open(f"{self._proc}/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return " ".join(file.read().split("\0"))[:120].strip()


def _spent_s(path: str, fields: slice, begin: str = "") -> float:
    """Seconds of processor time: the sum of some fields of a file in /proc, counted behind the command's name if it
    has one."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.readline()
    words = text.split() if begin else text.rpartition(")")[2].split()
    return sum(map(int, words[fields])) / os.sysconf("SC_CLK_TCK")
