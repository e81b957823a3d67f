"""The form of policies: lists that match routes, and route maps."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

from frrlib.model.base import Value
from frrlib.model.routing import (
    AsPathList,
    AsPathRule,
    CommunityList,
    CommunityRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapEntry,
)
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field, Lens
from miniedit_frr.dialogs.forms_routing import AS_PATH_LISTS, COMMUNITY_LISTS, PREFIX_LISTS, interface_names, policy
from miniedit_frr.dialogs.lists import Rows, Table
from miniedit_frr.dialogs.parts import Group, Part
from miniedit_frr.dialogs.quantities import COUNT
from miniedit_frr.dialogs.sheets import Surroundings

_ACTION = Field("action", "Action", kinds.choice({"permit": "permit", "deny": "deny"}))
_LENGTH = replace(kinds.quantity(COUNT, True), width=6)


def _names(path: str, label: str, what: str, start: str, blank: Any, rest: Part, help: str,
           columns: tuple[Field, ...] = ()) -> Field:  # fmt: skip
    """A list of names, and the settings beside each."""

    def new(around: Surroundings, whole: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        used = {each.name for each in rows}
        return {"name": next(name for name in (f"{start}{n}" for n in range(1, 999)) if name not in used)}

    table = Rows((Field("name", "Name", kinds.WORD), *columns), (rest,), blank, new, what,
                 lambda each: f"{what[:1].upper()}{what[1:]} {each.name}", "None.", beside=True)  # fmt: skip
    return Field(path, label, table, help)


def _rules(of: type[Value], columns: tuple[Field, ...], weights: tuple[int, ...], help: str) -> Field:
    """Rules that permit or deny what their columns say."""
    blank = ("permit", *("" for _ in columns))
    table = Table((_ACTION, *columns), of, lambda around, value, rows: blank, "rule", empty="No rule: matches nothing.",
                  weights=weights, ordered=True)  # fmt: skip
    return Field("rules", "", table, help)


_PREFIX_RULES = _rules(
    PrefixRule,
    (Field("prefix", "Prefix", kinds.NETWORK), Field("at_least", "Length from", _LENGTH, hint="exact"),
     Field("at_most", "to", _LENGTH, hint="exact")),
    (2, 5, 2, 2),
    "The first rule that matches decides; none means deny. 0.0.0.0/0 with lengths from 0 to 32 is any prefix.",
)  # fmt: skip
_COMMUNITY_RULES = _rules(
    CommunityRule, (Field("value", "Communities, or an expression", kinds.NEEDED),), (2, 7),
    "A route has all communities of a rule that matches, as in 65001:100 no-export; expanded lists have expressions.",
)  # fmt: skip
_PATH_RULES = _rules(
    AsPathRule, (Field("expression", "Expression on the AS path", kinds.NEEDED),), (2, 7),
    "As in _65003_ for paths through 65003, ^65003_ for routes told by it, ^$ for the own AS's.",
)  # fmt: skip

_MATCH = Group(
    "Matches routes with all of these",
    (
        policy("match_prefix_list", "Prefix list", PREFIX_LISTS, "Of the route's prefix."),
        Field("match_family", "of", kinds.choice({"ipv4": "IPv4", "ipv6": "IPv6"}), "Which addresses it lists."),
        policy("match_community_list", "Community list", COMMUNITY_LISTS, "Of the route's communities."),
        policy("match_as_path_list", "AS path list", AS_PATH_LISTS, "Of the route's AS path."),
        Field("match_interface", "Interface", kinds.OPTIONAL_WORD, "By which the route leaves.", hint="any",
              offers=interface_names),
        Field("match_metric", "Metric", kinds.quantity(COUNT, True), hint="any"),
        Field("match_tag", "Tag", kinds.quantity(COUNT, True), hint="any"),
    ),
)  # fmt: skip
_LEFT = "as it is"
_SET = Group(
    "Changes them",
    (
        Field("set_local_preference", "Local preference", kinds.quantity(COUNT, True), "Most wins in the whole AS.",
              hint=_LEFT),
        Field("set_metric", "Metric", kinds.quantity(COUNT, True), "MED in BGP: least wins at the neighbour AS.",
              hint=_LEFT),
        Field("set_weight", "Weight", kinds.quantity(COUNT, True), "On this router only; most wins.", hint=_LEFT),
        Field("set_tag", "Tag", kinds.quantity(COUNT, True), hint=_LEFT),
        Field("set_communities", "Communities", kinds.SET_COMMUNITIES, "As in 65001:100 no-export.", hint=_LEFT),
        Field("add_communities", "Add them", kinds.flag(), "Off: they replace the route's."),
        policy("delete_communities", "Take off", COMMUNITY_LISTS, "Communities that a list permits."),
        Field("prepend", "Prepend AS", kinds.ASNS, "Makes the path longer, as in 65001 65001.", hint=_LEFT),
        Field("set_next_hop", "Next hop", kinds.OPTIONAL_IP, hint=_LEFT),
        Field("set_origin", "Origin",
              kinds.choice({"": _LEFT, "igp": "IGP", "egp": "EGP", "incomplete": "incomplete"})),
    ),
)  # fmt: skip
_REST = Group(
    "",
    (
        Field("go_on", "Go on", kinds.flag(), "A route that matches goes on to the next entry."),
        Field("lines", "Further lines", kinds.LINES, "As FRR has them, such as set large-community 65001:1:1."),
    ),
)


def _summary(entry: RouteMapEntry) -> str:
    """The effect of an entry, in a few words."""
    matched = (entry.match_prefix_list, entry.match_community_list, entry.match_as_path_list, entry.match_interface)
    words = [each for each in matched if each]
    words += [f"metric {entry.match_metric}"] * (entry.match_metric is not None)
    words += [f"tag {entry.match_tag}"] * (entry.match_tag is not None)
    done = [
        f"{word} {value}"
        for word, value in (
            ("preference", entry.set_local_preference), ("metric", entry.set_metric), ("weight", entry.set_weight),
            ("tag", entry.set_tag), ("communities", " ".join(entry.set_communities) or None),
            ("prepend", " ".join(map(str, entry.prepend)) or None), ("next hop", entry.set_next_hop),
        )
        if value is not None
    ]  # fmt: skip
    return f"{', '.join(words) or 'any route'}{': ' if done else ''}{', '.join(done)}"


def _shortly(entry: RouteMapEntry) -> str:
    return textwrap.shorten(_summary(entry), 42, placeholder=" …")


def _new_entry(around: Surroundings, whole: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
    return {"sequence": str(min(65_535, max((each.sequence for each in rows), default=0) // 10 * 10 + 10))}


_DOES = Field("does", "What it does", kinds.FIXED, lens=Lens(_shortly, lambda entry, said: entry, ()))
_ENTRIES = Field(
    "entries", "",
    Rows(
        (Field("sequence", "Number", replace(kinds.quantity(COUNT), width=7)), _ACTION, _DOES),
        (_MATCH, _SET, _REST), RouteMapEntry(sequence=65_535), _new_entry, "entry",
        lambda entry: f"Entry {entry.sequence}: {_summary(entry)}", "No entry: denies all.", (2, 3, 7),
    ),
    "Entries are tried in the order of their numbers; the first that matches decides, none means deny.",
)  # fmt: skip
_COMMUNITY_KINDS = {
    "standard": "standard", "expanded": "expanded", "large": "large", "large-expanded": "large, expanded",
}  # fmt: skip

POLICIES: tuple[Part, ...] = (
    _names("node.route_maps", "Route maps", "route map", "map", RouteMap(name="map"), _ENTRIES,
           "Let routes pass or not, and change them. Sessions and redistribution name them."),
    _names("node.prefix_lists", "Prefix lists", "prefix list", "prefixes", PrefixList(name="list"), _PREFIX_RULES,
           "Match prefixes, each list of one family."),
    _names("node.community_lists", "Community lists", "community list", "communities", CommunityList(name="list"),
           _COMMUNITY_RULES, "Match the communities of BGP's routes.",
           (Field("kind", "Kind", kinds.choice(_COMMUNITY_KINDS)),)),
    _names("node.as_path_lists", "AS path lists", "AS path list", "paths", AsPathList(name="list"), _PATH_RULES,
           "Match the AS paths of BGP's routes."),
)  # fmt: skip
