"""One change of a running lab: it makes all steps, or takes them back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from frrlib.agent.changes import old_next_hops, qdiscs, routers, zebra_addresses
from frrlib.agent.frr import startup
from frrlib.agent.network import hostnames, offloads
from frrlib.agent.network import qdiscs as network_qdiscs
from frrlib.agent.network.links import LINK_NAMESPACE, LabLink, tc_lines
from frrlib.agent.network.network import STOP_COMMANDS_S
from frrlib.agent.network.nodes import FrrRouter, LabNode
from frrlib.errors import LabError, LabFailed
from frrlib.wire.changes import LabChange, RouterLines
from frrlib.wire.plan import InterfacePlan, LinkPlan, NodePlan

if TYPE_CHECKING:
    from frrlib.agent.faults.faults import FaultInjector
    from frrlib.agent.frr.configurations import Configurations
    from frrlib.agent.network.network import LabNet
    from frrlib.agent.routing.routing import RoutingMonitor


class Observers(NamedTuple):
    """The parts of an agent that know nodes and links of the lab."""

    routing: RoutingMonitor
    configurations: Configurations
    faults: FaultInjector


class LabChanger:
    """Makes one change.

    Args:
        net: the running lab.
        change: the change.
        observers: adapted to the change.
    """

    def __init__(self, net: LabNet, change: LabChange, observers: Observers) -> None:
        self._net, self._change, self._observers = net, change, observers
        #: What takes the steps back, the first step first.
        self._undo: list[Callable[[], None]] = []
        self._plans = {plan.name: plan for plan in change.plan.nodes}
        self._links = {plan.id: plan for plan in change.plan.links}
        self._before: dict[str, dict[str, str]] = {}
        self.warnings: list[str] = []
        self.failed_commands: dict[str, str] = {}

    def make(self) -> None:
        """Make all steps but the end of nodes and daemons that disappear. Raises LabError with the lab as before."""
        try:
            self._make()
        except BaseException as error:
            if problems := self.take_back():
                raise LabFailed(f"{error}; and the lab is no longer as before: {'; '.join(problems)}") from error
            raise

    def take_back(self) -> list[str]:
        """Take all steps back, the last one first. Returns a sentence for each one that failed."""
        problems = []
        while self._undo:
            try:
                self._undo.pop()()
            except (LabError, OSError) as error:
                problems.append(str(error))
        gone = old_next_hops.removed_addresses(self._change.plan, self._net.plan)
        old_next_hops.forget_rip_routes(self._net.routers.values(), gone)
        old_next_hops.remove_kernel_routes(self._touched_routers(), gone)
        return problems

    def keep(self) -> list[str]:
        """End the nodes and daemons that disappear, and adapt the observers. Returns warnings."""
        self._undo.clear()
        change, net = self._change, self._net
        problems = self._end_nodes([name for name in change.removed_nodes if name not in change.added_nodes])
        for name in change.routers:
            router = net.routers[name]
            for daemon in set(router.frr.running()) - set(router.frr.daemons):
                router.frr.end(daemon)
                self._observers.routing.daemon_ended(name, daemon)
        self._observers.configurations.take_change(self._before, self._configurations())
        gone = old_next_hops.removed_addresses(net.plan, change.plan)
        old_next_hops.remove_kernel_routes(self._touched_routers(), gone)
        links = [*change.removed_links, *change.added_links, *change.changed_links]
        self._observers.faults.forget(change.removed_nodes, links)
        self._observers.routing.set_plan(change.plan)
        net.plan = change.plan
        return problems

    def read_back(self) -> dict[str, Any]:
        """The result of `wire.ChangeLab`."""
        net, nodes = self._net, [self._net.node(name) for name in self._touched()]
        return {
            "qdiscs": net.read_qdiscs(nodes),
            "kernels": net.read_kernels(nodes),
            "cables": net.cables(),
            "warnings": self.warnings,
            "failed_commands": self.failed_commands,
            "interfaces": {node.name: node.read_interfaces() for node in nodes},
            "configurations": self._configurations(),
        }

    # --- steps --------------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        change, net = self._change, self._net
        self._observers.configurations.before_change(change.routers)
        self._before = self._configurations()
        self._set_names(change.plan.hosts)
        if change.plan.delay_tables:
            network_qdiscs.install_delay_tables(change.plan.delay_tables)
        before_links = [change.links_before.get(name, net.link_by_id(name).plan) for name in change.removed_links]
        remade = [net.node(name) for name in change.removed_nodes if name in change.added_nodes]
        before_nodes = [node.plan for node in remade]
        self._undo.append(lambda: self._build(before_nodes, before_links))
        self._demolish(change.removed_links, [node.name for node in remade])
        for name in change.changed_nodes:
            self._change_node(net.node(name), self._plans[name])
        self._undo.append(lambda: self._demolish(change.added_links, change.added_nodes))
        self._build(
            [self._plans[name] for name in change.added_nodes], [self._links[name] for name in change.added_links]
        )
        for name in change.changed_links:
            self._change_link(net.link_by_id(name), self._links[name])
        for name in self._touched():
            net.node(name).set_routes()
        for name, lines in change.routers.items():
            self._change_router(net.routers[name], lines)
        for name in self._touched():
            self._set_sysctls(net.node(name))
        commanded = [net.node(name) for name in change.added_nodes if self._plans[name].start_command]
        self.failed_commands = net.run_start_commands(commanded)
        gone = old_next_hops.removed_addresses(net.plan, change.plan)
        old_next_hops.forget_rip_routes(net.routers.values(), gone)

    def _set_names(self, hosts: str) -> None:
        before = self._net.plan.hosts
        if hosts != before:
            self._undo.append(lambda: hostnames.change_hosts(before))
            hostnames.change_hosts(hosts)

    def _build(self, nodes: Sequence[NodePlan], links: Sequence[LinkPlan]) -> None:
        """Add nodes and links, with their routes, qdiscs and daemons."""
        net, present = self._net, self._net.links_by_id
        new_nodes = net.add_nodes([plan for plan in nodes if plan.name not in net.nameToNode])
        new_links = net.add_links([plan for plan in links if plan.id not in present], new_nodes)
        ends = [end for link in new_links for end in link.ends]
        at_running_routers = [end for end in ends if isinstance(end.node, FrrRouter) and end.node not in new_nodes]
        self.warnings += zebra_addresses.make_known(at_running_routers)
        for node in dict.fromkeys([*new_nodes, *(end.node for end in ends)]):
            node.set_routes()
        jobs = [(node.name, node.thread, tc_lines([end for end in ends if end.node is node])) for node in net.nodes]
        if net.link_namespace_thread is not None:
            lines = [line for link in new_links for line in link.link_namespace_tc()]
            jobs.append((LINK_NAMESPACE, net.link_namespace_thread, lines))
        self.warnings += network_qdiscs.run([job for job in jobs if job[2]], net.subjects_of_tc(new_links))
        new_routers = [node for node in new_nodes if isinstance(node, FrrRouter)]
        if new_routers:
            patience = startup.start_all([router.frr for router in new_routers], lambda *_: None)
            self.warnings += patience.end() if patience else []
            self.warnings += [line for router in new_routers for line in router.frr.skipped]
        for router in new_routers:
            self._observers.routing.add_router(router)
            self._observers.configurations.add_router(router.name, router)

    def _demolish(self, links: Iterable[str], nodes: Iterable[str]) -> None:
        """Remove those of the links and nodes that exist."""
        for name in links:
            if (link := self._net.links_by_id.get(name)) is not None:
                self._net.remove_link(link)
        self._end_nodes(nodes)

    def _end_nodes(self, names: Iterable[str]) -> list[str]:
        """Remove those of the nodes that exist. Returns warnings about their stop commands."""
        problems = []
        for name in names:
            if name not in self._net.nameToNode:
                continue
            node = self._net.node(name)
            if node.plan.stop_command:
                try:
                    node.run(["sh", "-c", node.plan.stop_command], STOP_COMMANDS_S)
                except (LabFailed, OSError) as error:
                    problems.append(f"{name}: its stop command failed: {error}")
            if isinstance(node, FrrRouter):
                self._observers.routing.remove_router(name)
                self._observers.configurations.remove_router(name)
            self._net.remove_node(node)
        return problems

    def _change_node(self, node: LabNode, plan: NodePlan) -> None:
        before = node.plan
        self._undo.append(lambda: self._restore_node(node, before))
        node.thread.call(node.change_plan, plan)

    def _restore_node(self, node: LabNode, before: NodePlan) -> None:
        node.thread.call(node.change_plan, before)
        node.set_routes()

    def _set_sysctls(self, node: LabNode) -> None:
        """Put the settings of a node's plan into force. Some kernels do not let a lab set their own values again, so
        this comes late."""
        settings = node.plan.sysctls
        present = node.thread.call(node.read_sysctls, settings)
        changed = {
            key: present[key] for key, value in settings.items() if key in present and not _same(present[key], value)
        }
        if changed or len(present) < len(settings):
            self._undo.append(lambda: node.thread.call(node.set_sysctls, _existing(node, changed)))
            node.thread.call(
                node.set_sysctls, {key: settings[key] for key in settings if key in changed or key not in present}
            )

    def _change_router(self, router: FrrRouter, lines: RouterLines) -> None:
        before, after = router.frr.plan, self._plans[router.name].frr
        assert after is not None
        started: list[str] = []

        def restore() -> None:
            routers.configure(router, lines.undo, lines.commands, tolerant=True)
            router.frr.set_plan(before)
            routers.write_files(router, after, before)
            routers.end_started(router, started)

        self._undo.append(restore)
        routers.start_missing(router, after, started)
        routers.configure(router, lines.lines, lines.commands)
        routers.write_files(router, before, after)
        router.frr.set_plan(after)
        self._observers.routing.add_router(router)
        for daemon in started:
            self._observers.configurations.add_daemon(router.name, daemon)

    # --- links that keep their interfaces -----------------------------------------------------------------------------

    def _change_link(self, link: LabLink, after: LinkPlan) -> None:
        before = self._change.links_before.get(link.plan.id, link.plan)
        was_up = link.is_up
        self._undo.append(lambda: self._exchange(link, after, before, was_up))
        self._exchange(link, before, after, after.up if after.up != before.up else was_up)

    def _exchange(self, link: LabLink, before: LinkPlan, after: LinkPlan, up: bool) -> None:
        link.set_plan(after)
        for interface, old, new in zip(link.ends, (before.a, before.b), (after.a, after.b), strict=True):
            self._exchange_end(interface, old, new)
        if self._net.link_namespace_thread is not None and link.in_link_namespace:
            towards_a, towards_b = link.counterparts
            for device, old_lines, new_lines in (
                (towards_b, before.cable_tc_to_b, after.cable_tc_to_b),
                (towards_a, before.cable_tc_to_a, after.cable_tc_to_a),
            ):
                old_tc, new_tc = ([line.replace("{dev}", device) for line in lines] for lines in (old_lines, new_lines))
                thread = self._net.link_namespace_thread
                self.warnings += qdiscs.exchange(LINK_NAMESPACE, thread, device, old_tc, new_tc)
        if up != link.is_up:
            link.set_carrier(up, self._net.link_netlink)

    def _exchange_end(self, interface: Any, old: InterfacePlan, new: InterfacePlan) -> None:
        node: LabNode = interface.node
        if set(old.addresses) != set(new.addresses):
            node.readdress(interface.index, interface.name, old.addresses, new.addresses)
        if old.neighbor_probes != new.neighbor_probes:
            node.set_neighbor_probes(interface)
        if old.offloads != new.offloads:
            switch = offloads.switch_on if new.offloads else offloads.switch_off
            node.thread.call(switch, node.name, [interface.name])
        self.warnings += qdiscs.exchange(node.name, node.thread, interface.name, old.tc, new.tc)

    # --- read-back ----------------------------------------------------------------------------------------------------

    def _touched(self) -> list[str]:
        """The names of all nodes that are new, changed, or at a link that is."""
        change = self._change
        links = [self._links[name] for name in (*change.added_links, *change.changed_links)]
        ends = [end.node for link in links for end in (link.a, link.b)]
        at_removed = [
            end.node
            for name in change.removed_links
            if name in change.links_before
            for end in (change.links_before[name].a, change.links_before[name].b)
        ]
        names = dict.fromkeys([*change.added_nodes, *change.changed_nodes, *change.routers, *ends, *at_removed])
        return [name for name in names if name in self._plans]

    def _touched_routers(self) -> list[FrrRouter]:
        return [self._net.routers[name] for name in self._touched() if name in self._net.routers]

    def _configurations(self) -> dict[str, dict[str, str]]:
        """The present configurations of changed routers, by daemon."""
        names = [name for name in self._change.routers if name in self._net.routers]
        return self._observers.configurations.now(names)


def _same(actual: str, requested: str) -> bool:
    return actual.split() == requested.split()


def _existing(node: LabNode, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that exist: those of removed interfaces do not."""
    present = node.thread.call(node.read_sysctls, settings)
    return {key: value for key, value in settings.items() if key in present}
