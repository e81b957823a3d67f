"""The wire to the agent of a running lab: commands go in, answers come to who waits for them, events to a listener."""

from __future__ import annotations

import os
import select
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
from frrlib.place.base import Habitat

#: How long an agent may take to read on, in seconds.
SEND_TIMEOUT_S = 30.0
#: How often a waiting caller checks whether it was interrupted.
_LOOK_S = 0.2


class AgentConnection:
    """The wire of one lab. All methods may be called from any thread.

    Args:
        tell: called with every event, in the one thread that reads.
        end_text: says of a lab's habitat how it has ended, for people.
    """

    def __init__(self, tell: Callable[[wire.Message], None], end_text: Callable[[Habitat], str]) -> None:
        self._tell, self._end_text = tell, end_text
        self._answers = PendingReplies()
        self._writing = threading.Lock()
        self._reader: threading.Thread | None = None
        #: Where somebody asked for the end: whether it must not even wait for the lab's own orderly one.
        self._interrupted: bool | None = None

    def open(self, habitat: Habitat, timeout_s: float) -> wire.Ready:
        """Begin to read the messages of a habitat.

        Returns:
            what the agent says first; LabFailed where that takes longer than `timeout_s`.
        """
        self._reader = threading.Thread(target=self._read, args=(habitat,), name="lab-wire", daemon=True)
        self._reader.start()
        try:
            return self._answers.ready.result(timeout_s)
        except FutureTimeout:
            raise LabFailed(f"the agent did not reply within {timeout_s:g} s") from None

    @property
    def is_open(self) -> bool:
        """Whether the agent has said that it is there."""
        ready = self._answers.ready
        return ready.done() and not ready.exception()

    def ask(self, habitat: Habitat, command: wire.TypedCommand[wire.Reply], timeout_s: float | None) -> wire.Reply:
        """Send a command and wait for its answer, for ever where `timeout_s` is None.

        Raises:
            LabFailed: the lab did not do it, it did not answer in time or not as agreed, or it has ended.
            CommandFailed: a command in the lab failed.
            Interrupted: `interrupt` was called, before or meanwhile.
        """
        stopping = isinstance(command, wire.Stop)
        self.refuse_interrupted(stopping=stopping)
        number, answer = self._answers.expect()
        try:
            self.refuse_interrupted(stopping=stopping)  # who interrupts from here on finds this answer
            self._send(habitat, wire.Request(number, cast(wire.Command, command)), stopping=stopping)
            return wire.parse_reply(command, answer.result(timeout_s))
        except msgspec.ValidationError as error:
            raise LabFailed(f"the agent's reply to {type(command).__name__} is malformed: {error}") from None
        except FutureTimeout:
            name = type(command).__name__
            raise LabFailed(f"the lab did not finish {name} within {timeout_s:g} s") from None
        finally:
            self._answers.forget(number)

    def wait(self) -> None:
        """Do nothing until the lab has ended (LabFailed) or is interrupted (Interrupted)."""
        number, never = self._answers.expect()
        try:
            self.refuse_interrupted()
            never.result()
        finally:
            self._answers.forget(number)

    def give_up(self, why: str) -> None:
        """Have all who wait for an answer, and who ask later, get LabFailed. Returns at once."""
        self._answers.end(why)

    def interrupt(self, *, hard: bool) -> None:
        """Have all who wait for an answer, and who ask later, get Interrupted; an orderly end only where it is `hard`.

        Returns at once.
        """
        self._interrupted = hard or bool(self._interrupted)
        self._answers.fail(Interrupted("the lab was told to end"))

    def refuse_interrupted(self, *, stopping: bool = False) -> None:
        """Raise Interrupted where `interrupt` was called; if the lab is `stopping`, only where it was a hard one."""
        if self._interrupted or (self._interrupted is not None and not stopping):
            raise Interrupted("the lab was told to end")

    def join(self, timeout_s: float) -> None:
        """Wait until all that the lab has told was read, after its end."""
        if self._reader is not None:
            self._reader.join(timeout=timeout_s)

    # --- how ----------------------------------------------------------------------------------------------------------

    def _send(self, habitat: Habitat, request: wire.Request, *, stopping: bool) -> None:
        """Write a request. The agent reads all the time; one that does not is no agent any more."""
        left = memoryview(wire.encode(request))
        try:
            with self._writing, socket.socket(fileno=os.dup(habitat.wire[1].fileno())) as line:
                stop_at = time.monotonic() + SEND_TIMEOUT_S
                while left:
                    self.refuse_interrupted(stopping=stopping)
                    select.select([], [line], [], _LOOK_S)
                    with suppress(BlockingIOError):
                        left = left[line.send(left, socket.MSG_DONTWAIT) :]
                        stop_at = time.monotonic() + SEND_TIMEOUT_S
                    if time.monotonic() > stop_at:
                        raise LabFailed(f"the agent has not read its input for {SEND_TIMEOUT_S:g} s")
        except (OSError, ValueError):  # the other end is gone, or this one was closed meanwhile
            raise LabFailed(self._end_text(habitat)) from None

    def _read(self, habitat: Habitat) -> None:
        """The reader thread: answers to their futures, events to the listener, until the wire ends.

        A listener that fails (a full disk) ends the reading, and so the lab for all who wait for it.
        """
        why = ""
        try:
            for line in wire.lines(habitat.wire[0]):
                try:
                    message = wire.decode_message(line)
                except msgspec.MsgspecError:
                    continue  # what a kernel prints on its line while it boots or dies
                self._take(message)
        except _ListenerFailed as error:
            why = f"what the lab told could not be kept: {error.__cause__}"
        except wire.InvalidMessage as error:
            why = f"the lab is not what it was any more: {error}"
            habitat.cut()
        except (OSError, ValueError):
            pass  # the wire is broken, or was closed
        self._answers.end(why or self._end_text(habitat))

    def _take(self, message: wire.Message) -> None:
        if isinstance(message, wire.Ready | wire.Done | wire.Failed):
            self._answers.take(message)
        else:
            try:
                self._tell(message)
            except Exception as error:
                raise _ListenerFailed from error


class _ListenerFailed(Exception):
    """A listener of a lab raised the exception that is this one's cause."""
