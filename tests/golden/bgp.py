"""Golden drawings of BGP and policies: the examples, and one with every setting."""

from __future__ import annotations

from typing import Any

from frrlib.model.topology import Topology
from frrlib.network.network import (
    AsPathList,
    AsPathRule,
    Bfd,
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    CommunityList,
    CommunityRule,
    PrefixList,
    PrefixRule,
    Redistribution,
    RouteMap,
    RouteMapEntry,
    Vrf,
)
from tests.examples import bgp as bgp_examples
from tests.golden.pair import pair


def bgp_all() -> Topology:
    """Every setting of BGP somewhere."""
    r1 = {
        "asn": 65001,
        "router_id": "1.1.1.1",
        "networks": ("10.1.0.0/24", "fd00:1::/64"),
        "neighbors": (_everything_told(), *_members()),
        "unnumbered": (
            BgpUnnumbered(interface="r1-eth0"),
            BgpUnnumbered(interface="r1-eth1", remote_as="internal"),
            BgpUnnumbered(interface="r1-eth2", peer_group="numbered", families=("ipv4",)),
        ),
        "peer_groups": (
            BgpPeerGroup(
                name="clients",
                remote_as="internal",
                families=("ipv4",),
                update_source="lo",
                route_reflector_client=True,
                next_hop_self=True,
            ),
            BgpPeerGroup(name="mixed", route_map_in="IN", prefix_list_out="SIX"),
            BgpPeerGroup(name="fabric", remote_as="external", families=("ipv4", "ipv6")),
            BgpPeerGroup(name="numbered", remote_as=65009),
        ),
        "aggregates": (_aggregate("10.0.0.0/8", as_set=True), _aggregate("fd00::/16", summary_only=True)),
        "redistribute": (Redistribution(source="connected", metric=5, route_map="IN"), *_others()),
        "requires_policy": True,
        "connect_retry_s": 9,
        "coalesce_ms": 50,
        "advertisement_s": 1,
        "keepalive_s": 3,
        "cluster_id": "9.9.9.9",
        "confederation_id": 65000,
        "confederation_members": (65002, 65003),
        "maximum_paths": 4,
        "maximum_paths_internal": 2,
        "multipath_relax": True,
        "local_preference": 200,
        "always_compare_med": True,
        "log_changes": False,
    }
    red = Vrf(name="red", table=10, interfaces=("r2-eth2",), bgp=_made(asn=65002, hold_s=30, networks=("10.2.0.0/24",)))
    r2 = {"bgp": _made(asn=65002, neighbors=({"address": "10.12.0.1", "remote_as": 65001},)), "vrfs": (red,)}
    return pair("BGP with every setting", {"bgp": _made(**r1), "bfd": Bfd(), **_policies()}, r2)  # type: ignore[arg-type]


def _others() -> list[Redistribution]:
    sources = ("static", "kernel", "ospf", "ospf6", "isis", "rip", "ripng")
    return [Redistribution.model_validate({"source": source}) for source in sources]


def _made(**fields: Any) -> Bgp:
    return Bgp.model_validate(fields)


def _aggregate(prefix: str, **fields: bool) -> BgpAggregate:
    return BgpAggregate.model_validate({"prefix": prefix, **fields})


def _everything_told() -> BgpNeighbor:
    return BgpNeighbor.model_validate(
        {
            "address": "10.12.0.2", "remote_as": 65002, "description": "a friend", "families": ("ipv4", "ipv6"),
            "update_source": "10.255.0.1", "multihop": 3, "password": "s3cret", "hold_s": 9, "bfd": True,
            "passive": True, "default_originate": True, "remove_private_as": True, "weight": 7, "allow_as_in": 2,
            "route_map_in": "IN", "route_map_out": "OUT", "prefix_list_in": "FOUR", "prefix_list_out": "SIX",
            "as_path_list_in": "PATHS", "as_path_list_out": "PATHS", "maximum_prefixes": 1000,
            "soft_reconfiguration": True,
        }
    )  # fmt: skip


def _members() -> tuple[BgpNeighbor, ...]:
    rows: tuple[dict[str, Any], ...] = (
        {"address": "10.255.0.2", "remote_as": 65001, "peer_group": "clients", "shutdown": True},
        {"address": "10.255.0.3", "remote_as": 65001, "peer_group": "clients", "families": ("ipv6",)},
        {"address": "fd00:12::2", "remote_as": 65003, "peer_group": "mixed", "families": ("ipv4", "ipv6"),
         "next_hop_self_force": True},
        {"address": "10.123.0.3", "remote_as": 65004, "peer_group": "fabric"},
        {"address": "10.123.0.2", "remote_as": 65009, "peer_group": "numbered", "keepalive_s": 5},
    )  # fmt: skip
    return tuple(BgpNeighbor.model_validate(row) for row in rows)


def _prefixes(name: str, *rules: dict[str, Any]) -> PrefixList:
    return PrefixList(name=name, rules=tuple(PrefixRule.model_validate(rule) for rule in rules))


def _policies() -> dict[str, object]:
    large = "set large-community 65001:1:1 additive"
    values = {"standard": "65001:100 no-export", "expanded": "65001:.*", "large": "1:2:3", "large-expanded": "1:2:.*"}
    return {
        "prefix_lists": (
            _prefixes(
                "FOUR",
                {"prefix": "10.0.0.0/8", "at_least": 8},
                {"prefix": "10.0.0.0/8", "at_least": 9, "at_most": 24},
                {"prefix": "0.0.0.0/0", "at_most": 32, "action": "deny"},
            ),
            _prefixes("SIX", {"prefix": "fd00::/8", "at_least": 64}, {"prefix": "::/0"}),
        ),
        "community_lists": tuple(
            CommunityList(name=kind.upper(), kind=kind, rules=(CommunityRule(value=value),))  # type: ignore[arg-type]
            for kind, value in values.items()
        ),
        "as_path_lists": (
            AsPathList(
                name="PATHS", rules=(AsPathRule(expression="_65003_"), AsPathRule(action="deny", expression="^$"))
            ),
        ),
        "route_maps": (
            RouteMap(
                name="IN",
                entries=(
                    RouteMapEntry(sequence=30, action="deny", match_tag=4),
                    RouteMapEntry.model_validate(
                        {
                            "sequence": 10, "match_prefix_list": "FOUR", "match_community_list": "STANDARD",
                            "match_as_path_list": "PATHS", "match_interface": "r1-eth1", "match_metric": 3,
                            "set_local_preference": 200, "set_metric": 3, "set_weight": 4, "set_tag": 5,
                            "set_communities": ("65001:100", "no-export"), "delete_communities": "EXPANDED",
                            "prepend": (65001, 65001), "set_next_hop": "10.12.0.9", "set_origin": "egp",
                            "go_on": True, "lines": large,
                        }
                    ),
                    RouteMapEntry.model_validate(
                        {
                            "sequence": 20, "match_prefix_list": "SIX", "match_family": "ipv6",
                            "match_community_list": "LARGE", "delete_communities": "LARGE-EXPANDED",
                            "set_next_hop": "fd00:12::9", "set_communities": ("none",),
                        }
                    ),
                ),
            ),
            RouteMap(
                name="OUT", entries=(RouteMapEntry(sequence=5, set_communities=("1:2",), add_communities=False),)
            ),
        ),
    }  # fmt: skip


ALL = {**bgp_examples.ALL, "bgp-all": bgp_all}
