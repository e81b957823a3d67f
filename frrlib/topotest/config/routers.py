"""FRR's configuration of routers that are described in JSON, for the `create_...` functions of tests.

Every function takes a router's description and returns lines of `frr.conf`. A part with `"delete": True` returns the
lines that remove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from frrlib.topotest.config.bgp import bgp
from frrlib.topotest.config.description import Json, addresses, family_of, unless_deleted, word_of
from frrlib.topotest.config.ospf import ospf, ospf_of_interface

Lines = list[str]

#: Last sequence number that was used, by kind, router and name.
_LAST: dict[tuple[str, str, str], int] = {}
_STEP = 10


def everything(tgen: Any, routers: Json) -> dict[str, Lines]:
    """All lines of all routers."""
    parts: list[Callable[[str, Json], Iterable[str]]] = [vrfs, interfaces, static_routes, prefix_lists]
    parts += [community_lists, route_maps]
    lines_by_router = {
        name: [line for part in parts for line in part(name, router)] for name, router in routers.items()
    }
    for name, router in routers.items():
        lines_by_router[name] += [*bgp(tgen, routers, name, router, build=True), *ospf(router)]
    return lines_by_router


def _number(kind: str, router: str, name: str, number: Any) -> int:
    """A sequence number: the given one, or the next."""
    key = (kind, router, name)
    _LAST[key] = int(number) if number is not None else _LAST.get(key, 0) + _STEP
    return _LAST[key]


# --- interfaces and routes ------------------------------------------------------------------------------------------


def vrfs(router: str, described: Json) -> Iterator[str]:
    """VRFs, and the virtual networks of EVPN that belong to them."""
    for vrf in described.get("vrfs", []):
        if vrf.get("vni"):
            yield from (f"vrf {vrf['name']}", f"vni {vrf['vni']}", "exit-vrf")
        elif vrf.get("no_vni"):
            yield from (f"vrf {vrf['name']}", f"no vni {vrf['no_vni']}", "exit-vrf")


def interfaces(router: str, described: Json) -> Iterator[str]:
    """Addresses of interfaces, and their OSPF settings."""
    for key, link in sorted(described.get("links", {}).items()):
        yield f"interface {key if link.get('type') == 'loopback' else link['interface']}"
        for family, word in (("ipv4", "ip"), ("ipv6", "ipv6"), ("ipv6-link-local", "ipv6")):
            if family in link:
                yield unless_deleted(link, f"{word} address {link[family]}")
        yield from ospf_of_interface(link, link)


def static_routes(router: str, described: Json) -> Iterator[str]:
    """Static routes; `no_of_ip` is the number of successive networks."""
    for route in described.get("static_routes", []):
        for prefix in addresses(route.get("network"), route.get("no_of_ip")):
            words = [f"{word_of(family_of(prefix))} route", prefix]
            words += [str(route[name]) for name in ("interface", "next_hop") if route.get(name)]
            for name, word in (("nexthop_vrf", "nexthop-vrf"), ("vrf", "vrf"), ("tag", "tag")):
                words += [word, str(route[name])] if route.get(name) else []
            words += [str(route["admin_distance"])] if route.get("admin_distance") else []
            yield unless_deleted(route, " ".join(words))


# --- policies -------------------------------------------------------------------------------------------------------


def prefix_lists(router: str, described: Json) -> Iterator[str]:
    """Lists of prefixes."""
    for family, lists in described.get("prefix_lists", {}).items():
        for name, rules in lists.items():
            for rule in rules:
                number = _number("prefix-list", router, name, rule.get("seqid"))
                rule["seqid"] = number
                line = f"{word_of(family)} prefix-list {name} seq {number}"
                line += f" {rule['action']} {rule['network']}"
                line += "".join(f" {word} {rule[word]}" for word in ("le", "ge") if rule.get(word))
                yield unless_deleted(rule, line)


def community_lists(router: str, described: Json) -> Iterator[str]:
    """Lists of communities."""
    for rule in described.get("bgp_community_lists", []):
        kind = "large-community-list" if rule.get("large") else "community-list"
        words = [rule.get(name) for name in ("community_type", "name", "action", "value")]
        yield unless_deleted(rule, f"bgp {kind} {' '.join(str(word) for word in words if word)}")


def route_maps(router: str, described: Json) -> Iterator[str]:
    """Route maps, entry by entry."""
    for name, entries in described.get("route_maps", {}).items():
        for entry in entries:
            if entry.get("delete"):
                yield f"no route-map {name}"
                continue
            number = _number("route-map", router, name, entry.get("seq_id"))
            yield f"route-map {name} {entry['action']} {number}"
            yield from (f"on-match goto {entry[word]}" for word in ("continue", "goto") if entry.get(word))
            yield from [f"call {entry['call']}"] if entry.get("call") else []
            yield from _set(entry.get("set", {}))
            yield from _match(entry.get("match", {}))


_SET = (("locPrf", "local-preference"), ("metric-type", "metric-type"), ("origin", "origin"), ("weight", "weight"))


def _set(settings: Json) -> Iterator[str]:
    yield from (f"set {word} {settings[name]}" for name, word in _SET if settings.get(name))
    if settings.get("metric"):
        yield unless_deleted(settings, f"set metric {settings['metric']}")
    path = settings.get("path", {})
    if path.get("as_action") and path.get("as_num"):
        yield f"set as-path {path['as_action']} {path['as_num']}"
    for name, word in (("community", "community"), ("large_community", "large-community")):
        if community := settings.get(name):
            yield f"set {word} {community['num']} {community.get('action') or ''}".rstrip()
    for name, word, key in (("large_comm_list", "large-comm-list", "id"), ("extcommunity", "extcommunity rt", "rt")):
        if listed := settings.get(name):
            yield f"set {word} {listed[key]}{' delete' if listed.get('delete') else ''}"
    if settings.get("ipv6", {}).get("nexthop"):
        yield f"set ipv6 next-hop {settings['ipv6']['nexthop']}"


def _match(conditions: Json) -> Iterator[str]:
    for family in ("ipv4", "ipv6"):
        inner = conditions.get(family, {})
        if inner.get("prefix_lists"):
            yield f"match {word_of(family)} address prefix-list {inner['prefix_lists']}"
        yield from [f"match tag {inner['tag']}"] if inner.get("tag") else []
    lists = [("community_list", "community"), ("large_community", "large-community")]
    for name, word in [*lists, ("large_community_list", "large-community")]:
        for where in (conditions, conditions.get("ipv4", {}), conditions.get("ipv6", {})):
            if listed := where.get(name):
                yield f"match {word} {listed['id']}{' exact-match' if listed.get('exact_match') else ''}"
    for name in ("source-vrf", "metric"):
        yield from [f"match {name} {conditions[name]}"] if conditions.get(name) else []
