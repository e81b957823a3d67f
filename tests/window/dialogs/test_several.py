"""One dialog for several things: differing values stay, and typed values are one edit."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.picture.scene import Key
from tests.window.hands_on_dialogs import link, node, open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import texts

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_several_links_at_once_are_one_edit(lab: Any) -> None:
    first = open_dialog(lab, link("l1"))
    first.fill("a_to_b.rate_mbit", "5")
    first.press("<Return>")
    filler, edit_count = open_dialog(lab, link("l1"), link("l2"), link("l3")), lab.edits()
    entry = filler.input("a_to_b.rate_mbit")
    assert entry.focus.get() == ""
    assert "(several values)" in texts(entry.widget)
    filler.fill("a_to_b.delay_ms", "20 ms")
    filler.press("<Return>")
    assert [(changed.a_to_b.rate_mbit, changed.a_to_b.delay_ms) for changed in lab.topology.links[:3]] == [
        (5, 20), (None, 20), (None, 20)
    ]  # fmt: skip
    assert lab.edits() == edit_count + 1
    assert lab.document.undo_label == "Change 3 Links"


def test_one_dialog_edits_all_hosts_of_a_mixed_selection(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"), node("h2"), node("r1"))
    assert "node.name" not in filler.form.inputs
    filler.fill("node.congestion_control", "bbr")
    filler.press("<Return>")
    assert [host.congestion_control for host in lab.topology.hosts] == ["bbr", "bbr"]
    assert lab.topology.node("r1") == LAB.node("r1")


def test_differing_flags_are_kept_until_the_box_is_ticked(lab: Any) -> None:
    for press in (False, True):
        lab.document.apply("Draw", LAB.model_copy(update={"links": tuple(
            link.model_copy(update={"up": link.id != "l1"}) for link in LAB.links)}))  # fmt: skip
        filler = open_dialog(lab, link("l1"), link("l2"))
        assert filler.input("up").box.instate(["alternate"])
        if press:
            filler.tick("up")
        filler.press("<Return>", filler.input("a_to_b.delay_ms").focus)
        assert [link.up for link in lab.topology.links[:2]] == ([True, True] if press else [False, True])


def test_a_selection_of_several_kinds_offers_a_dialog_for_each(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[tuple[int, int]] = []
    monkeypatch.setattr("tkinter.Menu.tk_popup", lambda menu, x, y: posted.append((x, y)))
    dialogs = lab.editor.dialogs
    lab.editor.view.select({Key("link", "l1"), Key("node", "h1"), Key("node", "h2"), Key("node", "r1")})
    dialogs.open_selection()
    assert len(posted) == 1 and not dialogs.open_dialogs
    menu = dialogs.kinds_menu(dialogs.subjects_of(lab.editor.view.selection))
    lines = [str(menu.entrycget(index, "label")) for index in range(menu.index("end") + 1)]
    assert sorted(lines[:2]) == ["2 Hosts…", "Router r1…"] and lines[2].startswith("Link ")
    menu.invoke(lines.index("Router r1…"))
    assert [key[0] for key in dialogs.open_dialogs] == ["nodes"]
    lab.editor.view.select({Key("node", "h1"), Key("node", "h2")})
    dialogs.open_selection()
    assert len(posted) == 1 and len(dialogs.open_dialogs) == 2
