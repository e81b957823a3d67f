"""Valid names of nodes and interfaces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.model.names import free_name, interface_name_fault, natural, node_name_fault, numbered, sanitized


@pytest.mark.parametrize("name", ["h1", "GS1Switch", "org_server", "a-b", "1", "x" * 64])
def test_sanitized_names_are_unique(name: str) -> None:
    assert node_name_fault(name) == ""


@pytest.mark.parametrize(
    "name", ["", "h 1", "a/b", "..", ".", "-x", "é", "lo", "cable", "all", "x" * 65, "a\nb", "a.b", "$(x)"]
)
def test_names_of_nodes_that_are_not(name: str) -> None:
    assert node_name_fault(name)


def test_names_of_interfaces() -> None:
    assert [interface_name_fault(name) for name in ("r1-eth0", "x" * 15, "eth0.100")] == ["", "", ""]
    assert all(interface_name_fault(name) for name in ("x" * 16, "a/b", "a b", "a:b", "lo", "", ".."))


@given(st.text(), st.sets(st.sampled_from(["node", "h1", "h1_2", "a"])), st.sampled_from([15, 32]))
def test_every_text_becomes_a_free_legal_name(text: str, used: set[str], length: int) -> None:
    name = sanitized(text, used, length)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*", name)
    assert node_name_fault(name) == ""
    assert name not in used
    assert len(name) <= length


def test_what_they_become() -> None:
    assert sanitized("h1 (vendas)") == "h1_vendas"
    assert sanitized("h1 - 192.168.1.10") == "h1-192_168_1_10"
    assert sanitized("présentateur", {"presentateur"}) == "presentateur_2"
    assert sanitized("/") == "node"
    assert free_name("lo", ()) == "lo_2"
    assert [numbered(name) for name in ("r12", "r0", "r012", "r", "12", "a1b2")] == [
        ("r", 12),
        ("r", 0),
        None,
        None,
        None,
        None,
    ]


def test_people_count_past_nine() -> None:
    names = ["r1-eth10", "r1-eth2", "lo", "r1-eth0", "r10", "r2", "7", "eth"]
    assert sorted(names, key=natural) == ["7", "eth", "lo", "r1-eth0", "r1-eth2", "r1-eth10", "r2", "r10"]
