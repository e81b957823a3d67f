"""The processes of a running lab: its sandbox, the agent in it, and the connection to the agent."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.lab.connection import AgentConnection
from frrlib.lab.virtual_clock import LONGEST_S, VirtualClock
from frrlib.place.base import Sandbox

#: How long the agent may take until it reports that it is ready.
START_TIMEOUT_S = 60.0


class LabProcess:
    """The sandbox of a lab with its agent. All methods may be called from any thread.

    Args:
        tell: called with every event of the agent, in one thread of the connection.
        end_text: describes how a sandbox has ended, for people.
        virtual_time: whether the lab runs in virtual time.
        unlimited_flows: as in `VirtualClock`.

    Attributes:
        sandbox: None before the start and after the end.
        connection: to the agent.
        virtual: the watch over virtual time; None in real time.
    """

    def __init__(
        self,
        tell: Callable[[wire.Message], None],
        end_text: Callable[[Sandbox], str],
        *,
        virtual_time: bool,
        unlimited_flows: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.sandbox: Sandbox | None = None
        self.connection = AgentConnection(tell, end_text)
        self.virtual = VirtualClock(self._give_up, unlimited_flows) if virtual_time else None
        #: The lab's clock minus this program's; 0 until the lab has one.
        self._clock_ahead_s = 0.0
        self._interrupting = threading.Lock()
        #: A descriptor that ends the start of a place; -1 while none is starting.
        self._abandon = -1
        self._cut: Callable[[], None] | None = None

    def start(self, start_sandbox: Callable[[int], Sandbox]) -> wire.Ready:
        """Start the sandbox and wait until its agent is ready.

        Args:
            start_sandbox: starts it; the argument is a descriptor that ends the start when it becomes readable.

        Raises:
            LabFailed: the agent does not get ready, or it is not this program's.
            Interrupted: `interrupt` was called, before or meanwhile.
        """
        with self._abandonable() as abandon:
            self.sandbox = start_sandbox(abandon)
            self._cut = self.sandbox.cut
        if self.virtual:
            self.virtual.start(self.sandbox.pid)
        ready = self.connection.open(self.sandbox, START_TIMEOUT_S)
        if ready.version != wire.WIRE_VERSION:
            raise LabFailed(
                f"the agent uses protocol version {ready.version}, but this program uses {wire.WIRE_VERSION}"
            )
        lab_s = ready.facts.get("monotonic", time.monotonic())
        if not isinstance(lab_s, int | float) or abs(lab_s) > LONGEST_S:
            raise LabFailed("the agent does not report its clock")
        self._clock_ahead_s = lab_s - time.monotonic()
        if self.virtual:
            self.virtual.take(wire.ClockEvent(lab_s))
        return ready

    def running(self) -> Sandbox:
        """The sandbox. Raises LabFailed if there is none."""
        if self.sandbox is None:
            raise LabFailed("the lab is not running")
        return self.sandbox

    def request(self, sandbox: Sandbox, command: wire.TypedCommand[wire.Reply], timeout_s: float) -> wire.Reply:
        """Send a command and wait for its reply. In virtual time the limit is not a time, but the lab's progress.

        Raises as `AgentConnection.ask`.
        """
        if self.virtual is None:
            return self.connection.ask(sandbox, command, timeout_s)
        with self.virtual.asking():
            return self.connection.ask(sandbox, command, None)

    def now_s(self) -> float:
        """The lab's clock now, in seconds; this program's own before there is a lab."""
        return self.virtual.now_s if self.virtual else time.monotonic() + self._clock_ahead_s

    def interrupt(self, *, hard: bool) -> None:
        """Have all callers that wait get Interrupted, see `Lab.interrupt`. Returns at once."""
        with self._interrupting:
            self.connection.interrupt(hard=hard)
            if self._abandon >= 0:
                os.eventfd_write(self._abandon, 1)
        if hard:
            self.cut()

    def cut(self) -> None:
        """End the sandbox at once, if it has started."""
        if self._cut is not None:
            self._cut()

    def stop(self, sandbox: Sandbox, timeout_s: float) -> None:
        """End a sandbox from outside, and wait until all that it has sent was read."""
        if self.virtual:
            self.virtual.end()
        sandbox.stop()
        self.connection.join(timeout_s)

    def _give_up(self, reason: str) -> None:
        """End a lab that makes no more progress."""
        self.connection.give_up(reason)
        self.cut()

    @contextmanager
    def _abandonable(self) -> Iterator[int]:
        """A descriptor by which `interrupt` ends the start of a place. Raises Interrupted, before it or after."""
        with self._interrupting:
            self.connection.refuse_interrupted()
            self._abandon = os.eventfd(0)
        try:
            yield self._abandon
        finally:
            with self._interrupting:
                os.close(self._abandon)
                self._abandon = -1
        self.connection.refuse_interrupted()
