"""A session with all of its events."""

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

    def until(self, is_match: Callable[[Event], bool]) -> Event:
        """Poll until an event matches, and return the first match, which may be an earlier event."""
        checked = 0

        def first_match() -> Event | None:
            nonlocal checked
            self.events += self.session.poll()
            new, checked = self.events[checked:], len(self.events)
            return next((event for event in new if is_match(event)), None)

        return wait_for(first_match, lambda: "an event; there were:\n" + "\n".join(map(str, self.events)))

    def until_state(self, state: LabState) -> StateChange:
        """Poll until the session has reported this state."""
        event = self.until(lambda event: isinstance(event, StateChange) and event.state is state)
        assert isinstance(event, StateChange)
        return event

    def until_end(self) -> StateChange:
        """Poll until the lab has ended in any way."""
        ends = (LabState.IDLE, LabState.FAILED)
        event = self.until(lambda event: isinstance(event, StateChange) and event.state in ends)
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
