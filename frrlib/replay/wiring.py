"""The links of a run's topology: the directions of each, and the way of a packet from an interface to an address."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from frrlib.model.links import Link
from frrlib.model.nodes import SWITCHING, Host
from frrlib.model.topology import Topology
from frrlib.render.plan import direction_name

IpAddress = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Direction:
    """A direction of a link.

    Attributes:
        name: its name in results ("l1:r1-r2").
        link: the number of its link in the topology.
        is_forward: whether it leads from the link's first end to the second.
        sender, receiver: the nodes at its ends.
        interface: the interface of the sender.
    """

    name: str
    link: int
    is_forward: bool
    sender: str
    receiver: str
    interface: str


class Wiring:
    """The directions of all links, by name and by the sending interface.

    Attributes:
        directions: each direction by its name.
        by_interface: each direction by its sending node and interface.
    """

    def __init__(self, topology: Topology) -> None:
        """Index a topology that has all names and addresses."""
        self.directions: dict[str, Direction] = {}
        self.by_interface: dict[tuple[str, str], Direction] = {}
        self._leaving: defaultdict[str, list[Direction]] = defaultdict(list)
        self._owners: dict[IpAddress, str] = {}
        self._switches = frozenset(node.name for node in topology.nodes if node.kind in SWITCHING)
        self._gateways = {
            node.name: node.default_route
            for node in topology.nodes
            if isinstance(node, Host) and node.default_route is not None
        }
        self._networks = {
            (end.node, end.interface): [address.network for address in end.addresses]
            for link in topology.links
            for end in (link.a, link.b)
        }
        for number, link in enumerate(topology.links):
            self._add(number, link)

    def _add(self, number: int, link: Link) -> None:
        for sender, receiver in ((link.a, link.b), (link.b, link.a)):
            name = direction_name(link, sender)
            direction = Direction(name, number, sender is link.a, sender.node, receiver.node, sender.interface)
            self.directions.setdefault(name, direction)
            self.by_interface.setdefault((sender.node, sender.interface), direction)
            self._leaving[sender.node].append(direction)
            for address in sender.addresses:
                self._owners.setdefault(address.ip, sender.node)

    def leaving(self, node: str) -> list[Direction]:
        """The directions that begin at a node."""
        return self._leaving.get(node, [])

    def owner(self, address: IpAddress) -> str:
        """The node with an address; empty for none."""
        return self._owners.get(address, "")

    def next_hop(self, host: str, interface: str, destination: IpAddress) -> IpAddress | None:
        """The address to which a host sends packets for a destination; None if its gateway is not known."""
        if any(destination in network for network in self._networks.get((host, interface), [])):
            return destination
        gateway = self._gateways.get(host)
        return ip_address(str(gateway)) if gateway is not None else None

    def hop(self, node: str, interface: str, towards: IpAddress | None) -> list[Direction]:
        """The directions from an interface to the next router or host.

        Args:
            towards: the address of the next router or host. Behind a switch it decides; between two nodes it does not
                matter.

        Returns:
            One direction, or several through switches (the fewest); empty if the next node is not known.
        """
        first = self.by_interface.get((node, interface))
        if first is None:
            return []
        if first.receiver not in self._switches:
            return [first]
        target = self.owner(towards) if towards is not None else ""
        return self._through_switches(first, target) if target else []

    def _through_switches(self, first: Direction, target: str) -> list[Direction]:
        came_by: dict[str, Direction] = {first.receiver: first}
        waiting = deque([first.receiver])
        while waiting:
            switch = waiting.popleft()
            for direction in self.leaving(switch):
                if direction.receiver == target:
                    return _back_to(first, came_by, direction)
                if direction.receiver in self._switches and direction.receiver not in came_by:
                    came_by[direction.receiver] = direction
                    waiting.append(direction.receiver)
        return []


def _back_to(first: Direction, came_by: Mapping[str, Direction], last: Direction) -> list[Direction]:
    directions = [last]
    while directions[-1] is not first:
        directions.append(came_by[directions[-1].sender])
    return directions[::-1]
