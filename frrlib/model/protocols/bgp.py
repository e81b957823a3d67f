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
    """The settings of a BGP session, except its neighbor.

    Attributes:
        description: one line for people.
        peer_group: name of its peer group; empty for none. The session's own settings are added to those of the group.
        families: address families; empty for that of the neighbor's address (both for a session without an address).
        update_source: local interface or address of the session; empty for that of the outgoing interface. Sessions
            between loopbacks need "lo".
        multihop: maximum distance of an external neighbor in hops (ebgp-multihop); None for a direct neighbor.
        password: password of the TCP connection (RFC 2385); empty for none.
        keepalive_s, hold_s: timers of the session; None for the router's.
        passive: whether the router waits for the neighbor to open the session.
        shutdown: whether the session stays down.
        bfd: whether BFD monitors it.
        route_reflector_client: whether the neighbor is a client of this route reflector (RFC 4456).
        next_hop_self: whether routes are sent with this router as the next hop; `next_hop_self_force` also for
            reflected routes.
        default_originate: whether a default route is sent.
        route_map_in, route_map_out, prefix_list_in, prefix_list_out, as_path_list_in, as_path_list_out: policies by
            name; empty for none.
        allow_as_in: accept paths that contain our own AS up to this many times; None for never.
        remove_private_as: whether private AS numbers are removed from sent paths.
        weight: weight of its routes; None for FRR's default.
        maximum_prefixes: the session is closed if the neighbor sends more prefixes; None for no limit.
        soft_reconfiguration: whether all received routes are kept, also those that policies reject.
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
    """A session with the router at the other end of `interface`, discovered by IPv6 router advertisements (RFC 5549).

    Attributes:
        remote_as: an AS number, or "external" for any other AS, or "internal" for our own AS.
    """

    interface: InterfaceName
    remote_as: Asn | Literal["external", "internal"] = "external"


class BgpPeerGroup(BgpSession):
    """Settings shared by several sessions. `remote_as` is that of all its sessions; None if each states its own."""

    name: Word
    remote_as: Asn | Literal["external", "internal"] | None = None


class BgpAggregate(Value):
    """A prefix announced for all longer ones within it.

    Attributes:
        summary_only: whether the longer prefixes are suppressed.
        as_set: whether the aggregate's path includes the AS numbers of their paths.
    """

    prefix: Network
    summary_only: bool = False
    as_set: bool = False


class Bgp(Value):
    """BGP on a router (RFC 4271).

    Attributes:
        asn: the router's autonomous system; in a confederation, its member AS.
        router_id: router ID; None for the lowest loopback, else the lowest address.
        networks: announced prefixes; each must be in the router's routing table.
        neighbors: sessions with addresses.
        unnumbered: sessions over interfaces without addresses.
        peer_groups: settings shared by several sessions.
        aggregates: prefixes announced for the longer ones within them.
        redistribute: routes of other sources that it announces.
        requires_policy: whether eBGP sessions without a policy exchange no routes (RFC 8212). FRR's default is yes. The
            default here is no, since sessions of a topology are meant to exchange routes.
        connect_retry_s: time between two attempts to open a session; FRR's default is 120.
        coalesce_ms: time during which changes are collected before updates are sent; FRR's default is 1000.
        advertisement_s: minimum time between two updates about a prefix to a neighbor; None for FRR's default, which
            is 0 with its traditional defaults.
        keepalive_s, hold_s: timers of sessions that state none; None for FRR's defaults, 60 and 180.
        cluster_id: cluster ID of a route reflector (RFC 4456); None for its router ID.
        confederation_id: confederation identifier: the AS number seen from outside (RFC 5065); None for none.
        confederation_members: AS numbers of the confederation's other members.
        maximum_paths, maximum_paths_internal: maximum number of equal-cost paths to install, for external and internal
            routes; None for FRR's default.
        multipath_relax: whether paths of equal length over different AS count as equal.
        local_preference: local preference of routes that have none; None for 100.
        always_compare_med: whether the metric is also compared between different AS.
        log_changes: whether changes of sessions are logged.
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
