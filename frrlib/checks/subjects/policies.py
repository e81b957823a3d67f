"""Policies: lists and route maps, and the settings that refer to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.common import PROTOCOLS
from frrlib.model.routing import Bgp, CommunityList, PrefixRule, RouteMapEntry, Vrf

SUBJECT = CheckSubject()
_WELL_KNOWN = {
    "accept-own", "accept-own-nexthop", "additive", "blackhole", "graceful-shutdown", "internet", "llgr-stale",
    "local-AS", "no-advertise", "no-export", "no-llgr", "no-peer", "none", "route-filter-translated-v4",
    "route-filter-translated-v6", "route-filter-v4", "route-filter-v6",
}  # fmt: skip
#: Allowed beginnings of free lines in a route map's entry.
_LINE_STARTS = ("match ", "set ", "call ", "on-match ", "continue", "description ", "no ", "!")
NO_POLICY_NAMED = SUBJECT.kind(
    "no-policy-named",
    "A policy is referenced but not defined.",
    "FRR then rejects all routes or accepts all routes, depending on the kind of policy.",
    "Define it, or refer to another policy.",
    runs=True,
)
DUPLICATE_POLICY = SUBJECT.kind(
    "duplicate-policy",
    "Two lists have the same name, or two entries of a route map have the same number.",
    "The second one replaces the first, or is added to it.",
    "Choose another name or number.",
)
MIXED_PREFIX_LIST = SUBJECT.kind(
    "mixed-prefix-list",
    "A prefix list mixes IPv4 and IPv6.",
    "An FRR prefix list has one address family.",
    "Create one list for each family.",
)
EMPTY_POLICY = SUBJECT.kind(
    "empty-policy",
    "A list or route map is empty.",
    "A route map without entries rejects all routes. FRR treats an empty list as undefined.",
    "Add a rule.",
)
PREFIX_RANGE = SUBJECT.kind(
    "prefix-range",
    "The prefix lengths of a rule are impossible: shorter than its prefix, longer than an address, or the minimum "
    "exceeds the maximum.",
    "FRR refuses the rule.",
    "Choose lengths with: prefix length ≤ at least ≤ at most.",
)
ILLEGAL_COMMUNITY = SUBJECT.kind(
    "illegal-community",
    "A text is not a valid community.",
    "FRR refuses it.",
    'Enter a community such as "65001:100" or "no-export".',
)
ILLEGAL_EXPRESSION = SUBJECT.kind(
    "illegal-expression",
    "A text is not a valid regular expression.",
    "FRR refuses it.",
    'Enter an expression such as "_65003_".',
)
ROUTE_MAP = SUBJECT.kind(
    "route-map",
    "An entry of a route map has a setting that FRR refuses, or that has no effect.",
    "The setting is missing in the lab, or does nothing.",
    "Make the change that the message names.",
)


def _defined_policies(router: Router) -> dict[str, dict[str, set[str]]]:
    """Names of each kind of policy; of prefix lists with their families."""
    prefixes: dict[str, set[str]] = {policy.name: set() for policy in router.prefix_lists}
    for policy in router.prefix_lists:
        prefixes[policy.name] |= {f"ipv{rule.prefix.version}" for rule in policy.rules}
    return {
        "prefix list": prefixes,
        "community list": {policy.name: set() for policy in router.community_lists},
        "AS path list": {policy.name: set() for policy in router.as_path_lists},
        "route map": {policy.name: set() for policy in router.route_maps},
    }


@SUBJECT.rule(NO_POLICY_NAMED)
def names(facts: Facts) -> Iterator[Problem]:
    """Every policy that is referenced is defined, in settings or in free lines."""
    for router in facts.routers():
        defined, own_words = _defined_policies(router), set(router.frr_conf.split())
        for field, kind, name in _references(router):
            if name and name not in defined[kind] and name not in own_words:
                choices = sorted(defined[kind])
                remedy = f"choose one of {', '.join(choices)}" if choices else f"define a {kind} of that name"
                yield error(NO_POLICY_NAMED, router.name, field, f"the {kind} {name} is not defined", remedy)


def _references(router: Router) -> Iterator[tuple[str, str, str]]:
    """Every reference to a policy: field, kind and name."""
    for entry in (entry for route_map in router.route_maps for entry in route_map.entries):
        yield "route_maps", "prefix list", entry.match_prefix_list
        yield "route_maps", "community list", entry.match_community_list
        yield "route_maps", "community list", entry.delete_communities
        yield "route_maps", "AS path list", entry.match_as_path_list
    for holder in router.tables:
        yield from _references_of(holder)


def _references_of(holder: Router | Vrf) -> Iterator[tuple[str, str, str]]:
    inside = isinstance(holder, Vrf)
    for protocol in PROTOCOLS:
        settings = getattr(holder, protocol, None)
        for row in settings.redistribute if settings else ():
            yield "vrfs" if inside else f"{protocol}.redistribute", "route map", row.route_map
    for field, session in _sessions(holder.bgp) if holder.bgp else ():
        for direction in ("in", "out"):
            for kind in ("prefix list", "AS path list", "route map"):
                policy_name = getattr(session, f"{kind.lower().replace(' ', '_')}_{direction}")
                yield "vrfs" if inside else f"bgp.{field}", kind, policy_name


def _sessions(bgp: Bgp) -> Iterator[tuple[str, object]]:
    for field in ("neighbors", "unnumbered", "peer_groups"):
        yield from ((field, session) for session in getattr(bgp, field))


@SUBJECT.rule(DUPLICATE_POLICY)
def duplicates(facts: Facts) -> Iterator[Problem]:
    """The names of lists and maps are unique, and so are the numbers of the entries of a map."""
    for router in facts.routers():
        for field in ("prefix_lists", "community_lists", "as_path_lists", "route_maps"):
            for name in _duplicates(policy.name for policy in getattr(router, field)):
                message = f"{name} is defined twice"
                yield error(DUPLICATE_POLICY, router.name, field, message, "rename one, or merge their rules")
        for policy in router.route_maps:
            for number in _duplicates(entry.sequence for entry in policy.entries):
                message = f"{policy.name} has two entries with the number {number}"
                yield error(DUPLICATE_POLICY, router.name, "route_maps", message, "choose another number")


def _duplicates(values: Iterable[object]) -> list[object]:
    return [value for value, times in Counter(values).items() if times > 1]


@SUBJECT.rule(MIXED_PREFIX_LIST, EMPTY_POLICY, PREFIX_RANGE)
def prefix_lists(facts: Facts) -> Iterator[Problem]:
    """A prefix list has one address family, and the lengths of its rules are possible."""
    for router in facts.routers():
        for prefix_list in router.prefix_lists:
            if len({rule.prefix.version for rule in prefix_list.rules}) > 1:
                message = f"{prefix_list.name} mixes IPv4 and IPv6"
                yield error(MIXED_PREFIX_LIST, router.name, "prefix_lists", message, "use one list for each family")
            if not prefix_list.rules:
                yield warning(
                    EMPTY_POLICY, router.name, "prefix_lists", f"{prefix_list.name} has no rules", "add a rule"
                )
            for rule in prefix_list.rules:
                message = _range_fault(rule)
                if message:
                    remedy = "use lengths from that of the prefix to that of an address, in ascending order"
                    yield error(PREFIX_RANGE, router.name, "prefix_lists", f"{prefix_list.name}: {message}", remedy)


def _range_fault(rule: PrefixRule) -> str:
    least = rule.prefix.prefixlen if rule.at_least is None else rule.at_least
    most = rule.prefix.max_prefixlen if rule.at_most is None else rule.at_most
    if rule.prefix.prefixlen <= least <= most <= rule.prefix.max_prefixlen:
        return ""
    return f"{rule.prefix} cannot match lengths from {least} to {most}"


@SUBJECT.rule(EMPTY_POLICY, ILLEGAL_COMMUNITY, ILLEGAL_EXPRESSION)
def communities(facts: Facts) -> Iterator[Problem]:
    """FRR accepts all communities and expressions."""
    for router in facts.routers():
        for community_list in router.community_lists:
            if not community_list.rules:
                yield warning(
                    EMPTY_POLICY, router.name, "community_lists", f"{community_list.name} has no rules", "add a rule"
                )
            for rule in community_list.rules:
                if not _is_value(community_list, rule.value):
                    kind = "regular expression" if "expanded" in community_list.kind else "community"
                    message = f"{community_list.name}: {rule.value!r} is not a valid {kind}"
                    yield error(
                        ILLEGAL_COMMUNITY, router.name, "community_lists", message, _example_text(community_list)
                    )
        for paths in router.as_path_lists:
            for path in paths.rules:
                if not _is_expression(path.expression):
                    message = f"{paths.name}: {path.expression!r} is not a valid regular expression"
                    remedy = 'enter an expression such as "_65003_"'
                    yield error(ILLEGAL_EXPRESSION, router.name, "as_path_lists", message, remedy)


def _is_value(community_list: CommunityList, value: str) -> bool:
    if "expanded" in community_list.kind:
        return _is_expression(value)
    words = value.split()
    numbers = 3 if community_list.kind == "large" else 2
    return bool(words) and value.isprintable() and all(_is_community(word, numbers) for word in words)


def _is_community(word: str, numbers: int = 2) -> bool:
    if numbers == 2 and word in _WELL_KNOWN:
        return True
    largest = 2**32 if numbers == 3 else 2**16
    parts = word.split(":")
    return len(parts) == numbers and all(part.isascii() and part.isdigit() and int(part) < largest for part in parts)


def _is_expression(text: str) -> bool:
    if not text.strip() or not text.isprintable() or text != text.strip():
        return False
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _example_text(community_list: CommunityList) -> str:
    samples = {"standard": "65001:100", "expanded": "65001:.*", "large": "65001:1:1", "large-expanded": "65001:1:.*"}
    return f'enter a value such as "{samples[community_list.kind]}"'


@SUBJECT.rule(EMPTY_POLICY, ROUTE_MAP)
def route_maps(facts: Facts) -> Iterator[Problem]:
    """FRR accepts all settings of entries, and their prefix lists have the right address family."""
    for router in facts.routers():
        defined = _defined_policies(router)
        for route_map in router.route_maps:
            if not route_map.entries:
                yield warning(
                    EMPTY_POLICY, router.name, "route_maps", f"{route_map.name} has no entries", "add an entry"
                )
            for entry in route_map.entries:
                for message, remedy in _entry_faults(entry, defined["prefix list"]):
                    yield error(
                        ROUTE_MAP, router.name, "route_maps", f"{route_map.name} {entry.sequence}: {message}", remedy
                    )


def _entry_faults(entry: RouteMapEntry, prefix_lists: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    families = prefix_lists.get(entry.match_prefix_list)
    if families and entry.match_family not in families:
        yield f"{entry.match_prefix_list} has no rules for {entry.match_family}", f"match {min(families)} instead"
    for word in entry.set_communities:
        if not _is_community(word):
            yield f"{word!r} is not a valid community", 'enter one such as "65001:100" or "no-export"'
    for line in entry.lines.splitlines():
        if line.strip() and not line.strip().startswith(_LINE_STARTS):
            remedy = 'enter one such as "set large-community 65001:1:1"'
            yield f"{line.strip()!r} is not a line of a route map", remedy
    if entry.action == "deny" and _has_set_values(entry):
        yield "the entry denies routes, so its set values have no effect", "choose permit, or remove the set values"


def _has_set_values(entry: RouteMapEntry) -> bool:
    numbers = (entry.set_local_preference, entry.set_metric, entry.set_weight, entry.set_tag, entry.set_next_hop)
    words = (entry.set_communities, entry.prepend, entry.set_origin, entry.delete_communities)
    return any(number is not None for number in numbers) or any(words)
