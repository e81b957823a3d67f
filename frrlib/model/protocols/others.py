"""BFD (RFC 5880), PIM sparse mode (RFC 7761) and LDP (RFC 5036)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated

from pydantic import Field

from frrlib.model.base import IpAddress, Short, Value
from frrlib.model.protocols.common import InterfaceName, Seconds

Milliseconds = Annotated[int, Field(ge=10, le=60_000)]


class BfdPeer(Value):
    """A neighbour that BFD watches by itself, not because a protocol asked for it.

    Attributes:
        address: of the neighbour.
        interface: by which it is reached; empty for the one that the address belongs to.
        multihop: whether it is further than one link away (RFC 5883).
        local_address: this router's end of the session; None for FRR's choice. A multihop one needs it.
    """

    address: IpAddress
    interface: Short = ""
    multihop: bool = False
    local_address: IpAddress | None = None


class Bfd(Value):
    """How BFD watches neighbours, of those protocols that ask for it (their `bfd`) and of `peers`.

    Attributes:
        transmit_ms, receive_ms: how often it wants to send and to hear.
        detect_multiplier: a neighbour is gone after so many missed packets.
        peers: neighbours that it watches by itself.
    """

    transmit_ms: Milliseconds = 300
    receive_ms: Milliseconds = 300
    detect_multiplier: Annotated[int, Field(ge=2, le=255)] = 3
    peers: tuple[BfdPeer, ...] = ()


class PimInterface(Value):
    """Settings that differ at one interface.

    Attributes:
        interface: its name.
        pim: whether it speaks PIM.
        igmp: whether it listens to hosts that join groups; None for where hosts are.
        priority: in the election of a designated router; None for FRR's own, 1.
        joins: groups that the router itself joins there, as a host does.
    """

    interface: InterfaceName
    pim: bool = True
    igmp: bool | None = None
    priority: Annotated[int, Field(ge=1, le=4_294_967_295)] | None = None
    joins: tuple[IPv4Address, ...] = ()


class PimRp(Value):
    """A rendezvous point, the same on all routers: its address, and the groups that it serves."""

    address: IPv4Address
    groups: IPv4Network = IPv4Network("224.0.0.0/4")


class Pim(Value):
    """PIM sparse mode on a router, on all its interfaces with IPv4.

    Attributes:
        interfaces: what differs at single interfaces.
        rendezvous_points: where sources and receivers find each other.
        hello_s: between hellos.
    """

    interfaces: tuple[PimInterface, ...] = ()
    rendezvous_points: tuple[PimRp, ...] = ()
    hello_s: Seconds = 30

    def at(self, interface: str) -> PimInterface:
        """The settings of an interface; those of one that is not listed are the defaults."""
        found = next((each for each in self.interfaces if each.interface == interface), None)
        return found or PimInterface(interface=interface)


class Ldp(Value):
    """LDP on a router: labels for every route of its IGP. Needs a kernel with MPLS.

    Attributes:
        router_id: also the address that sessions go to; None for the lowest loopback. Others must have a route to it.
        interfaces: that it speaks on; empty for all that lead to other routers.
        hello_s, hold_s: hello interval and how long a neighbour is kept without one.
    """

    router_id: IPv4Address | None = None
    interfaces: tuple[InterfaceName, ...] = ()
    hello_s: Seconds = 5
    hold_s: Seconds = 15
