"""The agent: serves a lab to whoever holds the other end of its wire.

It is the first process of the lab, so when it ends everything in the lab ends with it, and it ends when its wire does.
Long requests run in threads of their own, so that a fault can be made and a question asked while flows run.
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
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError
from frrlib.inside import facts, processes
from frrlib.inside.channel import Channel

if TYPE_CHECKING:
    from frrlib.inside.net import LabNet
    from frrlib.inside.nodes import FrrRouter, LabNode
    from frrlib.inside.routes import RouteMonitor

C = TypeVar("C", bound=wire.Command)


class Agent:
    """Answers requests.

    Args:
        channel: the wire.
        writable: folder that the lab may write and the outside reads; logs go to "logs" below it.
    """

    def __init__(self, channel: Channel, writable: str) -> None:
        self._channel = channel
        self._logs = f"{writable}/logs"
        self._net: LabNet | None = None
        self._routes: RouteMonitor | None = None
        self._flows = threading.Lock()
        self._serving: Mapping[type, Callable[[Any], dict[str, Any]]] = {
            wire.Build: self._build,
            wire.WaitRoutes: self._wait_routes,
            wire.Ping: self._ping,
            wire.RunFlows: self._run_flows,
            wire.Execute: self._execute,
            wire.Vtysh: self._vtysh,
            wire.SetLink: self._set_link,
            wire.KillDaemon: self._kill_daemon,
            wire.RestartDaemon: self._restart_daemon,
            wire.Stop: self._stop,
        }

    def serve(self) -> None:
        """Tell that the agent is there and serve requests until the wire ends or Stop is done."""
        self._channel.send(wire.Ready(wire.WIRE_VERSION, facts.quick()))
        for line in self._channel.lines():
            if not line.strip():
                continue
            try:
                request = wire.decode_request(line)
            except msgspec.MsgspecError as error:
                self._refuse(line, error)
                continue
            threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _refuse(self, line: bytes, error: Exception) -> None:
        """Answer what is no request, under its number if it has one."""
        try:
            number = int(msgspec.json.decode(line).get("id", 0))
        except (msgspec.MsgspecError, AttributeError, TypeError, ValueError):
            number = 0
        self._channel.send(wire.Failed(number, "internal", f"the agent does not understand a request: {error}"))

    def _answer(self, request: wire.Request) -> None:
        command = request.command
        answer: wire.Done | wire.Failed
        try:
            answer = wire.Done(request.id, self._serving[type(command)](command))
        except BaseException as error:  # whatever it is, the outside waits for exactly one answer
            answer = failure(request.id, error)
        self._channel.send(answer)
        if isinstance(command, wire.Stop):
            self._channel.end()

    # --- events -----------------------------------------------------------------------------------------------------

    def _step(self, name: str, state: str, text: str = "") -> None:
        self._channel.send(wire.Step(name, state, _now(), text))

    def _died(self, router: str, daemon: str, status: int, log: str) -> None:
        self._channel.send(wire.DaemonDied(router, daemon, status, log, _now()))
        if self._net is not None:
            self._net.save_logs()

    def _route(self, router: str, prefix: str, added: bool, time_s: float) -> None:
        self._channel.send(wire.RouteEvent(router, prefix, added, round(time_s, 6)))

    # --- requests ---------------------------------------------------------------------------------------------------

    @property
    def _lab(self) -> LabNet:
        if self._net is None:
            raise LabFailed("the lab is not built yet")
        return self._net

    def _node(self, name: str) -> LabNode:
        return self._lab.node(name)

    def _router(self, name: str) -> FrrRouter:
        routers = self._lab.routers
        if name not in routers:
            raise LabFailed(f"{name} runs no FRR; it runs on {', '.join(routers) or 'no node'}")
        return routers[name]

    def _build(self, request: wire.Build) -> dict[str, Any]:
        if self._net is not None:
            raise LabFailed("the lab is built already")
        self._step("mininet", "start")
        from frrlib.inside.net import LabNet
        from frrlib.inside.routes import RouteMonitor

        self._step("mininet", "done")
        os.makedirs(self._logs, exist_ok=True)
        net = self._net = LabNet(request.plan, self._step, self._died, self._logs)
        net.build()
        self._routes = RouteMonitor(list(net.routers.values()), self._route)
        net.start()
        # Only now: while the kernel is asked, the daemons' timers are running.
        return {
            "qdiscs": net.read_qdiscs(),
            "cables": net.cables(),
            "versions": facts.versions(),
            "failed_commands": net.failed_commands,
        }

    def _wait_routes(self, request: wire.WaitRoutes) -> dict[str, Any]:
        _ = self._lab
        assert self._routes is not None
        return {"seconds": self._routes.wait(request.expected, request.timeout_s)}

    def _ping(self, request: wire.Ping) -> dict[str, Any]:
        from frrlib.inside import ping

        node = self._node(request.source)
        with node.thread.call(ping.open_socket, request.address) as opened:
            result = ping.ping(opened, request.address, request.count, request.interval_s, request.timeout_s)
        return result.as_dict()

    def _run_flows(self, request: wire.RunFlows) -> dict[str, Any]:
        from frrlib.inside.flows import run

        if not self._flows.acquire(blocking=False):
            raise LabFailed("flows are running already")
        try:
            return run(self._lab, request, self._channel)
        finally:
            self._flows.release()

    def _execute(self, request: wire.Execute) -> dict[str, Any]:
        from frrlib.inside import nodes

        try:
            if request.node:
                answer = self._node(request.node).run(request.argv, request.timeout_s)
            else:
                pipe = subprocess.PIPE
                process = processes.spawn(request.argv, stdin=pipe, stdout=pipe, stderr=pipe)
                answer = nodes.finish("", request.argv, process, request.timeout_s)
        except FileNotFoundError as error:
            raise CommandFailed(request.argv, 127, f"no such program: {request.argv[0]}") from error
        return {"status": answer.returncode, "stdout": answer.stdout, "stderr": answer.stderr}

    def _vtysh(self, request: wire.Vtysh) -> dict[str, Any]:
        from frrlib.inside import vtysh

        return {"text": vtysh.run(request.commands, self._router(request.router).run, request.timeout_s)}

    def _set_link(self, request: wire.SetLink) -> dict[str, Any]:
        self._lab.set_link(request.link, request.up)
        return {}

    def _kill_daemon(self, request: wire.KillDaemon) -> dict[str, Any]:
        self._router(request.router).frr.signal(request.daemon, request.signal)
        return {}

    def _restart_daemon(self, request: wire.RestartDaemon) -> dict[str, Any]:
        self._router(request.router).frr.restart(request.daemon)
        return {}

    def _stop(self, _request: wire.Stop) -> dict[str, Any]:
        if self._routes is not None:
            self._routes.close()
        if self._net is not None:
            self._net.stop()
        return {}


def failure(number: int, error: BaseException) -> wire.Failed:
    """The answer that tells of an error: whose it is, and for a defect of ours its traceback."""
    if isinstance(error, CommandFailed):
        return wire.Failed(number, "command", str(error), error.argv, error.status, error.stderr)
    if isinstance(error, PlaceError):
        return wire.Failed(number, "machine", str(error), stderr=error.remedy)
    if isinstance(error, LabError):
        return wire.Failed(number, "lab", str(error))
    if isinstance(error, FileNotFoundError | PermissionError) and error.filename:
        return wire.Failed(number, "machine", f"{error.filename}: {error.strerror}")
    said = "".join(traceback.format_exception(error))
    return wire.Failed(number, "internal", f"{type(error).__name__}: {error}", trace=said)


def main() -> int:
    """Run the agent with the settings of its environment, LAB_WIRE and LAB_WRITABLE, until its wire ends.

    Returns:
        The exit status. Whatever still runs in the lab ends with its first process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.chdir("/")
    channel = Channel(os.environ["LAB_WIRE"])
    processes.start_collecting()
    Agent(channel, os.environ.get("LAB_WRITABLE", "/tmp")).serve()
    return 0


def _now() -> float:
    return round(time.monotonic(), 6)


if __name__ == "__main__":
    sys.exit(main())
