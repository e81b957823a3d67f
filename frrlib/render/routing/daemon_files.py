"""`frr.conf` split into the parts that the daemons read at their start, so that they start in parallel without vtysh.

Daemons reject lines that they do not know. The tables list the daemons that know each line; vtysh has the same table
compiled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from frrlib.conf.grammar import begins
from frrlib.conf.text import ConfigEntry, config_text, parse

_Table = tuple[tuple[str, str], ...]

#: The daemon of a line or section, by its first words; the first match is used. Unlisted lines belong to zebra.
SECTIONS: _Table = (
    ("router bgp", "bgpd"),
    ("bgp", "bgpd"),
    ("rpki", "bgpd"),
    ("ip as-path", "bgpd"),
    ("ip community-list", "bgpd"),
    ("ip extcommunity-list", "bgpd"),
    ("ip large-community-list", "bgpd"),
    ("router ospf6", "ospf6d"),
    ("router ospf", "ospfd"),
    ("router isis", "isisd"),
    ("router openfabric", "fabricd"),
    ("router ripng", "ripngd"),
    ("router rip", "ripd"),
    ("router eigrp", "eigrpd"),
    ("router babel", "babeld"),
    ("router pim6", "pim6d"),
    ("router pim", "pimd"),
    ("mpls ldp", "ldpd"),
    ("l2vpn", "ldpd"),
    ("bfd", "bfdd"),
    ("ip route", "staticd"),
    ("ip mroute", "staticd"),
    ("ipv6 route", "staticd"),
    ("ipv6 pim", "pim6d"),
    ("ipv6 mld", "pim6d"),
    ("ip pim", "pimd"),
    ("ip igmp", "pimd"),
    ("ip msdp", "pimd"),
    ("ip ssmpingd", "pimd"),
    ("segment-routing traffic-eng", "pathd"),
    ("pbr-map", "pbrd"),
    ("ip nhrp", "nhrpd"),
    ("vrrp", "vrrpd"),
)
#: The same for lines below `interface`.
_INTERFACE_LINES: _Table = (
    ("ip ospf", "ospfd"),
    ("ipv6 ospf6", "ospf6d"),
    ("ip router isis", "isisd"),
    ("ipv6 router isis", "isisd"),
    ("isis", "isisd"),
    ("ip router openfabric", "fabricd"),
    ("ipv6 router openfabric", "fabricd"),
    ("openfabric", "fabricd"),
    ("ip rip", "ripd"),
    ("ipv6 ripng", "ripngd"),
    ("ip pim", "pimd"),
    ("ip igmp", "pimd"),
    ("ip mroute", "pimd"),
    ("ip multicast", "pimd"),
    ("ipv6 pim", "pim6d"),
    ("ipv6 mld", "pim6d"),
    ("ip eigrp", "eigrpd"),
    ("ip summary-address eigrp", "eigrpd"),
    ("delay", "eigrpd"),
    ("babel", "babeld"),
    ("ip nhrp", "nhrpd"),
    ("ipv6 nhrp", "nhrpd"),
    ("pbr-policy", "pbrd"),
    ("vrrp", "vrrpd"),
    ("mpls bgp", "bgpd"),
)
#: The same for `debug`, by its next word; "ripng" must precede "rip".
_DEBUGS: _Table = (
    ("bgp", "bgpd"),
    ("ospf6", "ospf6d"),
    ("ospf", "ospfd"),
    ("isis", "isisd"),
    ("openfabric", "fabricd"),
    ("ripng", "ripngd"),
    ("rip", "ripd"),
    ("bfd", "bfdd"),
    ("static", "staticd"),
    ("pim", "pimd"),
    ("igmp", "pimd"),
    ("mroute", "pimd"),
    ("mpls ldp", "ldpd"),
    ("eigrp", "eigrpd"),
    ("babel", "babeld"),
    ("nhrp", "nhrpd"),
    ("pbr", "pbrd"),
    ("vrrp", "vrrpd"),
)
#: First words of lines that every daemon accepts.
_COMMON = ("frr", "hostname", "domainname", "log", "service", "password", "enable", "line vty")
#: Daemons with prefix lists and route maps. zebra supports them, too, but gets them only if a line uses one.
_POLICED = frozenset(("ospfd", "ospf6d", "isisd", "fabricd", "ripd", "ripngd", "bgpd", "pimd", "eigrpd", "babeld"))
_POLICIES = ("ip prefix-list", "ipv6 prefix-list", "access-list", "ipv6 access-list", "route-map")
#: Daemons that know key chains.
_KEYED = frozenset(("ripd", "eigrpd", "ospf6d"))
#: Lines of a route map that all these daemons know; others belong to bgpd, except those of the next table.
_ROUTE_MAP_LINES = (
    "match interface", "match ip address", "match ip next-hop", "match ipv6 address", "match ipv6 next-hop type",
    "match metric", "match tag", "set ip next-hop", "set ipv6 next-hop local", "set metric", "set tag",
    "set sr-te color", "on-match", "continue", "call", "description",
)  # fmt: skip
#: Lines of a route map with the daemons that know them, if they are neither all of these daemons nor bgpd alone.
_ROUTE_MAP_DAEMONS = {
    "set metric-type": frozenset(("ospfd", "ospf6d")),
    "set src": frozenset(("zebra",)),
    "match source-protocol": frozenset(("zebra",)),
    "match source-instance": frozenset(("zebra",)),
    "set ip next-hop peer-address": frozenset(("bgpd",)),
    "set ip next-hop unchanged": frozenset(("bgpd",)),
}


def per_daemon(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """`frr.conf` split into a `DAEMON.conf` for every one of `names`, with the lines that the daemon supports.

    Unknown lines go to zebra, which reports them.
    """
    entries = parse(text)
    zebra_decides = any("route-map" in entry.text for entry in _of_zebra(entries))
    return {f"{name}.conf": config_text(_part(entries, name, zebra_decides)) for name in names}


def at_start(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """The files that daemons read at their start; empty if vtysh has to load the text after their start.

    pimd joins a group when it reads the line, but does not know any interface yet at its start.
    """
    if any(line.lstrip().startswith("ip igmp join") for line in text.splitlines()):
        return {}
    return per_daemon(text, names)


def daemons_of(text: str) -> set[str]:
    """The daemons that the lines of a text need, apart from lines that any daemon accepts."""
    needed = set()
    for entry in parse(text):
        if entry.kind == "interface":
            needed |= {_daemon_for(_INTERFACE_LINES, line.text) for line in entry.below}
        elif entry.kind == "vrf":
            needed |= {_daemon_for(SECTIONS, line.text) for line in entry.below}
        elif not begins(entry.text, (*_COMMON, *_POLICIES, "debug", "key chain")):
            needed.add(_daemon_for(SECTIONS, entry.text))
    return needed


def _of_zebra(entries: tuple[ConfigEntry, ...]) -> Iterator[ConfigEntry]:
    for entry in entries:
        if entry.kind == "vrf":
            yield from (line for line in entry.below if _daemon_for(SECTIONS, line.text) == "zebra")
        elif entry.text.startswith(("ip protocol", "ipv6 protocol", "ip nht", "ipv6 nht")):
            yield entry


def _part(entries: tuple[ConfigEntry, ...], name: str, zebra_decides: bool) -> Iterator[ConfigEntry]:
    """The lines that one daemon reads."""
    has_policies = name in _POLICED or (name == "zebra" and zebra_decides)
    for entry in entries:
        if not entry.text or begins(entry.text, _COMMON):
            yield entry
        elif entry.kind == "interface":
            yield from _with_lines(entry, name, _INTERFACE_LINES)
        elif entry.kind == "vrf":
            yield from _with_lines(entry, name, SECTIONS)
        elif entry.kind == "route-map":
            if has_policies:
                yield replace(entry, below=tuple(line for line in entry.below if _knows(name, line.text)))
        elif begins(entry.text, _POLICIES):
            if has_policies:
                yield entry
        elif entry.kind == "key chain":
            if name in _KEYED:
                yield entry
        elif entry.text.startswith("debug "):
            if _daemon_for(_DEBUGS, entry.text.removeprefix("debug ")) == name:
                yield entry
        elif _daemon_for(SECTIONS, entry.text) == name:
            yield entry


def _with_lines(entry: ConfigEntry, name: str, table: _Table) -> Iterator[ConfigEntry]:
    """A section with only the lines that a daemon supports, if any; zebra also gets its comments."""
    lines = tuple(
        line for line in entry.below if _daemon_for(table, line.text) == name or (not line.text and name == "zebra")
    )
    if any(line.text for line in lines):
        yield replace(entry, below=lines)


def _knows(name: str, line: str) -> bool:
    """Whether a daemon with route maps supports a line of a route map."""
    for start, daemons in _ROUTE_MAP_DAEMONS.items():
        if begins(line, (start,)):
            return name in daemons
    return name == "bgpd" or not line or begins(line, _ROUTE_MAP_LINES)


def _daemon_for(table: _Table, line: str) -> str:
    bare = line.removeprefix("no ")
    return next((daemon for start, daemon in table if begins(bare, (start,))), "zebra")
