"""Requests to a running lab, as scripts write them: `lab.wait_converged()`, `lab.ping("h1", "h2")`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frrlib import wire
from frrlib.conf.running import RunningConfig, gathered
from frrlib.lab import convergence as converging
from frrlib.lab import path as paths
from frrlib.lab.convergence import ConvergenceTimes
from frrlib.lab.faults import FaultMaker, failures
from frrlib.lab.node import ANSWER_MARGIN_S
from frrlib.lab.path import Family, LabPath, TracerouteHop
from frrlib.lab.steps import StepTimer
from frrlib.prediction.routes import expected_routes
from frrlib.render import plan as planning
from frrlib.render.faults import fault_plans
from frrlib.wire.plan import CapturePlan

#: Beyond a flow's own time: its start, its report, and a margin for a busy machine.
FLOW_MARGIN_S = 60.0


class FlowsResult(wire.FlowsReply):
    """What `wire.RunFlows` says, and a sentence for each planned fault that did not come so."""

    fault_failures: list[str]


class PingResult(wire.PingReply):
    """What `wire.Ping` says; and between which nodes, and the address."""

    source: str
    destination: str
    address: str


class Asking(FaultMaker):
    """The questions and orders that go through `ask` to the agent; how they get there, a lab knows.

    Every method raises, beside what it says itself, LabFailed where the lab has ended or does not answer in time, and
    Interrupted where somebody asked for its end meanwhile.
    """

    def step(self, name: str) -> StepTimer:
        """A `with` block that is measured and told of."""
        raise NotImplementedError

    def wait_converged(self, timeout_s: float | None = None, stable_s: float | None = None) -> ConvergenceTimes:
        """Wait until every adjacency that the drawing must bring is up, every route is in its kernel's table, and
        neither has changed for a while. `wire.WaitingFor` events tell meanwhile who misses what.

        Links and interfaces that are down now bring nothing: after `link_down` what is left of the network is waited
        for. A daemon that is dead or stopped, or a router that is frozen, is missed.

        Args:
            timeout_s: how long, `stable_s` included; None for the topology's own.
            stable_s: for how long nothing may change, from now on; None for the topology's own.

        Returns:
            how long it took, in all and each router.

        Raises:
            LabFailed: something is missing after that time, or keeps changing; the message names every router, what
                it misses, and why where that can be seen.
        """
        wait = self.topology.wait
        limit_s = wait.timeout_s if timeout_s is None else timeout_s
        drawn = converging.with_current_carrier(self.topology, self.faults_now())
        asked = converging.request(drawn, limit_s, wait.stable_s if stable_s is None else stable_s)
        if asked is None:
            return ConvergenceTimes()
        with self.step("converge"):
            return ConvergenceTimes.of(self.ask(asked, limit_s + ANSWER_MARGIN_S))

    def adjacencies(self, *routers: str) -> list[wire.AdjacencyEvent]:
        """The neighbours of all routing daemons now, with timers; of all routers, or of those that are named."""
        return self.ask(wire.Adjacencies(routers))["adjacencies"]

    def watch_adjacencies(self, hz: float) -> None:
        """Have the daemons asked for their neighbours so often a second, so that `wire.AdjacencyEvent`s tell also what
        they do not log; 0 for never again. The neighbours that are known already are told at once."""
        self.ask(wire.WatchAdjacencies(hz))

    def wait_routes(self, timeout_s: float | None = None) -> dict[str, float]:
        """Wait until every router has every route that the drawing's protocols should bring it. It waits for less than
        `wait_converged`: for no adjacency, and not for the network to be at rest.

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
            return self.ask(wire.WaitRoutes(expected, limit_s), limit_s + ANSWER_MARGIN_S)["seconds"]

    def ping(self, source: str, destination: str, count: int = 3) -> PingResult:
        """Ping a node, or an address, from a node.

        Hardware addresses on the path are resolved first, by one more request that is not in the result.
        """
        address = paths.address_to(self.topology, destination)
        command = wire.Ping(source, address, count)
        result = self.ask(command, (count + 1) * (command.interval_s + command.timeout_s) + ANSWER_MARGIN_S)
        return {"source": source, "destination": destination, "address": address, **result}

    def path(self, source: str, destination: str, *, family: Family = 0, vrf: str = "", trace: bool = True) -> LabPath:
        """The path of packets as the kernels' tables have it now, and what a traceroute along it sees.

        Args:
            source: the node where they begin.
            destination: a node, or an address.
            family: 4 or 6, which of the destination's addresses is meant; 0 for IPv4 where it has one.
            vrf: in which of the source's VRFs they begin; empty for none.
            trace: whether a traceroute is made, too, which takes up to a few seconds where nobody answers.

        Raises:
            TopologyError: there is no such node or VRF, or the destination has no such address.
        """
        asked = paths.request(self.topology, source, destination, family, vrf)
        path = paths.path_of(asked, destination, self.ask(asked))
        return replace(path, hops=self.trace(path)) if trace else path

    def path_back(self, path: LabPath, *, trace: bool = True) -> LabPath:
        """The path that answers to packets of a path take. Raises TopologyError where nobody is known who answers."""
        asked = paths.reverse_request(self.topology, path)
        back = paths.path_of(asked, path.source, self.ask(asked))
        return replace(back, hops=self.trace(back)) if trace else back

    def trace(self, path: LabPath) -> tuple[TracerouteHop, ...]:
        """Make a traceroute from the source of a path to its address, in its VRF."""
        return paths.hops_of(path, self.ask(wire.Trace(path.source, path.address, path.vrf)))

    def run_flows(self, sample_hz: float = 100.0, captures: Sequence[CapturePlan] = ()) -> FlowsResult:
        """Send the topology's flows, sample and make its faults meanwhile; returns when the last flow has ended.

        Args:
            sample_hz: samples a second; 0 for none.
            captures: interfaces whose packets are kept.

        """
        flows = planning.flow_plans(self.topology)
        longest_s = max((flow.start_s + (flow.duration_s or 3600.0) for flow in flows), default=0.0)
        faults = fault_plans(self.topology)
        command = wire.RunFlows(flows, planning.queue_probes(self.topology), sample_hz, faults, tuple(captures))
        with self.step("flows"):
            result = self.ask(command, longest_s + FLOW_MARGIN_S)
        return {**result, "fault_failures": failures(self.topology, faults, result)}

    def save_logs(self) -> None:
        """Copy the daemons' logs, as they are now, into the folder that the lab may write, below `logs`."""
        self.ask(wire.SaveLogs())

    def set_link(self, link: str, *, up: bool) -> None:
        """Give a link carrier or take it away, at both ends."""
        self.ask(wire.SetLink(link, up))

    def kill_daemon(self, router: str, daemon: str, signal: int = 9) -> None:
        """Send a signal to a router's daemon."""
        self.ask(wire.KillDaemon(router, daemon, signal))

    def running_configs(self, *routers: str, timeout_s: float = 3.0) -> dict[str, RunningConfig]:
        """The configurations of routers (of all, where none is named): when the lab was up, and now.

        Args:
            timeout_s: how long all their daemons may take together; one that does not answer is told, not waited for.
        """
        request = wire.ReadConfigurations(routers, timeout_s)
        return gathered(self.ask(request, timeout_s + ANSWER_MARGIN_S)["routers"])
