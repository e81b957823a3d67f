"""The wiring of a lab: the routers whose interfaces reach each other without a router in between."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.addressing.domains import broadcast_domains
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology


@dataclass(frozen=True)
class Port:
    """An interface of a router.

    Attributes:
        node, interface: their names.
        link: the ID of its link.
    """

    node: str
    interface: str
    link: str

    def __str__(self) -> str:
        return f"{self.interface} of {self.node}"


@dataclass(frozen=True)
class SharedLink:
    """Two ports of different routers on one link or LAN."""

    a: Port
    b: Port

    @property
    def ends(self) -> tuple[Port, Port]:
        """Both ports."""
        return self.a, self.b


def shared_links(topology: Topology) -> dict[tuple[str, str], tuple[SharedLink, ...]]:
    """The links and LANs that two routers share, by their names in both orders. Links that are down count."""
    found: dict[tuple[str, str], tuple[SharedLink, ...]] = {}
    for domain in broadcast_domains(topology):
        ports = [
            Port(place.node.name, place.end.interface, place.link.id)
            for place in domain.ends
            if isinstance(place.node, Router)
        ]
        for a in ports:
            for b in ports:
                if a.node != b.node:
                    found[a.node, b.node] = (*found.get((a.node, b.node), ()), SharedLink(a, b))
    return found
