"""Configurations for tests: an example, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from frrlib.conf import grammar
from frrlib.conf.text import ConfigEntry

BASE = """\
hostname r1
interface e0
 ip ospf area 0
 ip ospf cost 10
exit
router bgp 65001
 bgp router-id 1.1.1.1
 no bgp default ipv4-unicast
 neighbor 10.0.0.2 remote-as 65002
 neighbor 10.0.0.2 description east
 address-family ipv4 unicast
  network 10.1.0.0/16
  neighbor 10.0.0.2 activate
 exit-address-family
exit
route-map OUT permit 10
 match tag 5
exit
"""

NAMES = st.sampled_from(["A", "B"])
ADDRESSES = st.sampled_from(["10.0.0.2", "10.0.0.3"])
NUMBERS = st.integers(1, 3)


def one_of(*templates: str) -> st.SearchStrategy[str]:
    """A line like one of the templates, with names, addresses and numbers filled in."""
    return st.builds(
        lambda text, a, n, w: text.format(a=a, n=n, w=w), st.sampled_from(templates), ADDRESSES, NUMBERS, NAMES
    )


def section(heading: str, kind: str, content: st.SearchStrategy[list[ConfigEntry]]) -> st.SearchStrategy[ConfigEntry]:
    return st.builds(
        lambda a, n, w, entries: ConfigEntry(heading.format(a=a, n=n, w=w), kind, as_frr_keeps(entries)),
        ADDRESSES, NUMBERS, NAMES, content,
    )  # fmt: skip


def as_frr_keeps(entries: list[ConfigEntry]) -> tuple[ConfigEntry, ...]:
    """Entries as a running FRR keeps them: one for each key, and never X beside `no X`."""
    kept: dict[tuple[str, str], ConfigEntry] = {}
    for entry in entries:
        key = entry.key if entry.kind else grammar.key_of(entry.text) or entry.text.removeprefix("no ")
        kept[(entry.kind, key)] = entry
    return tuple(kept.values())


def plain(*templates: str) -> st.SearchStrategy[ConfigEntry]:
    return one_of(*templates).map(ConfigEntry)


FAMILY = section("address-family ipv{n} unicast", "address-family", st.lists(
    plain("network 10.{n}.0.0/16", "network 10.{n}.0.0/16 route-map {w}", "neighbor {a} activate",
          "no neighbor {a} activate", "neighbor {a} route-map {w} in", "neighbor {a} route-map {w} out",
          "maximum-paths {n}", "redistribute static", "redistribute static metric {n}")))  # fmt: skip
SECTIONS = st.one_of(
    section("interface e{n}", "interface", st.lists(plain(
        "ip ospf cost {n}", "ip ospf cost {n} {a}", "ip ospf area {n}", "ip ospf bfd", "ip ospf bfd profile {w}",
        "ip ospf hello-interval {n}", "ip pim", "no link-detect", "description about {w}", "ip ospf passive"))),
    section("router ospf", "router", st.lists(plain(
        "ospf router-id {a}", "passive-interface e{n}", "area {n} stub", "area {n} stub no-summary",
        "redistribute connected", "redistribute table {n}", "network 10.{n}.0.0/16 area {n}"))),
    section("router bgp 6500{n}", "bgp", st.lists(st.one_of(FAMILY, plain(
        "bgp router-id {a}", "no bgp default ipv4-unicast", "no bgp ebgp-requires-policy", "neighbor {a} remote-as {n}",
        "neighbor {w} peer-group", "neighbor {a} peer-group {w}", "neighbor {a} timers {n} {n}",
        "neighbor {a} timers connect {n}", "neighbor {a} bfd", "neighbor {a} bfd profile {w}")))),
    section("route-map {w} permit {n}", "route-map", st.lists(plain(
        "match tag {n}", "match ip address prefix-list {w}", "set metric {n}", "on-match next"))),
    section("route-map {w} deny {n}", "route-map", st.lists(plain("match tag {n}"))),
    section("vrf {w}", "vrf", st.lists(plain("ip route 10.{n}.0.0/16 {a}"))),
    section("key chain {w}", "key chain", st.lists(section("key {n}", "key", st.lists(plain("key-string {w}"))))),
    section("bfd", "bfd", st.lists(st.one_of(
        section("profile {w}", "plain", st.lists(plain("receive-interval {n}"))),
        section("peer {a}", "plain", st.lists(plain("profile {w}", "detect-multiplier {n}")))))),
)  # fmt: skip
LINES = plain("hostname {w}", "ip route 10.{n}.0.0/16 {a}", "ip route 10.{n}.0.0/16 {a} tag {n}",
              "ip prefix-list {w} seq {n} permit 10.{n}.0.0/16", "ip prefix-list {w} seq {n} deny any",
              "access-list {w} seq {n} permit any", "no ip forwarding", "log syslog errors")  # fmt: skip
CONFIGURATIONS = st.lists(st.one_of(LINES, SECTIONS), max_size=12).map(as_frr_keeps)
