"""A lab's messages about its routing, as plain values: neighbours, routes, faults, notes.

Times named `time_s` are seconds of the lab's own clock; only their differences mean something.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Names of protocols, in the order in which they are shown.
PROTOCOLS = {
    "ospf": "OSPF", "ospf6": "OSPFv3", "isis": "IS-IS", "rip": "RIP", "ripng": "RIPng", "bgp": "BGP", "bfd": "BFD",
    "pim": "PIM", "ldp": "LDP",
}  # fmt: skip
#: The kernel's number of the main routing table.
MAIN_TABLE = 254
#: The state of a neighbour that is no longer listed.
GONE_STATE = "gone"
#: The state of a neighbour that the drawing promises and no daemon has reported.
MISSING_STATE = "missing"
#: States in which there is no contact with the neighbour.
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
#: Short forms of words too long for a drawing.
_SHORT = {"established": "Estab.", "operational": "Oper.", "initializing": "Init"}


def protocol_title(protocol: str) -> str:
    """A protocol's name for people ("IS-IS")."""
    return PROTOCOLS.get(protocol, protocol.upper())


def rank(protocol: str) -> tuple[int, str]:
    """A protocol's position among others."""
    order = [*PROTOCOLS]
    return (order.index(protocol) if protocol in PROTOCOLS else len(order)), protocol


@dataclass(frozen=True)
class AdjacencyState:
    """A neighbour of a router's daemon, in its present state.

    Attributes:
        router: who tells it.
        protocol: one of PROTOCOLS.
        neighbor: the node at the other end as drawn, else the daemon's name for it.
        state: in the daemon's words ("Full", "Established"); "gone" where it is no longer listed.
        up: whether that is as good as it gets.
        time_s: since when.
        interface: of the router; empty where the session has none.
        address: of the neighbour as the daemon tells it; a router id may follow after a blank.
        detail: timers and the like, for people; empty for nothing.
        vrf: empty for the default one.
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
        """The identity of the neighbour, equal to that of an earlier report."""
        name = self.address.split(" ")[0] or self.neighbor
        if self.protocol == "isis":  # its address is a host name once that is known; there may be one at each level
            name = f"{self.neighbor} {self.detail.partition(',')[0]}"
        return self.router, self.vrf, self.protocol, self.interface, name

    @property
    def grade(self) -> str:
        """ "up", "coming" (they speak, or try to) or "down"."""
        if self.up:
            return "up"
        return "down" if self.state.lower().split("/")[0] in _DOWN else "coming"

    @property
    def short_state(self) -> str:
        """The state in a word that fits on a drawing."""
        word = self.state.split("/")[0]
        return _SHORT.get(word.lower(), word)


@dataclass(frozen=True)
class RouteChange:
    """A route came, was replaced by another to the same prefix (both `added`) or went in a router's table.

    Attributes:
        via: next hops as "10.9.0.2 r1-eth0" or "r1-eth0", several for equal paths; empty where it went.
        protocol: who set it, as the kernel has it ("ospf", "bgp", "kernel"); empty where it is not known.
        metric: of the kernel's route, 0 for none.
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
    """Something that happened to a lab other than a neighbour or a route.

    Attributes:
        kind: "fault" (somebody made one), "mended", "daemon" (one died) or "note" (a daemon says it: an SPF).
        where: the link, node, "r1:bgpd" or "r1:r1-eth0" that it happened to.
        text: for people.
        limits: the queue limits that a fault sets, in bytes, by the node to which each direction leads.
    """

    kind: str
    where: str
    text: str
    time_s: float
    protocol: str = ""
    limits: Mapping[str, int | None] = field(default_factory=dict)
