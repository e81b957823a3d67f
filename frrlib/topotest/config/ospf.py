"""OSPF's part of the configuration of routers that are described in JSON."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.topotest.config.description import Json, listed, unless_deleted

#: Names of the protocols in descriptions, and in FRR's commands.
WORDS = {"ospf": "ip ospf", "ospf6": "ipv6 ospf6"}
_OSPF_OF_INTERFACE = ("hello_interval", "dead_interval", "network", "priority", "cost", "mtu_ignore", "area")


def ospf(described: Json) -> Iterator[str]:
    """OSPFv2 and OSPFv3."""
    for key in WORDS:
        if key in described:
            yield from _ospf(key, described[key])


def _ospf(key: str, settings: Json) -> Iterator[str]:
    if settings.get("delete"):
        yield f"no router {key}"
        return
    yield f"router {key}"
    for name, delete_key, line in (
        ("router_id", "del_router_id", f"{key} router-id"),
        ("log_adj_changes", "del_log_adj_changes", "log-adjacency-changes"),
        ("aggr_timer", "del_aggr_timer", "aggregation timer"),
        ("maximum-paths", "del_max_path", "maximum-paths"),
    ):
        if settings.get(delete_key):
            yield f"no {line}"
        elif settings.get(name):
            yield f"{line} {settings[name]}"
    for entry in settings.get("redistribute", []):
        mapped = f" route-map {entry['route_map']}" if entry.get("route_map") else ""
        yield unless_deleted(entry, f"redistribute {entry['redist_type']}{mapped}")
    for area in settings.get("area", []):
        yield unless_deleted(area, f"area {area['id']} {area.get('type', '')}".rstrip())
    if "originate" in (origin := settings.get("default-information", {})):
        words = "".join(f" {word} {origin[word]}" for word in ("metric", "metric-type", "route-map") if word in origin)
        yield unless_deleted(origin, f"default-information originate{' always' if 'always' in origin else ''}{words}")
    for summary in settings.get("summary-address", []):
        tag = f" tag {summary['tag']}" if summary.get("tag") else ""
        hidden = "" if summary.get("advertise", True) else " no-advertise"
        yield unless_deleted(summary, f"summary {summary['prefix']}/{summary['mask']}{tag}{hidden}")
    yield from _ospf_restart(settings.get("graceful-restart", {}))


def _ospf_restart(restart: Json) -> Iterator[str]:
    if restart.get("opaque"):
        yield unless_deleted(restart, "capability opaque")
    if "helper enable" in restart:
        for router_id in listed(restart["helper enable"]) or [""]:
            yield unless_deleted(restart, f"graceful-restart helper enable {router_id}".rstrip())
    yield from (unless_deleted(restart, f"graceful-restart helper {role}") for role in listed(restart.get("helper")))
    if "supported-grace-time" in restart:
        yield unless_deleted(restart, f"graceful-restart helper supported-grace-time {restart['supported-grace-time']}")


def ospf_of_interface(link: Json, outer: Json) -> Iterator[str]:
    """OSPF's settings of an interface."""
    for key, words in WORDS.items():
        settings = link.get(key, {})
        for name in _OSPF_OF_INTERFACE:
            if name in settings:
                line = f"{words} {name.replace('_', '-')}"
                yield f"no {line}" if outer.get("delete") else f"{line} {settings[name]}"


def authentication_of_interface(link: Json) -> Iterator[str]:
    """OSPF's authentication on an interface."""
    yield from _keys(link.get("ospf", {}))
    yield from _trailer(link.get("ospf6", {}))


def _keys(settings: Json) -> Iterator[str]:
    no = "no " if settings.get("del_action") else ""
    kind = settings.get("authentication")
    if kind:
        yield f"{no}ip ospf authentication{'' if kind is True else f' {kind}'}"
    key, number = settings.get("authentication-key"), settings.get("message-digest-key")
    if key and number:  # the one names the key's number, the other is the key
        yield f"{no}ip ospf message-digest-key {number} md5 {key}"
    elif key:
        yield f"{no}ip ospf authentication-key {key}"


def _trailer(settings: Json) -> Iterator[str]:
    no = "no " if settings.get("del_action") else ""
    if settings.get("hash-algo"):
        words = f"key-id {settings['key-id']} hash-algo {settings['hash-algo']} key {settings['key']}"
        yield f"{no}ipv6 ospf6 authentication {words}"
    if settings.get("keychain"):
        yield f"{no}ipv6 ospf6 authentication keychain {settings['keychain']}"
