"""A running lab: a topology, the place where it runs, and the agent in it, joined.

    with Lab(topology) as lab:
        lab.wait_routes()
        print(lab["r1"].vtysh("show ip route"))

Entering builds the lab, leaving ends it, however it is left. All methods may be called from any thread; events come to
the listener from one thread of the lab's own.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from frrlib import __version__, wire
from frrlib.errors import Interrupted, LabError, LabFailed
from frrlib.lab_answers import Answers
from frrlib.lab_node import ANSWER_MARGIN_S, NodeHandle
from frrlib.lab_program import CODE, compile_code, memory_mib, site_folders
from frrlib.lab_step import Step
from frrlib.model.addressing import addressed
from frrlib.model.check import refuse_errors
from frrlib.model.reachability import expected_routes
from frrlib.model.speedup import with_speedups
from frrlib.model.topology import Topology
from frrlib.place.base import Habitat, Place, Program
from frrlib.place.choose import choose
from frrlib.place.needs import modules_for, needs_of, plain_bridges
from frrlib.render import plan as planning

AGENT = "frrlib.inside.agent"
#: How long the agent may take to say that it is there.
START_TIMEOUT_S = 60.0
#: How long building may take, and how much longer for each node.
BUILD_TIMEOUT_S, BUILD_TIMEOUT_PER_NODE_S = 60.0, 3.0
#: How long an orderly end may take before the lab is ended from outside.
STOP_TIMEOUT_S = 10.0
#: Beyond a flow's own time: its start, its report, and a margin for a busy machine.
FLOW_MARGIN_S = 60.0

Listener = Callable[[wire.Message], None]
__all__ = ["Lab", "Listener", "NodeHandle"]


class Lab:
    """A lab, from `with` to the end of its block.

    Args:
        topology: what to build; addresses may be missing.
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        writable: folder that the lab may write to, made if missing; None for a temporary one.
        listener: called with every event, in a thread of the lab's own; it must return soon.

    Raises:
        TopologyError: the topology has errors (see `check`).
        PlaceError: this machine lacks something that the topology needs.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        place: str = "auto",
        kernel: Path | None = None,
        writable: Path | None = None,
        listener: Listener | None = None,
    ) -> None:
        refuse_errors(topology)
        self.topology = with_speedups(addressed(topology))
        self.place: Place
        self._open_vswitch = True
        self._needs = needs_of(self.topology)
        self.place, self.place_reason = self._choose(place, kernel)
        self.facts: dict[str, Any] = {}
        #: Seconds that each step took, in order: (name, seconds).
        self.steps: list[tuple[str, float]] = []
        #: Node to what its start command said, of those that failed.
        self.failed_commands: dict[str, str] = {}
        self._listener = listener
        #: How far the lab's clock is ahead of this program's; 0 until the lab has one.
        self._clock_ahead_s = 0.0
        #: The lab's folder where nobody named one; it goes with the lab.
        self._scratch: Path | None = None
        self._writable = writable
        self._habitat: Habitat | None = None
        #: Where somebody asked for the end: whether it must not even wait for the lab's own orderly one.
        self._interrupted: bool | None = None
        self._interrupting = threading.Lock()
        self._abandon = -1
        self._cut: Callable[[], None] | None = None
        self._answers = Answers()
        self._writing = threading.Lock()
        self._reader: threading.Thread | None = None

    # --- beginning and end --------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the place and the agent and build the lab. A start that fails leaves nothing behind."""
        try:
            with self.step("boot"):
                self._boot()
            with self.step("build"):
                self._build()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the lab: in order if the agent answers, from outside if not. May be called more than once."""
        habitat, self._habitat = self._habitat, None
        if habitat is not None:
            try:
                ready = self._answers.ready
                if ready.done() and not ready.exception() and habitat.alive():
                    self._ask_on(habitat, wire.Stop(), STOP_TIMEOUT_S)
            except (LabError, Interrupted):
                pass  # it ends from outside then
            finally:
                habitat.stop()
                if self._reader is not None:
                    self._reader.join(timeout=STOP_TIMEOUT_S)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def interrupt(self, *, hard: bool = False) -> None:
        """Have whatever is being done with the lab end with `Interrupted`, now or as soon as it asks for something.

        For a thread other than the one that started the lab, which then stops it. Returns at once.

        Args:
            hard: whether the lab is to end at once, without stop commands and logs. Ends an orderly end, too.
        """
        with self._interrupting:
            self._interrupted = hard or bool(self._interrupted)
            if self._abandon >= 0:
                os.eventfd_write(self._abandon, 1)
        self._answers.fail(Interrupted("the lab was asked to end"))
        if hard and self._cut is not None:
            self._cut()

    def wait(self) -> None:
        """Do nothing until the lab ends by itself or is interrupted.

        Raises:
            LabFailed: it has ended; says what it said last.
            Interrupted: somebody asked for the end.
        """
        number, never = self._answers.expect()
        try:
            self._raise_if_interrupted()
            never.result()
        finally:
            self._answers.forget(number)

    def attach(self, *, writable: Path | None = None, listener: Listener | None = None) -> None:
        """Say, before the start, where the lab may write and who listens."""
        self._writable, self._listener = writable, listener

    # --- what a lab can do --------------------------------------------------------------------------------------------

    def wait_routes(self, timeout_s: float | None = None) -> dict[str, float]:
        """Wait until every router has every route that the drawing's protocols should bring it.

        Args:
            timeout_s: how long; None for the topology's own.

        Returns:
            seconds that each router took.

        Raises:
            LabFailed: some router misses some route after that time; the message names them.
        """
        expected = {name: tuple(map(str, prefixes)) for name, prefixes in expected_routes(self.topology).items()}
        if not expected:
            return {}
        limit_s = self.topology.wait.timeout_s if timeout_s is None else timeout_s
        with self.step("routes"):
            result = self.ask(wire.WaitRoutes(expected, limit_s), limit_s + ANSWER_MARGIN_S)
        return {name: float(seconds) for name, seconds in result["seconds"].items()}

    def ping(self, source: str, destination: str, count: int = 3) -> dict[str, Any]:
        """Ping a node from another; see `wire.Ping` for the result."""
        address = planning.address_of(self.topology, destination)
        command = wire.Ping(source, address, count)
        result = self.ask(command, count * (command.interval_s + command.timeout_s) + ANSWER_MARGIN_S)
        return {"source": source, "destination": destination, "address": address, **result}

    def run_flows(self, sample_hz: float = 100.0) -> dict[str, Any]:
        """Send the topology's flows and sample meanwhile; returns when the last one has ended. See `wire.RunFlows`."""
        flows = planning.flow_plans(self.topology)
        longest_s = max((flow.start_s + (flow.duration_s or 3600.0) for flow in flows), default=0.0)
        command = wire.RunFlows(flows, planning.queue_probes(self.topology), sample_hz)
        with self.step("flows"):
            return self.ask(command, longest_s + FLOW_MARGIN_S)

    def __getitem__(self, node: str) -> NodeHandle:
        if self.topology.node(node) is None:
            raise KeyError(node)
        return NodeHandle(self, node)

    def set_link(self, link: str, *, up: bool) -> None:
        """Give a link carrier or take it away, at both ends."""
        self.ask(wire.SetLink(link, up))

    def kill_daemon(self, router: str, daemon: str, signal: int = 9) -> None:
        """Send a signal to a router's daemon."""
        self.ask(wire.KillDaemon(router, daemon, signal))

    def terminal_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command that opens an interactive session outside, for xterm or pexpect: `argv` in a node."""
        return self._running().terminal_argv(list(argv), node)

    def ask(self, command: wire.Command, timeout_s: float = 60.0) -> dict[str, Any]:
        """Have the agent carry out a command; its result, as the command's docstring says.

        Raises:
            LabFailed: the lab did not do it, the agent did not answer in time, or the lab has ended.
            CommandFailed: a command in the lab failed.
        """
        return self._ask_on(self._running(), command, timeout_s)

    # --- how ----------------------------------------------------------------------------------------------------------

    def _choose(self, place: str, kernel: Path | None) -> tuple[Place, str]:
        """Where the lab runs, and why there."""
        found, reason = choose(place, self._needs, kernel)
        if self.topology.switches:
            abilities = found.abilities()
            self._open_vswitch = abilities.open_vswitch
            reason = "; ".join(filter(None, (reason, plain_bridges(self.topology, abilities))))
        return found, reason

    def _boot(self) -> None:
        writable = self._writable_folder()
        compile_code()
        with self._abandonable() as abandon:
            self._habitat = self.place.start(
                Program(
                    module=AGENT,
                    code=CODE,
                    site=site_folders(),
                    writable=writable,
                    memory_mib=memory_mib(self.topology),
                    modules=modules_for(self._needs),
                    abandon=abandon,
                    temporary=self._scratch is not None,
                    interfaces=self._needs.external_interfaces,
                )
            )
            self._cut = self._habitat.cut
        self._reader = threading.Thread(target=self._read, args=(self._habitat,), name="lab-wire", daemon=True)
        self._reader.start()
        try:
            ready = self._answers.ready.result(START_TIMEOUT_S)
        except FutureTimeout:
            raise LabFailed(f"the lab in {self.place.name} did not answer in {START_TIMEOUT_S:g} s") from None
        if ready.version != wire.WIRE_VERSION:
            raise LabFailed(f"the agent speaks version {ready.version} of the wire, this is {wire.WIRE_VERSION}")
        self._clock_ahead_s = float(ready.facts.get("monotonic", time.monotonic())) - time.monotonic()
        self.facts = {**asdict(self._habitat.facts), **ready.facts, "miniedit_frr": __version__}

    @contextmanager
    def _abandonable(self) -> Iterator[int]:
        """A descriptor by which `interrupt` ends the start of a place. Raises Interrupted, before it or after."""
        with self._interrupting:
            self._raise_if_interrupted()
            self._abandon = os.eventfd(0)
        try:
            yield self._abandon
        finally:
            with self._interrupting:
                os.close(self._abandon)
                self._abandon = -1
        self._raise_if_interrupted()

    def _raise_if_interrupted(self) -> None:
        if self._interrupted is not None:
            raise Interrupted("the lab was asked to end")

    def _writable_folder(self) -> Path:
        if self._writable is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="miniedit-frr-files-"))
            return self._scratch
        self._writable.mkdir(parents=True, exist_ok=True)
        return self._writable.resolve()  # the place's processes stand elsewhere

    def _build(self) -> None:
        timeout_s = BUILD_TIMEOUT_S + BUILD_TIMEOUT_PER_NODE_S * len(self.topology.nodes)
        result = self.ask(wire.Build(planning.plan(self.topology, open_vswitch=self._open_vswitch)), timeout_s)
        self.facts |= result.get("versions", {})
        self.failed_commands = result.get("failed_commands", {})
        said = planning.qdisc_differences(self.topology, result)
        if said:
            raise LabFailed("the kernel did not take the links as drawn: " + "; ".join(said))

    def _running(self) -> Habitat:
        if self._habitat is None:
            raise LabFailed("the lab is not running")
        return self._habitat

    def _ask_on(self, habitat: Habitat, command: wire.Command, timeout_s: float) -> dict[str, Any]:
        if not isinstance(command, wire.Stop):
            self._raise_if_interrupted()
        number, answer = self._answers.expect()
        try:
            if self._interrupted:
                raise Interrupted("the lab was asked to end")
            self._send(habitat, wire.Request(number, command))
            return answer.result(timeout_s)
        except FutureTimeout:
            name = type(command).__name__
            raise LabFailed(f"the lab did not finish {name} in {timeout_s:g} s") from None
        finally:
            self._answers.forget(number)

    def _send(self, habitat: Habitat, request: wire.Request) -> None:
        try:
            with self._writing:
                _write_all(habitat.wire[1], wire.encode(request))
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
        except (OSError, ValueError):
            pass  # the wire is broken, or was closed
        self._answers.end(why or self._end_text(habitat))

    def _take(self, message: wire.Message) -> None:
        if isinstance(message, wire.Ready | wire.Done | wire.Failed):
            self._answers.take(message)
        else:
            try:
                self.tell(message)
            except Exception as error:
                raise _ListenerFailed from error

    def _end_text(self, habitat: Habitat) -> str:
        said = " ".join(habitat.last_words().split())[-300:]
        return f"the lab in {self.place.name} has ended" + (f"; it said last: {said}" if said else "")

    def step(self, name: str) -> Step:
        """A `with` block that is measured, told to the listener and kept in `steps`."""
        return Step(name, self.steps, self.tell, self._clock_ahead_s)

    def tell(self, message: wire.Message) -> None:
        """Hand an event to the listener; for those who add their own to the agent's."""
        if self._listener is not None:
            self._listener(message)


class _ListenerFailed(Exception):
    """Whoever listens to a lab raised the exception that is this one's cause."""


def _write_all(stream: Any, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
