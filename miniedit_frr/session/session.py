"""A lab for a window: it runs in a thread of its own, and its events come from a queue.

No call here waits for the lab, so a window that calls `poll` regularly never blocks, whatever the lab does. The answer
to a question is an `Answer` event with the number that the question returned.
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
from frrlib.lab.path import Family, LabPath
from frrlib.model.faults import Fault
from frrlib.model.labels import error_words
from miniedit_frr.session import requests
from miniedit_frr.session.event_queue import WaitingEvents
from miniedit_frr.session.events import (
    NOBODY_ENTERS,
    Answer,
    Event,
    LinkState,
    Log,
    NodeState,
    Order,
    PairPinged,
    State,
    StateChanged,
)
from miniedit_frr.session.run import Run, named, words


class Session:
    """At most one lab at a time. All methods may be called from any thread and return at once, but for `close`.

    Args:
        make_lab: what makes the lab, with the arguments of `Lab`.
    """

    def __init__(self, make_lab: Callable[..., Lab] = Lab) -> None:
        self._make_lab = make_lab
        self._events = WaitingEvents()
        self._numbers = count(1)
        self._dropped: set[int] = set()
        self._lock = threading.RLock()
        self._state = State.IDLE
        self._run: Run | None = None
        self._closed = False

    @property
    def state(self) -> State:
        """The state of the lab now, which may be ahead of the events that were polled."""
        return self._state

    def poll(self, most: int = 500) -> list[Event]:
        """The events since the last call, in order; at most so many that a window can show them at once."""
        return self._events.take(most)

    # --- beginning and end --------------------------------------------------------------------------------------------

    def start(self, order: Order) -> None:
        """Begin to start a lab.

        Raises:
            LabFailed: one is running, or the session is closed; or flows are asked for and no folder is named.
        """
        if order.flows and order.out is None:
            raise LabFailed("a run with flows needs a folder for its results")
        with self._lock:
            if self._closed or self._run is not None:
                raise LabFailed("the session is closed" if self._closed else "a lab is running; stop it first")
            self._run = Run(order, self._make_lab, self._tell, self._reach, self._over)
            self._change(State.STARTING)
            for node in order.topology.nodes:
                self._events.put(NodeState(node.name, "starting"))
            for link in order.topology.links:
                self._events.put(LinkState(link.id, "starting"))
            self._run.thread.start()

    def stop(self) -> None:
        """End the lab in order, with its stop commands; a lab that is not up yet, or is asked again, at once."""
        self._end(hard=self._state is not State.RUNNING)

    def cancel(self) -> None:
        """End the lab at once, whatever it is doing."""
        self._end(hard=True)

    def leave(self) -> int:
        """Let the lab go on by itself, with no session; the state is IDLE then. Answer: None."""
        return self.ask(self._leave)

    def _leave(self, lab: Lab) -> None:
        with self._lock:
            run = self._run if self._run is not None and self._run.lab is lab else None
        if run is not None:
            run.leave()

    def close(self, patience_s: float = 10.0) -> None:
        """End the lab at once, for good, and wait until nothing of it is left, but no longer than `patience_s`."""
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
                if self._state is not State.STOPPING:
                    self._change(State.STOPPING)
            else:  # it is still looking for a place, has nothing to end, and is told once it has one
                self._run = None
                self._change(State.IDLE)

    # --- questions to a running lab -----------------------------------------------------------------------------------

    def ask(self, question: Callable[[Lab], Any]) -> int:
        """Put a question to the lab in a thread of its own; returns the number of its `Answer`.

        A lab in virtual time is asked nothing: every question is answered by an error.
        """
        number = next(self._numbers)
        self._put(number, question)
        return number

    def vtysh(self, router: str, *commands: str) -> int:
        """Run commands in a router's vtysh. Answer: the text that it printed."""
        return self.ask(lambda lab: lab[router].vtysh(*commands))

    def execute(self, node: str, *argv: str) -> int:
        """Run a command in a node. Answer: `questions.Said`."""
        return self.ask(lambda lab: requests.execute(lab, node, argv))

    def node_command(self, node: str, which: str) -> int:
        """Run a node's "start" or "stop" command. Answer: `questions.Said`."""
        return self.ask(lambda lab: requests.node_command(lab, node, which))

    def ping(self, source: str, destination: str, pings: int = 3) -> int:
        """Ping a node from another. Answer: what `Lab.ping` returns."""
        return self.ask(lambda lab: lab.ping(source, destination, pings))

    def path(self, source: str, destination: str, family: Family = 0, vrf: str = "") -> int:
        """The path of packets from a node to another as the kernels' tables have it. Answer: it, and the path back
        (None where nobody is known who answers)."""
        return self.ask(lambda lab: requests.paths(lab, source, destination, family, vrf))

    def trace(self, path: LabPath) -> int:
        """Make a traceroute along a path. Answer: a tuple of `frrlib.lab.path.TracerouteHop`."""
        return self.ask(lambda lab: lab.trace(path))

    def ping_matrix(self, names: Sequence[str] = ()) -> int:
        """Ping between all hosts, or the named nodes. A `PairPinged` for every pair; answer: (source, destination) to
        ms or None."""
        number = next(self._numbers)
        self._put(number, partial(self._matrix, number, tuple(names)))
        return number

    def drop(self, number: int) -> None:
        """Give up a ping matrix; its answer comes when the pings that are under way have ended."""
        self._dropped.add(number)

    def set_link(self, link: str, *, up: bool) -> int:
        """Give a link carrier or take it away. A `LinkState` when it is done; answer: None."""
        return self.ask(partial(self._set_link, link, up))

    def kill_daemon(self, router: str, daemon: str, signal: int = 9) -> int:
        """Send a signal to a router's daemon. Answer: None."""
        return self.ask(lambda lab: lab.kill_daemon(router, daemon, signal))

    def configs(self) -> int:
        """The configurations of all routers. Answer: what `Lab.running_configs` returns."""
        return self.ask(lambda lab: lab.running_configs())

    def fault(self, fault: Fault) -> int:
        """Make a fault. A `FaultMade` for all that happens; answer: None."""
        return self.ask(lambda lab: lab.fault(fault))

    def routes(self, node: str) -> int:
        """A node's routing table. Answer: a list of routes as `ip -json` tells them."""
        return self.ask(lambda lab: requests.routes(lab, node))

    def frr_routes(self, router: str) -> int:
        """A router's routing table as FRR has it. Answer: prefix to a list of routes as zebra's JSON tells them."""
        return self.ask(lambda lab: requests.frr_routes(lab, router))

    def interfaces(self, node: str) -> int:
        """A node's interfaces. Answer: a list as `ip -json address` tells it."""
        return self.ask(lambda lab: requests.interfaces(lab, node))

    def queues(self, link: str) -> int:
        """The queues of a link. Answer: interface to a list as `tc -json` tells it."""
        return self.ask(lambda lab: requests.queues(lab, link))

    def send_flows(self, order: Order) -> int:
        """Send the flows of an order in the lab that runs. Answer: their `Outcome`."""
        return self.ask(partial(requests.send_flows, order=order))

    def terminal(self, node: str, *argv: str) -> int:
        """Make ready for an interactive `argv` (a shell) in a node. Answer: the command that a terminal window runs."""
        return self.ask(lambda lab: lab.terminal_argv(argv, node))

    def capture(self, link: str, node: str) -> int:
        """As `terminal`, for tcpdump on the end of a link that is at `node`."""
        return self.ask(lambda lab: lab.terminal_argv(requests.capture_command(lab, link, node), node))

    def raw_capture(self, link: str, node: str) -> int:
        """A command that prints the packets at the end of a link at `node`, in pcap's format, to a pipe or a file."""
        return self.ask(lambda lab: lab.terminal_argv(requests.raw_capture_command(lab, link, node), node))

    def _put(self, number: int, question: Callable[[Lab], Any]) -> None:
        with self._lock:
            run = self._run if self._state is State.RUNNING else None
        lab = run.lab if run is not None else None
        if run is None or lab is None or run.order.virtual_time:
            why = NOBODY_ENTERS if run is not None and run.order.virtual_time else "no lab is running"
            self._events.put(Answer(number, error=why))
            return
        # A thread each, so that a slow one delays no other.
        threading.Thread(target=self._answer, args=(number, lab, question), name="question", daemon=True).start()

    def _answer(self, number: int, lab: Lab, question: Callable[[Lab], Any]) -> None:
        try:
            answer = Answer(number, question(lab))
        except KeyboardInterrupt:
            answer = Answer(number, error="the lab was stopped in the meantime")
        except LabError as error:
            answer = Answer(number, error=error_words(error, lab.topology))
        except KeyError as error:
            answer = Answer(number, error=f"there is no node {error.args[0] if error.args else ''}")
        except Exception as error:  # whatever happens, the caller gets exactly one answer
            self._events.put(Log(traceback.format_exc()))
            answer = Answer(number, error=words(error))
        self._events.put(answer)

    def _matrix(self, number: int, names: tuple[str, ...], lab: Lab) -> dict[tuple[str, str], float | None]:
        nodes = names or tuple(host.name for host in lab.topology.hosts)
        done = count(1)
        total = len(nodes) * (len(nodes) - 1)

        def tell(source: str, destination: str, rtt_ms: float | None) -> None:
            if number in self._dropped:
                raise LabFailed("given up")
            self._events.put(PairPinged(number, source, destination, rtt_ms, next(done), total))

        return requests.ping_matrix(lab, nodes, tell)

    def _set_link(self, link: str, up: bool, lab: Lab) -> None:
        lab.set_link(link, up=up)
        self._events.put(LinkState(link, "up" if up else "down"))

    # --- what the run tells -------------------------------------------------------------------------------------------

    def _change(self, state: State, why: str = "") -> None:
        self._state = state
        self._events.put(StateChanged(state, why))

    def _tell(self, run: Run, event: Event) -> None:
        """Take an event of a run. A lab that sends faster than the window polls waits until there is room."""
        self._events.wait_for_room(lambda: self._closed or run.ended or self._run is not run)
        with self._lock:
            if self._run is run:
                self._events.put(event)

    def _reach(self, run: Run) -> None:
        with self._lock:
            if self._run is run and self._state is State.STARTING:
                self._change(State.RUNNING)

    def _over(self, run: Run, why: str) -> None:
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            for node in named(why, run.order.topology):
                self._events.put(NodeState(node, "failed", why))
            self._change(State.FAILED if why else State.IDLE, why)
