"""A lab for a window. The lab runs in a thread of its own, and its events are put into a queue.

No call here waits for the lab, so a window that calls `poll` regularly never blocks, whatever the lab does. A request
returns a `PendingRequest`, and its result is the event `LabReply`.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from frrlib.errors import LabError, LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.labels import error_words
from miniedit_frr.session import requests
from miniedit_frr.session.event_queue import WaitingEvents
from miniedit_frr.session.events import (
    VIRTUAL_TIME_REFUSAL,
    Event,
    LabOrder,
    LabReply,
    LabState,
    LinkState,
    LogLine,
    NodeState,
    PairRoundTrip,
    StateChange,
)
from miniedit_frr.session.pending import PendingRequest, PendingRequests, Result, ignore
from miniedit_frr.session.run import LabRun, exception_text, nodes_named_in


class Session:
    """At most one lab at a time. All methods may be called from any thread and return at once, but for `close`.

    Attributes:
        pending: the requests that wait for their reply.

    Args:
        make_lab: makes the lab, with the arguments of `Lab`.
        report, wake: as for `PendingRequests`.
    """

    def __init__(
        self,
        make_lab: Callable[..., Lab] = Lab,
        report: Callable[[str], object] = ignore,
        wake: Callable[[], object] = ignore,
    ) -> None:
        self._make_lab = make_lab
        self._events = WaitingEvents()
        self.pending = PendingRequests(report, wake)
        self._lock = threading.RLock()
        self._state = LabState.IDLE
        self._run: LabRun | None = None
        self._closed = False

    @property
    def state(self) -> LabState:
        """The state of the lab now, which may be ahead of the events that were polled."""
        return self._state

    def poll(self, most: int = 500) -> list[Event]:
        """The events since the last call, in order; no more than a window can show at once."""
        return self._events.take(most)

    # --- beginning and end --------------------------------------------------------------------------------------------

    def start(self, order: LabOrder) -> None:
        """Begin to start a lab.

        Raises:
            LabFailed: a lab is running, the session is closed, or the order has flows and no folder.
        """
        if order.flows and order.out is None:
            raise LabFailed("a run with flows needs a folder for its results")
        with self._lock:
            if self._closed or self._run is not None:
                raise LabFailed("the session is closed" if self._closed else "a lab is running; stop it first")
            self._run = LabRun(order, self._make_lab, self._queue_event, self._set_running, self._finish)
            self._set_state(LabState.STARTING)
            for node in order.topology.nodes:
                self._events.put(NodeState(node.name, "starting"))
            for link in order.topology.links:
                self._events.put(LinkState(link.id, "starting"))
            self._run.thread.start()

    def stop(self) -> None:
        """Stop the lab with its stop commands. A lab that is not up yet is ended at once, and so is one at the second
        call."""
        self._end(hard=self._state is not LabState.RUNNING)

    def cancel(self) -> None:
        """End the lab at once."""
        self._end(hard=True)

    def leave(self) -> PendingRequest[None]:
        """Detach the lab, which continues without a session; the state is IDLE then."""
        return self.ask(self._leave)

    def _leave(self, lab: Lab) -> None:
        with self._lock:
            run = self._run if self._run is not None and self._run.lab is lab else None
        if run is not None:
            run.leave()

    def close(self, patience_s: float = 10.0) -> None:
        """End the lab at once, accept no other, and wait up to `patience_s` until nothing of the lab is left."""
        with self._lock:
            self._closed = True
            run = self._run
            self._end(hard=True)
        if run is not None:
            run.thread.join(patience_s)

    def _end(self, *, hard: bool) -> None:
        with self._lock:
            run = self._run
            if run is None:
                return
            if run.end(hard=hard):
                if self._state is not LabState.STOPPING:
                    self._set_state(LabState.STOPPING)
            else:  # it still looks for a place, has nothing to end, and gives up once it has found one
                self._run = None
                self._set_state(LabState.IDLE)

    # --- requests to a running lab ------------------------------------------------------------------------------------

    def ask(self, question: Callable[[Lab], Result]) -> PendingRequest[Result]:
        """Call `question` with the lab, in a thread of its own; its result arrives as a `LabReply`.

        A lab in virtual time accepts no requests: the reply to each of them is an error.
        """
        request = PendingRequest[Result](self.pending)
        self._send(request, question)
        return request

    def ping_matrix(self, names: Sequence[str] = ()) -> PendingRequest[dict[tuple[str, str], float | None]]:
        """Ping between all hosts, or the named nodes. A `PairRoundTrip` for every pair; the result maps (source,
        destination) to ms or None."""
        request = PendingRequest[dict[tuple[str, str], float | None]](self.pending)
        self._send(request, partial(self._matrix, request, tuple(names)))
        return request

    def set_link(self, link: str, *, up: bool) -> PendingRequest[None]:
        """Give a link carrier or take it away. A `LinkState` is sent when it is done."""
        return self.ask(partial(self._set_link, link, up))

    def _send(self, request: PendingRequest[Result], question: Callable[[Lab], Result]) -> None:
        with self._lock:
            run = self._run if self._state is LabState.RUNNING else None
        lab = run.lab if run is not None else None
        if run is None or lab is None or run.order.virtual_time:
            error = VIRTUAL_TIME_REFUSAL if run is not None and run.order.virtual_time else "no lab is running"
            self._events.put(LabReply(request, error=error))
            return
        # One thread per request, so that a slow one delays no other.
        threading.Thread(target=self._reply, args=(request, lab, question), name="question", daemon=True).start()

    def _reply(self, request: PendingRequest[Result], lab: Lab, question: Callable[[Lab], Result]) -> None:
        try:
            reply = LabReply(request, question(lab))
        except KeyboardInterrupt:
            reply = LabReply(request, error="the lab was stopped in the meantime")
        except LabError as error:
            reply = LabReply(request, error=error_words(error, lab.topology))
        except KeyError as error:
            reply = LabReply(request, error=f"there is no node {error.args[0] if error.args else ''}")
        except Exception as error:  # the caller always gets exactly one reply
            self._events.put(LogLine(traceback.format_exc()))
            reply = LabReply(request, error=exception_text(error))
        self._events.put(reply)

    def _matrix(
        self, request: PendingRequest[Any], names: tuple[str, ...], lab: Lab
    ) -> dict[tuple[str, str], float | None]:
        nodes = names or tuple(host.name for host in lab.topology.hosts)
        done = count(1)
        total = len(nodes) * (len(nodes) - 1)

        def report(source: str, destination: str, rtt_ms: float | None) -> None:
            if request.is_dropped:
                raise LabFailed("the request was canceled")
            self._events.put(PairRoundTrip(request, source, destination, rtt_ms, next(done), total))

        return requests.ping_matrix(lab, nodes, report)

    def _set_link(self, link: str, up: bool, lab: Lab) -> None:
        lab.set_link(link, up=up)
        self._events.put(LinkState(link, "up" if up else "down"))

    # --- events of the run --------------------------------------------------------------------------------------------

    def _set_state(self, state: LabState, reason: str = "") -> None:
        self._state = state
        self._events.put(StateChange(state, reason))

    def _queue_event(self, run: LabRun, event: Event) -> None:
        """Queue an event of a run. A lab that sends faster than the window polls waits until there is space."""
        self._events.wait_for_room(lambda: self._closed or run.ended or self._run is not run)
        with self._lock:
            if self._run is run:
                self._events.put(event)

    def _set_running(self, run: LabRun) -> None:
        with self._lock:
            if self._run is run and self._state is LabState.STARTING:
                self._set_state(LabState.RUNNING)

    def _finish(self, run: LabRun, reason: str) -> None:
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            for node in nodes_named_in(reason, run.order.topology):
                self._events.put(NodeState(node, "failed", reason))
            self._set_state(LabState.FAILED if reason else LabState.IDLE, reason)
