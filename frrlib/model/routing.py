"""Routing as a router is told it: what `frr.conf` is made from."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import IpAddress, Value

Network = IPv4Network | IPv6Network
Asn = Annotated[int, Field(ge=1, le=4_294_967_295)]
#: Daemons that a router may be told to run besides those its configuration needs.
Daemon = Literal[
    "zebra", "staticd", "bgpd", "ospfd", "ospf6d", "isisd", "ripd", "ripngd", "bfdd", "pimd", "pim6d", "ldpd", "eigrpd",
    "babeld", "nhrpd", "pbrd", "vrrpd", "pathd", "fabricd",
]  # fmt: skip


class StaticRoute(Value):
    """A static route to `prefix` via the address `via`."""

    prefix: Network
    via: IpAddress


class Ospf(Value):
    """OSPFv2 on a router (RFC 2328).

    Attributes:
        router_id: empty (None) for the lowest loopback, else the lowest address.
        area: area of every interface that `areas` does not name, as a number or dotted ("0", "0.0.0.1").
        areas: interface name to area, as pairs.
        passive: interfaces that are announced and form no adjacency; those without another router are passive anyway.
        point_to_point: network type of links that join two routers only: no election of a designated router, so the
            adjacency stands after one exchange of hellos.
        hello_s, dead_s: hello and dead interval; equal on both ends of a link.
        lab_timers: whether the router reacts at once: shortest paths after 10 ms, link states sent and taken without a
            pause. FRR's own timers (False) wait up to seconds, so that a large network that flaps is not worn out.
    """

    router_id: IPv4Address | None = None
    area: str = "0"
    areas: tuple[tuple[str, str], ...] = ()
    passive: tuple[str, ...] = ()
    point_to_point: bool = True
    hello_s: Annotated[int, Field(ge=1, le=65_535)] = 10
    dead_s: Annotated[int, Field(ge=1, le=65_535)] = 40
    lab_timers: bool = True


class BgpNeighbor(Value):
    """A BGP session to `address`, in autonomous system `remote_as`."""

    address: IpAddress
    remote_as: Asn
    description: str = ""


class Bgp(Value):
    """BGP on a router (RFC 4271).

    Attributes:
        asn: the router's autonomous system.
        router_id: None for the lowest loopback, else the lowest address.
        networks: prefixes it announces; each must be in its routing table.
        neighbors: its sessions.
        requires_policy: whether eBGP sessions without a policy exchange nothing (RFC 8212). FRR's default is yes; a
            drawing's is no, since a drawn session is meant to exchange routes.
        connect_retry_s: seconds between attempts to open a session; FRR's own default is 120.
        coalesce_ms: how long changes are gathered before neighbours are told; FRR's own default is 1000.
    """

    asn: Asn
    router_id: IPv4Address | None = None
    networks: tuple[Network, ...] = ()
    neighbors: tuple[BgpNeighbor, ...] = ()
    requires_policy: bool = False
    connect_retry_s: Annotated[int, Field(ge=1, le=65_535)] = 1
    coalesce_ms: Annotated[int, Field(ge=0, le=600_000)] = 0
