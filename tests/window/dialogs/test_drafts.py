"""Drafts, tested without a window: edits are kept apart from the values, and are accepted or reported."""

from __future__ import annotations

from ipaddress import IPv4Interface

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.model.links import End, Shape
from frrlib.model.nodes import Router
from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.kinds import RowEntry
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.forms.flows import FLOWS
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.parts import Tab, fields_of
from miniedit_frr.dialogs.sheets import NodeSheet, form_context, node_sheet, write_sheet
from tests.example_counts import examples
from tests.window.topologies import EVERY_KIND

AROUND = form_context(EVERY_KIND)


def draft_of(tabs: tuple[Tab, ...], *values: object) -> FormDraft:
    return FormDraft(values, [field for tab in tabs for field in fields_of(tab.parts)], AROUND)


@pytest.mark.parametrize("name", ["h1", "r1", "r2", "s1", "s2", "c0"])
def test_retyping_shown_contents_changes_nothing(name: str) -> None:
    value = node_sheet(AROUND, name)
    draft = draft_of(FORMS[value.node.kind], value)
    for path in draft.fields:
        content = draft.content(path)
        assert content is not None
        draft.put_all({path: content})
        assert not draft.fault(path), (path, content)
    assert draft.values == (value,)
    assert not draft.is_dirty
    assert write_sheet(EVERY_KIND, name, value, draft.values[0]) == EVERY_KIND


_ODD = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="0123456789./:,- eE%xkmgbits", max_size=14),
    st.sampled_from(["1e999999999", "-1", "nan", "inf", "1e-400", "²", "10.0.0.1/24/8", "::1%eth0/64", "\0", "0x10"]),
)


@settings(max_examples=examples(200), deadline=None)
@given(odd=_ODD)
def test_any_text_is_accepted_or_reported(odd: str) -> None:
    for tabs, value in ((FORMS["host"], node_sheet(AROUND, "h1")), (FORMS["router"], node_sheet(AROUND, "r1")),
                        (LINK, EVERY_KIND.links[1]), (FLOWS, EVERY_KIND), (PREFERENCES, EVERY_KIND)):  # fmt: skip
        draft = draft_of(tabs, value)
        for path in draft.fields:
            kind = draft.kind(path)
            if isinstance(kind, TableKind):
                rows = draft.content(path) or (("",) * len(kind.columns),)
                draft.put_all({path: tuple(tuple(odd for _ in row) for row in rows)})
            elif isinstance(kind, RowsKind):
                entries = draft.content(path) or ((RowEntry(kind.blank),) if not kind.is_fixed else ())
                assert isinstance(entries, tuple)
                texts = tuple(
                    (field.path, odd) for field in kind.columns if field.plain.widget not in ("flag", "fixed")
                )
                draft.put_all({path: tuple(RowEntry(row.value, texts) for row in entries)})
            elif kind.widget not in ("part", "flag"):
                draft.put_all({path: odd})
            if draft.fault(path):
                assert len(draft.fault(path)) > 5
            draft.clear()
        assert draft.values == (value,)


def test_an_edit_changes_one_field_of_several_values() -> None:
    first, second = (link.model_copy(update={"a_to_b": Shape(rate_mbit=rate, loss_percent=1)}) for link, rate in
                zip(EVERY_KIND.links[:2], (10, 20), strict=True))  # fmt: skip
    draft = draft_of(LINK, first, second)
    assert draft.content("a_to_b.rate_mbit") is None
    assert draft.content("a_to_b.loss_percent") == "1"
    draft.set("a_to_b.delay_ms", "5 ms")
    assert [value.a_to_b for value in draft.values] == [
        Shape(rate_mbit=10, delay_ms=5, loss_percent=1), Shape(rate_mbit=20, delay_ms=5, loss_percent=1)
    ]  # fmt: skip
    draft.set("a_to_b.rate_mbit", "1gbit")
    assert {value.a_to_b.rate_mbit for value in draft.values} == {1000.0}
    draft.clear()
    assert draft.values == (first, second)


def test_edits_are_applied_to_changed_originals() -> None:
    (link,) = EVERY_KIND.links[1:2]
    draft = draft_of(LINK, link)
    draft.set("a_to_b.delay_ms", "7")
    draft.set("b_to_a.loss_percent", "x")
    moved = link.model_copy(update={"up": False})
    draft.rebase((moved,))
    assert draft.values[0].a_to_b.delay_ms == 7
    assert draft.values[0].up is False
    assert draft.content("b_to_a.loss_percent") == "x"
    assert "not a number" in draft.fault("b_to_a.loss_percent")


def test_typing_the_old_value_reverts_the_edit() -> None:
    draft = draft_of(LINK, EVERY_KIND.links[0])
    draft.set("a_to_b.delay_ms", "7")
    assert draft.is_dirty
    draft.set("a_to_b.delay_ms", "0")
    assert not draft.is_dirty


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [("a_to_b.delay_ms", "70 s", "at most 60000 ms"), ("a_to_b.rate_mbit", "0", "more than 0 Mbit/s"),
     ("a_to_b.loss_percent", "101", "at most 100 %"), ("a.mtu_bytes", "100", "at least 576"),
     ("a.mtu_bytes", "1.5", "whole number")],
)  # fmt: skip
def test_bounds_of_the_model_are_reported_with_units(path: str, text: str, words: str) -> None:
    draft = draft_of(LINK, EVERY_KIND.links[0])
    draft.set(path, text)
    assert words in draft.fault(path)
    assert draft.values == (EVERY_KIND.links[0],)


def test_a_queue_limit_replaces_the_previous_one() -> None:
    link = EVERY_KIND.links[1].model_copy(update={"a_to_b": Shape(rate_mbit=10, queue_packets=5)})
    draft = draft_of(LINK, link)
    assert draft.content("a_to_b.queue_limit") == "5 packets"
    draft.set("a_to_b.queue_limit", "64 kB")
    assert draft.values[0].a_to_b == Shape(rate_mbit=10, queue_bytes=64_000)
    draft.set("a_to_b.queue_limit", "default")
    assert draft.values[0].a_to_b == Shape(rate_mbit=10)


def test_rows_of_ospf_interfaces_follow_a_renamed_interface() -> None:
    old_sheet = node_sheet(AROUND, "r1")
    draft = draft_of(FORMS["router"], old_sheet)
    rows = draft.content("ospf_interfaces")
    assert isinstance(rows, tuple)
    assert [(row.value.called, row.value.settings.area, row.value.settings.passive) for row in rows] == [
        ("lo", "", False), ("r1-eth0", "", True), ("r1-eth1", "7", False)
    ]  # fmt: skip
    edits = (("settings.area", "8"), ("end.ospf_cost", "20"), ("settings.passive", "1"), ("settings.hello_s", "2 s"))
    draft.set("ospf_interfaces", (rows[0], rows[1], RowEntry(rows[2].value, edits)))
    names = draft.content("interfaces")
    assert isinstance(names, tuple)
    draft.set("interfaces", (names[0], ("wan", *names[1][1:])))
    topology = write_sheet(EVERY_KIND, "r1", old_sheet, draft.values[0])
    router = topology.node("r1")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert [(row.interface, row.area) for row in router.ospf.interfaces] == [("r1-eth0", ""), ("wan", "8")]
    assert router.ospf.at("wan").hello_s == 2
    assert router.ospf.passive == ("r1-eth0", "wan")
    assert topology.links[1].a == End(node="r1", interface="wan", ospf_cost=20)


def test_a_renamed_router_keeps_its_ospf_interfaces() -> None:
    old_sheet = node_sheet(AROUND, "r1")
    topology = write_sheet(EVERY_KIND, "r1", old_sheet, NodeSheet(
        node=old_sheet.node.model_copy(update={"name": "core"}), interfaces=old_sheet.interfaces))  # fmt: skip
    router = topology.node("core")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert [(row.interface, row.area) for row in router.ospf.interfaces] == [("core-eth0", ""), ("core-eth1", "7")]
    assert router.ospf.passive == ("core-eth0",)


def test_rows_are_read_from_their_cells() -> None:
    draft = draft_of(FORMS["host"], node_sheet(AROUND, "h1"))
    draft.set("node.vlan_interfaces", (("10.0.1.1", "5"), ("10.0.2.1/24", "9999")))
    faults = draft.cell_faults("node.vlan_interfaces")
    assert "such as 10.0.1.1/24" in faults[0, 0]
    assert "at most 4094" in faults[1, 1]
    draft.set("node.vlan_interfaces", (("10.0.1.1/24", "5"),))
    assert draft.values[0].node.vlan_interfaces[0].address == IPv4Interface("10.0.1.1/24")
