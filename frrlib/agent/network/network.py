"""A whole lab as a Mininet network, built from a plan with a few system calls per node."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from mininet.net import Mininet

from frrlib.agent import processes
from frrlib.agent.frr import startup
from frrlib.agent.frr.first_connections import FirstConnections
from frrlib.agent.frr.patient_timers import PatientTimers, WaitForRest
from frrlib.agent.network import cpu_limits, hostnames, link_neighbors, offloads, qdiscs
from frrlib.agent.network.links import LINK_NAMESPACE, LabLink, tc_lines
from frrlib.agent.network.namespaces import NodeThread, private_mounts
from frrlib.agent.network.netlink import Netlink
from frrlib.agent.network.nodes import BridgeNode, FrrRouter, HostNode, LabNode
from frrlib.errors import LabFailed
from frrlib.wire.plan import LinkPlan, NodePlan, Plan

if TYPE_CHECKING:
    from frrlib.agent.network.openflow import OpenFlowFabric

#: A shell's exit status for a missing program, and the remedy.
_NOT_FOUND = 127
_NO_PROGRAM = "; enter a program of this machine, or the absolute path of a file beside the topology"
#: Start commands may continue in the background; building waits for all of them together up to this time.
START_COMMANDS_S = 2.0
STOP_COMMANDS_S = 5.0
#: Processes of start commands are killed if they do not end within this time.
STOP_PATIENCE_S = 1.0

Progress = Callable[[str, str, str], None]


class LabNet(Mininet):
    """The network of a plan.

    Args:
        plan: the network to build.
        progress: called with name, state ("start", "done") and text during the building.
        report_exit: called with router, daemon, exit status and the end of its log when a daemon ends unexpectedly.
        logs: folder for logs of daemons and of start commands.

    Attributes:
        routers: the routers that run FRR, by name.
        link_netlink, link_namespace_thread: netlink socket and thread of the link namespace; None if no link needs it.
        warnings: problems that do not stop the lab, with the names of nodes: the kernel's warnings about qdiscs,
            controllers that do not answer, and lines of routers that FRR refused and that the topology intends.
        failed_commands: output of failed start commands, by node. The lab continues without them.
    """

    def __init__(
        self,
        plan: Plan,
        progress: Progress | None = None,
        report_exit: processes.ReportExit | None = None,
        logs: str = "/var/log",
    ) -> None:
        Mininet.inited = True  # otherwise Mininet would start processes that raise the machine's limits
        super().__init__(topo=None, build=False, controller=None, host=HostNode)
        self.plan, self.logs = plan, logs
        self._progress: Progress = progress or (lambda *_: None)
        self._report_exit = report_exit or (lambda *_: None)
        self.link_netlink: Netlink | None = None
        self.link_namespace_thread: NodeThread | None = None
        self._fabric: OpenFlowFabric | None = None
        self._external_indices: dict[str, list[tuple[int, str]]] = {}
        self._background: list[processes.Process] = []
        self._first_connections = FirstConnections(())
        self._patient_timers: PatientTimers | None = None
        self.links_by_id: dict[str, LabLink] = {}
        self.failed_commands: dict[str, str] = {}
        self.warnings: list[str] = []

    @property
    def nodes(self) -> list[LabNode]:
        """All nodes that were built."""
        return [*self.hosts, *self.switches, *self.controllers]

    @property
    def has_program_switches(self) -> bool:
        """Whether packets pass Open vSwitch, a program that needs its share of the processor."""
        return self._fabric is not None and bool(self._fabric.switches)

    @property
    def routers(self) -> dict[str, FrrRouter]:
        """The routers that run FRR, by name."""
        return {node.name: node for node in self.nodes if isinstance(node, FrrRouter)}

    def node(self, name: str) -> LabNode:
        """The node of that name. Raises LabFailed if there is none."""
        if name not in self.nameToNode:
            names = ", ".join(sorted(self.nameToNode)) or "none"
            raise LabFailed(f"this lab has no node {name!r}; it has {names}")
        node: LabNode = self.nameToNode[name]
        return node

    # --- building -----------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Make nodes, links, addresses, routes and qdiscs. Raises LabError."""
        for name, action in (
            ("nodes", self._build_nodes),
            ("links", self._build_links),
            ("addresses", self._configure),
            ("qdiscs", self._run_tc),
        ):
            self._step(name, action)
        self.built = True

    def start(self, daemons_ready: Callable[[], None] = lambda: None, at_rest: WaitForRest | None = None) -> None:
        """Start switches and controllers, FRR everywhere, then the start commands. Raises LabError.

        Args:
            daemons_ready: called when all daemons answer.
            at_rest: waits until routing is at rest (see `PatientTimers.wait`), for large labs.
        """
        if not self.built:
            self.build()
        fabric = self._fabric
        if fabric is not None:
            self._step("switches", lambda: fabric.start(self.nodes, self.logs))
        routers = list(self.routers.values())
        if routers:
            self._step("daemons", lambda: self._start_daemons(routers))
        daemons_ready()
        if self._patient_timers and at_rest is not None:
            self._wait_for_rest(self._patient_timers, at_rest)
        if any(node.plan.start_command for node in self.nodes):
            self._step("start commands", lambda: self._run_start_commands(self.nodes))
        if fabric is not None:
            self.warnings += fabric.unconnected()

    def _start_daemons(self, routers: list[FrrRouter]) -> None:
        """Start FRR on all routers. Only one end of each BGP session makes the first connection."""
        connections = self._first_connections = FirstConnections(routers)
        connections.refuse_calls()
        self._patient_timers = startup.start_all([router.frr for router in routers], self._router_step)
        self.warnings += [line for router in routers for line in router.frr.skipped]
        connections.allow_calls_soon()

    def _wait_for_rest(self, patient_timers: PatientTimers, at_rest: WaitForRest) -> None:
        """Wait until the adjacencies of a large lab are up, and then restore the planned timers."""
        self._progress("neighbours", "start", patient_timers.description())
        outcome = patient_timers.wait(at_rest)
        self.warnings += patient_timers.end()
        self._progress("neighbours", "done", f"{outcome}; the timers of the topology are in force again")

    def _build_nodes(self) -> None:
        private_mounts()
        if self.plan.hosts:
            hostnames.install_hosts(self.plan.hosts)
        parts = [plan for plan in self.plan.nodes if plan.kind in ("switch", "controller")]
        if any(plan.switch is not None or plan.kind == "controller" for plan in parts):
            from frrlib.agent.network.openflow import OpenFlowFabric  # its import takes long

            self._fabric = OpenFlowFabric(parts, self._report_exit)
            self._fabric.begin()
        threads = [NodeThread(plan.name, own_network=not _in_lab_namespace(plan)) for plan in self.plan.nodes]
        self._open_link_namespace(self.plan.links)
        self._enter_nodes(self.plan.nodes, threads)

    def _open_link_namespace(self, plans: Sequence[LinkPlan]) -> None:
        """Make the link namespace if one of the links needs it and it does not exist yet."""
        if self.link_namespace_thread is None and any(link.cable_tc_to_a or link.cable_tc_to_b for link in plans):
            self.link_namespace_thread = NodeThread(LINK_NAMESPACE)
            self.link_namespace_thread.wait_ready()
            self.link_netlink = self.link_namespace_thread.call(Netlink, LINK_NAMESPACE)

    def _enter_nodes(self, plans: Sequence[NodePlan], threads: Sequence[NodeThread]) -> None:
        for plan, thread in zip(plans, threads, strict=True):
            thread.wait_ready()
            self._add(plan, thread)
            if plan.cpu is not None:
                cpu_limits.limit(plan.name, thread, plan.cpu)
        self._call_all([self.node(plan.name) for plan in plans], lambda node: node.prepare)

    def _add(self, plan: NodePlan, thread: NodeThread) -> None:
        arguments: dict[str, Any] = {}
        kind: type[LabNode] = BridgeNode if plan.kind in ("bridge", "switch") else HostNode
        if _in_lab_namespace(plan):
            assert self._fabric is not None
            kind, arguments = self._fabric.node_class(plan)
        elif plan.frr is not None:
            kind, arguments = FrrRouter, {"report_exit": self._report_exit}
        if plan.kind == "controller":
            self.addController(plan.name, controller=kind, plan=plan, thread=thread, **arguments)
            return
        add = self.addSwitch if plan.kind in ("bridge", "switch") else self.addHost
        add(plan.name, cls=kind, plan=plan, thread=thread, **arguments)

    def _build_links(self) -> None:
        self._make_links([self._enter_link(plan, number) for number, plan in enumerate(self.plan.links)])

    def _enter_link(self, plan: LinkPlan, number: int) -> LabLink:
        link = LabLink(self.node(plan.a.node), self.node(plan.b.node), plan, number)
        self.links.append(link)
        self.links_by_id[plan.id] = link
        return link

    def _make_links(self, links: Sequence[LabLink]) -> None:
        maker = Netlink("")
        try:
            maker.apply([request for link in links for request in link.requests(self.link_namespace_thread)])
        finally:
            maker.close()
        if self.link_netlink is not None:
            self.link_netlink.apply([request for link in links for request in link.link_namespace_requests()])
            assert self.link_namespace_thread is not None
            plain = [
                name
                for link in links
                if link.in_link_namespace and not all(end.offloads for end in link.ends)
                for name in link.counterparts
            ]
            self.link_namespace_thread.call(offloads.switch_off, LINK_NAMESPACE, plain)

    def _configure(self) -> None:
        if guests := self._nodes_with_externals():
            from frrlib.agent.network import external_interfaces as external

            self._external_indices = external.move_in(guests)
        self._call_all(self.nodes, lambda node: node.configure)
        if warning := link_neighbors.make_room(self.links):
            self.warnings.append(warning)
        self._call_all(self.nodes, lambda node: node.set_routes)

    def _nodes_with_externals(self) -> list[LabNode]:
        """Nodes with interfaces of the machine, except those in the lab's own network namespace."""
        return [node for node in self.nodes if node.plan.external_interfaces and not _in_lab_namespace(node.plan)]

    def _call_all(self, nodes: Iterable[LabNode], method: Callable[[LabNode], Callable[[], None]]) -> None:
        """Call a method of all nodes in parallel. The first failure is raised when all calls have ended."""
        futures: list[Future[None]] = [node.thread.submit(method(node)) for node in nodes]
        failures = [error for error in (future.exception() for future in futures) if error is not None]
        if failures:
            raise failures[0]

    # --- qdiscs -------------------------------------------------------------------------------------------------------

    def _run_tc(self) -> None:
        """Run all `tc` commands of the plan. Raises CommandFailed."""
        if self.plan.delay_tables:
            qdiscs.install_delay_tables(self.plan.delay_tables)
        jobs = [(node.name, node.thread, tc_lines(node.intfList())) for node in self.nodes]
        if self.link_namespace_thread is not None:
            jobs.append(
                (
                    LINK_NAMESPACE,
                    self.link_namespace_thread,
                    [line for link in self.links for line in link.link_namespace_tc()],
                )
            )
        self.warnings += qdiscs.run([job for job in jobs if job[2]], self.subjects_of_tc(self.links))

    def subjects_of_tc(self, links: Iterable[LabLink]) -> dict[tuple[str, str], str]:
        """Descriptions of the planned commands of `tc`, by node and arguments."""
        return {
            (end.node.name, line): f"link {link.plan.id} from {end.node.name} to {far_end.node.name}"
            for link in links
            for end, far_end in (link.ends, link.ends[::-1])
            for line in end.plan.tc
        }

    def read_qdiscs(self, nodes: Sequence[LabNode] | None = None) -> dict[str, list[Any]]:
        """The kernel's read-back of the qdiscs of every node (or of some) with planned ones; the empty name is the link
        namespace."""
        nodes = self.nodes if nodes is None else nodes
        threads = {node.name: node.thread for node in nodes if tc_lines(node.intfList())}
        if self.link_namespace_thread is not None:
            threads[""] = self.link_namespace_thread
        return qdiscs.read(threads)

    def read_kernels(self, nodes: Sequence[LabNode] | None = None) -> dict[str, Any]:
        """The kernel's read-back of settings and routes of every node (or of some) whose plan requires it, by name."""
        nodes = [node for node in (self.nodes if nodes is None else nodes) if node.plan.read_back]
        results = [(node.name, node.thread.submit(node.read_back)) for node in nodes]
        return {name: future.result() for name, future in results}

    def cables(self) -> dict[str, str]:
        """The interface in the link namespace by which each direction leaves, by the direction's name ("l1:r1-r2")."""
        interfaces: dict[str, str] = {}
        for link in self.links:
            if link.in_link_namespace:
                a, b = link.plan.a.node, link.plan.b.node
                towards_a, towards_b = link.counterparts
                interfaces |= {f"{link.plan.id}:{a}-{b}": towards_b, f"{link.plan.id}:{b}-{a}": towards_a}
        return interfaces

    # --- links --------------------------------------------------------------------------------------------------------

    def link_by_id(self, link_id: str) -> LabLink:
        """The link with that id. Raises LabFailed if there is none."""
        if link_id not in self.links_by_id:
            raise LabFailed(f"this lab has no link {link_id!r}; it has {', '.join(self.links_by_id) or 'none'}")
        return self.links_by_id[link_id]

    # --- changes of a running lab -------------------------------------------------------------------------------------

    def add_nodes(self, plans: Sequence[NodePlan]) -> list[LabNode]:
        """Add nodes to a running lab; `add_links` configures them. Raises LabError."""
        self._enter_nodes(plans, [NodeThread(plan.name) for plan in plans])
        return [self.node(plan.name) for plan in plans]

    def remove_node(self, node: LabNode) -> None:
        """End a node without links, with all of its processes."""
        if isinstance(node, FrrRouter):
            os.makedirs(self.logs, exist_ok=True)
            node.frr.save_logs(self.logs)
            processes.end(node.frr.expect_end(), 0.0)
        node.end_processes(STOP_PATIENCE_S)
        node.terminate()
        (self.switches if node in self.switches else self.hosts).remove(node)
        del self.nameToNode[node.name]

    def add_links(self, plans: Sequence[LinkPlan], new_nodes: Sequence[LabNode] = ()) -> list[LabLink]:
        """Add links to a running lab, without routes and qdiscs, and configure new nodes. Raises LabError."""
        self._open_link_namespace(plans)
        first = max((link.number for link in self.links), default=-1) + 1
        links = [self._enter_link(plan, first + position) for position, plan in enumerate(plans)]
        self._make_links(links)
        for node in self.nodes:
            ends = [end for link in links for end in link.ends if end.node is node]
            if node in new_nodes:
                node.thread.call(node.configure)
            elif ends:
                node.thread.call(node.configure_interfaces, ends)
        return links

    def remove_link(self, link: LabLink) -> None:
        """Remove a link from a running lab, also one that was made in part. Raises NetlinkError."""
        link.delete()
        self.links.remove(link)
        del self.links_by_id[link.plan.id]

    def run_start_commands(self, nodes: Sequence[LabNode]) -> dict[str, str]:
        """Run the start commands of further nodes. Returns the output of failed ones, by node."""
        self._run_start_commands(nodes)
        return {node.name: self.failed_commands[node.name] for node in nodes if node.name in self.failed_commands}

    # --- commands of the nodes, and the end ---------------------------------------------------------------------------

    def _run_start_commands(self, nodes: Iterable[LabNode]) -> None:
        started = []
        for node in nodes:
            if node.plan.start_command:
                path = f"{self.logs}/{node.name}-start.log"
                with open(path, "wb") as log:
                    process = node.spawn(["sh", "-c", node.plan.start_command], stdout=log, stderr=log)
                started.append((node, process, path))
                self._background.append(process)
        deadline = time.monotonic() + START_COMMANDS_S
        for node, process, path in started:
            try:
                status = process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue  # it may be a server, which should keep running
            if status:
                with open(path, encoding="utf-8", errors="replace") as log_file:
                    output = log_file.read()[-2000:].strip() or "it printed nothing"
                output += _NO_PROGRAM if status == _NOT_FOUND else ""
                self.failed_commands[node.name] = f"its start command ended with status {status}: {output}"
                self._progress(node.name, "failed", "start command")

    def stop(self) -> None:
        """Run stop commands, end daemons and processes in parallel, keep their logs, end the nodes."""
        self._first_connections.end()
        for node in self.nodes:
            if node.plan.stop_command:
                try:
                    node.run(["sh", "-c", node.plan.stop_command], STOP_COMMANDS_S)
                except (LabFailed, OSError) as error:
                    self._progress(node.name, "failed", f"stop command: {error}")
        daemons = [process for router in self.routers.values() for process in router.frr.expect_end()]
        daemons += self._fabric.expect_end() if self._fabric is not None else []
        processes.end(daemons, 0.0)  # they need no orderly end, since their logs are complete at any time
        processes.end(self._background, STOP_PATIENCE_S)
        self.save_logs()
        if guests := self._nodes_with_externals():
            from frrlib.agent.network import external_interfaces as external

            external.move_out(guests, self._external_indices)
        for node in self.nodes:
            node.terminate()
        if self.link_namespace_thread is not None:
            self.link_namespace_thread.close()

    def save_logs(self) -> None:
        """Copy all daemons' logs to the lab's folder of logs."""
        os.makedirs(self.logs, exist_ok=True)
        for router in self.routers.values():
            router.frr.save_logs(self.logs)
        if self._fabric is not None:
            self._fabric.save_logs(self.logs)

    def _step(self, name: str, action: Callable[[], None]) -> None:
        self._progress(name, "start", "")
        action()
        self._progress(name, "done", "")

    def _router_step(self, router: str, state: str) -> None:
        self._progress(router, state, "daemons")


def _in_lab_namespace(plan: NodePlan) -> bool:
    """Whether a node is in the lab's own network namespace: an Open vSwitch switch or a controller."""
    return plan.switch is not None or plan.kind == "controller"
