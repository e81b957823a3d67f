"""Merging custom lines, and the changes that turn one configuration into another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from frrlib.conf import grammar
from frrlib.conf.changes import ConfigChange, apply_changes, as_own_lines, difference
from frrlib.conf.merge import merged
from frrlib.conf.text import ConfigEntry, config_text, parse
from tests.conf.configurations import BASE, CONFIGURATIONS
from tests.example_counts import examples


def lines(text: str) -> list[str]:
    """The lines without indentation, and without the lines that only end a section."""
    return [line.strip() for line in text.splitlines() if line.strip() not in ("!", "exit", "exit-address-family")]


@pytest.mark.parametrize(
    ("custom", "removed", "added"),
    [
        ("interface e0\n ip ospf cost 5\n", ["ip ospf cost 10"], ["ip ospf cost 5"]),
        ("interface e0\n no ip ospf cost\n", ["ip ospf cost 10"], []),
        ("interface e0\n no ip ospf cost 7\n", ["ip ospf cost 10"], []),
        ("hostname edge\n", ["hostname r1"], ["hostname edge"]),
        ("router bgp 65001\n bgp router-id 9.9.9.9\n", ["bgp router-id 1.1.1.1"], ["bgp router-id 9.9.9.9"]),
        ("router bgp\n bgp router-id 9.9.9.9\n", ["bgp router-id 1.1.1.1"], ["bgp router-id 9.9.9.9"]),
        ("router bgp\n bgp default ipv4-unicast\n", ["no bgp default ipv4-unicast"], ["bgp default ipv4-unicast"]),
        ("router bgp 65001\n no bgp ebgp-requires-policy\n", [], ["no bgp ebgp-requires-policy"]),
        (
            "router bgp 65001\n no neighbor 10.0.0.2\n",
            ["neighbor 10.0.0.2 remote-as 65002", "neighbor 10.0.0.2 description east", "neighbor 10.0.0.2 activate"],
            [],
        ),
        ("route-map OUT deny 10\n", ["route-map OUT permit 10"], ["route-map OUT deny 10"]),
        ("no route-map OUT\n", ["route-map OUT permit 10", "match tag 5"], []),
        ("no route-map OUT permit 20\n", [], ["no route-map OUT permit 20"]),
        ("ip forwarding\n", [], ["ip forwarding"]),
        ("interface e1\n ip ospf area 1\n", [], ["interface e1", "ip ospf area 1"]),
        (
            "router bgp 65001\n address-family ipv4\n  network 10.2.0.0/16\n",
            [],
            ["network 10.2.0.0/16"],
        ),
    ],
)  # fmt: skip
def test_effects_of_a_custom_line(custom: str, removed: list[str], added: list[str]) -> None:
    before, after = lines(merged(BASE, "!")), lines(merged(BASE, custom))
    assert set(before) - set(after) == set(removed)
    assert set(after) - set(before) == set(added)


def test_custom_lines_precede_address_families_and_new_sections_are_last() -> None:
    text = merged(BASE, "router bgp 65001\n coalesce-time 10\nexit\nrouter rip\n network e0\n")
    merged_lines = lines(text)
    assert merged_lines.index("coalesce-time 10") == merged_lines.index("address-family ipv4 unicast") - 1
    assert merged_lines[-2:] == ["router rip", "network e0"]


def test_no_custom_lines_leave_the_text_unchanged() -> None:
    assert merged(BASE, " \n") == BASE


def test_merging_twice_is_merging_once() -> None:
    custom = "interface e0\n ip ospf cost 5\n no ip ospf area\nno hostname r1\nrouter rip\n version 2\n"
    once = merged(BASE, custom)
    assert merged(once, custom.replace(" no ip ospf area\nno hostname r1\n", "")) == once


def test_a_difference_names_sections_and_lines() -> None:
    after = BASE.replace(" match tag 5", " match tag 6").replace("  network 10.1.0.0/16\n", "") + "router ospf\nexit\n"
    family = ("router bgp 65001", "address-family ipv4 unicast")
    assert difference(BASE, after) == [
        ConfigChange(family, "removed", "network 10.1.0.0/16", "", ("bgp", "address-family")),
        ConfigChange(("route-map OUT permit 10",), "removed", "match tag 5", "", ("route-map",)),
        ConfigChange(("route-map OUT permit 10",), "added", "match tag 6", "", ("route-map",)),
        ConfigChange((), "added", "router ospf", "router", ()),
    ]


def test_custom_lines_replace_a_line_without_removing_it_first() -> None:
    custom = as_own_lines(difference(BASE, BASE.replace("cost 10", "cost 5")))
    assert custom == "interface e0\n ip ospf cost 5\nexit\n!\n"


# --- any two configurations -------------------------------------------------------------------------------------------


def meaning(entries: tuple[ConfigEntry, ...]) -> frozenset[object]:
    """The meaning of entries, without the order of lines, defaults, and empty sections that always exist."""
    meanings: set[object] = set()
    for entry in entries:
        if entry.kind:
            nested = meaning(entry.below)
            meanings |= {(entry.text, nested)} if nested or entry.kind not in grammar.ALWAYS_THERE else set()
        elif not grammar.on_by_default(entry.text.removeprefix("no ")):
            meanings.add(entry.text)
    return frozenset(meanings)


@given(CONFIGURATIONS)
def test_written_text_is_read_back(entries: tuple[ConfigEntry, ...]) -> None:
    assert parse(config_text(entries)) == entries


@given(CONFIGURATIONS, CONFIGURATIONS)
@settings(max_examples=examples(150))
def test_custom_lines_of_a_difference_lead_from_one_configuration_to_the_other(
    before: tuple[ConfigEntry, ...], after: tuple[ConfigEntry, ...]
) -> None:
    base, goal = config_text(before), config_text(after)
    custom = as_own_lines(difference(base, goal))
    assert meaning(parse(merged(base, custom))) == meaning(after), custom
    assert not custom or base != goal
    assert difference(apply_changes(base, difference(base, goal)), goal) == []


@given(CONFIGURATIONS)
def test_the_order_of_lines_is_no_difference(entries: tuple[ConfigEntry, ...]) -> None:
    assert difference(config_text(entries), config_text(tuple(reversed(entries)))) == []


def test_a_neighbor_with_remaining_lines_is_not_removed() -> None:
    """The peer group may have the neighbor's AS from then on."""
    before = (
        "router bgp 1\n neighbor G peer-group\n neighbor 10.0.0.3 remote-as 1\n neighbor 10.0.0.3 peer-group G\nexit\n"
    )
    after = before.replace(" neighbor 10.0.0.3 remote-as 1\n", "")
    assert as_own_lines(difference(before, after)) == "router bgp 1\n no neighbor 10.0.0.3 remote-as 1\nexit\n!\n"


def test_one_line_removes_a_neighbor() -> None:
    after = "\n".join(line for line in BASE.splitlines() if "neighbor" not in line)
    assert as_own_lines(difference(BASE, after)) == "router bgp 65001\n no neighbor 10.0.0.2\nexit\n!\n"
