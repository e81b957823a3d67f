"""Mininet's links, created in their nodes' namespaces. Links with delay or loss pass through the link namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mininet.link import Intf, Link

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import Message
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.network.rtnetlink import VethEnd
from frrlib.wire.plan import InterfacePlan, LinkPlan

#: Name of the namespace with the counterparts of links with delay or loss.
LINK_NAMESPACE = "cable"
#: Far from the indexes of nodes, since the two ends of a pair must differ in their index (see `LabNode.new_index`).
FIRST_COUNTERPART_INDEX = 1_000_000


class LabIntf(Intf):
    """An interface of a node.

    Attributes:
        index: its index in the node's namespace.
        addresses: addresses with prefix length.
        offloads: whether segmentation and receive offloads stay on.
        checksums: whether packets may be sent without checksums.
        up: whether it is up; a link in the link namespace may lack carrier all the same.
        is_enabled: whether it is administratively up.
    """

    def __init__(self, node: LabNode, plan: InterfacePlan, link: LabLink, other_end: int = 0) -> None:
        self.index = node.new_index(other_end)
        self.addresses = plan.addresses
        self.offloads, self.checksums = plan.offloads, link.plan.checksums
        self.up, self.is_enabled = link.plan.up or link.in_link_namespace, True
        self.plan = plan
        super().__init__(plan.name, node=node, link=link, mac=plan.mac or None)
        self.set_plan(plan)

    def set_plan(self, plan: InterfacePlan) -> None:
        """Use another plan, with the same name and hardware address."""
        self.plan, self.addresses, self.offloads = plan, plan.addresses, plan.offloads
        first = next((address for address in plan.addresses if ":" not in address), "")
        self.ip, _, length = first.partition("/")
        self.prefixLen = int(length) if length else None

    def config(self, **_params: Any) -> dict[str, Any]:
        """No settings here: the node configures all its interfaces in one go."""
        return {}

    def end(self) -> VethEnd:
        """The interface as an end of a veth pair."""
        return VethEnd(self.name, self.index, self.plan.mtu_bytes, self.plan.mac, self.node.thread.net_fd)


class LabLink(Link):
    """A link of the plan between two nodes.

    Args:
        a, b: the nodes of the plan's two ends.
        plan: the link.
        number: the link's number in the lab, for the names of its counterparts in the link namespace.
    """

    def __init__(self, a: LabNode, b: LabNode, plan: LinkPlan, number: int) -> None:
        self.plan, self.number, self.is_up = plan, number, plan.up
        self.in_link_namespace = bool(plan.cable_tc_to_a or plan.cable_tc_to_b)
        self.intf1 = LabIntf(a, plan.a, self)
        self.intf2 = LabIntf(b, plan.b, self, 0 if self.in_link_namespace else self.intf1.index)

    @property
    def ends(self) -> tuple[LabIntf, LabIntf]:
        """Both interfaces."""
        return self.intf1, self.intf2

    @property
    def counterparts(self) -> tuple[str, str]:
        """Names of the interfaces in the link namespace that face `a` and `b`."""
        return f"c{self.number}a", f"c{self.number}b"

    @property
    def counterpart_indexes(self) -> tuple[int, int]:
        """Their indexes there."""
        return FIRST_COUNTERPART_INDEX + 2 * self.number, FIRST_COUNTERPART_INDEX + 2 * self.number + 1

    def requests(self, namespace: NodeThread | None) -> list[Message]:
        """The requests that make the link, sent from any namespace. `namespace` is the link namespace, if it exists."""
        if not self.in_link_namespace:
            return [rtnetlink.veth(self.intf1.end(), self.intf2.end())]
        assert namespace is not None
        return [
            rtnetlink.veth(interface.end(), VethEnd(name, index, interface.plan.mtu_bytes, "", namespace.net_fd))
            for interface, name, index in zip(self.ends, self.counterparts, self.counterpart_indexes, strict=True)
        ]

    def link_namespace_requests(self) -> list[Message]:
        """The requests that join the counterparts, sent in the link namespace."""
        if not self.in_link_namespace:
            return []
        (name_a, name_b), (index_a, index_b) = self.counterparts, self.counterpart_indexes
        requests = [rtnetlink.ingress(index_a, name_a), rtnetlink.ingress(index_b, name_b)]
        requests += [rtnetlink.redirect(index_a, name_a, index_b), rtnetlink.redirect(index_b, name_b, index_a)]
        return requests + (self._carrier_requests() if self.is_up else [])

    def _carrier_requests(self) -> list[Message]:
        """The requests that set each node's carrier, sent in the link namespace."""
        # The counterpart that faces an end takes the state of the other end.
        far_ends_up = (self.intf2.is_enabled, self.intf1.is_enabled)
        ends = zip(self.counterpart_indexes, self.counterparts, far_ends_up, strict=True)
        return [rtnetlink.set_up(index, name, self.is_up and is_far_end_up) for index, name, is_far_end_up in ends]

    def set_plan(self, plan: LinkPlan) -> None:
        """Replace the plan by one with the same interfaces, which `LabNode.readdress` and `tc` put into force."""
        self.plan = plan
        for interface, end in zip(self.ends, (plan.a, plan.b), strict=True):
            interface.set_plan(end)

    def link_namespace_tc(self) -> list[str]:
        """Arguments of `tc` for the counterparts. Packets towards `b` leave by the counterpart that faces `b`."""
        name_a, name_b = self.counterparts
        return [
            *(line.replace("{dev}", name_b) for line in self.plan.cable_tc_to_b),
            *(line.replace("{dev}", name_a) for line in self.plan.cable_tc_to_a),
        ]

    def set_carrier(self, up: bool, link_netlink: Any) -> None:
        """Give both ends carrier, or take it from both.

        A plain veth pair cannot lose carrier while both of its ends are up, so there both ends go down. The kernel then
        removes the routes over them; the plan's routes are set again when they come back.

        Args:
            up: whether the ends get carrier.
            link_netlink: netlink socket of the link namespace, None if there is none.

        Raises:
            NetlinkError: the kernel refuses it.
        """
        self.is_up = up
        self._apply_state(link_netlink)

    def set_interface(self, interface: LabIntf, up: bool, link_netlink: Any) -> None:
        """Set one end up or down, as its node's administrator would. The other end loses carrier with it.

        Raises:
            NetlinkError: the kernel refuses it.
        """
        interface.is_enabled = up
        self._apply_state(link_netlink)

    def _apply_state(self, link_netlink: Any) -> None:
        """Set the state of both interfaces in the kernel."""
        came_up = False
        for interface in self.ends:
            up = interface.is_enabled and (self.is_up or self.in_link_namespace)
            if up != interface.up:
                interface.up = up
                interface.node.netlink.apply([rtnetlink.set_up(interface.index, interface.name, up)])
                came_up |= up
        if self.in_link_namespace:
            link_netlink.apply(self._carrier_requests())
        if came_up:
            for interface in self.ends:
                interface.node.set_routes()

    def delete(self) -> None:
        """Remove the interfaces of a running lab. Missing ones are no error. Raises NetlinkError."""
        for interface in self.ends:
            interface.node.remove_interface(interface)

    def stop(self) -> None:
        """Nothing to do: interfaces end with their namespaces."""


def tc_lines(interfaces: Sequence[LabIntf]) -> list[str]:
    """All `tc` arguments of some interfaces."""
    return [line for interface in interfaces for line in interface.plan.tc]
