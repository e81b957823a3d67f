"""Policies: lists that match routes, and route maps that filter and change them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.common import Asn, Network, OptionalWord, Word

Action = Literal["permit", "deny"]
Sequence = Annotated[int, Field(ge=1, le=65_535)]
Unsigned = Annotated[int, Field(ge=0, le=4_294_967_295)]


class PrefixRule(Value):
    """One line of a prefix list: routes within `prefix` whose length is from `at_least` to `at_most`.

    Without either, the route must equal `prefix`. With only one of them, the other side is unlimited.
    """

    action: Action = "permit"
    prefix: Network
    at_least: Annotated[int, Field(ge=0, le=128)] | None = None
    at_most: Annotated[int, Field(ge=0, le=128)] | None = None


class PrefixList(Value):
    """A list of prefixes of one address family. The first matching rule decides; without a match a route is denied."""

    name: Word
    rules: tuple[PrefixRule, ...] = ()


class CommunityRule(Value):
    """One line of a community list: communities ("65001:100", "no-export"), or for an expanded list an expression."""

    action: Action = "permit"
    value: Annotated[str, Field(min_length=1)]


class CommunityList(Value):
    """A list of communities (RFC 1997) or large communities (RFC 8092).

    Attributes:
        kind: "standard" lists communities, "expanded" regular expressions; "large" and "large-expanded" do the
            same for large communities.
    """

    name: Word
    kind: Literal["standard", "expanded", "large", "large-expanded"] = "standard"
    rules: tuple[CommunityRule, ...] = ()


class AsPathRule(Value):
    """One line of an AS path list: a regular expression on the path ("_65003_")."""

    action: Action = "permit"
    expression: Annotated[str, Field(min_length=1)]


class AsPathList(Value):
    """A list of expressions on AS paths."""

    name: Word
    rules: tuple[AsPathRule, ...] = ()


class RouteMapEntry(Value):
    """One entry of a route map: it permits or denies the routes that match all its conditions, and changes them.

    Attributes:
        sequence: sequence number; entries are evaluated in that order.
        action: "permit" accepts a route, "deny" rejects it.
        match_prefix_list, match_community_list, match_as_path_list: names of lists; empty for no such condition.
        match_family: address family of `match_prefix_list`.
        match_interface: outgoing interface of the route; empty for any.
        match_metric, match_tag: metric and tag; None for any.
        set_local_preference, set_metric, set_weight, set_tag: new values; None to keep them.
        set_communities: communities that replace the route's ("65001:100", "no-export") or are added to them.
        add_communities: whether they are added.
        delete_communities: name of a list whose communities are removed; empty for none.
        prepend: AS numbers put in front of the path, in this order.
        set_next_hop: next hop; None to keep it.
        set_origin: origin; empty to keep it.
        go_on: whether a matching route continues with the next entry. It is accepted if there is no next entry, and
            rejected if no later entry matches.
        lines: further lines in FRR's syntax ("set large-community 65001:1:1"), empty for none.
    """

    sequence: Sequence
    action: Action = "permit"
    match_prefix_list: OptionalWord = ""
    match_family: Literal["ipv4", "ipv6"] = "ipv4"
    match_community_list: OptionalWord = ""
    match_as_path_list: OptionalWord = ""
    match_interface: OptionalWord = ""
    match_metric: Unsigned | None = None
    match_tag: Annotated[int, Field(ge=1, le=4_294_967_295)] | None = None
    set_local_preference: Unsigned | None = None
    set_metric: Unsigned | None = None
    set_weight: Unsigned | None = None
    set_tag: Annotated[int, Field(ge=1, le=4_294_967_295)] | None = None
    set_communities: tuple[Word, ...] = ()
    add_communities: bool = True
    delete_communities: OptionalWord = ""
    prepend: tuple[Asn, ...] = ()
    set_next_hop: IPv4Address | IPv6Address | None = None
    set_origin: Literal["", "igp", "egp", "incomplete"] = ""
    go_on: bool = False
    lines: str = ""


class RouteMap(Value):
    """A route map; a route that no entry matches is denied."""

    name: Word
    entries: tuple[RouteMapEntry, ...] = ()
