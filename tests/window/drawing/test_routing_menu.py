"""The Routing menu: presets on all routers or on the selection, timers, groups that become systems."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.edits.generator_table import RECIPES, generate
from miniedit_frr.dialogs.dialog import FormDialog
from tests.window.hands_on_dialogs import node
from tests.window.topologies import THREE_ROUTERS

pytestmark = pytest.mark.gui

LAB = THREE_ROUTERS


def press(lab: Any, name: str) -> None:
    lab.editor.routing.commands()[name]()
    lab.editor.window.update()


def groups_dialog(lab: Any) -> FormDialog:
    """The dialog that asks for groups."""
    dialog = lab.editor.routing.dialog
    assert isinstance(dialog, FormDialog)
    lab.wait(lambda: dialog.window.winfo_viewable())
    return dialog


@pytest.mark.parametrize(("name", "field"), [("ospf_everywhere", "ospf"), ("isis_everywhere", "isis"),
                                             ("rip_everywhere", "rip"), ("as_per_router", "bgp")])  # fmt: skip
def test_a_preset_is_one_edit_on_all_or_on_the_selection(lab: Any, name: str, field: str) -> None:
    edit_count = lab.edits()
    press(lab, name)
    assert lab.edits() == edit_count + 1
    assert all(getattr(router, field) is not None for router in lab.topology.routers)
    lab.document.undo()
    assert lab.topology == LAB
    lab.view.select({node("r1"), node("r2"), node("h1")})
    press(lab, name)
    assert [getattr(router, field) is not None for router in lab.topology.routers] == [True, True, False]


def test_lab_timers_are_the_default_until_frr_timers_are_chosen(lab: Any) -> None:
    flags = lab.editor.routing.flags()
    assert (flags["lab_timers"](), flags["frr_timers"]()) == (True, False)
    press(lab, "ospf_everywhere")
    ospf = lab.topology.routers[0].ospf
    assert (ospf.hello_s, ospf.dead_s, ospf.lab_timers) == (1, 4, True)
    edit_count = lab.edits()
    press(lab, "frr_timers")
    assert lab.edits() == edit_count + 1
    ospf = lab.topology.routers[0].ospf
    assert (ospf.hello_s, ospf.dead_s, ospf.lab_timers) == (10, 40, False)
    assert (flags["lab_timers"](), flags["frr_timers"]()) == (False, True)
    press(lab, "isis_everywhere")
    assert not lab.topology.routers[0].isis.lab_timers
    press(lab, "clear_routing")
    assert not any(router.runs_frr for router in lab.topology.routers)
    press(lab, "lab_timers")


@pytest.mark.parametrize("is_lab", [True, False])
def test_an_inserted_network_has_the_preferred_timers(lab: Any, is_lab: bool) -> None:
    lab.editor.preferences.change(lab_timers=is_lab)
    lab.editor.canvas_commands._insert("Ring", generate(RECIPES["ring"], {"n": "4", "hosts": "0"}))
    new = [router for router in lab.topology.routers if router.name not in ("r1", "r2", "r3")]
    assert len(new) == 4
    expected = (True, 1, 4) if is_lab else (False, 10, 40)
    assert {(router.ospf.lab_timers, router.ospf.hello_s, router.ospf.dead_s) for router in new if router.ospf} == {
        expected
    }
    assert [router.ospf for router in lab.topology.routers if router not in new] == [None] * 3


def test_rectangles_become_autonomous_systems(lab: Any) -> None:
    lab.view.select(())
    press(lab, "groups_as_systems")
    dialog = groups_dialog(lab)
    assert dialog.draft.content("groups") == (("65001", "r1 r2"), ("65002", "r3"))
    dialog.draft.set("first_asn", "64600")
    assert dialog.draft.content("groups") == (("64600", "r1 r2"), ("64601", "r3"))
    edit_count = lab.edits()
    dialog.ok_button.invoke()
    assert lab.edits() == edit_count + 1
    assert [router.bgp.asn for router in lab.topology.routers] == [64_600, 64_600, 64_601]
    assert lab.topology.routers[0].ospf is not None
    assert lab.topology.routers[0].ospf.hello_s == 1


def test_impossible_groups_are_reported(lab: Any) -> None:
    lab.view.select({node("r2")})
    press(lab, "groups_as_systems")
    dialog = groups_dialog(lab)
    dialog.draft.set("criterion", "selection")
    assert dialog.draft.content("groups") == (("65001", "r2"), ("65002", "r1 r3"))
    assert dialog.ok_button.instate(["disabled"])
    assert "cannot be reached from r1" in dialog.message.cget("text")
    dialog.draft.set("groups", (("65001", "r2"), ("65002", "r1"), ("", "r3")))
    assert not dialog.ok_button.instate(["disabled"])
    dialog.ok_button.invoke()
    assert len({router.bgp.asn for router in lab.topology.routers}) == 3
