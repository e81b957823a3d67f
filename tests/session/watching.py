"""A session whose events are watched, and the lab that it starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from miniedit_frr.session.events import Event, LabReply, LabState, StateChange
from miniedit_frr.session.pending import PendingRequest
from miniedit_frr.session.session import Session
from tests.waiting import wait_for


class Watch:
    """A session and all events that were polled of it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events: list[Event] = []

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """Poll until such an event came (or had come) and return the first."""
        seen = 0

        def found() -> Event | None:
            nonlocal seen
            self.events += self.session.poll()
            new, seen = self.events[seen:], len(self.events)
            return next((event for event in new if wanted(event)), None)

        return wait_for(found, lambda: "an event; there were:\n" + "\n".join(map(str, self.events)))

    def until_state(self, state: LabState) -> StateChange:
        """Poll until the session has told of this state."""
        event = self.until(lambda each: isinstance(each, StateChange) and each.state is state)
        assert isinstance(event, StateChange)
        return event

    def until_end(self) -> StateChange:
        """Poll until the lab has ended, in whatever way."""
        ends = (LabState.IDLE, LabState.FAILED)
        event = self.until(lambda each: isinstance(each, StateChange) and each.state in ends)
        assert isinstance(event, StateChange)
        return event

    def reply(self, request: PendingRequest[Any]) -> LabReply:
        """Poll until the request has its reply."""
        event = self.until(lambda event: isinstance(event, LabReply) and event.request is request)
        assert isinstance(event, LabReply)
        return event

    def result(self, request: PendingRequest[Any]) -> Any:
        """The result of a request that must succeed."""
        reply = self.reply(request)
        assert reply.error == ""
        return reply.result

    def states(self) -> list[LabState]:
        """All states, in order."""
        self.events += self.session.poll()
        return [event.state for event in self.events if isinstance(event, StateChange)]
