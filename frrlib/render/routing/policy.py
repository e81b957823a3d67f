"""Policies in `frr.conf`: lists that match routes, and route maps."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.routing import PrefixList, PrefixRule, RouteMapEntry
from frrlib.render.routing.sections import Section, section, top

#: Step between the sequence numbers of rules, which leaves room for further ones.
_STEP = 5
_COMMUNITY_LISTS = {
    "standard": "community-list standard",
    "expanded": "community-list expanded",
    "large": "large-community-list standard",
    "large-expanded": "large-community-list expanded",
}


def sections(router: Router) -> Iterator[Section]:
    """A router's prefix lists, community lists, AS path lists and route maps."""
    for prefixes in router.prefix_lists:
        yield top(*_prefix_list(prefixes))
    for paths in router.as_path_lists:
        yield top(
            *(
                f"bgp as-path access-list {paths.name} seq {number * _STEP} {rule.action} {rule.expression}"
                for number, rule in enumerate(paths.rules, start=1)
            )
        )
    for values in router.community_lists:
        yield top(
            *(
                f"bgp {_COMMUNITY_LISTS[values.kind]} {values.name} seq {number * _STEP} {rule.action} {rule.value}"
                for number, rule in enumerate(values.rules, start=1)
            )
        )
    large = {
        community_list.name for community_list in router.community_lists if community_list.kind.startswith("large")
    }
    for route_map in router.route_maps:
        for entry in sorted(route_map.entries, key=lambda entry: entry.sequence):
            yield section(f"route-map {route_map.name} {entry.action} {entry.sequence}", _entry(entry, large))


def _prefix_list(prefixes: PrefixList) -> Iterator[str]:
    for number, rule in enumerate(prefixes.rules, start=1):
        family = "ip" if rule.prefix.version == 4 else "ipv6"
        yield f"{family} prefix-list {prefixes.name} seq {number * _STEP} {rule.action} {_range(rule)}"


def _range(rule: PrefixRule) -> str:
    least = f" ge {rule.at_least}" if rule.at_least is not None and rule.at_least > rule.prefix.prefixlen else ""
    most = f" le {rule.at_most}" if rule.at_most is not None else ""
    # FRR does not accept "ge" with the prefix's own length, and writes no upper limit as the maximum length.
    if rule.at_least is not None and not least and not most:
        most = f" le {rule.prefix.max_prefixlen}"
    return f"{rule.prefix}{least}{most}"


def _entry(entry: RouteMapEntry, large: set[str]) -> Iterator[str]:
    yield from _matches(entry, large)
    yield from _sets(entry, large)
    yield from [" on-match next"] if entry.go_on else []
    yield from (f" {line.strip()}" for line in entry.lines.splitlines() if line.strip())


def _matches(entry: RouteMapEntry, large: set[str]) -> Iterator[str]:
    if entry.match_prefix_list:
        family = "ip" if entry.match_family == "ipv4" else "ipv6"
        yield f" match {family} address prefix-list {entry.match_prefix_list}"
    if entry.match_community_list:
        kind = "large-community" if entry.match_community_list in large else "community"
        yield f" match {kind} {entry.match_community_list}"
    yield from [f" match as-path {entry.match_as_path_list}"] if entry.match_as_path_list else []
    yield from [f" match interface {entry.match_interface}"] if entry.match_interface else []
    yield from [f" match metric {entry.match_metric}"] if entry.match_metric is not None else []
    yield from [f" match tag {entry.match_tag}"] if entry.match_tag is not None else []


def _sets(entry: RouteMapEntry, large: set[str]) -> Iterator[str]:
    if entry.delete_communities:
        kind = "large-comm-list" if entry.delete_communities in large else "comm-list"
        yield f" set {kind} {entry.delete_communities} delete"
    if entry.set_communities:
        added = entry.add_communities and "none" not in entry.set_communities
        yield f" set community {' '.join(entry.set_communities)}{' additive' if added else ''}"
    yield from [f" set as-path prepend {' '.join(str(asn) for asn in entry.prepend)}"] if entry.prepend else []
    yield from [f" set origin {entry.set_origin}"] if entry.set_origin else []
    for word, value in (
        ("local-preference", entry.set_local_preference),
        ("metric", entry.set_metric),
        ("weight", entry.set_weight),
        ("tag", entry.set_tag),
    ):
        yield from [f" set {word} {value}"] if value is not None else []
    if entry.set_next_hop is not None:
        words = "ip next-hop" if entry.set_next_hop.version == 4 else "ipv6 next-hop global"
        yield f" set {words} {entry.set_next_hop}"
