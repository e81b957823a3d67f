"""A running lab: a topology, the place where it runs, and the agent in it.

    with Lab(topology) as lab:
        lab.wait_converged()
        print(lab["r1"].vtysh("show ip route"))

Entering the block builds the lab; leaving it ends the lab, also after an exception. All methods may be called from any
thread. The listener is called with events in one thread of the lab.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from frrlib import __version__, wire
from frrlib.addressing.addressing import addressed
from frrlib.addressing.resolved import resolved
from frrlib.checks.check import refuse_errors
from frrlib.conf.running import RunningConfig, running_configs
from frrlib.errors import Interrupted, LabError, LabFailed
from frrlib.expect.expectation import lab_clock
from frrlib.lab import applying, faults, requests
from frrlib.lab.built_topology import built_topology
from frrlib.lab.checks import refuse_unsupported
from frrlib.lab.controllers import outside_controllers
from frrlib.lab.endings import end_sentence
from frrlib.lab.needs import heavy_load, modules_for, needs_of, plain_bridges
from frrlib.lab.node import NodeHandle
from frrlib.lab.process import LabProcess
from frrlib.lab.program import (  # fmt: skip
    code_folder,
    copied_folders,
    memory_mib,
    module_files,
    processes,
    shown_folders,
    site_folders,
)
from frrlib.lab.steps import StepTimer
from frrlib.lab.virtual_clock import LabClock, choose_virtual
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.place.base import Place, Program, Sandbox
from frrlib.place.choice import choose
from frrlib.place.labkernel import LabKernel
from frrlib.place.module_compiler.modules import CompiledModule
from frrlib.prediction.flow_paths import unlimited_flows
from frrlib.render import plan as planning
from frrlib.render.hosts import host_differences
from frrlib.wire.plan import Plan

AGENT = "frrlib.agent.agent"
#: Time limit for building, and the addition for each node.
BUILD_TIMEOUT_S, BUILD_TIMEOUT_PER_NODE_S = 60.0, 3.0
#: Time limit for an orderly end, before the lab is ended from outside.
STOP_TIMEOUT_S = 10.0
#: Added to it if the configurations are read first, for a busy machine.
READ_TIMEOUT_S = 45.0

Listener = Callable[[wire.Message], None]
__all__ = ["Lab", "Listener", "NodeHandle"]


class Lab:
    """A lab. It runs from `with` to the end of its block.

    Requests and faults are functions of `frrlib.lab.requests` and `frrlib.lab.faults`; both modules list their errors.

    Args:
        topology: what to build; addresses may be missing.
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        writable: folder that the lab may write to, made if missing; None for a temporary one.
        listener: called with every event, in a thread of the lab's own; it must return soon.
        virtual_time: whether the lab's clock jumps over idle time, and stands still while the lab has no request; see
            docs/virtual-time.md.
        seed: for all random numbers of a lab in virtual time.
        allowed_controllers: "ADDRESS:PORT" of controllers outside of the lab that its switches may reach; each is one
            that `openflow.outside` names.
        folder: the folder of the topology's file, which the lab sees read-only; None for none.

    Raises:
        TopologyError: the topology has errors (see `check`), none of its controllers has an allowed address, or a
            folder that it shows does not exist or is never shown.
        PlaceError: this machine lacks something that the topology needs, or a lab in virtual time needs a controller
            outside.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        place: str = "auto",
        kernel: Path | None = None,
        writable: Path | None = None,
        listener: Listener | None = None,
        virtual_time: bool = False,
        seed: int = 1,
        allowed_controllers: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        refuse_errors(topology)
        self._process = LabProcess(
            self.tell,
            self._end_text,
            virtual_time=virtual_time,
            unlimited_flows=lambda: unlimited_flows(self.topology),
        )
        self._seed = seed
        #: The given topology with all addresses; `topology` is made from it.
        self.drawn = addressed(topology)
        self.topology = resolved(self.drawn)
        self.place: Place
        self._open_vswitch = True
        self._needs = needs_of(self.topology)
        self._visible_folders = shown_folders(self.topology, folder)
        self._copied = copied_folders(self.topology, folder)
        #: The user's kernel modules in the lab, by name; empty before the start.
        self.own_modules: Mapping[str, CompiledModule] = {}
        self._module_sources = module_files(self.topology, folder)
        self._servers = outside_controllers(self.topology, allowed_controllers, virtual_time=virtual_time)
        self.place, self.place_reason = self._choose(place, kernel)
        self.topology = built_topology(self.drawn, self.place.abilities())
        self.facts: dict[str, Any] = {}
        #: Seconds that each step took, in order: (name, seconds).
        self.steps: list[tuple[str, float]] = []
        #: Whether an orderly end reads the configurations first, into `end_configs`.
        self.read_at_end = False
        #: Router to its configuration at the end, as `running_configs` gives it; empty before.
        self.end_configs: dict[str, RunningConfig] = {}
        #: The reason if they could not be read; empty if they were read.
        self.unread_configs = ""
        #: After the end: the last output of the lab's kernel and of its init; empty before.
        self.last_words = ""
        #: Node to the error of its start command, for commands that failed.
        self.failed_commands: dict[str, str] = {}
        #: Missing things that the lab runs without, one sentence each that begins with a node's name; also in `facts`.
        self.warnings: list[str] = []
        self._listener = listener
        #: Number of changes of the running lab.
        self.revision = 0
        #: Held while the lab gets another topology.
        self.changing = threading.Lock()
        #: Additional listeners, each for the time of a block.
        self._hearers: list[Listener] = []
        #: The folder that the lab may write to; None for a temporary one, which is removed with the lab.
        self._writable = writable

    # --- start and end ------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the place and the agent, and build the lab. A failed start leaves nothing behind.

        Raises:
            TopologyError: FRR refuses a line of a router's configuration; no daemon was started then.
        """
        checked = self._check_lines()
        try:
            with self.step("boot"):
                self._boot()
            checked.result()
            with self.step("build"):
                self._build()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the lab: in order if the agent answers, from outside if not. May be called more than once."""
        sandbox, self._process.sandbox = self._process.sandbox, None
        if sandbox is None:
            return
        try:
            self._stop_in_order(sandbox)
        except (LabError, Interrupted) as error:  # it ends from outside then
            self.unread_configs = str(error) or "interrupted"
        finally:
            self._process.stop(sandbox, STOP_TIMEOUT_S)

    def interrupt(self, *, hard: bool = False) -> None:
        """Have the operation in progress end with `Interrupted`, now or at its next request.

        For a thread other than the one that started the lab, which then stops it. Returns at once.

        Args:
            hard: whether the lab is to end at once, without stop commands and logs. Ends an orderly end, too.
        """
        self._process.interrupt(hard=hard)

    def wait(self) -> None:
        """Wait until the lab ends by itself or is interrupted.

        Raises:
            LabFailed: it has ended; the message has its last output.
            Interrupted: `interrupt` was called.
        """
        self._process.connection.wait()

    def attach(self, *, writable: Path | None = None, listener: Listener | None = None) -> None:
        """Set the writable folder and the listener, before the start."""
        self._writable, self._listener = writable, listener

    def plan_of(self, topology: Topology) -> Plan:
        """The plan of a resolved topology for this lab's place."""
        return planning.plan(topology, open_vswitch=self._open_vswitch)

    def describe(self) -> None:
        """Describe the lab to programs that can join it, if any can."""

    @property
    def is_virtual(self) -> bool:
        """Whether it runs in virtual time."""
        return self._process.virtual is not None

    @contextmanager
    def heard_by(self, listener: Listener) -> Iterator[None]:
        """Within the block a second listener is called with all events, in the same way as the lab's own."""
        self._hearers.append(listener)
        try:
            yield
        finally:
            self._hearers.remove(listener)

    # --- commands and events ------------------------------------------------------------------------------------------

    def __getitem__(self, node: str) -> NodeHandle:
        if self.topology.node(node) is None:
            raise KeyError(node)
        return NodeHandle(self, node)

    def terminal_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command that opens an interactive session outside, for xterm or pexpect: `argv` in a node."""
        router = self.topology.node(node)
        if isinstance(router, Router) and router.runs_frr:
            with suppress(LabFailed):  # the user may change the configuration there, so it is read once before
                self.running_configs(node, timeout_s=1.0)
                if tuple(argv[:1]) == ("vtysh",):
                    self[node].take_static_routes()
        return self._process.running().terminal_argv(list(argv), node)

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = 60.0) -> wire.Reply:
        """Have the agent carry out a command. Returns its reply, as the command's docstring describes it.

        Raises:
            LabFailed: the lab could not do it, the agent did not reply in time, or the lab has ended.
            CommandFailed: a command in the lab failed.
        """
        if self._process.virtual:
            lab_clock.set(LabClock(self.now_s, self.ask))
        return self._process.request(self._process.running(), command, timeout_s)

    def step(self, name: str) -> StepTimer:
        """A `with` block that is measured, reported to the listener and kept in `steps`."""
        is_start = not self._process.connection.is_open  # no clock of the lab's yet, but one at the step's end
        virtual = self._process.virtual is not None and not is_start
        return StepTimer(name, self.steps, self.tell, time.monotonic if is_start else self.now_s, virtual=virtual)

    def now_s(self) -> float:
        """The lab's clock now, in seconds; this program's own before there is a lab."""
        return self._process.now_s()

    def tell(self, message: wire.Message) -> None:
        """Hand an event to the listeners; for callers that add events to the agent's."""
        if self._process.virtual:
            self._process.virtual.take(message)
        if self._listener is not None:
            self._listener(message)
        for listener in tuple(self._hearers):
            listener(message)

    # --- requests and faults: functions whose first argument is the lab -----------------------------------------------

    wait_converged = requests.wait_converged
    adjacencies = requests.adjacencies
    watch_adjacencies = requests.watch_adjacencies
    wait_routes = requests.wait_routes
    ping = requests.ping
    path = requests.path
    path_back = requests.path_back
    trace = requests.trace
    run_flows = requests.run_flows
    save_logs = requests.save_logs
    set_link = requests.set_link
    kill_daemon = requests.kill_daemon
    running_configs = requests.running_configs

    redraw = applying.redraw
    apply = applying.apply
    adopt = applying.adopt

    fault = faults.fault
    faults_now = faults.faults_now
    link_down = faults.link_down
    link_up = faults.link_up
    lose = faults.lose
    set_values = faults.set_values
    interface_down = faults.interface_down
    interface_up = faults.interface_up
    flap = faults.flap
    freeze = faults.freeze
    thaw = faults.thaw
    power_cycle = faults.power_cycle
    partition = faults.partition
    heal = faults.heal
    clear_faults = faults.clear_faults
    #: The former name of `clear_faults`.
    mend = faults.clear_faults

    # --- internals ----------------------------------------------------------------------------------------------------

    def _choose(self, place: str, kernel: Path | None) -> tuple[Place, str]:
        """The place of the lab, and the reason for this place."""
        if self._process.virtual:
            chosen_place, reason = choose_virtual(place, self._needs, kernel)
        else:
            chosen_place, reason = choose(place, self._needs, kernel)
        reason = "; ".join(filter(None, (reason, heavy_load(self.topology, chosen_place.name))))
        if self.topology.switches:
            abilities = chosen_place.abilities()
            self._open_vswitch = abilities.open_vswitch
            reason = "; ".join(filter(None, (reason, plain_bridges(self.topology, abilities))))
        return chosen_place, reason

    def _check_lines(self) -> Future[None]:
        """Check, while the place starts, that FRR accepts the configurations and all planned faults can be made."""
        executor = ThreadPoolExecutor(1, "lab-check")
        try:
            return executor.submit(refuse_unsupported, self.topology)
        finally:
            executor.shutdown(wait=False)

    def _boot(self) -> None:
        program = Program(
            module=AGENT,
            code=code_folder(),
            site=site_folders(),
            writable=self._writable_folder(),
            memory_mib=memory_mib(self.topology),
            processes=processes(self.topology),
            modules=modules_for(self._needs),
            module_sources=self._module_sources,
            module_parameters=self._needs.kernel_parameters,
            interfaces=self._needs.external_interfaces,
            visible_folders=self._visible_folders,
            copied=self._copied,
            servers=self._servers,
            virtual_time=self._process.virtual is not None,
            seed=self._seed,
        )
        if isinstance(self.place, LabKernel):
            self.own_modules = self.place.own_modules(program)
        ready = self._process.start(lambda abandon: self.place.start(replace(program, abandon=abandon)))
        place_facts = asdict(self._process.running().facts)
        self.facts = {**place_facts, **ready.facts, "miniedit_frr": __version__}
        if self.own_modules:
            self.facts["kernel_modules"] = {name: module.source.digest for name, module in self.own_modules.items()}

    def _writable_folder(self) -> Path | None:
        if self._writable is None:
            return None
        self._writable.mkdir(parents=True, exist_ok=True)
        return self._writable.resolve()  # the place's processes have other working directories

    def _build(self) -> None:
        timeout_s = BUILD_TIMEOUT_S + BUILD_TIMEOUT_PER_NODE_S * len(self.topology.nodes)
        plan = self._plan()
        reply = self.ask(wire.Build(plan), timeout_s)
        self.facts |= reply["versions"]
        self.failed_commands = reply["failed_commands"]
        if own_commands := planning.custom_qdiscs(self.topology, reply):
            self.facts["own_commands"] = own_commands
        self.warnings = reply["warnings"]
        if self.warnings:
            self.facts["warnings"] = self.warnings
        differences = planning.qdisc_differences(self.topology, reply)
        if differences:
            raise LabFailed("the kernel did not apply the settings of the links: " + "; ".join(differences))
        if differences := host_differences(plan, reply):
            raise LabFailed("the kernel did not apply the settings of the hosts: " + "; ".join(differences))

    def _plan(self) -> Plan:
        """The plan for the agent; subclasses may change it."""
        return self.plan_of(self.topology)

    def _stop_in_order(self, sandbox: Sandbox) -> None:
        """Have the agent read the configurations, if requested, and end the lab. Raises LabError, Interrupted."""
        to_read = self.read_at_end and bool(self.topology.routers)
        self.unread_configs = "the lab had ended" if to_read else ""
        if not (self._process.connection.is_open and sandbox.alive()):
            return
        still_to_read = to_read and not self._read_last(sandbox)
        timeout_s = STOP_TIMEOUT_S + (READ_TIMEOUT_S if still_to_read else 0.0)
        reply = self._process.request(sandbox, wire.Stop(configurations=still_to_read), timeout_s)
        if still_to_read:
            self.end_configs = running_configs(reply.get("routers", {}))
            self.unread_configs = reply.get("unread", "")

    def _read_last(self, sandbox: Sandbox) -> bool:
        """Read the configurations before the end begins. Returns whether that was done, or is impossible.

        An agent that has not answered is not asked again. The reply to `Stop` itself may be cut off if it is long: a
        lab kernel halts right after it. But an interrupted lab accepts no other command.
        """
        command = wire.ReadConfigurations(timeout_s=wire.LAST_REPLY_S)
        try:
            reply = self._process.request(sandbox, command, READ_TIMEOUT_S)
        except Interrupted:
            return False
        except LabError as error:
            self.unread_configs = str(error)
            return True
        self.end_configs = running_configs(reply["routers"])
        self.unread_configs = ""
        return True

    def _end_text(self, sandbox: Sandbox) -> str:
        self.last_words = sandbox.last_words()
        return end_sentence(
            self.last_words, self.place.name, {name: module.file for name, module in self.own_modules.items()}
        )
