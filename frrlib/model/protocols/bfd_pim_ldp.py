"""BFD (RFC 5880), PIM sparse mode (RFC 7761) and LDP (RFC 5036)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Annotated

from pydantic import Field

from frrlib.model.base import IpAddress, Short, Value
from frrlib.model.protocols.common import InterfaceName, InterfaceSettings, Seconds, settings_at

Milliseconds = Annotated[int, Field(ge=10, le=60_000)]


class BfdPeer(Value):
    """A neighbor that BFD monitors independently of any routing protocol.

    Attributes:
        address: address of the neighbor.
        interface: interface that leads to it; empty for the one in the network of the address.
        multihop: whether it is more than one link away (RFC 5883).
        local_address: this router's end of the session; None for FRR's choice. A multihop one needs it.
    """

    address: IpAddress
    interface: Short = ""
    multihop: bool = False
    local_address: IpAddress | None = None


class Bfd(Value):
    """Settings of BFD, for neighbors of protocols that use it (their `bfd`) and for `peers`.

    Attributes:
        transmit_ms, receive_ms: desired transmit and required receive interval.
        detect_multiplier: number of missed packets after which a neighbor is down.
        peers: neighbors monitored independently of any routing protocol.
    """

    transmit_ms: Milliseconds = 300
    receive_ms: Milliseconds = 300
    detect_multiplier: Annotated[int, Field(ge=2, le=255)] = 3
    peers: tuple[BfdPeer, ...] = ()


class PimInterface(InterfaceSettings):
    """Settings of one interface.

    Attributes:
        interface: its name.
        pim: whether it runs PIM.
        igmp: whether it runs IGMP for hosts that join groups; None for yes if hosts are on its network.
        priority: priority in the election of a designated router; None for FRR's default, 1.
        joins: groups that the router itself joins at the interface, as a host does.
    """

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
        interfaces: settings of single interfaces.
        rendezvous_points: rendezvous points, where sources and receivers meet.
        hello_s: time between hellos; FRR 8.4 keeps it in 8 bits.
    """

    interfaces: tuple[PimInterface, ...] = ()
    rendezvous_points: tuple[PimRp, ...] = ()
    hello_s: Annotated[int, Field(ge=1, le=255)] = 30

    def at(self, interface: str) -> PimInterface:
        """The settings of an interface; an unlisted one has the defaults."""
        return settings_at(interface, self.interfaces, PimInterface)


class Ldp(Value):
    """LDP on a router: labels for every route of its IGP. Needs a kernel with MPLS.

    Attributes:
        router_id: router ID and transport address of sessions; None for the lowest loopback. Neighbors need a route to
            it.
        interfaces: interfaces that run LDP; empty for all that lead to other routers.
        hello_s, hold_s: hello interval, and time without a hello after which a neighbor is down.
    """

    router_id: IPv4Address | None = None
    interfaces: tuple[InterfaceName, ...] = ()
    hello_s: Seconds = 5
    hold_s: Seconds = 15
