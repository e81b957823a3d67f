"""The form of policies: route maps, and the lists that they use to match routes."""

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
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT
from miniedit_frr.dialogs.forms.routing import (
    AS_PATH_LISTS,
    COMMUNITY_LISTS,
    PREFIX_LISTS,
    interface_names,
    policy_field,
)
from miniedit_frr.dialogs.parts import FieldGroup, Part
from miniedit_frr.dialogs.sheets import FormContext

_ACTION = Field("action", "Action", kinds.choice({"permit": "permit", "deny": "deny"}))
_LENGTH = replace(kinds.quantity(COUNT, True), width=6)


def _named_lists(path: str, label: str, row_name: str, start: str, blank: Any, details: Part, help: str,
           columns: tuple[Field, ...] = ()) -> Field:  # fmt: skip
    """A field with a list of named policies, and the settings of each beside the list."""

    def new(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
        used = {named.name for named in rows}
        return {"name": next(name for name in (f"{start}{n}" for n in range(1, 999)) if name not in used)}

    title = f"{row_name[:1].upper()}{row_name[1:]}"
    table = RowsKind((Field("name", "Name", kinds.WORD), *columns), (details,), blank, new, row_name,
                     lambda row: f"{title} {row.name}", "No lists.", beside=True)  # fmt: skip
    return Field(path, label, table, help)


def _rules(of: type[Value], columns: tuple[Field, ...], weights: tuple[int, ...], help: str) -> Field:
    """A field with a table of rules. Each rule permits or denies the routes that match its columns."""
    blank = ("permit", *("" for _ in columns))
    table = TableKind((_ACTION, *columns), of, lambda context, value, rows: blank, "rule",
                      empty="No rules: matches nothing.", weights=weights, ordered=True)  # fmt: skip
    return Field("rules", "", table, help)


_PREFIX_RULES = _rules(
    PrefixRule,
    (Field("prefix", "Prefix", kinds.NETWORK), Field("at_least", "Length from", _LENGTH, hint="exact"),
     Field("at_most", "to", _LENGTH, hint="exact")),
    (2, 5, 2, 2),
    "The first matching rule decides. If no rule matches, the route is denied. 0.0.0.0/0 with lengths from 0 to 32 "
    "matches all prefixes.",
)  # fmt: skip
_COMMUNITY_RULES = _rules(
    CommunityRule, (Field("value", "Communities or expression", kinds.NEEDED),), (2, 7),
    "A route matches if it has all communities of the rule, such as 65001:100 no-export. Expanded lists contain "
    "regular expressions.",
)  # fmt: skip
_PATH_RULES = _rules(
    AsPathRule, (Field("expression", "Expression for the AS path", kinds.NEEDED),), (2, 7),
    "Such as _65003_ for paths through AS 65003, ^65003_ for routes received from AS 65003, ^$ for routes of the own "
    "AS.",
)  # fmt: skip

_MATCH = FieldGroup(
    "Match (all conditions)",
    (
        policy_field("match_prefix_list", "Prefix list", PREFIX_LISTS, "Matches the prefix of the route."),
        Field("match_family", "of", kinds.choice({"ipv4": "IPv4", "ipv6": "IPv6"}),
              "Address family of the prefix list."),
        policy_field("match_community_list", "Community list", COMMUNITY_LISTS,
                     "Matches the communities of the route."),
        policy_field("match_as_path_list", "AS path list", AS_PATH_LISTS, "Matches the AS path of the route."),
        Field("match_interface", "Interface", kinds.OPTIONAL_WORD, "Outgoing interface of the route.", hint="any",
              offers=interface_names),
        Field("match_metric", "Metric", kinds.quantity(COUNT, True), hint="any"),
        Field("match_tag", "Tag", kinds.quantity(COUNT, True), hint="any"),
    ),
)  # fmt: skip
_UNCHANGED = "unchanged"
_SET = FieldGroup(
    "Set",
    (
        Field("set_local_preference", "Local preference", kinds.quantity(COUNT, True),
              "The highest value wins in the whole AS.",
              hint=_UNCHANGED),
        Field("set_metric", "Metric", kinds.quantity(COUNT, True),
              "In BGP the MED: the neighbor AS prefers the lowest value.",
              hint=_UNCHANGED),
        Field("set_weight", "Weight", kinds.quantity(COUNT, True), "Local to this router; the highest value wins.",
              hint=_UNCHANGED),
        Field("set_tag", "Tag", kinds.quantity(COUNT, True), hint=_UNCHANGED),
        Field("set_communities", "Communities", kinds.SET_COMMUNITIES, "Such as 65001:100 no-export.", hint=_UNCHANGED),
        Field("add_communities", "Add communities", kinds.flag(), "Off: the communities replace those of the route."),
        policy_field("delete_communities", "Delete communities",
                     COMMUNITY_LISTS, "Delete the communities that this list permits."),
        Field("prepend", "Prepend AS", kinds.ASNS,
              "AS numbers to prepend to the AS path, such as 65001 65001. A longer path is less preferred.",
              hint=_UNCHANGED),
        Field("set_next_hop", "Next hop", kinds.OPTIONAL_IP, hint=_UNCHANGED),
        Field("set_origin", "Origin",
              kinds.choice({"": _UNCHANGED, "igp": "IGP", "egp": "EGP", "incomplete": "incomplete"})),
    ),
)  # fmt: skip
_CONTINUATION = FieldGroup(
    "",
    (
        Field("go_on", "Continue", kinds.flag(), "Matching routes continue with the next entry (on-match next)."),
        Field("lines", "Additional lines", kinds.LINES, "In FRR's syntax, such as set large-community 65001:1:1."),
    ),
)


def _summary(entry: RouteMapEntry) -> str:
    """A short description of the effect of an entry."""
    matched = (entry.match_prefix_list, entry.match_community_list, entry.match_as_path_list, entry.match_interface)
    words = [condition for condition in matched if condition]
    words += [f"metric {entry.match_metric}"] * (entry.match_metric is not None)
    words += [f"tag {entry.match_tag}"] * (entry.match_tag is not None)
    changes = [
        f"{word} {value}"
        for word, value in (
            ("preference", entry.set_local_preference), ("metric", entry.set_metric), ("weight", entry.set_weight),
            ("tag", entry.set_tag), ("communities", " ".join(entry.set_communities) or None),
            ("prepend", " ".join(map(str, entry.prepend)) or None), ("next hop", entry.set_next_hop),
        )
        if value is not None
    ]  # fmt: skip
    return f"{', '.join(words) or 'any route'}{': ' if changes else ''}{', '.join(changes)}"


def _short_summary(entry: RouteMapEntry) -> str:
    return textwrap.shorten(_summary(entry), 42, placeholder=" …")


def _new_entry(context: FormContext, root: Any, rows: tuple[Any, ...]) -> dict[str, kinds.Content]:
    return {"sequence": str(min(65_535, max((entry.sequence for entry in rows), default=0) // 10 * 10 + 10))}


_EFFECT = Field("does", "Effect", kinds.FIXED, lens=Lens(_short_summary, lambda entry, new: entry, ()))
_ENTRIES = Field(
    "entries", "",
    RowsKind(
        (Field("sequence", "Number", replace(kinds.quantity(COUNT), width=7)), _ACTION, _EFFECT),
        (_MATCH, _SET, _CONTINUATION), RouteMapEntry(sequence=65_535), _new_entry, "entry",
        lambda entry: f"Entry {entry.sequence}: {_summary(entry)}", "No entries: denies all routes.", (2, 3, 7),
    ),
    "Entries are applied in the order of their numbers. The first matching entry decides. If no entry matches, the "
    "route is denied.",
)  # fmt: skip
_COMMUNITY_KINDS = {
    "standard": "standard", "expanded": "expanded", "large": "large", "large-expanded": "large, expanded",
}  # fmt: skip

POLICIES: tuple[Part, ...] = (
    _named_lists("node.route_maps", "Route maps", "route map", "map", RouteMap(name="map"), _ENTRIES,
           "Filter and change routes. BGP sessions and redistribution refer to them by name."),
    _named_lists("node.prefix_lists", "Prefix lists", "prefix list", "prefixes", PrefixList(name="list"), _PREFIX_RULES,
           "Match prefixes. Each list is for IPv4 or IPv6."),
    _named_lists("node.community_lists", "Community lists", "community list", "communities", CommunityList(name="list"),
           _COMMUNITY_RULES, "Match the communities of BGP routes.",
           (Field("kind", "Kind", kinds.choice(_COMMUNITY_KINDS)),)),
    _named_lists("node.as_path_lists", "AS path lists", "AS path list", "paths", AsPathList(name="list"), _PATH_RULES,
           "Match the AS paths of BGP routes."),
)  # fmt: skip
