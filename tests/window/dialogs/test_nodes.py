"""Dialogs of hosts, switches and controllers, filled in with real keys: checks, and the number of edits."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest

from frrlib.model.nodes import VlanInterface
from tests.window.hands_on_dialogs import node, open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import box

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_filling_in_a_host_is_one_edit(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, node("h1")), lab.edits()
    filler.fill("node.default_route", "10.0.0.99")
    filler.fill("node.cpu_percent", "12.5 %")
    filler.pick("node.scheduler", "cfs (fair share)")
    filler.fill("node.start_command", "echo on")
    filler.press("<Return>")
    assert not filler.form.is_open
    host = lab.topology.node("h1")
    assert (host.default_route, host.cpu_percent, host.scheduler, host.start_command) == (
        IPv4Address("10.0.0.99"), 12.5, "cfs", "echo on"
    )  # fmt: skip
    assert lab.edits() == edit_count + 1
    assert lab.document.undo_label == "Change h1"
    lab.press_key("<Control-Key-z>")
    assert lab.topology == LAB


def test_a_rename_changes_all_references_to_the_node(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.fill("node.name", "core")
    filler.press("<Return>")
    assert [(link.a.node, link.b.node) for link in lab.topology.links] == [
        ("h1", "core"), ("core", "r2"), ("r2", "h2"), ("s1", "core")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [("h2", "name of another node"), ("h 1", "a space in it; use letters"), ("", "Is empty"), ("lo", "lab itself")],
)
def test_an_invalid_name_is_reported_while_typing(lab: Any, name: str, words: str) -> None:
    filler = open_dialog(lab, node("h1"))
    filler.fill("node.name", name)
    assert words in filler.note("node.name")
    assert not filler.can_ok
    filler.press("<Return>")
    assert filler.form.is_open
    filler.fill("node.name", "h7")
    assert filler.can_ok
    filler.press("<Return>")
    assert lab.topology.node("h7") is not None


def test_cancel_and_escape_change_nothing(lab: Any) -> None:
    for leave in ("cancel", "escape"):
        filler, edit_count = open_dialog(lab, node("h1")), lab.edits()
        filler.fill("node.name", "other")
        filler.fill("node.start_command", "x")
        if leave == "cancel":
            filler.form.cancel_button.invoke()
        else:
            filler.press("<Escape>")
        assert not filler.form.is_open
        assert (lab.topology, lab.edits()) == (LAB, edit_count)


def test_ok_without_a_change_makes_no_edit(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, node("r1")), lab.edits()
    filler.press("<Return>")
    assert not filler.form.is_open
    assert lab.edits() == edit_count


def test_apply_keeps_the_dialog_open_and_makes_one_edit(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, node("h1")), lab.edits()
    assert filler.form.apply_button.instate(["disabled"])
    for label in ("one", "two"):
        filler.fill("node.label", label)
        filler.form.apply_button.invoke()
        assert lab.topology.node("h1").label == label
        assert filler.form.is_open
        assert filler.form.apply_button.instate(["disabled"])
    assert lab.edits() == edit_count + 2


def test_typed_addresses_of_interfaces_are_checked_and_set(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    cell = filler.cell("interfaces", 0, 2)
    filler.type("10.0.0.1", cell)
    assert "10.0.0.1: the prefix length is missing; expected such as 10.0.0.1/24" in filler.note("interfaces")
    assert cell.instate(["invalid"])
    assert not filler.can_ok
    filler.type("10.0.0.1/24", cell)
    assert not cell.instate(["invalid"])
    assert filler.can_ok
    filler.press("<Return>")
    assert lab.topology.links[0].a.addresses == (IPv4Interface("10.0.0.1/24"),)


def test_rows_of_a_table_are_added_and_removed(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    table = filler.input("node.vlan_interfaces")
    filler.press("<Key-space>", table.add_button)
    filler.press("<Key-space>", table.add_button)
    assert not filler.can_ok
    filler.type("192.168.5.1/24", filler.cell("node.vlan_interfaces", 0, 0))
    filler.type("192.168.6.1/24", filler.cell("node.vlan_interfaces", 1, 0))
    filler.type("66", filler.cell("node.vlan_interfaces", 1, 1))
    filler.press("<Control-Delete>", filler.cell("node.vlan_interfaces", 0, 0))
    assert filler.can_ok
    filler.press("<Return>", filler.cell("node.vlan_interfaces", 0, 0))
    assert lab.topology.node("h1").vlan_interfaces == (
        VlanInterface(address=IPv4Interface("192.168.6.1/24"), vlan_id=66),
    )


def test_renaming_a_controller_updates_its_switch(lab: Any) -> None:
    filler = open_dialog(lab, node("s1"))
    filler.press("<Key-space>", box(filler.input("node.controllers").widget, "c0"))
    filler.fill("node.dpid", "1g")
    assert "hexadecimal" in filler.note("node.dpid")
    filler.fill("node.dpid", "1f")
    filler.press("<Return>")
    assert (lab.topology.node("s1").controllers, lab.topology.node("s1").dpid) == (("c0",), "1f")
    filler = open_dialog(lab, node("c0"))
    filler.fill("node.name", "c7")
    filler.fill("node.port", "6653")
    filler.press("<Return>")
    assert lab.topology.node("s1").controllers == ("c7",)
    assert lab.topology.node("c7").port == 6653
