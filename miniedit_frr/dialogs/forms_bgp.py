"""The form of BGP, of a router and of a VRF."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from frrlib.model.routing import Bgp, BgpAggregate, BgpNeighbor, BgpPeerGroup, BgpUnnumbered
from miniedit_frr.dialogs import kinds, router_parts, spelling
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_routing import (
    AS_PATH_LISTS,
    INTERFACE,
    PREFIX_LISTS,
    ROUTE_MAPS,
    begins,
    interface_names,
    policy,
    redistribution,
    router_of,
)
from miniedit_frr.dialogs.forms_shared import words_table
from miniedit_frr.dialogs.lists import Rows, Table
from miniedit_frr.dialogs.parts import Group, Part
from miniedit_frr.dialogs.quantities import COUNT, WHOLE_MS, WHOLE_S
from miniedit_frr.dialogs.sheets import Surroundings
from miniedit_frr.dialogs.timers import timer_buttons

_ANY_NUMBER = IPv4Address("0.0.0.0")
_DESCRIPTION = Field("description", "Description", kinds.words(spelling.description_fault))
_TIMERS = (
    "Lab timers: sessions are tried each second, a lost neighbour is missed after 9 s, changes are told at once. FRR's "
    "own: tried each 120 s, missed after 180 s, a coalesce-time of a second."
)


def _sources(around: Surroundings, whole: Any) -> list[str]:
    return ["lo", *interface_names(around, whole)]


def _session(groups: Any, with_group: bool = True) -> tuple[Part, ...]:
    """The settings of a session that have no column. `groups` offers names of peer groups."""
    member = Field("peer_group", "Peer group", kinds.OPTIONAL_WORD, "Takes the group's settings; these are added.",
                   hint="none", offers=groups)  # fmt: skip
    source = kinds.suggestion((), spelling.word_fault)
    return (
        Group(
            "Policies",
            (
                policy("route_map_in", "Route map in", ROUTE_MAPS, "What it tells us, and how it is changed."),
                policy("route_map_out", "Route map out", ROUTE_MAPS, "What it is told, and how it is changed."),
                policy("prefix_list_in", "Prefix list in", PREFIX_LISTS, "Prefixes that are taken."),
                policy("prefix_list_out", "Prefix list out", PREFIX_LISTS, "Prefixes that it is told."),
                policy("as_path_list_in", "AS path list in", AS_PATH_LISTS, "Paths that are taken."),
                policy("as_path_list_out", "AS path list out", AS_PATH_LISTS, "Paths that it is told."),
                Field("weight", "Weight", kinds.quantity(COUNT, True), "Of its routes, on this router only; most wins.",
                      hint="FRR's own"),
                Field("allow_as_in", "Own AS in paths", kinds.quantity(COUNT, True),
                      "Taken where it stands there so often at most.", hint="never"),
                Field("remove_private_as", "Remove private AS", kinds.flag(), "From paths that it is told."),
                Field("maximum_prefixes", "Most prefixes", kinds.quantity(COUNT, True),
                      "The session ends when it tells more.", hint="no limit"),
                Field("soft_reconfiguration", "Keep what it told", kinds.flag(),
                      "Before policies too, to be looked at (soft-reconfiguration inbound)."),
            ),
        ),
        Group(
            "Next hop, default route, reflection",
            (
                Field("next_hop_self", "Next hop self", kinds.flag(), "Routes are told with this router as next hop."),
                Field("next_hop_self_force", "Also when reflected", kinds.flag(), "Routes of internal sessions too."),
                Field("default_originate", "Tell a default route", kinds.flag(), "Whether this router has one or not."),
                Field("route_reflector_client", "Reflector client", kinds.flag(),
                      "This router reflects internal routes to it (RFC 4456)."),
            ),
        ),
        Group(
            "Session",
            (
                *((member,) if with_group else ()),
                Field("families", "Carries", kinds.checks(("ipv4", "ipv6")), "Neither: the family of its address.",
                      hint=""),
                Field("update_source", "Update source", source,
                      "Interface or address to speak from; sessions between loopbacks need lo.", hint="by the route",
                      offers=_sources),
                Field("multihop", "Hops away", kinds.quantity(COUNT, True),
                      "How many an external neighbour may be (ebgp-multihop).", hint="next to it"),
                Field("password", "Password", kinds.KEY, "Of the TCP connection (MD5).", hint="none"),
                Field("keepalive_s", "Keepalive", kinds.quantity(WHOLE_S, True), "Between two signs of life.",
                      hint="the router's"),
                Field("hold_s", "Hold time", kinds.quantity(WHOLE_S, True), "It is gone without any for so long.",
                      hint="the router's"),
                Field("bfd", "BFD", kinds.flag(), "Watches it in milliseconds."),
                Field("passive", "Wait for its call", kinds.flag(), "This router opens no connection."),
                Field("shutdown", "Shut down", kinds.flag(), "The session stays down."),
            ),
        ),
    )  # fmt: skip


def _neighbours(path: str, groups: Any) -> Field:
    columns = (
        Field("address", "Address", kinds.IP),
        Field("remote_as", "Remote AS", kinds.ASN, hint=router_parts.as_hint),
        _DESCRIPTION,
    )
    table = Rows(
        columns, _session(groups), BgpNeighbor(address=_ANY_NUMBER, remote_as=65_001), router_parts.new_neighbor,
        "neighbour", lambda each: f"Neighbour {each.address}", "No sessions.", (3, 2, 4), fill="Add All on Links",
    )  # fmt: skip
    return Field(path, "Neighbours", table, "A session to each; the router there must name this one too.")


def _unnumbered(path: str, groups: Any) -> Field:
    def new(around: Surroundings, whole: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        used = {each.interface for each in rows}
        return {"interface": next((each for each in interface_names(around, whole) if each not in used), "")}

    columns = (INTERFACE, Field("remote_as", "Remote AS", kinds.AS_OR_SIDE), _DESCRIPTION)
    table = Rows(columns, _session(groups), BgpUnnumbered(interface="?"), new, "interface",
                 lambda each: f"Session over {each.interface}", "None.", (3, 2, 4))  # fmt: skip
    return Field(path, "Unnumbered", table, "Sessions over an interface, to whoever is at its other end.")


def _peer_groups(path: str) -> Field:
    def new(around: Surroundings, whole: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        return {"name": f"group{len(rows) + 1}"}

    side = Field("remote_as", "Remote AS", kinds.OPTIONAL_AS_OR_SIDE, hint="each its own")
    columns = (Field("name", "Name", kinds.WORD), side, _DESCRIPTION)
    table = Rows(columns, _session(None, with_group=False), BgpPeerGroup(name="group"), new, "peer group",
                 lambda each: f"Peer group {each.name}", "None.", (3, 2, 4))  # fmt: skip
    return Field(path, "Peer groups", table, "Settings that several sessions take.")


def _aggregates(path: str) -> Field:
    columns = (
        Field("prefix", "Prefix", kinds.NETWORK),
        Field("summary_only", "Summary only", kinds.flag()),
        Field("as_set", "AS set", kinds.flag()),
    )
    table = Table(columns, BgpAggregate, lambda around, value, rows: ("", "1", ""), "aggregate", empty="None.",
                  weights=(3, 2, 2))  # fmt: skip
    return Field(path, "Aggregates", table,
                 "One prefix for all longer ones within; summary only keeps those back.")  # fmt: skip


def bgp_group(above: str, vrf: bool = False) -> Group:
    """The form of BGP.

    Args:
        above: path of the router ("node.") or of the VRF ("").
        vrf: whether it is that of a VRF.
    """
    path = f"{above}bgp"

    def groups(around: Surroundings, whole: Any) -> list[str]:
        router = router_of(whole)
        return [each.name for each in router.bgp.peer_groups] if router is not None and router.bgp is not None else []

    networks = replace(
        words_table(
            f"{path}.networks", "Prefix", kinds.NETWORK, "network", "Announces nothing of its own.",
            "Prefixes it announces; each must be connected or a static route.",
            (lambda around, value, rows: ("",)) if vrf else router_parts.new_network,
            "" if vrf else "Add All Connected",
        ),
        label="Networks",
    )  # fmt: skip
    return Group(
        "",
        (
            Field(f"{path}.asn", "AS number", kinds.ASN, "Its autonomous system; 64512 to 65534 are private."),
            Field(f"{path}.router_id", "Router ID", kinds.ROUTER_ID,
                  "Empty: the lowest loopback, else the lowest address.",
                  hint="automatic" if vrf else router_parts.identity_hint),
            _neighbours(f"{path}.neighbors", groups),
            networks,
            _unnumbered(f"{path}.unnumbered", groups),
            _peer_groups(f"{path}.peer_groups"),
            _aggregates(f"{path}.aggregates"),
            redistribution(f"{path}.redistribute", "bgp"),
            _policy_and_paths(path),
            _timers(path),
            _within(path),
        ),
        Field(path, f"Run BGP {'in this VRF' if vrf else 'on this router'}",
              begins("bgp", lambda around: Bgp(asn=router_parts.free_asn(around)), True)),
    )  # fmt: skip


def _policy_and_paths(path: str) -> Group:
    return Group(
        "Policy and choice of paths",
        (
            Field(f"{path}.requires_policy", "Require a policy", kinds.flag(),
                  "External sessions without a route map then exchange nothing (RFC 8212)."),
            Field(f"{path}.maximum_paths", "Equal paths, external", kinds.quantity(COUNT, True),
                  "How many are used at once.", hint="FRR's own"),
            Field(f"{path}.maximum_paths_internal", "Equal paths, internal", kinds.quantity(COUNT, True),
                  "The same for internal routes.", hint="FRR's own"),
            Field(f"{path}.multipath_relax", "Multipath relax", kinds.flag(),
                  "Paths of equal length by different AS count as equal."),
            Field(f"{path}.local_preference", "Local preference", kinds.quantity(COUNT, True),
                  "Of routes that say none; most wins in the whole AS.", hint="100"),
            Field(f"{path}.always_compare_med", "Always compare MED", kinds.flag(), "Between different AS, too."),
        ),
    )  # fmt: skip


def _timers(path: str) -> Group:
    return Group(
        "Timers",
        (
            timer_buttons(path, Bgp, _TIMERS),
            Field(f"{path}.connect_retry_s", "Connect retry", kinds.quantity(WHOLE_S),
                  "Between attempts to open a session; FRR's own is 120 s."),
            Field(f"{path}.coalesce_ms", "Coalesce time", kinds.quantity(WHOLE_MS),
                  "Before neighbours are told; FRR's own is 1000 ms."),
            Field(f"{path}.advertisement_s", "Between updates", kinds.quantity(WHOLE_S, True),
                  "Least time between two about one prefix.", hint="FRR's own"),
            Field(f"{path}.keepalive_s", "Keepalive", kinds.quantity(WHOLE_S, True), "Between two signs of life.",
                  hint="60"),
            Field(f"{path}.hold_s", "Hold time", kinds.quantity(WHOLE_S, True),
                  "A neighbour is gone without any for so long.", hint="180"),
            Field(f"{path}.log_changes", "Log changes", kinds.flag(), "Sessions that come and go."),
        ),
    )  # fmt: skip


def _within(path: str) -> Group:
    return Group(
        "Route reflector and confederation",
        (
            Field(f"{path}.cluster_id", "Cluster ID", kinds.ROUTER_ID, "Of a route reflector.", hint="its router ID"),
            Field(f"{path}.confederation_id", "Confederation", kinds.OPTIONAL_ASN,
                  "AS number by which the world knows it; the one above is then the member's.", hint="none"),
            Field(f"{path}.confederation_members", "Other members", kinds.ASNS, "Their AS numbers.", hint="none"),
        ),
    )  # fmt: skip
