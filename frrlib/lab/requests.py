"""Requests to a running lab, as scripts write them: `lab.wait_converged()`, `lab.ping("h1", "h2")`.

Each function is a method of `Lab`. All of them raise LabFailed if the lab has ended or does not reply in time, and
Interrupted if the lab was interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frrlib import wire
from frrlib.conf import running
from frrlib.conf.running import RunningConfig
from frrlib.lab import convergence, faults
from frrlib.lab.convergence import ConvergenceTimes
from frrlib.lab.node import ANSWER_MARGIN_S
from frrlib.lab.path import (
    Family,
    LabPath,
    TracerouteHop,
    address_to,
    hops_of,
    path_of,
    path_request,
    reverse_path_request,
)
from frrlib.lab.running_lab import RunningLab
from frrlib.model.sealed import is_sealed
from frrlib.prediction.routes import expected_routes
from frrlib.render import plan as planning
from frrlib.render.faults import fault_plans
from frrlib.wire.plan import CapturePlan

#: Beyond a flow's own time: its start, its report, and a margin for a busy machine.
FLOW_MARGIN_S = 60.0


class FlowsResult(wire.FlowsReply):
    """The reply to `wire.RunFlows`, and a sentence for each planned fault that did not happen as planned."""

    fault_failures: list[str]


class PingOutcome(wire.PingReply):
    """The reply to `wire.Ping`, with the nodes and the address."""

    source: str
    destination: str
    address: str


def wait_converged(lab: RunningLab, timeout_s: float | None = None, stable_s: float | None = None) -> ConvergenceTimes:
    """Wait until every adjacency that the topology requires is up, every route is in its kernel's table, and
    neither has changed for a while. Meanwhile `wire.WaitingFor` events list the missing ones.

    Links and interfaces that are down now are not expected to bring up anything: after `link_down` the wait is for
    the remaining network. A dead or stopped daemon, or a frozen router, is still expected.

    Args:
        timeout_s: longest wait, `stable_s` included; None for the topology's own.
        stable_s: time from now on without any change; None for the topology's own.

    Returns:
        the time that it took, in total and for each router.

    Raises:
        LabFailed: something is missing after that time, or keeps changing; the message names every router, what
            it misses, and the reason if that is visible.
    """
    wait = lab.topology.wait
    limit_s = wait.timeout_s if timeout_s is None else timeout_s
    topology = convergence.with_current_carrier(lab.topology, faults.faults_now(lab))
    command = convergence.request(topology, limit_s, wait.stable_s if stable_s is None else stable_s)
    if command is None:
        return ConvergenceTimes()
    with lab.step("converge"):
        return ConvergenceTimes.of(lab.ask(command, limit_s + ANSWER_MARGIN_S))


def adjacencies(lab: RunningLab, *routers: str) -> list[wire.AdjacencyEvent]:
    """The neighbors of all routing daemons now, with timers; of all routers, or of the named ones."""
    return lab.ask(wire.Adjacencies(routers))["adjacencies"]


def watch_adjacencies(lab: RunningLab, hz: float) -> None:
    """Poll the daemons for their neighbors `hz` times a second, so that `wire.AdjacencyEvent`s also report changes
    that daemons do not log; 0 stops it. Events for the present neighbors are sent at once."""
    lab.ask(wire.WatchAdjacencies(hz))


def wait_routes(lab: RunningLab, timeout_s: float | None = None) -> dict[str, float]:
    """Wait until every router has every route that the topology's protocols should give it. This waits for less than
    `wait_converged`: for no adjacency, and not until the network is at rest.

    Args:
        timeout_s: longest wait; None for the topology's own.

    Returns:
        seconds that each router took.

    Raises:
        LabFailed: some router misses some route after that time; the message names them.
    """
    expected = {name: tuple(map(str, prefixes)) for name, prefixes in expected_routes(lab.topology).items()}
    if not expected:
        return {}
    limit_s = lab.topology.wait.timeout_s if timeout_s is None else timeout_s
    with lab.step("routes"):
        return lab.ask(wire.WaitRoutes(expected, limit_s), limit_s + ANSWER_MARGIN_S)["seconds"]


def ping(lab: RunningLab, source: str, destination: str, count: int = 3) -> PingOutcome:
    """Ping a node, or an address, from a node.

    One more request goes first and is not in the result: it resolves the hardware addresses on the path.
    """
    address = address_to(lab.topology, destination)
    command = wire.Ping(source, address, count)
    reply = lab.ask(command, (count + 1) * (command.interval_s + command.timeout_s) + ANSWER_MARGIN_S)
    return {"source": source, "destination": destination, "address": address, **reply}


def path(
    lab: RunningLab, source: str, destination: str, *, family: Family = 0, vrf: str = "", trace: bool = True
) -> LabPath:
    """The path of packets according to the kernels' tables now, and the result of a traceroute along it.

    Args:
        source: the first node.
        destination: a node, or an address.
        family: 4 or 6: the family of the destination's address; 0 prefers IPv4.
        vrf: the VRF of the source in which the path begins; empty for none.
        trace: whether to run a traceroute, too; it takes up to a few seconds if nobody answers.

    Raises:
        TopologyError: there is no such node or VRF, or the destination has no such address.
    """
    command = path_request(lab.topology, source, destination, family, vrf)
    lab_path = path_of(command, destination, lab.ask(command))
    return replace(lab_path, hops=_trace(lab, lab_path)) if trace else lab_path


def path_back(lab: RunningLab, path: LabPath, *, trace: bool = True) -> LabPath:
    """The path of the replies to packets of a path. Raises TopologyError if no node is known to reply."""
    command = reverse_path_request(lab.topology, path)
    reverse = path_of(command, path.source, lab.ask(command))
    return replace(reverse, hops=_trace(lab, reverse)) if trace else reverse


def trace(lab: RunningLab, path: LabPath) -> tuple[TracerouteHop, ...]:
    """Run a traceroute from the source of a path to its address, in its VRF."""
    return hops_of(path, lab.ask(wire.Trace(path.source, path.address, path.vrf)))


#: The same function, for those with a parameter of that name.
_trace = trace


def run_flows(lab: RunningLab, sample_hz: float = 100.0, captures: Sequence[CapturePlan] = ()) -> FlowsResult:
    """Send the topology's flows, sample and make its faults meanwhile; returns when the last flow has ended.

    Args:
        sample_hz: samples per second; 0 for none.
        captures: interfaces to capture packets at.
    """
    flows = planning.flow_plans(lab.topology)
    longest_s = max((flow.start_s + (flow.duration_s or 3600.0) for flow in flows), default=0.0)
    plans = fault_plans(lab.topology)
    command = wire.RunFlows(flows, planning.queue_probes(lab.topology), sample_hz, plans, tuple(captures))
    with lab.step("flows"):
        reply = lab.ask(command, longest_s + FLOW_MARGIN_S)
    return {**reply, "fault_failures": faults.failures(lab.topology, plans, reply)}


def save_logs(lab: RunningLab) -> None:
    """Copy the daemons' present logs into `logs` below the lab's writable folder."""
    lab.ask(wire.SaveLogs())


def set_link(lab: RunningLab, link: str, *, up: bool) -> None:
    """Give a link carrier or take it away, at both ends."""
    lab.ask(wire.SetLink(link, up))


def kill_daemon(lab: RunningLab, router: str, daemon: str, signal: int = 9) -> None:
    """Send a signal to a router's daemon."""
    lab.ask(wire.KillDaemon(router, daemon, signal))


def running_configs(lab: RunningLab, *routers: str, timeout_s: float = 3.0) -> dict[str, RunningConfig]:
    """The configurations of the named routers, or of all: when the lab was up, and now. Sealed routers are left out.

    Args:
        timeout_s: time limit for all their daemons together; one that does not answer is reported, not waited for.
    """
    request = wire.ReadConfigurations(routers, timeout_s)
    configs = running.running_configs(lab.ask(request, timeout_s + ANSWER_MARGIN_S)["routers"])
    return {name: config for name, config in configs.items() if not is_sealed(lab.topology, name)}
