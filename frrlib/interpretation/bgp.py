"""Reads lines of `router bgp` as settings."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address, ip_network
from typing import Any

from frrlib.conf.text import ConfigEntry
from frrlib.interpretation.lines import HARMLESS, UnknownLine, updated
from frrlib.model.nodes import Router
from frrlib.model.protocols.bgp import Bgp, BgpPeerGroup, BgpSession

#: The number of words in the heading of the default table's BGP: `router bgp 65001`.
_HEADING_WORDS = 3
#: FRR's defaults, which apply to lines without settings.
_DEFAULTS = {"requires_policy": True, "connect_retry_s": 120, "coalesce_ms": 1000}
#: The two families whose lines have settings, as headings of FRR.
_FAMILIES = {"address-family ipv4 unicast": "ipv4", "address-family ipv6 unicast": "ipv6"}
#: A function that returns the changed fields of a session, from the words after its name.
SessionFields = Callable[[list[str]], dict[str, Any]]


def read(router: Router, section: ConfigEntry) -> tuple[Router, list[ConfigEntry]]:
    """The router with the lines of a section as settings, and the lines that remain.

    A section for a VRF or for another AS than that of the settings remains as a whole.
    """
    words = section.text.split()
    if len(words) != _HEADING_WORDS or not words[2].isdecimal() or (router.bgp and router.bgp.asn != int(words[2])):
        return router, [section]
    try:
        bgp = router.bgp or Bgp.model_validate({"asn": int(words[2]), **_DEFAULTS})
    except ValueError:
        return router, [section]
    remaining: list[ConfigEntry] = []
    # Sessions are created first, since lines of an address family refer to them.
    for entry in sorted(section.below, key=lambda entry: bool(entry.kind)):
        bgp, unknown = _read_entry(bgp, entry)
        remaining += unknown
    left = [ConfigEntry(section.text, section.kind, tuple(remaining))] if remaining else []
    return updated(router, bgp=bgp), left


def _read_entry(bgp: Bgp, entry: ConfigEntry) -> tuple[Bgp, list[ConfigEntry]]:
    if entry.kind:
        family = _FAMILIES.get(entry.text)
        if family is None:
            return bgp, [entry]
        remaining = []
        for inner in entry.below:
            bgp, unknown = _read_line(bgp, inner, family)
            remaining += unknown
        return bgp, [ConfigEntry(entry.text, entry.kind, tuple(remaining))] if remaining else []
    return _read_line(bgp, entry, "")


def _read_line(bgp: Bgp, entry: ConfigEntry, family: str) -> tuple[Bgp, list[ConfigEntry]]:
    if not entry.text:
        return bgp, []
    try:
        return _with_line(bgp, entry.text, family), []
    except (UnknownLine, ValueError):
        return bgp, [entry]


def _with_line(bgp: Bgp, line: str, family: str) -> Bgp:
    words = line.split()
    if HARMLESS.match(line):
        return bgp
    if words[0] == "neighbor" and len(words) > 2:
        return _with_neighbor(bgp, words, family)
    if words[0] == "network" and len(words) == 2:
        network = ip_network(words[1])
        return updated(bgp, networks=tuple(dict.fromkeys((*bgp.networks, network))))
    if words[0] == "redistribute" and len(words) == 2:
        return updated(bgp, redistribute=(*bgp.redistribute, {"source": words[1]}))
    if line == "no bgp ebgp-requires-policy":
        return updated(bgp, requires_policy=False)
    if line == "bgp ebgp-requires-policy":
        return updated(bgp, requires_policy=True)
    if line == "no bgp default ipv4-unicast":
        return bgp  # the lines `activate` show the families
    if words[:2] == ["bgp", "router-id"] and len(words) == 3:
        return updated(bgp, router_id=words[2])
    if words[:2] == ["timers", "bgp"] and len(words) >= 4:
        return updated(bgp, keepalive_s=int(words[2]), hold_s=int(words[3]))
    if words[:3] == ["bgp", "confederation", "identifier"] and len(words) == 4:
        return updated(bgp, confederation_id=int(words[3]))
    if words[:3] == ["bgp", "confederation", "peers"] and len(words) > 3:
        return updated(bgp, confederation_members=tuple(int(word) for word in words[3:]))
    if words[:2] == ["bgp", "cluster-id"] and len(words) == 3:
        return updated(bgp, cluster_id=words[2])
    if words[0] == "coalesce-time" and len(words) == 2:
        return updated(bgp, coalesce_ms=int(words[1]))
    raise UnknownLine


# --- sessions ---------------------------------------------------------------------------------------------------------


def _with_neighbor(bgp: Bgp, words: list[str], family: str) -> Bgp:
    name, option, values = words[1], words[2], words[3:]
    at = _find(bgp, name)
    if at is None:
        return _with_session(bgp, name, option, values)
    field, number = at
    sessions = getattr(bgp, field)
    session = sessions[number]
    if option == "remote-as" and len(values) == 1:
        fields: dict[str, Any] = {"remote_as": _remote_as(bgp, values[0], in_group=field == "peer_groups")}
    elif option == "peer-group" and len(values) == 1:
        fields = {"peer_group": values[0]}
    elif option == "interface" and field == "unnumbered" and values[-2:-1] == ["remote-as"]:
        fields = {"remote_as": _remote_as(bgp, values[-1], in_group=True)}
    else:
        fields = _fields(session, option, values, family)
    changed = updated(session, **fields)
    return updated(bgp, **{field: (*sessions[:number], changed, *sessions[number + 1 :])})


def _find(bgp: Bgp, name: str) -> tuple[str, int] | None:
    """The field and the position of the session or group with a name: an address, an interface, or a group's name."""
    for field, name_of in _NAMES.items():
        for number, session in enumerate(getattr(bgp, field)):
            if name_of(session) == name:
                return field, number
    return None


#: The name of a session or group in FRR's lines, by the field of BGP that contains it.
_NAMES: dict[str, Callable[[Any], str]] = {
    "neighbors": lambda session: str(session.address),
    "unnumbered": lambda session: str(session.interface),
    "peer_groups": lambda session: str(session.name),
}


def _with_session(bgp: Bgp, name: str, option: str, values: list[str]) -> Bgp:
    """BGP with a new session or group, which its first line creates."""
    if option == "peer-group" and not values:
        return updated(bgp, peer_groups=(*bgp.peer_groups, BgpPeerGroup(name=name)))
    if option == "interface":
        session: dict[str, Any] = {"interface": name}
        if values[-2:-1] == ["remote-as"]:
            session["remote_as"] = _remote_as(bgp, values[-1], in_group=True)
        elif values[-2:-1] == ["peer-group"]:
            session["peer_group"] = values[-1]
        return updated(bgp, unnumbered=(*bgp.unnumbered, session))
    if len(values) != 1 or option not in ("remote-as", "peer-group"):
        raise UnknownLine
    neighbor: dict[str, Any] = {"address": ip_address(name)}
    if option == "remote-as":
        neighbor["remote_as"] = _remote_as(bgp, values[0], in_group=False)
    else:
        group = next((group for group in bgp.peer_groups if group.name == values[0]), None)
        neighbor |= {"peer_group": values[0], "remote_as": group.remote_as if group else None}
        if neighbor["remote_as"] == "internal":
            neighbor["remote_as"] = bgp.asn
    return updated(bgp, neighbors=(*bgp.neighbors, neighbor))


def _remote_as(bgp: Bgp, word: str, *, in_group: bool) -> int | str:
    """The AS of a line. A session with an address has a number, so "external" has no setting there."""
    if in_group and word in ("internal", "external"):
        return word
    return bgp.asn if word == "internal" else int(word)


def _fields(session: BgpSession, option: str, values: list[str], family: str) -> dict[str, Any]:
    """The changed fields of a session for a line `neighbor ADDRESS OPTION VALUES`."""
    if option == "activate" and family:
        return {"families": tuple(dict.fromkeys((*session.families, family)))}
    if option == "description":
        return {}
    if option in _FLAGS and not values:
        return {_FLAGS[option]: True}
    if option in _WORDS and len(values) == 1:
        return {_WORDS[option]: values[0]}
    if option == "ebgp-multihop":
        return {"multihop": int(values[0]) if values else 255}
    if option == "next-hop-self":
        return {"next_hop_self": True, "next_hop_self_force": values == ["force"]}
    if option == "timers" and len(values) == 2 and values[0] != "connect":
        return {"keepalive_s": int(values[0]), "hold_s": int(values[1])}
    if option in ("timers", "advertisement-interval") and values:
        return {}  # the time of an attempt or of an update, which sessions do not compare
    if option in _POLICIES and len(values) == 2 and values[1] in ("in", "out"):
        return {f"{_POLICIES[option]}_{values[1]}": values[0]}
    if option == "allowas-in":
        return {"allow_as_in": int(values[0]) if values else 3}
    raise UnknownLine


_FLAGS = {
    "passive": "passive", "shutdown": "shutdown", "bfd": "bfd", "route-reflector-client": "route_reflector_client",
    "default-originate": "default_originate", "remove-private-AS": "remove_private_as",
}  # fmt: skip
_WORDS = {"update-source": "update_source", "password": "password", "weight": "weight"}
_POLICIES = {"route-map": "route_map", "prefix-list": "prefix_list", "filter-list": "as_path_list"}
