"""A lab's messages about its routing, as plain values: neighbors, routes, faults, notes.

Times named `time_s` are seconds of the lab's own clock. Only their differences have a meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Names of protocols, in the order of display.
PROTOCOLS = {
    "ospf": "OSPF", "ospf6": "OSPFv3", "isis": "IS-IS", "rip": "RIP", "ripng": "RIPng", "bgp": "BGP", "bfd": "BFD",
    "pim": "PIM", "ldp": "LDP",
}  # fmt: skip
#: The kernel's number of the main routing table.
MAIN_TABLE = 254
#: The state of a neighbor that is no longer listed.
GONE_STATE = "gone"
#: The state of an expected neighbor that no daemon has reported.
MISSING_STATE = "missing"
#: States without contact to the neighbor.
_DOWN = frozenset(
    {
        GONE_STATE,
        "down",
        "deleted",
        "silent",
        "idle",
        "idle (admin)",
        "idle (pfxct)",
        "admindown",
        "nonexistent",
        "clearing",
    }
)
#: Short forms of states that are too long for the canvas.
_SHORT = {"established": "Estab.", "operational": "Oper.", "initializing": "Init"}


def protocol_title(protocol: str) -> str:
    """A protocol's name for people ("IS-IS")."""
    return PROTOCOLS.get(protocol, protocol.upper())


def rank(protocol: str) -> tuple[int, str]:
    """The sort key of a protocol."""
    order = [*PROTOCOLS]
    return (order.index(protocol) if protocol in PROTOCOLS else len(order)), protocol


@dataclass(frozen=True)
class AdjacencyState:
    """The state of a neighbor of a router's daemon.

    Attributes:
        router: the router that reports it.
        protocol: one of PROTOCOLS.
        neighbor: the node at the other end in the topology, else the daemon's name for it.
        state: the daemon's name of the state ("Full", "Established"); "gone" if it is no longer listed.
        up: whether this is the protocol's final state.
        time_s: the time of the change to this state.
        interface: the router's interface; empty if the session has none.
        address: the neighbor's address as the daemon reports it; a router ID may follow after a blank.
        detail: timers and similar details for people; empty for none.
        vrf: the VRF; empty for the default one.
    """

    router: str
    protocol: str
    neighbor: str
    state: str
    up: bool
    time_s: float
    interface: str = ""
    address: str = ""
    detail: str = ""
    vrf: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The identity of the neighbor, equal in all reports about it."""
        name = self.address.split(" ")[0] or self.neighbor
        if self.protocol == "isis":  # its address may become a host name; each level may have a neighbor
            name = f"{self.neighbor} {self.detail.partition(',')[0]}"
        return self.router, self.vrf, self.protocol, self.interface, name

    @property
    def grade(self) -> str:
        """ "up", "coming" (in contact, or trying) or "down"."""
        if self.up:
            return "up"
        return "down" if self.state.lower().split("/")[0] in _DOWN else "coming"

    @property
    def short_state(self) -> str:
        """The state in a word that fits on the canvas."""
        word = self.state.split("/")[0]
        return _SHORT.get(word.lower(), word)


@dataclass(frozen=True)
class RouteChange:
    """A route of a router was added, replaced by another to the same prefix (both `added`), or removed.

    Attributes:
        via: next hops as "10.9.0.2 r1-eth0" or "r1-eth0", several for equal-cost paths; empty for a removed route.
        protocol: the kernel's name of the protocol that set it ("ospf", "bgp", "kernel"); empty if unknown.
        metric: the metric of the kernel's route, 0 for none.
        table: number of the kernel's table.
    """

    router: str
    prefix: str
    added: bool
    time_s: float
    via: tuple[str, ...] = ()
    protocol: str = ""
    metric: int = 0
    table: int = MAIN_TABLE


@dataclass(frozen=True)
class Incident:
    """An event of a lab that concerns neither a neighbor nor a route.

    Attributes:
        kind: "fault" (one was started), "cleared" (one was cleared), "daemon" (one died) or "note" (of a daemon).
        where: the link, node, "r1:bgpd" or "r1:r1-eth0" that is concerned.
        text: text for people.
        limits: the queue limits that a fault sets, in bytes, by the node to which each direction leads.
    """

    kind: str
    where: str
    text: str
    time_s: float
    protocol: str = ""
    limits: Mapping[str, int | None] = field(default_factory=dict)
