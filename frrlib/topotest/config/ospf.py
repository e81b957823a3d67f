"""OSPF's part of the configuration of routers that are described in JSON."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.topotest.config.description import Json, listed, unless_deleted

#: The protocols as descriptions call them, and as FRR's commands do.
WORDS = {"ospf": "ip ospf", "ospf6": "ipv6 ospf6"}
_OSPF_OF_INTERFACE = ("hello_interval", "dead_interval", "network", "priority", "cost", "mtu_ignore", "area")


def ospf(described: Json) -> Iterator[str]:
    """OSPFv2 and OSPFv3."""
    for key in WORDS:
        if key in described:
            yield from _ospf(key, described[key])


def _ospf(key: str, given: Json) -> Iterator[str]:
    if given.get("delete"):
        yield f"no router {key}"
        return
    yield f"router {key}"
    for name, gone, line in (
        ("router_id", "del_router_id", f"{key} router-id"),
        ("log_adj_changes", "del_log_adj_changes", "log-adjacency-changes"),
        ("aggr_timer", "del_aggr_timer", "aggregation timer"),
        ("maximum-paths", "del_max_path", "maximum-paths"),
    ):
        if given.get(gone):
            yield f"no {line}"
        elif given.get(name):
            yield f"{line} {given[name]}"
    for each in given.get("redistribute", []):
        mapped = f" route-map {each['route_map']}" if each.get("route_map") else ""
        yield unless_deleted(each, f"redistribute {each['redist_type']}{mapped}")
    for area in given.get("area", []):
        yield unless_deleted(area, f"area {area['id']} {area.get('type', '')}".rstrip())
    if "originate" in (origin := given.get("default-information", {})):
        words = "".join(f" {word} {origin[word]}" for word in ("metric", "metric-type", "route-map") if word in origin)
        yield unless_deleted(origin, f"default-information originate{' always' if 'always' in origin else ''}{words}")
    for summary in given.get("summary-address", []):
        tag = f" tag {summary['tag']}" if summary.get("tag") else ""
        hidden = "" if summary.get("advertise", True) else " no-advertise"
        yield unless_deleted(summary, f"summary {summary['prefix']}/{summary['mask']}{tag}{hidden}")
    yield from _ospf_restart(given.get("graceful-restart", {}))


def _ospf_restart(given: Json) -> Iterator[str]:
    if given.get("opaque"):
        yield unless_deleted(given, "capability opaque")
    if "helper enable" in given:
        for each in listed(given["helper enable"]) or [""]:
            yield unless_deleted(given, f"graceful-restart helper enable {each}".rstrip())
    yield from (unless_deleted(given, f"graceful-restart helper {role}") for role in listed(given.get("helper")))
    if "supported-grace-time" in given:
        yield unless_deleted(given, f"graceful-restart helper supported-grace-time {given['supported-grace-time']}")


def ospf_of_interface(link: Json, outer: Json) -> Iterator[str]:
    """OSPF's settings of an interface."""
    for key, words in WORDS.items():
        given = link.get(key, {})
        for name in _OSPF_OF_INTERFACE:
            if name in given:
                line = f"{words} {name.replace('_', '-')}"
                yield f"no {line}" if outer.get("delete") else f"{line} {given[name]}"


def authentication_of_interface(link: Json) -> Iterator[str]:
    """OSPF's authentication on an interface."""
    yield from _keys(link.get("ospf", {}))
    yield from _trailer(link.get("ospf6", {}))


def _keys(given: Json) -> Iterator[str]:
    no = "no " if given.get("del_action") else ""
    kind = given.get("authentication")
    if kind:
        yield f"{no}ip ospf authentication{'' if kind is True else f' {kind}'}"
    key, number = given.get("authentication-key"), given.get("message-digest-key")
    if key and number:  # the one names the key's number, the other is the key
        yield f"{no}ip ospf message-digest-key {number} md5 {key}"
    elif key:
        yield f"{no}ip ospf authentication-key {key}"


def _trailer(given: Json) -> Iterator[str]:
    no = "no " if given.get("del_action") else ""
    if given.get("hash-algo"):
        words = f"key-id {given['key-id']} hash-algo {given['hash-algo']} key {given['key']}"
        yield f"{no}ipv6 ospf6 authentication {words}"
    if given.get("keychain"):
        yield f"{no}ipv6 ospf6 authentication keychain {given['keychain']}"
