"""Reads lines of `interface`, `router ospf`, `router ospf6` and `router isis` as settings.

In the model OSPF and IS-IS run on every interface of a router. If lines start one of them, the interfaces that they
leave out are read as passive ones: both form no adjacency.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from frrlib.conf.text import ConfigEntry
from frrlib.interpretation.lines import HARMLESS, UnknownLine, updated
from frrlib.model.base import Address
from frrlib.model.nodes import Router
from frrlib.model.routing import Isis, Ospf, Ospf6, OspfArea

#: The addresses of a router's interfaces, by name.
InterfaceAddresses = Mapping[str, Sequence[Address]]

#: The number of words in a heading without a VRF: `interface r1-eth0`.
_HEADING_WORDS = 2
_NETWORK_TYPES = {
    "point-to-point": "point-to-point", "broadcast": "broadcast", "point-to-multipoint": "point-to-multipoint",
    "non-broadcast": "non-broadcast",
}  # fmt: skip
_LEVELS = {"level-1": "1", "level-2-only": "2", "level-1-2": "1-2"}


def read(router: Router, section: ConfigEntry) -> tuple[Router, list[ConfigEntry]]:
    """The router with the lines of an interface as settings, and the lines that remain."""
    words = section.text.split()
    if len(words) != _HEADING_WORDS:
        return router, [section]
    remaining = []
    for entry in section.below:
        try:
            router = _with_line(router, words[1], entry.text)
        except (UnknownLine, ValueError):
            remaining.append(entry)
    return router, [ConfigEntry(section.text, section.kind, tuple(remaining))] if remaining else []


def read_protocol(
    router: Router, section: ConfigEntry, entries: Iterable[ConfigEntry], addresses: InterfaceAddresses
) -> tuple[Router, list[ConfigEntry]]:
    """The router with the lines of OSPF or IS-IS as settings, and the lines that remain.

    Args:
        router: the router.
        section: the section of the protocol.
        entries: all entries of the router's lines.
        addresses: the router's interfaces with their addresses.
    """
    words = section.text.split()
    protocol = words[1]
    if protocol not in _PROTOCOLS or "vrf" in words:
        return router, [section]
    started: ConfigEntry | None = None
    if getattr(router, protocol) is None:
        try:
            router = _started(router, protocol, section, entries, addresses)
        except (UnknownLine, ValueError):
            return router, [section]
        started = section
    remaining = []
    for entry in section.below:
        try:
            router = _with_protocol_line(router, protocol, entry, bool(started))
        except (UnknownLine, ValueError):
            remaining.append(entry)
    return router, [ConfigEntry(section.text, section.kind, tuple(remaining))] if remaining else []


#: Protocols whose lines are read, with FRR's defaults for lines without settings.
_PROTOCOLS: dict[str, Callable[[], Any]] = {
    "ospf": lambda: Ospf(point_to_point=False, lab_timers=False),
    "ospf6": lambda: Ospf6(point_to_point=False, lab_timers=False),
    "isis": lambda: Isis(point_to_point=False, lab_timers=False, level="1-2"),
}


def _started(
    router: Router,
    protocol: str,
    section: ConfigEntry,
    entries: Iterable[ConfigEntry],
    addresses: InterfaceAddresses,
) -> Router:
    """The router with a protocol that its lines start. Raises UnknownLine if they start it on no interface."""
    settings = _PROTOCOLS[protocol]()
    areas = _areas(protocol, section, entries, addresses)
    if not areas:
        raise UnknownLine
    if protocol == "isis":
        settings = updated(settings, ipv4=_has_line(entries, "ip router"), ipv6=_has_line(entries, "ipv6 router"))
    else:
        settings = updated(settings, area=areas[next(iter(areas))])
    rows: list[dict[str, Any]] = []
    for name in addresses:
        row: dict[str, Any] = {"interface": name}
        if name not in areas:
            row["passive"] = True
        elif protocol != "isis":
            row["area"] = areas[name]
        rows.append(row)
    return updated(router, **{protocol: updated(settings, interfaces=tuple(rows))})


def _has_line(entries: Iterable[ConfigEntry], start: str) -> bool:
    """Whether a line of an interface begins with these words."""
    return any(
        inner.text.startswith(start + " ") for entry in entries if entry.kind == "interface" for inner in entry.below
    )


def _areas(
    protocol: str, section: ConfigEntry, entries: Iterable[ConfigEntry], addresses: InterfaceAddresses
) -> dict[str, str]:
    """The interfaces on which lines start a protocol, with their areas; empty areas for IS-IS."""
    start = {
        "ospf": ("ip ospf area ",),
        "ospf6": ("ipv6 ospf6 area ",),
        "isis": ("ip router isis ", "ipv6 router isis "),
    }
    areas: dict[str, str] = {}
    for line in (entry.text.split() for entry in section.below):
        if protocol == "ospf" and line[:1] == ["network"] and line[2:3] == ["area"] and len(line) == 4:
            network = ip_network(line[1])
            for name, interface_addresses in addresses.items():
                if any(address.ip in network for address in interface_addresses if address.version == network.version):
                    areas.setdefault(name, line[3])
    for entry in entries:
        if entry.kind == "interface" and len(entry.text.split()) == _HEADING_WORDS:
            for inner in entry.below:
                if inner.text.startswith(start[protocol]):
                    areas[entry.text.split()[1]] = "" if protocol == "isis" else inner.text.split()[3]
    return areas


def _with_protocol_line(router: Router, protocol: str, entry: ConfigEntry, is_started: bool) -> Router:
    words = entry.text.split()
    if not words or HARMLESS.match(entry.text):
        return router
    settings: Any = getattr(router, protocol)
    if words[0] == "lsp-mtu" and len(words) == 2 and protocol == "isis":
        return updated(router, isis=updated(settings, lsp_mtu_bytes=int(words[1])))
    if words[1:2] == ["router-id"] and len(words) == 3 and protocol != "isis":
        return updated(router, **{protocol: updated(settings, router_id=words[2])})
    if words[0] == "is-type" and len(words) == 2 and protocol == "isis" and words[1] in _LEVELS:
        return updated(router, isis=updated(settings, level=_LEVELS[words[1]]))
    if words[0] == "net" and len(words) == 2 and protocol == "isis":
        parts = words[1].split(".")
        fields = {"area": ".".join(parts[:-4]), "system_id": ".".join(parts[-4:-1])}
        return updated(router, isis=updated(settings, **fields))
    if words[0] == "passive-interface" and len(words) == 2 and protocol == "ospf" and words[1] != "default":
        return _with_row(router, "ospf", words[1], {"passive": True})
    if words[0] == "redistribute" and len(words) == 2 and protocol != "isis":
        return updated(
            router, **{protocol: updated(settings, redistribute=(*settings.redistribute, {"source": words[1]}))}
        )
    if words[0] == "area" and len(words) >= 3 and " ".join(words[2:]) in _AREA_KINDS and protocol != "isis":
        kind = _AREA_KINDS[" ".join(words[2:])]
        others = tuple(area for area in settings.areas if area.area != words[1])
        old = next((area for area in settings.areas if area.area == words[1]), OspfArea(area=words[1]))
        return updated(router, **{protocol: updated(settings, areas=(*others, updated(old, kind=kind)))})
    if (is_started and words[0] == "network" and protocol == "ospf") or words[0] in _TIMERS:
        return router
    raise UnknownLine


#: First words of lines about the times of computing and sending, which neighbors do not compare.
_TIMERS = ("timers", "lsp-timers", "spf-delay-ietf", "auto-cost", "maximum-paths")
_AREA_KINDS = {
    "stub": "stub", "stub no-summary": "totally-stub", "nssa": "nssa", "nssa no-summary": "totally-nssa",
}  # fmt: skip


_ISIS_TIMERS = ("isis csnp-interval ", "isis psnp-interval ")


def _with_line(router: Router, interface: str, line: str) -> Router:
    words = line.split()
    if not line or HARMLESS.match(line):
        return router
    if (words[1:3] == ["router", "isis"] and router.isis is not None) or line.startswith(_ISIS_TIMERS):
        return router
    if words[:3] in (["ip", "ospf", "cost"], ["ipv6", "ospf6", "cost"]) and (router.ospf or router.ospf6):
        return router  # costs are not compared
    if words[:3] == ["ip", "ospf", "authentication"] and router.ospf is not None and len(words) in (3, 4):
        return router  # the line with the key shows the kind
    if words[:3] == ["ip", "ospf", "authentication-key"] and router.ospf is not None and len(words) == 4:
        return _with_row(router, "ospf", interface, {"key": words[3], "key_id": 0})
    if words[:3] == ["ip", "ospf", "message-digest-key"] and router.ospf is not None and len(words) == 6:
        return _with_row(router, "ospf", interface, {"key": words[5], "key_id": int(words[3])})
    if words[:3] == ["isis", "password", "md5"] and router.isis is not None and len(words) == 4:
        return _with_row(router, "isis", interface, {"key": words[3]})
    for start, protocol, options in _AT_INTERFACE:
        if tuple(words[: len(start)]) == start and getattr(router, protocol) is not None:
            option, values = " ".join(words[len(start) : len(start) + 1]), words[len(start) + 1 :]
            reader = options.get(option)
            if reader is not None:
                fields = reader(values)
                if protocol != "isis" and "hello_s" in fields:
                    fields |= _dead_interval(router, protocol, interface, fields["hello_s"])
                return _with_row(router, protocol, interface, fields)
    raise UnknownLine


def _dead_interval(router: Router, protocol: str, interface: str, hello_s: int) -> dict[str, Any]:
    """FRR's dead interval is four hello intervals unless a line sets it."""
    settings = getattr(router, protocol)
    has_line = settings.at(interface).dead_s is not None or (settings.hello_s, settings.dead_s) != (10, 40)
    return {} if has_line else {"dead_s": 4 * hello_s}


def _with_row(router: Router, protocol: str, interface: str, fields: dict[str, Any]) -> Router:
    """The router with changed settings of a protocol at an interface."""
    settings = getattr(router, protocol)
    row = settings.at(interface)
    new = updated(row, **{"interface": interface, **fields})
    rows = tuple(new if existing == row else existing for existing in settings.interfaces)
    rows = rows if row in settings.interfaces else (*rows, new)
    return updated(router, **{protocol: updated(settings, interfaces=rows)})


def _one(field: str, convert: Callable[[str], Any]) -> Callable[[list[str]], dict[str, Any]]:
    """Reads a line with one value as a field."""

    def read_value(values: list[str]) -> dict[str, Any]:
        if len(values) != 1:
            raise UnknownLine
        return {field: convert(values[0])}

    return read_value


def _flag(field: str) -> Callable[[list[str]], dict[str, Any]]:
    """Reads a line without a value as a field that is set."""

    def read_flag(values: list[str]) -> dict[str, Any]:
        if values:
            raise UnknownLine
        return {field: True}

    return read_flag


def _one_of(field: str, words: dict[str, str]) -> Callable[[list[str]], dict[str, Any]]:
    """Reads a line with one of several words as a field."""

    def convert(word: str) -> str:
        if word not in words:
            raise UnknownLine
        return words[word]

    return _one(field, convert)


_OSPF: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "area": _one("area", str),
    "hello-interval": _one("hello_s", int),
    "dead-interval": _one("dead_s", int),
    "priority": _one("priority", int),
    "network": _one_of("network_type", _NETWORK_TYPES),
    "passive": _flag("passive"),
    "mtu-ignore": _flag("mtu_ignore"),
}
_ISIS: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "circuit-type": _one_of("level", _LEVELS),
    "metric": _one("metric", int),
    "passive": _flag("passive"),
    "network": _one_of("network_type", _NETWORK_TYPES),
    "hello-interval": _one("hello_s", int),
    "hello-multiplier": _one("hello_multiplier", int),
}
#: For lines of an interface: the first words, the protocol, and the readers by next word.
_AT_INTERFACE = ((("ip", "ospf"), "ospf", _OSPF), (("ipv6", "ospf6"), "ospf6", _OSPF), (("isis",), "isis", _ISIS))
