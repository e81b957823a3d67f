"""Mininet's links, born in their nodes' namespaces; those with delay or loss pass the cable room."""

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

#: Name of the namespace in which links with delay or loss have their counterparts.
LINK_NAMESPACE = "cable"
#: Far from the indexes of nodes: the two ends of a pair must not have one index (see `LabNode.new_index`).
FIRST_COUNTERPART_INDEX = 1_000_000


class LabIntf(Intf):
    """An interface of a node.

    Attributes:
        index: its index in the node's namespace.
        addresses: addresses with prefix length.
        offloads: whether segmentation and receive offloads stay on.
        checksums: whether checksums may be left out of what is sent.
        up: whether it is up; a link in the cable room may lack carrier all the same.
        is_enabled: whether nobody has put it down on purpose.
    """

    def __init__(self, node: LabNode, plan: InterfacePlan, link: LabLink, other_end: int = 0) -> None:
        self.index = node.new_index(other_end)
        self.addresses = plan.addresses
        self.offloads, self.checksums = plan.offloads, link.plan.checksums
        self.up, self.is_enabled = link.plan.up or link.in_link_namespace, True
        self.plan = plan
        super().__init__(plan.name, node=node, link=link, mac=plan.mac or None)
        first = next((address for address in plan.addresses if ":" not in address), "")
        self.ip, _, length = first.partition("/")
        self.prefixLen = int(length) if length else None

    def config(self, **_params: Any) -> dict[str, Any]:
        """Nothing: the node configures all its interfaces in one go."""
        return {}

    def end(self) -> VethEnd:
        """The interface as an end of a veth pair to be made."""
        return VethEnd(self.name, self.index, self.plan.mtu_bytes, self.plan.mac, self.node.thread.net_fd)


class LabLink(Link):
    """A link of the plan between two nodes.

    Args:
        a, b: the nodes of the plan's two ends.
        plan: the link.
        number: the link's number in the lab, for the names of its counterparts in the cable room.
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
        """Names of the interfaces in the cable room that face `a` and `b`."""
        return f"c{self.number}a", f"c{self.number}b"

    @property
    def counterpart_indexes(self) -> tuple[int, int]:
        """Their indexes there."""
        return FIRST_COUNTERPART_INDEX + 2 * self.number, FIRST_COUNTERPART_INDEX + 2 * self.number + 1

    def requests(self, room: NodeThread | None) -> list[Message]:
        """The requests that make the link; to be sent from any namespace. `room` is the cable room, if there is one."""
        if not self.in_link_namespace:
            return [rtnetlink.veth(self.intf1.end(), self.intf2.end())]
        assert room is not None
        return [
            rtnetlink.veth(interface.end(), VethEnd(name, index, interface.plan.mtu_bytes, "", room.net_fd))
            for interface, name, index in zip(self.ends, self.counterparts, self.counterpart_indexes, strict=True)
        ]

    def link_namespace_requests(self) -> list[Message]:
        """The requests that join the counterparts; to be sent in the cable room."""
        if not self.in_link_namespace:
            return []
        (name_a, name_b), (index_a, index_b) = self.counterparts, self.counterpart_indexes
        asked = [rtnetlink.ingress(index_a, name_a), rtnetlink.ingress(index_b, name_b)]
        asked += [rtnetlink.redirect(index_a, name_a, index_b), rtnetlink.redirect(index_b, name_b, index_a)]
        return asked + (self._carrier_requests() if self.is_up else [])

    def _carrier_requests(self) -> list[Message]:
        """The requests that give each node carrier or take it away; to be sent in the cable room."""
        # The counterpart that faces an end carries what the other end does.
        others = (self.intf2.is_enabled, self.intf1.is_enabled)
        ends = zip(self.counterpart_indexes, self.counterparts, others, strict=True)
        return [rtnetlink.set_up(index, name, self.is_up and other) for index, name, other in ends]

    def link_namespace_tc(self) -> list[str]:
        """Arguments of `tc` for the counterparts. What leaves towards `b` leaves by the counterpart that faces `b`."""
        name_a, name_b = self.counterparts
        return [
            *(line.replace("{dev}", name_b) for line in self.plan.cable_tc_to_b),
            *(line.replace("{dev}", name_a) for line in self.plan.cable_tc_to_a),
        ]

    def set_carrier(self, up: bool, room: Any) -> None:
        """Give both ends carrier, or take it from both.

        A plain veth pair cannot lose carrier while both of its ends are up, so there both ends go down; the kernel
        forgets the routes over them, and those of the plan are set again when they come back.

        Args:
            up: which of the two.
            room: netlink socket of the cable room, None where there is none.

        Raises:
            NetlinkError: the kernel refuses it.
        """
        self.is_up = up
        self._apply(room)

    def set_interface(self, interface: LabIntf, up: bool, room: Any) -> None:
        """Put one end up or down, as its node's administrator would; the other end loses carrier with it.

        Raises:
            NetlinkError: the kernel refuses it.
        """
        interface.is_enabled = up
        self._apply(room)

    def _apply(self, room: Any) -> None:
        """Ask the kernel which interfaces are up."""
        came = False
        for interface in self.ends:
            up = interface.is_enabled and (self.is_up or self.in_link_namespace)
            if up != interface.up:
                interface.up = up
                interface.node.netlink.apply([rtnetlink.set_up(interface.index, interface.name, up)])
                came |= up
        if self.in_link_namespace:
            room.apply(self._carrier_requests())
        if came:
            for interface in self.ends:
                interface.node.set_routes()

    def delete(self) -> None:
        """Nothing: interfaces go with their namespaces."""

    def stop(self) -> None:
        """Nothing: interfaces go with their namespaces."""


def tc_lines(interfaces: Sequence[LabIntf]) -> list[str]:
    """All `tc` arguments of some interfaces."""
    return [line for interface in interfaces for line in interface.plan.tc]
