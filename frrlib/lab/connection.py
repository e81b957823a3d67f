"""The connection to the agent of a running lab: it sends commands, and returns replies to callers and events."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from typing import cast

import msgspec

from frrlib import wire
from frrlib.errors import Interrupted, LabFailed
from frrlib.lab.replies import PendingReplies
from frrlib.place.base import Sandbox
from frrlib.system.ready import ready

#: Time limit for the agent to read on, in seconds.
SEND_TIMEOUT_S = 30.0
#: How often a waiting caller checks whether it was interrupted.
_LOOK_S = 0.2


class AgentConnection:
    """The connection of one lab. All methods may be called from any thread.

    Args:
        tell: called with every event, in the reader thread.
        end_text: describes how a lab's sandbox has ended, for people.
    """

    def __init__(self, tell: Callable[[wire.Message], None], end_text: Callable[[Sandbox], str]) -> None:
        self._tell, self._end_text = tell, end_text
        self._pending = PendingReplies()
        self._writing = threading.Lock()
        self._reader: threading.Thread | None = None
        #: None before an interrupt; then whether it also ends the lab's orderly end.
        self._interrupted: bool | None = None

    def open(self, sandbox: Sandbox, timeout_s: float) -> wire.Ready:
        """Begin to read the messages of a sandbox. Returns the agent's first message.

        Raises:
            LabFailed: it does not come within `timeout_s`.
        """
        self._reader = threading.Thread(target=self._read, args=(sandbox,), name="lab-wire", daemon=True)
        self._reader.start()
        try:
            return self._pending.ready.result(timeout_s)
        except FutureTimeout:
            raise LabFailed(f"the agent did not reply within {timeout_s:g} s") from None

    @property
    def is_open(self) -> bool:
        """Whether the agent has reported that it is ready."""
        ready = self._pending.ready
        return ready.done() and not ready.exception()

    def ask(self, sandbox: Sandbox, command: wire.TypedCommand[wire.Reply], timeout_s: float | None) -> wire.Reply:
        """Send a command and wait for its reply; None as `timeout_s` sets no limit.

        Raises:
            LabFailed: the lab could not do it, its reply is late or malformed, or the lab has ended.
            CommandFailed: a command in the lab failed.
            Interrupted: `interrupt` was called, before or meanwhile.
        """
        stopping = isinstance(command, wire.Stop)
        self.refuse_interrupted(stopping=stopping)
        number, answer = self._pending.expect()
        try:
            self.refuse_interrupted(stopping=stopping)  # an interrupt from here on ends this request
            self._send(sandbox, wire.Request(number, cast(wire.Command, command)), stopping=stopping)
            return wire.parse_reply(command, answer.result(timeout_s))
        except msgspec.ValidationError as error:
            raise LabFailed(f"the agent's reply to {type(command).__name__} is malformed: {error}") from None
        except FutureTimeout:
            name = type(command).__name__
            raise LabFailed(f"the lab did not finish {name} within {timeout_s:g} s") from None
        finally:
            self._pending.forget(number)

    def wait(self) -> None:
        """Wait until the lab has ended (LabFailed) or is interrupted (Interrupted)."""
        number, never_answered = self._pending.expect()
        try:
            self.refuse_interrupted()
            never_answered.result()
        finally:
            self._pending.forget(number)

    def give_up(self, reason: str) -> None:
        """Have all present and later requests fail with LabFailed. Returns at once."""
        self._pending.end(reason)

    def interrupt(self, *, hard: bool) -> None:
        """Have all present and later requests fail with Interrupted; those of an orderly end only if it is `hard`.

        Returns at once.
        """
        self._interrupted = hard or bool(self._interrupted)
        self._pending.fail(Interrupted("the lab was interrupted"))

    def refuse_interrupted(self, *, stopping: bool = False) -> None:
        """Raise Interrupted if `interrupt` was called; if the lab is `stopping`, only after a hard one."""
        if self._interrupted or (self._interrupted is not None and not stopping):
            raise Interrupted("the lab was interrupted")

    def join(self, timeout_s: float) -> None:
        """Wait until all messages of the lab were read, after its end."""
        if self._reader is not None:
            self._reader.join(timeout=timeout_s)

    # --- internals ----------------------------------------------------------------------------------------------------

    def _send(self, sandbox: Sandbox, request: wire.Request, *, stopping: bool) -> None:
        """Write a request. An agent reads all the time; after a pause of `SEND_TIMEOUT_S` it is considered broken."""
        unsent = memoryview(wire.encode(request))
        try:
            with self._writing, socket.socket(fileno=os.dup(sandbox.wire[1].fileno())) as line:
                stop_at = time.monotonic() + SEND_TIMEOUT_S
                while unsent:
                    self.refuse_interrupted(stopping=stopping)
                    ready([], [line], _LOOK_S)
                    with suppress(BlockingIOError):
                        unsent = unsent[line.send(unsent, socket.MSG_DONTWAIT) :]
                        stop_at = time.monotonic() + SEND_TIMEOUT_S
                    if time.monotonic() > stop_at:
                        raise LabFailed(f"the agent has not read its input for {SEND_TIMEOUT_S:g} s")
        except (OSError, ValueError):  # the other end or this one was closed meanwhile
            raise LabFailed(self._end_text(sandbox)) from None

    def _read(self, sandbox: Sandbox) -> None:
        """The reader thread: it hands replies to their futures and events to the listener, until the connection ends.

        If a listener fails (a full disk), reading ends, and all requests fail.
        """
        reason = ""
        try:
            for line in wire.lines(sandbox.wire[0]):
                try:
                    message = wire.decode_message(line)
                except msgspec.MsgspecError:
                    continue  # output of a kernel on its terminal line while it boots or crashes
                self._take(message)
        except _ListenerFailed as error:
            reason = f"the lab's messages could not be stored: {error.__cause__}"
        except wire.InvalidMessage as error:
            reason = f"the lab's agent sends malformed messages: {error}"
            sandbox.cut()
        except (OSError, ValueError):
            pass  # the connection is broken, or was closed
        self._pending.end(reason or self._end_text(sandbox))

    def _take(self, message: wire.Message) -> None:
        if isinstance(message, wire.Ready | wire.Done | wire.Failed):
            self._pending.take(message)
        else:
            try:
                self._tell(message)
            except Exception as error:
                raise _ListenerFailed from error


class _ListenerFailed(Exception):
    """A listener of a lab raised the exception that is this one's cause."""
