"""The form of BGP, for a router or a VRF."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from frrlib.model.routing import Bgp, BgpAggregate, BgpNeighbor, BgpPeerGroup, BgpUnnumbered
from miniedit_frr.dialogs import router_parts
from miniedit_frr.dialogs.fields import kinds, spelling
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT, WHOLE_MS, WHOLE_S
from miniedit_frr.dialogs.forms.routing import (
    AS_PATH_LISTS,
    INTERFACE,
    PREFIX_LISTS,
    ROUTE_MAPS,
    interface_names,
    policy_field,
    protocol_switch,
    redistribution,
    router_of,
)
from miniedit_frr.dialogs.forms.shared import single_column_table
from miniedit_frr.dialogs.parts import FieldGroup, Part
from miniedit_frr.dialogs.sheets import FormContext
from miniedit_frr.dialogs.timers import timer_buttons

_ANY_NUMBER = IPv4Address("0.0.0.0")
_DESCRIPTION = Field("description", "Description", kinds.words(spelling.description_fault))
_TIMERS = (
    "Lab timers: a session is tried every second, a lost neighbor is detected after 9 s, and changes are advertised "
    "at once. FRR's defaults: 120 s between attempts, 180 s to detect a loss, 1 s before changes are advertised."
)


def _sources(context: FormContext, root: Any) -> list[str]:
    return ["lo", *interface_names(context, root)]


def _session(groups: Any, with_group: bool = True) -> tuple[Part, ...]:
    """The settings of a session without a column. `groups` returns the names of peer groups."""
    return (_session_policies(), _session_routes(), _session_transport(groups, with_group))


def _session_policies() -> FieldGroup:
    return FieldGroup(
        "Policies",
        (
            policy_field("route_map_in", "Route map in", ROUTE_MAPS,
                         "Applied to routes received from the neighbor: filters and changes them."),
            policy_field("route_map_out", "Route map out", ROUTE_MAPS,
                         "Applied to routes advertised to the neighbor: filters and changes them."),
            policy_field("prefix_list_in", "Prefix list in", PREFIX_LISTS,
                         "Only received routes whose prefix the list permits are accepted."),
            policy_field("prefix_list_out", "Prefix list out", PREFIX_LISTS,
                         "Only routes whose prefix the list permits are advertised."),
            policy_field("as_path_list_in", "AS path list in", AS_PATH_LISTS,
                         "Only received routes whose AS path the list permits are accepted."),
            policy_field("as_path_list_out", "AS path list out", AS_PATH_LISTS,
                         "Only routes whose AS path the list permits are advertised."),
            Field("weight", "Weight", kinds.quantity(COUNT, True),
                  "Local to this router; the route with the highest weight wins.",
                  hint="default"),
            Field("allow_as_in", "Own AS in paths", kinds.quantity(COUNT, True),
                  "Accept routes that contain our own AS up to this many times, 1 to 10 (allowas-in).",
                  hint="never"),
            Field("remove_private_as", "Remove private AS", kinds.flag(),
                  "Remove private AS numbers from the AS path of advertised routes."),
            Field("maximum_prefixes", "Maximum prefixes", kinds.quantity(COUNT, True),
                  "The session is closed when the neighbor advertises more prefixes (maximum-prefix).",
                  hint="no limit"),
            Field("soft_reconfiguration", "Keep received routes", kinds.flag(),
                  "Store routes as received, before policies, so that they can be shown (soft-reconfiguration "
                  "inbound)."),
        ),
    )  # fmt: skip


def _session_routes() -> FieldGroup:
    return FieldGroup(
        "Next hop, default route, reflection",
        (
            Field("next_hop_self", "Next hop self", kinds.flag(), "Advertise routes with this router as next hop."),
            Field("next_hop_self_force", "Also when reflected", kinds.flag(),
                  "Also for routes reflected between internal sessions (next-hop-self force)."),
            Field("default_originate", "Announce a default route", kinds.flag(),
                  "Sent to this neighbor even if this router has no default route."),
            Field("route_reflector_client", "Reflector client", kinds.flag(),
                  "This router reflects internal routes to and from this neighbor (RFC 4456)."),
        ),
    )  # fmt: skip


def _session_transport(groups: Any, with_group: bool) -> FieldGroup:
    member = Field("peer_group", "Peer group", kinds.OPTIONAL_WORD,
                   "The session takes the settings of this group. Settings made here are added to them.",
                   hint="none", offers=groups)  # fmt: skip
    source = kinds.suggestion((), spelling.word_fault)
    return FieldGroup(
        "Session",
        (
            *((member,) if with_group else ()),
            Field("families", "Address families", kinds.checks(("ipv4", "ipv6")),
                  "None ticked: the family of the neighbor's address.",
                  hint=""),
            Field("update_source", "Update source", source,
                  "Local interface or address of the session. Sessions between loopbacks need lo.",
                  hint="automatic",
                  offers=_sources),
            Field("multihop", "Hops away", kinds.quantity(COUNT, True),
                  "Maximum number of hops to an external neighbor, 1 to 255 (ebgp-multihop).",
                  hint="1"),
            Field("password", "Password", kinds.KEY, "TCP MD5 password (RFC 2385), the same on both routers.",
                  hint="none"),
            Field("keepalive_s", "Keepalive", kinds.quantity(WHOLE_S, True), "Time between two keepalive messages.",
                  hint="the router's"),
            Field("hold_s", "Hold time", kinds.quantity(WHOLE_S, True),
                  "The session is dropped after this long without a keepalive.",
                  hint="the router's"),
            Field("bfd", "BFD", kinds.flag(), "Detect a lost neighbor in milliseconds."),
            Field("passive", "Passive", kinds.flag(),
                  "Wait for the neighbor to open the TCP connection."),
            Field("shutdown", "Shut down", kinds.flag(), "Keep the session down."),
        ),
    )  # fmt: skip


def _neighbors(path: str, groups: Any) -> Field:
    columns = (
        Field("address", "Address", kinds.IP),
        Field("remote_as", "Remote AS", kinds.ASN, hint=router_parts.as_hint),
        _DESCRIPTION,
    )
    table = RowsKind(
        columns, _session(groups), BgpNeighbor(address=_ANY_NUMBER, remote_as=65_001), router_parts.new_neighbor,
        "neighbor", lambda row: f"Neighbor {row.address}", "No BGP sessions.", (3, 2, 4), fill="Add All on Links",
    )  # fmt: skip
    return Field(
        path, "Neighbors", table, "One session to each. The other router must list this router as a neighbor, too."
    )


def _unnumbered(path: str, groups: Any) -> Field:
    def new(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        used = {name.interface for name in rows}
        return {"interface": next((name for name in interface_names(context, root) if name not in used), "")}

    columns = (INTERFACE, Field("remote_as", "Remote AS", kinds.AS_OR_SIDE), _DESCRIPTION)
    table = RowsKind(columns, _session(groups), BgpUnnumbered(interface="?"), new, "interface",
                     lambda row: f"Session over {row.interface}", "No unnumbered sessions.", (3, 2, 4))  # fmt: skip
    return Field(
        path,
        "Unnumbered",
        table,
        "Sessions over an interface, with the router at its other end. They need no IPv4 address (RFC 5549).",
    )


def _peer_groups(path: str) -> Field:
    def new(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        return {"name": f"group{len(rows) + 1}"}

    side = Field("remote_as", "Remote AS", kinds.OPTIONAL_AS_OR_SIDE, hint="set per neighbor")
    columns = (Field("name", "Name", kinds.WORD), side, _DESCRIPTION)
    table = RowsKind(columns, _session(None, with_group=False), BgpPeerGroup(name="group"), new, "peer group",
                     lambda row: f"Peer group {row.name}", "No peer groups.", (3, 2, 4))  # fmt: skip
    return Field(path, "Peer groups", table, "Settings shared by several sessions.")


def _aggregates(path: str) -> Field:
    columns = (
        Field("prefix", "Prefix", kinds.NETWORK),
        Field("summary_only", "Summary only", kinds.flag()),
        Field("as_set", "AS set", kinds.flag()),
    )
    table = TableKind(columns, BgpAggregate, lambda context, value, rows: ("", "1", ""), "aggregate",
                      empty="No aggregates.",
                      weights=(3, 2, 2))  # fmt: skip
    return Field(path, "Aggregates", table,
                 "One prefix for all longer prefixes within it. Summary only suppresses the longer ones; AS set lists "
                 "their AS numbers.")  # fmt: skip


def bgp_group(above: str, vrf: bool = False) -> FieldGroup:
    """The form of BGP.

    Args:
        above: path of the router ("node.") or of the VRF ("").
        vrf: whether the form is for a VRF.
    """
    path = f"{above}bgp"

    def groups(context: FormContext, root: Any) -> list[str]:
        router = router_of(root)
        return [group.name for group in router.bgp.peer_groups] if router is not None and router.bgp is not None else []

    networks = replace(
        single_column_table(
            f"{path}.networks", "Prefix", kinds.NETWORK, "network", "This router announces no networks.",
            "Prefixes to announce. Each must be in the routing table: connected or static.",
            (lambda context, value, rows: ("",)) if vrf else router_parts.new_network,
            "" if vrf else "Add All Connected",
        ),
        label="Networks",
    )  # fmt: skip
    return FieldGroup(
        "",
        (
            Field(f"{path}.asn", "AS number", kinds.ASN,
                  "Number of this router's autonomous system. 64512 to 65534 are private."),
            Field(f"{path}.router_id", "Router ID", kinds.ROUTER_ID,
                  "Empty: the lowest loopback address, otherwise the lowest address.",
                  hint="automatic" if vrf else router_parts.router_id_hint),
            _neighbors(f"{path}.neighbors", groups),
            networks,
            _unnumbered(f"{path}.unnumbered", groups),
            _peer_groups(f"{path}.peer_groups"),
            _aggregates(f"{path}.aggregates"),
            redistribution(f"{path}.redistribute", "bgp"),
            _policy_and_paths(path),
            _timers(path),
            _reflection_and_confederation(path),
        ),
        Field(path, f"Run BGP {'in this VRF' if vrf else 'on this router'}",
              protocol_switch("bgp", lambda context: Bgp(asn=router_parts.free_asn(context)), True)),
    )  # fmt: skip


def _policy_and_paths(path: str) -> FieldGroup:
    return FieldGroup(
        "Policy and path selection",
        (
            Field(f"{path}.requires_policy", "Require a policy", kinds.flag(),
                  "External sessions without import and export policies exchange no routes (RFC 8212)."),
            Field(f"{path}.maximum_paths", "Equal paths, external", kinds.quantity(COUNT, True),
                  "Maximum number of equal-cost external paths to install.", hint="default"),
            Field(f"{path}.maximum_paths_internal", "Equal paths, internal", kinds.quantity(COUNT, True),
                  "Maximum number of equal-cost internal paths to install.", hint="default"),
            Field(f"{path}.multipath_relax", "Multipath relax", kinds.flag(),
                  "Paths of equal length through different AS count as equal-cost (as-path multipath-relax)."),
            Field(f"{path}.local_preference", "Local preference", kinds.quantity(COUNT, True),
                  "For routes without one. The route with the highest value wins in the whole AS.", hint="100"),
            Field(f"{path}.always_compare_med", "Always compare MED", kinds.flag(),
                  "Compare the MED also between routes from different neighbor AS."),
        ),
    )  # fmt: skip


def _timers(path: str) -> FieldGroup:
    return FieldGroup(
        "Timers",
        (
            timer_buttons(path, Bgp, _TIMERS),
            Field(f"{path}.connect_retry_s", "Connect retry", kinds.quantity(WHOLE_S),
                  "Time between two attempts to open a session. FRR's default: 120 s."),
            Field(f"{path}.coalesce_ms", "Coalesce time", kinds.quantity(WHOLE_MS),
                  "Changes are collected this long before neighbors receive them. FRR's default: 1000 ms."),
            Field(f"{path}.advertisement_s", "Advertisement interval", kinds.quantity(WHOLE_S, True),
                  "Minimum time between two updates for the same prefix.", hint="default"),
            Field(f"{path}.keepalive_s", "Keepalive", kinds.quantity(WHOLE_S, True),
                  "Time between two keepalive messages.",
                  hint="60"),
            Field(f"{path}.hold_s", "Hold time", kinds.quantity(WHOLE_S, True),
                  "A session is dropped after this long without a keepalive.", hint="180"),
            Field(f"{path}.log_changes", "Log changes", kinds.flag(),
                  "Log sessions that come up or go down (log-neighbor-changes)."),
        ),
    )  # fmt: skip


def _reflection_and_confederation(path: str) -> FieldGroup:
    return FieldGroup(
        "Route reflector and confederation",
        (
            Field(f"{path}.cluster_id", "Cluster ID", kinds.ROUTER_ID,
                  "Identifies the cluster of a route reflector (RFC 4456).", hint="the router ID"),
            Field(f"{path}.confederation_id", "Confederation ID", kinds.OPTIONAL_ASN,
                  "Confederation identifier: the AS number seen from outside. The AS above is then the member AS.",
                  hint="none"),
            Field(f"{path}.confederation_members", "Other members", kinds.ASNS,
                  "Numbers of the other member AS of the confederation.", hint="none"),
        ),
    )  # fmt: skip
