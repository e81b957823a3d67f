"""The effect of policies on a route, as far as the topology determines it.

Prefix lists, communities and AS paths are evaluated. Conditions on the state of a running router (a tag, an interface)
and free lines are not. A route that depends on them may pass or not, so it is not expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from frrlib.model.nodes import Router
from frrlib.model.protocols.common import holds
from frrlib.model.routing import BgpSession, CommunityList, Network, PrefixList, RouteMap, RouteMapEntry
from frrlib.prediction.bgp.paths import NO_ROUTE, BgpRoute, RouteOptions

Direction = Literal["in", "out"]
#: Fields of a session that name its policies, in the order in which FRR applies them.
_FIELDS: dict[Direction, tuple[str, str, str]] = {
    "in": ("prefix_list_in", "as_path_list_in", "route_map_in"),
    "out": ("prefix_list_out", "as_path_list_out", "route_map_out"),
}
_ORIGINS = {"igp": 0, "egp": 1, "incomplete": 2}
#: Communities that FRR shows by name.
_NAMES = {"65535:65281": "no-export", "65535:65282": "no-advertise", "65535:65283": "local-as", "0:0": "internet"}


@dataclass(frozen=True)
class Policies:
    """The lists and route maps of a router, by name; prefix lists by name and IP version."""

    prefix_lists: dict[tuple[str, int], PrefixList]
    community_lists: dict[str, CommunityList]
    as_path_lists: dict[str, tuple[tuple[bool, str], ...]]
    route_maps: dict[str, RouteMap]


def policies_of(router: Router) -> Policies:
    """The policies that a router has."""
    as_paths = {
        policy.name: tuple((rule.action == "permit", rule.expression) for rule in policy.rules)
        for policy in router.as_path_lists
    }
    return Policies(
        prefix_lists={
            (policy.name, rule.prefix.version): policy for policy in router.prefix_lists for rule in policy.rules
        },
        community_lists={policy.name: policy for policy in router.community_lists},
        as_path_lists=as_paths,
        route_maps={policy.name: policy for policy in router.route_maps},
    )


def has_policy(settings: BgpSession, direction: Direction) -> bool:
    """Whether a session has a policy as RFC 8212 requires."""
    return any(getattr(settings, field) for field in _FIELDS[direction])


def apply_policies(
    policies: Policies, settings: BgpSession, direction: Direction, route: BgpRoute, prefix: Network
) -> RouteOptions:
    """The result of a session's policies for a route."""
    names = [getattr(settings, field) for field in _FIELDS[direction]]
    if not any(names):
        return frozenset((route,))
    verdicts = []
    if names[0] and not _has_only_other_family(policies, names[0], prefix):
        verdicts.append(prefix_list_permits(policies, names[0], prefix))
    if names[1]:
        verdicts.append(_as_path_list_permits(policies, names[1], route))
    if False in verdicts:
        return NO_ROUTE
    options = apply_route_map(policies, names[2], route, prefix) if names[2] else frozenset((route,))
    return options | NO_ROUTE if None in verdicts else options


def prefix_list_permits(policies: Policies, name: str, prefix: Network) -> bool | None:
    """Whether a prefix list permits a prefix; None if the list is not defined."""
    rules = policies.prefix_lists.get((name, prefix.version))
    if rules is None:
        return False if _has_only_other_family(policies, name, prefix) else None
    for rule in rules.rules:
        if not holds(rule.prefix, prefix):
            continue
        exact = rule.at_least is None and rule.at_most is None
        least = rule.prefix.prefixlen if rule.at_least is None else rule.at_least
        most = prefix.max_prefixlen if rule.at_most is None else rule.at_most
        if prefix.prefixlen == rule.prefix.prefixlen if exact else least <= prefix.prefixlen <= most:
            return rule.action == "permit"
    return False


def _has_only_other_family(policies: Policies, name: str, prefix: Network) -> bool:
    """Whether a list has rules of the other family only. It then applies only to that family of the session."""
    versions = {version for list_name, version in policies.prefix_lists if list_name == name}
    return bool(versions) and prefix.version not in versions


def apply_route_map(policies: Policies, name: str, route: BgpRoute, prefix: Network) -> RouteOptions:
    """The result of a route map for a route."""
    route_map = policies.route_maps.get(name)
    if route_map is None:
        return frozenset((route, None))
    entries = sorted(route_map.entries, key=lambda entry: entry.sequence)
    return frozenset(_walk_entries(policies, entries, route, prefix, permitted=False))


def _walk_entries(
    policies: Policies, entries: list[RouteMapEntry], route: BgpRoute, prefix: Network, *, permitted: bool
) -> set[BgpRoute | None]:
    """The possible results of the entries.

    FRR permits a route if the last matching entry continues and no entry follows. It rejects a route that continues to
    entries of which none matches.

    Args:
        permitted: whether the previous entry matched and continued.
    """
    results: set[BgpRoute | None] = set()
    for position, entry in enumerate(entries):
        verdict = _matches(policies, entry, route, prefix)
        if verdict is False:
            permitted = False
            continue
        if entry.action == "deny":
            results.add(None)
        elif entry.go_on:
            changed = _with_set_values(policies, entry, route)
            results |= _walk_entries(policies, entries[position + 1 :], changed, prefix, permitted=True)
        else:
            results.add(_with_set_values(policies, entry, route))
        if verdict:
            return results
        permitted = False
    return {*results, route if permitted else None}


def _matches(policies: Policies, entry: RouteMapEntry, route: BgpRoute, prefix: Network) -> bool | None:
    """Whether a route meets all conditions of an entry; None if the topology does not determine it."""
    verdicts: list[bool | None] = []
    if entry.match_prefix_list:
        is_family = entry.match_family == f"ipv{prefix.version}"
        verdicts.append(prefix_list_permits(policies, entry.match_prefix_list, prefix) if is_family else False)
    if entry.match_community_list:
        verdicts.append(_community_list_permits(policies, entry.match_community_list, route))
    if entry.match_as_path_list:
        verdicts.append(_as_path_list_permits(policies, entry.match_as_path_list, route))
    if entry.match_interface or entry.match_metric is not None or entry.match_tag is not None or entry.lines.strip():
        verdicts.append(None)
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _community_list_permits(policies: Policies, name: str, route: BgpRoute) -> bool | None:
    rules = policies.community_lists.get(name)
    if rules is None or rules.kind != "standard" or route.communities is None:
        return None
    for rule in rules.rules:
        if communities(rule.value.split()) <= route.communities:
            return rule.action == "permit"
    return False


def communities(names: Iterable[str]) -> frozenset[str]:
    """Communities, each in one spelling."""
    return frozenset(_NAMES.get(name, name.lower()) for name in names)


def _as_path_list_permits(policies: Policies, name: str, route: BgpRoute) -> bool | None:
    rules = policies.as_path_lists.get(name)
    if rules is None or route.path is None or route.confederation_members:
        return None
    text = " ".join(str(asn) for asn in route.path)
    for permits, expression in rules:
        try:
            match = re.search(expression.replace("_", "(?:^|[,{}() ]|$)"), text)
        except (re.error, OverflowError, RecursionError):
            return None
        if match:
            return permits
    return False


def _with_set_values(policies: Policies, entry: RouteMapEntry, route: BgpRoute) -> BgpRoute:
    preference, weight, metric = entry.set_local_preference, entry.set_weight, entry.set_metric
    changed = route._replace(
        local_preference=route.local_preference if preference is None else preference,
        weight=route.weight if weight is None else weight,
        metric=route.metric if metric is None else metric,
        next_hop=entry.set_next_hop or route.next_hop,
        origin=_ORIGINS.get(entry.set_origin, route.origin),
        communities=_communities_after(policies, entry, route),
    )
    if entry.prepend:
        changed = changed.prepended(*entry.prepend)
    return changed._replace(is_uncertain=True) if entry.lines.strip() else changed


def _communities_after(policies: Policies, entry: RouteMapEntry, route: BgpRoute) -> frozenset[str] | None:
    known_communities = route.communities
    if entry.delete_communities:
        rules = policies.community_lists.get(entry.delete_communities)
        plain = (
            rules is not None
            and rules.kind == "standard"
            and all(community.action == "permit" for community in rules.rules)
        )
        if not plain or rules is None or known_communities is None:
            known_communities = None
        else:
            known_communities -= frozenset().union(*(communities(community.value.split()) for community in rules.rules))
    if entry.set_communities:
        new = communities(entry.set_communities) - {"none"}
        if not entry.add_communities or "none" in entry.set_communities:
            return new
        return None if known_communities is None else known_communities | new
    return known_communities
