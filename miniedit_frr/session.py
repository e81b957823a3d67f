"""A lab for a window: it runs in a thread of its own, and all that happens comes as events from a queue.

No call here waits for the lab, so a window that calls `poll` every now and then never stands still, whatever the lab
does. What is asked of the lab is answered by an `Answer` event with the number that the question returned.
"""

from __future__ import annotations

import queue
import re
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from frrlib import wire
from frrlib.errors import Interrupted, LabError, LabFailed
from frrlib.lab import Lab
from frrlib.model.topology import Topology
from frrlib.run import Outcome, Settings, evaluate, measure, step
from miniedit_frr import session_questions as questions


class State(StrEnum):
    """How far the lab is; `FAILED` is an end with a reason, after which a lab can be started as from `IDLE`."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


# --- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateChanged:
    """The session's state changed; `why` tells of a failure."""

    state: State
    why: str = ""


@dataclass(frozen=True)
class StepProgress:
    """A step of the start or the run ("boot", "daemons"): `state` is "start", "done" or "failed", `text` for people."""

    name: str
    state: str
    text: str = ""


@dataclass(frozen=True)
class NodeState:
    """A node is "starting", "up" or "failed"; `why` tells of a failure, with the end of a daemon's log."""

    node: str
    state: str
    why: str = ""


@dataclass(frozen=True)
class LinkState:
    """A link is "starting", "up" or "down"."""

    link: str
    state: str


@dataclass(frozen=True)
class Log:
    """A line for those who want to know everything."""

    text: str


@dataclass(frozen=True)
class PairPinged:
    """One ping of a matrix: `rtt_ms` is None where none came back; `done` of `total` pairs are known."""

    number: int
    source: str
    destination: str
    rtt_ms: float | None
    done: int
    total: int


@dataclass(frozen=True)
class Answer:
    """The one answer to the question of that number: its result, or why there is none (`error` is not empty)."""

    number: int
    result: Any = None
    error: str = ""


@dataclass(frozen=True)
class RunFinished:
    """The flows are over, also where they were stopped; what was measured is in `outcome.folder`. Told once a run."""

    outcome: Outcome


Event = StateChanged | StepProgress | NodeState | LinkState | Log | PairPinged | Answer | RunFinished


@dataclass(frozen=True)
class Order:
    """What to run.

    Attributes:
        topology: what to build.
        text: its file's text, kept with the results.
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        out: the results folder; needed for flows.
        flows: whether to wait for the routes, send the flows and keep what is measured, as the command line does.
        keep_up: whether the lab stays when the flows are over, until it is stopped. Without flows it always does.
        sample_hz: samples a second of every flow and queue.
        overwrite: whether `out` may hold an earlier run, which is then replaced.
    """

    topology: Topology
    text: str = ""
    place: str = "auto"
    kernel: Path | None = None
    out: Path | None = None
    flows: bool = False
    keep_up: bool = False
    sample_hz: float = 100.0
    overwrite: bool = False


class Session:
    """At most one lab at a time. All methods may be called from any thread and return at once, but for `close`.

    Args:
        make_lab: what makes the lab, with the arguments of `Lab`.
    """

    def __init__(self, make_lab: Callable[..., Lab] = Lab) -> None:
        self._make_lab = make_lab
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._numbers = count(1)
        self._dropped: set[int] = set()
        self._lock = threading.RLock()
        self._state = State.IDLE
        self._run: _Run | None = None
        self._closed = False

    @property
    def state(self) -> State:
        """How far the lab is now, which may be ahead of the events that were polled."""
        return self._state

    def poll(self, most: int = 500) -> list[Event]:
        """What happened since the last call, in order; at most so many that a window can show them at once."""
        events: list[Event] = []
        with suppress(queue.Empty):
            while len(events) < most:
                events.append(self._events.get_nowait())
        return events

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
            self._run = _Run(order, self._make_lab, self._tell, self._reach, self._over)
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
            else:  # it is still looking for a place, has nothing to end, and hears of it when it has one
                self._run = None
                self._change(State.IDLE)

    # --- questions to a running lab -----------------------------------------------------------------------------------

    def ask(self, question: Callable[[Lab], Any]) -> int:
        """Have a question put to the lab in a thread of its own; the number of its `Answer`."""
        number = next(self._numbers)
        self._put(number, question)
        return number

    def vtysh(self, router: str, *commands: str) -> int:
        """Run commands in a router's vtysh. Answer: the text that it printed."""
        return self.ask(lambda lab: lab[router].vtysh(*commands))

    def execute(self, node: str, *argv: str) -> int:
        """Run a command in a node. Answer: `questions.Said`."""
        return self.ask(lambda lab: questions.execute(lab, node, argv))

    def node_command(self, node: str, which: str) -> int:
        """Run a node's "start" or "stop" command. Answer: `questions.Said`."""
        return self.ask(lambda lab: questions.node_command(lab, node, which))

    def ping(self, source: str, destination: str, pings: int = 3) -> int:
        """Ping a node from another. Answer: what `Lab.ping` returns."""
        return self.ask(lambda lab: lab.ping(source, destination, pings))

    def traceroute(self, source: str, destination: str) -> int:
        """Follow the way from a node to another. Answer: a list of `questions.Hop`."""
        return self.ask(lambda lab: questions.traceroute(lab, source, destination))

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

    def routes(self, node: str) -> int:
        """A node's routing table. Answer: a list of routes as `ip -json` tells them."""
        return self.ask(lambda lab: questions.routes(lab, node))

    def interfaces(self, node: str) -> int:
        """A node's interfaces. Answer: a list as `ip -json address` tells it."""
        return self.ask(lambda lab: questions.interfaces(lab, node))

    def queues(self, link: str) -> int:
        """The queues of a link. Answer: interface to a list as `tc -json` tells it."""
        return self.ask(lambda lab: questions.queues(lab, link))

    def terminal(self, node: str, *argv: str) -> int:
        """Make ready for an interactive `argv` (a shell) in a node. Answer: the command that a terminal window runs."""
        return self.ask(lambda lab: lab.terminal_argv(argv, node))

    def capture(self, link: str, node: str) -> int:
        """As `terminal`, for tcpdump on the end of a link that is at `node`."""
        return self.ask(lambda lab: lab.terminal_argv(questions.capture_command(lab, link, node), node))

    def _put(self, number: int, question: Callable[[Lab], Any]) -> None:
        with self._lock:
            lab = self._run.lab if self._run is not None and self._state is State.RUNNING else None
        if lab is None:
            self._events.put(Answer(number, error="no lab is running"))
            return
        # A thread each, so that one that waits for long holds up none.
        threading.Thread(target=self._answer, args=(number, lab, question), name="question", daemon=True).start()

    def _answer(self, number: int, lab: Lab, question: Callable[[Lab], Any]) -> None:
        try:
            answer = Answer(number, question(lab))
        except KeyboardInterrupt:
            answer = Answer(number, error="the lab was ended meanwhile")
        except LabError as error:
            answer = Answer(number, error=str(error))
        except KeyError as error:
            answer = Answer(number, error=f"there is no node {error.args[0] if error.args else ''}")
        except Exception as error:  # whatever it is, whoever asked waits for exactly one answer
            self._events.put(Log(traceback.format_exc()))
            answer = Answer(number, error=_words(error))
        self._events.put(answer)

    def _matrix(self, number: int, names: tuple[str, ...], lab: Lab) -> dict[tuple[str, str], float | None]:
        nodes = names or tuple(host.name for host in lab.topology.hosts)
        done = count(1)
        total = len(nodes) * (len(nodes) - 1)

        def tell(source: str, destination: str, rtt_ms: float | None) -> None:
            if number in self._dropped:
                raise LabFailed("given up")
            self._events.put(PairPinged(number, source, destination, rtt_ms, next(done), total))

        return questions.ping_matrix(lab, nodes, tell)

    def _set_link(self, link: str, up: bool, lab: Lab) -> None:
        lab.set_link(link, up=up)
        self._events.put(LinkState(link, "up" if up else "down"))

    # --- what the run tells -------------------------------------------------------------------------------------------

    def _change(self, state: State, why: str = "") -> None:
        self._state = state
        self._events.put(StateChanged(state, why))

    def _tell(self, run: _Run, event: Event) -> None:
        with self._lock:
            if self._run is run:
                self._events.put(event)

    def _reach(self, run: _Run) -> None:
        with self._lock:
            if self._run is run and self._state is State.STARTING:
                self._change(State.RUNNING)

    def _over(self, run: _Run, why: str) -> None:
        with self._lock:
            if self._run is not run:
                return
            self._run = None
            for node in _named(why, run.order.topology):
                self._events.put(NodeState(node, "failed", why))
            self._change(State.FAILED if why else State.IDLE, why)


class _Run:
    """One lab from its start to its end, in a thread.

    Args:
        tell: called with this and an event.
        reach: called with this when the lab is up.
        over: called with this at the very end, when nothing of the lab is left, with the reason where it failed.
    """

    def __init__(
        self,
        order: Order,
        make_lab: Callable[..., Lab],
        tell: Callable[[_Run, Event], None],
        reach: Callable[[_Run], None],
        over: Callable[[_Run, str], None],
    ) -> None:
        self.order = order
        self.lab: Lab | None = None
        #: Whether somebody asked for the end.
        self.ended = False
        self._make_lab, self._tell, self._reach, self._over = make_lab, partial(tell, self), reach, over
        self._lock = threading.Lock()
        self._failed: set[str] = set()
        self.thread = threading.Thread(target=self._work, name="session", daemon=True)

    def end(self, *, hard: bool) -> bool:
        """Have it end; whether there is a lab yet, so that this takes a moment."""
        with self._lock:
            self.ended = True
            if self.lab is not None:
                self.lab.interrupt(hard=hard)
            return self.lab is not None

    def _work(self) -> None:
        why = ""
        try:
            self._live()
        except KeyboardInterrupt:
            pass
        except LabFailed as error:
            if self.ended:  # whoever asked for the end expects that the lab no longer does what was asked
                self._tell(Log(str(error)))
            else:
                why = str(error)
        except LabError as error:
            why = str(error)
        except BaseException as error:
            self._tell(Log(traceback.format_exc()))
            why = _words(error)
        self._over(self, why)

    def _live(self) -> None:
        order = self.order
        outcome = Outcome(order.out or Path())
        with step(outcome, "place", self._take) as done:
            lab = self._make_lab(order.topology, place=order.place, kernel=order.kernel)
            done["text"] = outcome.place_reason = lab.place_reason
        with self._lock:
            if self.ended:
                return
            self.lab = lab
        if order.flows:
            self._measure(lab, outcome)
            return
        lab.attach(listener=self._take)
        with lab:
            lab.wait()

    def _measure(self, lab: Lab, outcome: Outcome) -> None:
        settings = Settings(self.order.place, self.order.kernel, self.order.sample_hz)
        told: list[RunFinished] = []

        def linger() -> None:
            outcome.summary = evaluate(outcome.folder)
            told.append(RunFinished(outcome))
            self._tell(told[0])
            with suppress(Interrupted):  # it is what ends a lab that stays, not what breaks off a run
                lab.wait()

        try:
            stay = linger if self.order.keep_up else None
            measure(lab, self.order.text, outcome, settings, self._take, overwrite=self.order.overwrite, linger=stay)
        finally:
            if lab.facts and not told:  # there was a lab, so there are results
                self._tell(RunFinished(outcome))
        if outcome.failures:
            raise LabFailed("; ".join(outcome.failures))

    def _take(self, message: wire.Message) -> None:
        """The listener of the lab; called from its threads, too."""
        match message:
            case wire.Step(name=name, state=state, text=text) if self._is_of_node(name, text):
                self._node(name, {"start": "starting", "done": "up"}.get(state, "failed"), text)
            case wire.Step(name=name, state=state, text=text):
                self._tell(StepProgress(name, state, text))
                if (name, state) == ("build", "done"):
                    self._built()
            case wire.DaemonDied(router=router, daemon=daemon, status=status, log=log):
                self._node(router, "failed", f"{daemon} ended with status {status}; its log ends with:\n{log}")
            case wire.FlowEvent(flow=flow, what=what, text=text):
                self._tell(Log(f"flow {flow}: {what} {text}".rstrip()))

    def _is_of_node(self, name: str, text: str) -> bool:
        """Whether a step is a node's; a node may be called "build", too, but the lab's steps do not say such things."""
        return text.startswith(("daemons", "start command", "stop command")) and self._topology.node(name) is not None

    @property
    def _topology(self) -> Topology:
        return self.order.topology

    def _node(self, node: str, state: str, why: str) -> None:
        if state == "failed":
            self._failed.add(node)
        self._tell(NodeState(node, state, why if state == "failed" else ""))

    def _built(self) -> None:
        commands = self.lab.failed_commands if self.lab is not None else {}
        for name, why in commands.items():
            self._node(name, "failed", why)
        for node in self._topology.nodes:
            if node.name not in self._failed:
                self._node(node.name, "up", "")
        for link in self._topology.links:
            self._tell(LinkState(link.id, "up" if link.up else "down"))
        self._reach(self)


def _named(why: str, topology: Topology) -> list[str]:
    """The nodes that a failure names: "r1: bgpd refused line 3"."""
    known = {node.name for node in topology.nodes}
    return list(dict.fromkeys(word for word in re.findall(r"(?:^|[;\n] ?)([\w.-]+):", why) if word in known))


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
