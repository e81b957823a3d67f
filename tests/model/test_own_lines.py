"""Interface names in a router's custom lines follow renames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frrlib.edits.changes import delete, rename
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.protocols.own_lines import interfaces_in, with_interfaces_renamed
from frrlib.model.topology import Topology

TEXT = """\
! r1-eth0 leads to the east
interface r1-eth0
 description the interface r1-eth0
 ip ospf cost 5
exit
int r1-eth1
  no  ip ospf cost
router ospf
 passive-interface r1-eth0
 network 10.0.0.0/8 area 0
router rip
 network r1-eth1
router bgp 1
 neighbor r1-eth0 interface remote-as external
 neighbor r1-eth0 description interface r1-eth1
 neighbor 10.0.0.2 update-source r1-eth1
no ip route 10.9.0.0/16 10.0.0.2 r1-eth0
ip route 10.8.0.0/16 r1-eth1 20
mpls ldp
 address-family ipv4
  interface r1-eth0
route-map r1-eth0 permit 10
 match interface r1-eth1
"""


def test_only_interface_names_are_renamed() -> None:
    text = with_interfaces_renamed(TEXT, {"r1-eth0": "west", "r1-eth1": "r1-eth0"})
    changed = [(a, b) for a, b in zip(TEXT.splitlines(), text.splitlines(), strict=True) if a != b]
    assert [after for _, after in changed] == [
        "interface west",
        "int r1-eth0",
        " passive-interface west",
        " network r1-eth0",
        " neighbor west interface remote-as external",
        " neighbor west description interface r1-eth1",
        " neighbor 10.0.0.2 update-source r1-eth0",
        "no ip route 10.9.0.0/16 10.0.0.2 west",
        "ip route 10.8.0.0/16 r1-eth0 20",
        "  interface west",
        " match interface r1-eth0",
    ]


@given(st.permutations(["r1-eth0", "r1-eth1", "west"]))
def test_renaming_back_leaves_the_text_as_it_was(names: list[str]) -> None:
    new_names = dict(zip(["r1-eth0", "r1-eth1", "west"], names, strict=True))
    assert (
        with_interfaces_renamed(with_interfaces_renamed(TEXT, new_names), {new: old for old, new in new_names.items()})
        == TEXT
    )


@given(st.text(), st.sampled_from(["", "b"]))
def test_any_text_is_accepted_and_only_words_change(text: str, new: str) -> None:
    assert with_interfaces_renamed(text, {}) == text
    assert len(with_interfaces_renamed(text, {"a": new}).split()) == len(text.split())
    assert set(interfaces_in(text)) <= set(text.split())


def two_links() -> Topology:
    """r1 with two links, and custom lines about both."""
    custom = "interface r1-eth0\n ip ospf cost 5\ninterface r1-eth1\n ip ospf cost 7\n"
    return Topology(
        nodes=(Router(name="r1", frr_conf=custom), Router(name="r2"), Router(name="r3")),
        links=(
            Link(id="l1", a=End(node="r1"), b=End(node="r2")),
            Link(id="l2", a=End(node="r1"), b=End(node="r3")),
        ),
    )


def custom_lines(topology: Topology, name: str) -> list[str]:
    router = topology.node(name)
    assert isinstance(router, Router)
    return router.frr_conf.splitlines()


def test_lines_follow_a_renamed_router_and_links_that_move_up() -> None:
    assert custom_lines(rename(two_links(), "r1", "edge"), "edge")[::2] == [
        "interface edge-eth0",
        "interface edge-eth1",
    ]
    # The former r1-eth1 is r1-eth0 now. Lines about the removed link refer to no other link.
    after = delete(two_links(), ["r2"])
    assert custom_lines(after, "r1")[::2] == ["interface gone-r1-eth0", "interface r1-eth0"]
    assert custom_lines(delete(two_links(), ["r3"]), "r1") == custom_lines(two_links(), "r1")
