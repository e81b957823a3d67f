"""BGP-4 (RFC 4271) for IPv4 and IPv6 (RFC 4760)."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import IpAddress, Short, Value
from frrlib.model.protocols.common import Asn, InterfaceName, Key, Network, OptionalWord, Redistribution, Seconds, Word

Family = Literal["ipv4", "ipv6"]
PathCount = Annotated[int, Field(ge=1, le=256)]


class BgpSession(Value):
    """The settings of a session, whatever its other end is named by.

    Attributes:
        description: one line for people.
        peer_group: name of the group whose settings it takes; empty for none. Its own are added to them.
        families: what it carries; empty for the family of its address (both, for one without an address).
        update_source: interface or address that it speaks from; empty for that of the way out. Sessions between
            loopbacks need "lo".
        multihop: how many hops away an external neighbour may be (ebgp-multihop); None for next to it.
        password: of the TCP connection (RFC 2385); empty for none.
        keepalive_s, hold_s: None for the router's.
        passive: whether it waits for the other side to call.
        shutdown: whether it stays down.
        bfd: whether BFD watches it.
        route_reflector_client: whether the neighbour is a client of this route reflector (RFC 4456).
        next_hop_self: whether routes are told with this router as their next hop; `next_hop_self_force` also those
            that are reflected.
        default_originate: whether it is told a default route.
        route_map_in, route_map_out, prefix_list_in, prefix_list_out, as_path_list_in, as_path_list_out: policies by
            name; empty for none.
        allow_as_in: how often the own AS may stand in a path that is taken; None for never.
        remove_private_as: whether private AS numbers are taken off paths that it is told.
        weight: of its routes; None for FRR's own.
        maximum_prefixes: it is ended when it tells more; None for no limit.
        soft_reconfiguration: whether all that it told is kept, before policies too.
    """

    description: Short = ""
    peer_group: OptionalWord = ""
    families: tuple[Family, ...] = ()
    update_source: OptionalWord = ""
    multihop: Annotated[int, Field(ge=1, le=255)] | None = None
    password: Key = ""
    keepalive_s: Seconds | None = None
    hold_s: Annotated[int, Field(ge=3, le=65_535)] | None = None
    passive: bool = False
    shutdown: bool = False
    bfd: bool = False
    route_reflector_client: bool = False
    next_hop_self: bool = False
    next_hop_self_force: bool = False
    default_originate: bool = False
    route_map_in: OptionalWord = ""
    route_map_out: OptionalWord = ""
    prefix_list_in: OptionalWord = ""
    prefix_list_out: OptionalWord = ""
    as_path_list_in: OptionalWord = ""
    as_path_list_out: OptionalWord = ""
    allow_as_in: Annotated[int, Field(ge=1, le=10)] | None = None
    remove_private_as: bool = False
    weight: Annotated[int, Field(ge=0, le=65_535)] | None = None
    maximum_prefixes: Annotated[int, Field(ge=1, le=4_294_967_295)] | None = None
    soft_reconfiguration: bool = False


class BgpNeighbor(BgpSession):
    """A BGP session to `address`, in autonomous system `remote_as`. Other attributes are those of `BgpSession`."""

    address: IpAddress
    remote_as: Asn


class BgpUnnumbered(BgpSession):
    """A session over `interface` with the router at its other end: found by IPv6 router advertisements (RFC 5549).

    Attributes:
        remote_as: an AS number, or "external" or "internal" for any other or the own one.
    """

    interface: InterfaceName
    remote_as: Asn | Literal["external", "internal"] = "external"


class BgpPeerGroup(BgpSession):
    """Settings that several sessions take. `remote_as` is for sessions of one AS; None where each says its own."""

    name: Word
    remote_as: Asn | Literal["external", "internal"] | None = None


class BgpAggregate(Value):
    """A prefix announced for all longer ones within it.

    Attributes:
        summary_only: whether the longer ones are kept back.
        as_set: whether the AS numbers of their paths are told along.
    """

    prefix: Network
    summary_only: bool = False
    as_set: bool = False


class Bgp(Value):
    """BGP on a router (RFC 4271).

    Attributes:
        asn: the router's autonomous system; in a confederation, its member AS.
        router_id: None for the lowest loopback, else the lowest address.
        networks: prefixes it announces; each must be in its routing table.
        neighbors: its sessions.
        unnumbered: its sessions that need no address.
        peer_groups: settings for several sessions.
        aggregates: prefixes announced for all within.
        redistribute: routes of other sources that it announces.
        requires_policy: whether eBGP sessions without a policy exchange nothing (RFC 8212). FRR's default is yes; a
            drawing's is no, since a drawn session is meant to exchange routes.
        connect_retry_s: seconds between attempts to open a session; FRR's own default is 120.
        coalesce_ms: how long changes are gathered before neighbours are told; FRR's own default is 1000.
        advertisement_s: least time between two updates about a prefix to a neighbour; FRR's own is 0 for external
            and internal ones with its traditional defaults. None for FRR's own.
        keepalive_s, hold_s: of all sessions that say no other; None for FRR's own, 60 and 180.
        cluster_id: of a route reflector (RFC 4456); None for its router id.
        confederation_id: AS number by which the world knows the confederation (RFC 5065); None for none.
        confederation_members: AS numbers of its other members.
        maximum_paths, maximum_paths_internal: how many equal paths are used at once, of external and internal routes;
            None for FRR's own.
        multipath_relax: whether paths of equal length by different AS count as equal.
        local_preference: of routes that say none; None for 100.
        always_compare_med: whether the metric is compared between different AS, too.
        log_changes: whether sessions that come and go are logged.
    """

    asn: Asn
    router_id: IPv4Address | None = None
    networks: tuple[Network, ...] = ()
    neighbors: tuple[BgpNeighbor, ...] = ()
    unnumbered: tuple[BgpUnnumbered, ...] = ()
    peer_groups: tuple[BgpPeerGroup, ...] = ()
    aggregates: tuple[BgpAggregate, ...] = ()
    redistribute: tuple[Redistribution, ...] = ()
    requires_policy: bool = False
    connect_retry_s: Seconds = 1
    coalesce_ms: Annotated[int, Field(ge=0, le=600_000)] = 0
    advertisement_s: Annotated[int, Field(ge=0, le=600)] | None = None
    keepalive_s: Seconds | None = None
    hold_s: Annotated[int, Field(ge=3, le=65_535)] | None = None
    cluster_id: IPv4Address | None = None
    confederation_id: Asn | None = None
    confederation_members: tuple[Asn, ...] = ()
    maximum_paths: PathCount | None = None
    maximum_paths_internal: PathCount | None = None
    multipath_relax: bool = False
    local_preference: Annotated[int, Field(ge=0, le=4_294_967_295)] | None = None
    always_compare_med: bool = False
    log_changes: bool = True
