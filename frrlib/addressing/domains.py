"""Broadcast domains: the interfaces that reach each other without a router."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.model.links import End, Link
from frrlib.model.nodes import ADDRESSED, SWITCHING, Node, Router
from frrlib.model.topology import Topology


@dataclass(frozen=True)
class Attachment:
    """A link's end at a host or a router, whose interface has addresses.

    Attributes:
        index: position of the link among the topology's links.
        side: 0 for the link's `a`, 1 for its `b`.
        link, end: the link and that end of it.
        node: the host or router.
    """

    index: int
    side: int
    link: Link
    end: End
    node: Node


@dataclass(frozen=True)
class Domain:
    """Links that are joined by switches and bridges, or one link alone.

    Attributes:
        links: in the topology's order.
        ends: the interfaces of hosts and routers on them, in the order of the links, a before b.
        switches: names of the switches and bridges that join them, in the order of the nodes; empty for a link alone.
        anchor: the key of the domain, from which its automatic network derives: the `address_name` of its first switch,
            else the ID of its only link. Other nodes do not change it.
    """

    links: tuple[Link, ...]
    ends: tuple[Attachment, ...]
    switches: tuple[str, ...]
    anchor: str

    @property
    def joins_two_routers(self) -> bool:
        """Whether the domain is one link between two routers."""
        return not self.switches and sum(isinstance(place.node, Router) for place in self.ends) == 2


class _Sets:
    """Disjoint sets of numbers, joined step by step; the smallest member identifies a set."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, member: int) -> int:
        """The smallest member of the set that `member` is in."""
        root = member
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while member != root:
            self._parent[member], member = root, self._parent.get(member, root)
        return root

    def join(self, first: int, second: int) -> None:
        """Join the sets of two members."""
        low, high = sorted((self.find(first), self.find(second)))
        self._parent[high] = low


def broadcast_domains(topology: Topology) -> tuple[Domain, ...]:
    """The broadcast domains of a topology, in the order of their first links.

    A link to a missing node counts with its other end. Carrier (`up`) is ignored, so that unplugging a link changes no
    domain. The first of several nodes with one name is used.
    """
    nodes: dict[str, tuple[int, Node]] = {}
    for position, node in enumerate(topology.nodes):
        nodes.setdefault(node.name, (position, node))
    switching = {name: position for name, (position, node) in nodes.items() if node.kind in SWITCHING}
    sets = _Sets()
    for link in topology.links:
        if link.a.node in switching and link.b.node in switching:
            sets.join(switching[link.a.node], switching[link.b.node])

    members: dict[int, list[int]] = {}
    for index, link in enumerate(topology.links):
        switch = next((end.node for end in link.ends if end.node in switching), None)
        key = ~index if switch is None else sets.find(switching[switch])
        members.setdefault(key, []).append(index)
    switches: dict[int, list[Node]] = {}
    for position in switching.values():
        switches.setdefault(sets.find(position), []).append(topology.nodes[position])
    return tuple(
        Domain(
            links=tuple(topology.links[index] for index in indices),
            ends=tuple(_attachments(topology, indices, nodes)),
            switches=tuple(switch.name for switch in switches.get(key, ())),
            anchor=switches[key][0].address_name if key in switches else topology.links[indices[0]].id,
        )
        for key, indices in members.items()
    )


def _attachments(topology: Topology, indices: list[int], nodes: dict[str, tuple[int, Node]]) -> list[Attachment]:
    attachments = []
    for index in indices:
        link = topology.links[index]
        for side, end in enumerate(link.ends):
            node = nodes[end.node][1] if end.node in nodes else None
            if node is not None and node.kind in ADDRESSED:
                attachments.append(Attachment(index, side, link, end, node))
    return attachments
