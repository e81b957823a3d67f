"""Settings common to several routing protocols."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from frrlib.model.base import IpAddress, Value

Network = IPv4Network | IPv6Network
Asn = Annotated[int, Field(ge=1, le=4_294_967_295)]
#: Seconds of a timer that a protocol sends as 16 bits.
Seconds = Annotated[int, Field(ge=1, le=65_535)]
#: A name that FRR parses as one word: of a list, a route map, a group, a VRF, a BFD profile.
Word = Annotated[str, Field(pattern=r"^[!-~]+$", max_length=64)]
#: The same, empty for none.
OptionalWord = Annotated[str, Field(pattern=r"^[!-~]*$", max_length=64)]
#: Name of an interface of the router; "lo" is its loopback.
InterfaceName = Annotated[str, Field(min_length=1)]
#: A password or key: printable and without blanks, since FRR parses it as one word. Empty for none.
Key = Annotated[str, Field(pattern=r"^[!-~]*$", max_length=80)]
#: Daemons that a router may run in addition to those that its configuration needs.
Daemon = Literal[
    "zebra", "staticd", "bgpd", "ospfd", "ospf6d", "isisd", "ripd", "ripngd", "bfdd", "pimd", "pim6d", "ldpd", "eigrpd",
    "babeld", "nhrpd", "pbrd", "vrrpd", "pathd", "fabricd",
]  # fmt: skip
#: Fields of a router: interior gateway protocols, and all routing protocols.
IGPS = ("ospf", "ospf6", "isis", "rip", "ripng")
PROTOCOLS = (*IGPS, "bgp")
#: The IP version of protocols that support one only.
VERSION_OF = {"ospf": 4, "ospf6": 6, "rip": 4, "ripng": 6}
#: The default route's prefix by IP version.
DEFAULT_ROUTES: dict[int, Network] = {4: IPv4Network("0.0.0.0/0"), 6: IPv6Network("::/0")}


class InterfaceSettings(Value):
    """Settings of a protocol at one interface."""

    interface: InterfaceName


_Settings = TypeVar("_Settings", bound=InterfaceSettings)


def settings_at(interface: str, rows: Iterable[_Settings], kind: type[_Settings]) -> _Settings:
    """The row of an interface; for an unlisted one, a new row of this class with its defaults."""
    return next((row for row in rows if row.interface == interface), None) or kind(interface=interface)


def holds(outer: Network, inner: Network) -> bool:
    """Whether a prefix equals another one or contains it."""
    return outer.version == inner.version and outer.prefixlen <= inner.prefixlen and inner.network_address in outer


class StaticRoute(Value):
    """A static route to `prefix`.

    Attributes:
        via: address of the next hop, or the treatment of packets without one: "blackhole" drops them silently, "reject"
            reports to the sender that the prefix is unreachable. Such a route keeps a prefix in the table for BGP's
            announcement, or prevents a loop over a default route.
        distance: administrative distance, 1 to 255; the route with the lowest distance is used. None for FRR's default,
            1. A larger one makes a floating route, which is used if the others are missing.
    """

    prefix: Network
    via: IpAddress | Literal["blackhole", "reject"]
    distance: Annotated[int, Field(ge=1, le=255)] | None = None


class Redistribution(Value):
    """Routes of another source that a protocol announces as its own.

    Attributes:
        source: source of the routes.
        metric: metric of the announced routes; None for the protocol's default.
        route_map: route map that selects and changes the routes; empty for all routes unchanged.
    """

    source: Literal["connected", "static", "kernel", "ospf", "ospf6", "isis", "rip", "ripng", "bgp"]
    metric: Annotated[int, Field(ge=0, le=4_294_967_295)] | None = None
    route_map: OptionalWord = ""
