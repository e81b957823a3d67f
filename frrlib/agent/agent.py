"""The agent: serves a lab to the program at the other end of the wire.

It is the first process of the lab, so the lab ends with it, and it ends with its wire. Long requests run in threads of
their own, so that faults and queries are possible while flows run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from frrlib import wire
from frrlib.agent import facts, processes
from frrlib.agent.channel import Channel
from frrlib.agent.virtual_channel import AnyChannel, GatedChannel
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError
from frrlib.system import signals
from frrlib.wire.plan import FaultPlan

if TYPE_CHECKING:
    from frrlib.agent.changes.change import LabChanger
    from frrlib.agent.faults.faults import FaultInjector
    from frrlib.agent.frr.configurations import Configurations
    from frrlib.agent.network.network import LabNet
    from frrlib.agent.network.nodes import FrrRouter, LabNode
    from frrlib.agent.routing.routing import RoutingMonitor


class _Number(msgspec.Struct):
    """The part of a request that its reply repeats."""

    id: int = 0


_numbers = msgspec.json.Decoder(_Number)
C = TypeVar("C", bound=wire.Command)
#: The faults that signals stand for, by number.
_DAEMON_FAULTS = {9: "daemon-killed", 18: "daemon-continued", 19: "daemon-stopped"}


class Agent:
    """Carries out requests.

    Args:
        channel: the wire.
        writable: folder that the lab may write and the outside reads; logs go to "logs" below it.
    """

    def __init__(self, channel: AnyChannel, writable: str) -> None:
        self._channel = channel
        self._logs = f"{writable}/logs"
        self._net: LabNet | None = None
        self._routing_monitor: RoutingMonitor | None = None
        self._configurations: Configurations | None = None
        self._flows = threading.Lock()
        self._fault_injector: FaultInjector | None = None
        self._first_fault = threading.Lock()
        self._changing = threading.Lock()
        #: Number of changes that were kept.
        self._revision = 0
        #: A change that is made but not ended.
        self._change: LabChanger | None = None
        self._handlers: Mapping[type, Callable[[Any], dict[str, Any]]] = {
            wire.Build: self._build,
            wire.WaitRoutes: lambda request: self._routing.wait_routes(request),
            wire.WaitConverged: lambda request: self._routing.wait_converged(request),
            wire.WatchAdjacencies: lambda request: self._routing.watch(request),
            wire.Adjacencies: lambda request: self._routing.adjacencies(request),
            wire.Ping: self._ping,
            wire.FollowPath: self._follow_path,
            wire.Trace: self._trace,
            wire.TryDirection: self._try_direction,
            wire.RunFlows: self._run_flows,
            wire.Execute: self._execute,
            wire.Vtysh: self._vtysh,
            wire.ReadConfigurations: self._read_configurations,
            wire.SetLink: self._set_link,
            wire.KillDaemon: self._kill_daemon,
            wire.RestartDaemon: self._restart_daemon,
            wire.AddDaemon: self._add_daemon,
            wire.MakeFault: self._make_fault,
            wire.AskFaults: lambda _: self._faults.state(),
            wire.ChangeLab: self._change_lab,
            wire.EndChange: self._end_change,
            wire.SaveLogs: self._save_logs,
            wire.Stop: self._stop,
        }

    def serve(self) -> None:
        """Announce the agent and serve requests until the wire ends or Stop is done."""
        self._channel.send(wire.Ready(wire.WIRE_VERSION, facts.read_facts()))
        for line in self._channel.lines():
            if not line.strip():
                continue
            try:
                request = wire.decode_request(line)
            except (msgspec.MsgspecError, wire.InvalidMessage) as error:
                self._refuse(line, error)
                continue
            threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _refuse(self, line: bytes, error: Exception) -> None:
        """Reply to a line that is not a request, under its number if it has one."""
        try:
            number = wire.decode_with(_numbers.decode, line).id
        except (msgspec.MsgspecError, wire.InvalidMessage):
            number = 0
        self._channel.send(wire.Failed(number, "internal", f"the agent does not understand a request: {error}"))

    def _answer(self, request: wire.Request) -> None:
        command = request.command
        reply: wire.Done | wire.Failed
        try:
            reply = wire.Done(request.id, self._handlers[type(command)](command))
        except BaseException as error:  # whatever it is, the outside waits for exactly one reply
            reply = failure(request.id, error)
        self._channel.send(reply)
        if isinstance(command, wire.Stop):
            self._channel.end()

    # --- events -------------------------------------------------------------------------------------------------------

    def _step(self, name: str, state: str, text: str = "") -> None:
        self._channel.send(wire.StepEvent(name, state, _now(), text))

    def _report_exit(self, router: str, daemon: str, status: int, log: str) -> None:
        self._channel.send(wire.DaemonExit(router, daemon, status, log, _now()))
        if self._net is not None:
            self._net.save_logs()
        if self._routing_monitor is not None:
            self._routing_monitor.daemon_ended(router, daemon)

    def _fault(self, fault: str, target: str, time_s: float, text: str, limits: str) -> None:
        self._channel.send(wire.FaultEvent(fault, target, time_s, text, limits))

    # --- requests -----------------------------------------------------------------------------------------------------

    @property
    def _lab(self) -> LabNet:
        if self._net is None:
            raise LabFailed("the lab is not yet built")
        return self._net

    @property
    def _faults(self) -> FaultInjector:
        net = self._lab
        with self._first_fault:
            if self._fault_injector is None:
                from frrlib.agent.faults.faults import FaultInjector  # its import takes long

                self._fault_injector = FaultInjector(net, self._fault)
            return self._fault_injector

    @property
    def _routing(self) -> RoutingMonitor:
        _ = self._lab
        assert self._routing_monitor is not None
        return self._routing_monitor

    def _node(self, name: str) -> LabNode:
        return self._lab.node(name)

    def _router(self, name: str) -> FrrRouter:
        routers = self._lab.routers
        if name not in routers:
            raise LabFailed(f"{name} does not run FRR; it runs on {', '.join(routers) or 'no node'}")
        return routers[name]

    def _build(self, request: wire.Build) -> dict[str, Any]:
        if self._net is not None:
            raise LabFailed("the lab is already built")
        self._step("mininet", "start")
        from frrlib.agent.network.network import LabNet
        from frrlib.agent.routing.routing import RoutingMonitor

        self._step("mininet", "done")
        os.makedirs(self._logs, exist_ok=True)
        net = self._net = LabNet(request.plan, self._step, self._report_exit, self._logs)
        net.build()
        self._routing_monitor = RoutingMonitor(net, self._channel.send)
        net.start(self._routing_monitor.follow, self._routing_monitor.wait_at_rest)
        if net.routers:
            from frrlib.agent.frr.configurations import Configurations

            self._configurations = Configurations(net.routers)
            self._configurations.watch()
        # Not earlier, since the daemons' timers run while the kernel is read.
        return {
            "qdiscs": net.read_qdiscs(),
            "kernels": net.read_kernels(),
            "cables": net.cables(),
            "versions": facts.versions(),
            "warnings": net.warnings,
            "failed_commands": net.failed_commands,
        }

    def _ping(self, request: wire.Ping) -> dict[str, Any]:
        from frrlib.agent.probes import ping

        node = self._node(request.source)
        with node.thread.call(ping.open_socket, request.address) as opened:
            ping.resolve(opened, request.address, request.timeout_s)
            result = ping.ping(opened, request.address, request.count, request.interval_s, request.timeout_s)
        return result.as_dict()

    def _follow_path(self, request: wire.FollowPath) -> dict[str, Any]:
        from frrlib.agent.probes import walk

        self._node(request.source)
        return walk.follow(self._lab, request)

    def _trace(self, request: wire.Trace) -> dict[str, Any]:
        from frrlib.agent.probes import traceroute, walk

        node = self._node(request.source)
        with node.thread.call(traceroute.open_socket, request.address, request.vrf) as opened:
            hops = traceroute.trace(opened, request.address, request.most_hops, request.timeout_s)
        owners = walk.owners(self._lab)
        return {"hops": [hop.as_dict(owners.get(hop.address, ())) for hop in hops]}

    def _try_direction(self, request: wire.TryDirection) -> dict[str, Any]:
        from frrlib.agent.probes import trials

        return trials.run_trial(self._node(request.sender).thread, self._node(request.receiver).thread, request)

    def _run_flows(self, request: wire.RunFlows) -> dict[str, Any]:
        from frrlib.agent.traffic.flows import run

        if not self._flows.acquire(blocking=False):
            raise LabFailed("flows are already running")
        try:
            return run(self._lab, request, self._channel, self._faults if request.faults else None)
        finally:
            self._flows.release()

    def _execute(self, request: wire.Execute) -> dict[str, Any]:
        from frrlib.agent.network import nodes

        try:
            if request.node:
                self._before_change(request.node)
                result = self._node(request.node).run(request.argv, request.timeout_s)
            else:
                pipe = subprocess.PIPE
                process = processes.spawn(request.argv, stdin=pipe, stdout=pipe, stderr=pipe)
                result = nodes.finish("", request.argv, process, request.timeout_s)
        except FileNotFoundError as error:
            raise CommandFailed(request.argv, 127, f"no such program: {request.argv[0]}") from error
        return {"status": result.returncode, "stdout": result.stdout, "stderr": result.stderr}

    def _vtysh(self, request: wire.Vtysh) -> dict[str, Any]:
        from frrlib.agent.frr import vtysh

        router = self._router(request.router)
        text = vtysh.run_at_daemons(request.commands, router.frr.sockets(), request.timeout_s)
        if text is not None:
            return {"text": text}
        self._before_change(request.router)
        return {"text": vtysh.run(request.commands, router.run, request.timeout_s)}

    def _before_change(self, *routers: str) -> None:
        """Read the configurations in force, if that is not done yet, since a command may be about to change them."""
        if self._configurations is not None:
            self._configurations.before_change(routers)

    def _read_configurations(self, request: wire.ReadConfigurations) -> dict[str, Any]:
        for name in request.routers:
            self._router(name)
        if self._configurations is None:
            return {"routers": {}}
        return {"routers": self._configurations.read(request.routers, request.timeout_s)}

    def _set_link(self, request: wire.SetLink) -> dict[str, Any]:
        name = "link-up" if request.up else "link-down"
        return self._faults.make(FaultPlan(name, request.link, links=(request.link,)))

    def _kill_daemon(self, request: wire.KillDaemon) -> dict[str, Any]:
        name = _DAEMON_FAULTS.get(request.signal)
        if name is None:
            self._router(request.router).frr.signal(request.daemon, request.signal)
            return {}
        return self._daemon_fault(name, request.router, request.daemon)

    def _daemon_fault(self, name: str, router: str, daemon: str) -> dict[str, Any]:
        return self._faults.make(FaultPlan(name, f"{router}:{daemon}", node=router, daemon=daemon))

    def _make_fault(self, request: wire.MakeFault) -> dict[str, Any]:
        return self._faults.make(request.fault)

    def _restart_daemon(self, request: wire.RestartDaemon) -> dict[str, Any]:
        return self._daemon_fault("daemon-restarted", request.router, request.daemon)

    def _add_daemon(self, request: wire.AddDaemon) -> dict[str, Any]:
        frr = self._router(request.router).frr
        if request.daemon not in frr.daemons:
            self._before_change(request.router)
            frr.add(request.daemon)
            if self._configurations is not None:
                self._configurations.add_daemon(request.router, request.daemon)
        return {}

    def _change_lab(self, request: wire.ChangeLab) -> dict[str, Any]:
        from frrlib.agent.changes.change import LabChanger, Observers

        net, change = self._lab, request.change
        if (change.removed_nodes or change.removed_links) and self._flows.locked():
            raise LabFailed("flows are running; remove nodes and links when they have ended")
        with self._changing:
            if change.revision != self._revision:
                raise LabFailed("another program has changed the lab in the meantime; compare it again")
            self._take_back_open_change()
            changer = LabChanger(net, change, Observers(self._routing, self._configurations_of(net), self._faults))
            changer.make()
            self._change = changer
            try:
                return changer.read_back()
            except BaseException:
                self._take_back_open_change()
                raise

    def _end_change(self, request: wire.EndChange) -> dict[str, Any]:
        with self._changing:
            if self._change is None:
                raise LabFailed("no change of the lab is open")
            if not request.keep:
                return {"warnings": self._take_back_open_change()}
            changer, self._change = self._change, None
            self._revision += 1
            return {"warnings": changer.keep()}

    def _take_back_open_change(self) -> list[str]:
        """Take back a change that was not ended, perhaps because its program has ended."""
        changer, self._change = self._change, None
        return changer.take_back() if changer is not None else []

    def _configurations_of(self, net: LabNet) -> Configurations:
        from frrlib.agent.frr.configurations import Configurations

        if self._configurations is None:
            self._configurations = Configurations(net.routers)
        return self._configurations

    def _save_logs(self, request: wire.SaveLogs) -> dict[str, Any]:
        self._lab.save_logs()
        return {}

    def _stop(self, request: wire.Stop) -> dict[str, Any]:
        result: dict[str, Any] = {}
        if request.configurations:
            try:
                result = self._read_configurations(wire.ReadConfigurations(timeout_s=wire.LAST_REPLY_S))
            except (OSError, LabFailed) as error:  # the lab ends in any case
                result = {"unread": str(error)}
        if self._configurations is not None:
            self._configurations.close()
        if self._routing_monitor is not None:
            self._routing_monitor.close()
        if self._fault_injector is not None:
            self._fault_injector.close()
        if self._net is not None:
            self._net.stop()
        return result


def failure(number: int, error: BaseException) -> wire.Failed:
    """The reply for an error: its kind, and the traceback if it is a defect of the agent."""
    if isinstance(error, CommandFailed):
        return wire.Failed(number, "command", str(error), error.argv, error.status, error.stderr)
    if isinstance(error, PlaceError):
        return wire.Failed(number, "machine", error.missing, remedy=error.remedy)
    if isinstance(error, LabError):
        return wire.Failed(number, "lab", str(error))
    if isinstance(error, FileNotFoundError | PermissionError) and error.filename:
        return wire.Failed(number, "machine", f"{error.filename}: {error.strerror}")
    trace = "".join(traceback.format_exception(error))
    return wire.Failed(number, "internal", f"{type(error).__name__}: {error}", trace=trace)


def main() -> int:
    """Run the agent with the settings of its environment, LAB_WIRE and LAB_WRITABLE, until the wire ends.

    Returns:
        The exit status. All other processes of the lab end with its first process.
    """
    signals.begin(signal.SIGINT)
    os.chdir("/")
    kind, _, folder = os.environ["LAB_WIRE"].partition(":")
    channel = GatedChannel(folder) if kind == "gate" else Channel(os.environ["LAB_WIRE"])
    processes.start_collecting()
    Agent(channel, os.environ.get("LAB_WRITABLE", "/tmp")).serve()
    return 0


def _now() -> float:
    return round(time.monotonic(), 6)


if __name__ == "__main__":
    sys.exit(main())
