"""Random graphs of routers with addresses, from which the kinds of networks are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from frrlib.model.topology import Topology
from frrlib.network.network import Network, end


@dataclass(eq=False)
class RouterDraft:
    """A router that is being made.

    Attributes:
        name: its name.
        number: its number, from which its loopback's addresses follow.
        fields: the fields of `Router` so far.
        interfaces: names of its interfaces so far.
    """

    name: str
    number: int
    fields: dict[str, Any] = field(default_factory=dict)
    interfaces: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Net:
    """A link between two routers, or a LAN of several.

    Attributes:
        number: its number, from which its prefixes follow.
        members: each router with its interface.
        prefix_length: length of its IPv4 prefix.
    """

    number: int
    members: tuple[tuple[RouterDraft, str], ...]
    prefix_length: int

    @property
    def is_lan(self) -> bool:
        """Whether a bridge joins its members."""
        return len(self.members) > 2

    def interface_of(self, router: RouterDraft) -> str:
        """The interface of a member."""
        return next(interface for member, interface in self.members if member is router)

    def address(self, router: RouterDraft, version: int) -> str:
        """A member's address, without the prefix length."""
        position = 1 + [member.name for member, _ in self.members].index(router.name)
        if version == 6:
            return f"fd00:{self.number:x}::{position:x}"
        return f"10.{self.number}.0.{position - (self.prefix_length == 31)}"


class NetworkBuilder:
    """Makes a topology of routers.

    Args:
        title: title of the topology.
        random: source of all choices.
        versions: IP versions of all addresses.
        parallel_share: share of the links of `connect` that have a parallel one.
    """

    def __init__(
        self, title: str, random: Random, versions: Sequence[int] = (4,), *, parallel_share: float = 0.0
    ) -> None:
        self._parallel_share = parallel_share
        self.title, self.random, self.versions = title, random, tuple(versions)
        self.routers: list[RouterDraft] = []
        self.nets: list[Net] = []
        self._end_fields: dict[tuple[str, str], dict[str, Any]] = {}

    def add_routers(self, count: int) -> list[RouterDraft]:
        """Add routers with loopbacks."""
        drafts = []
        for number in range(len(self.routers) + 1, len(self.routers) + count + 1):
            draft = RouterDraft(f"r{number}", number)
            draft.fields["loopbacks"] = tuple(self.loopback(draft, version) for version in self.versions)
            drafts.append(draft)
        self.routers += drafts
        return drafts

    def loopback(self, router: RouterDraft, version: int) -> str:
        """The address of a router's loopback with its prefix length."""
        return f"10.255.0.{router.number}/32" if version == 4 else f"fd00:ffff::{router.number:x}/128"

    def join(self, *routers: RouterDraft, prefix_length: int | None = None) -> Net:
        """Add a net of two or more routers."""
        members = []
        for router in routers:
            interface = f"{router.name}-eth{len(router.interfaces)}"
            router.interfaces.append(interface)
            members.append((router, interface))
        if prefix_length is None:
            prefix_length = self.random.choice((24, 24, 29, 30, 31) if len(routers) == 2 else (24, 29))
        net = Net(len(self.nets) + 1, tuple(members), prefix_length)
        self.nets.append(net)
        return net

    def connect(self, routers: Sequence[RouterDraft], *, lans: bool = True) -> list[Net]:
        """Add nets that connect all the routers: a random tree, some further links, and now and then a LAN."""
        if len(routers) < 2:
            return []
        nets = [
            self.join(self.random.choice(routers[:position]), router)
            for position, router in enumerate(routers)
            if position
        ]
        for _ in range(self.random.randint(0, len(routers) // 2)):
            nets.append(self.join(*self.random.sample(list(routers), 2)))
        if self._parallel_share:
            doubled = [net for net in nets if self.random.random() < self._parallel_share]
            nets += [self.join(*(router for router, _ in net.members)) for net in doubled]
        if lans and len(routers) >= 3 and self.random.random() < 0.4:
            nets.append(self.join(*self.random.sample(list(routers), self.random.randint(3, min(5, len(routers))))))
        return nets

    def set_end(self, router: RouterDraft, interface: str, **fields: Any) -> None:
        """Set fields of a link's end, such as `ospf_cost`."""
        self._end_fields.setdefault((router.name, interface), {}).update(fields)

    def topology(self) -> Topology:
        """The topology of all routers and nets."""
        network = Network(self.title)
        for router in self.routers:
            network.router(router.name, **router.fields)
        for net in self.nets:
            ends = [self._end(net, router, interface) for router, interface in net.members]
            if net.is_lan:
                network.bridge(f"b{net.number}")
                for member_end in ends:
                    network.link(member_end, f"b{net.number}")
            else:
                network.link(*ends)
        return network.topology

    def _end(self, net: Net, router: RouterDraft, interface: str) -> Any:
        lengths = {4: net.prefix_length, 6: 64}
        addresses = [f"{net.address(router, version)}/{lengths[version]}" for version in self.versions]
        fields = self._end_fields.get((router.name, interface), {})
        return end(router.name, *addresses, interface=interface, **fields)
