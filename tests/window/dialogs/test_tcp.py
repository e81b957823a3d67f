"""A host's TCP, and the congestion control of links and flows, in their dialogs."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.tcp import TcpTuning
from tests.window.hands_on_dialogs import Filler, link, node, open_dialog
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_tcp_settings_of_a_host_are_one_edit(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, node("h1")), lab.edits()
    filler.tick("node.tcp.pacing")
    filler.fill("node.tcp.initial_window_packets", "20")
    filler.pick("node.tcp.ecn", "on: request ECN")
    filler.pick("node.tcp.sack", "no")
    filler.fill("node.tcp.notsent_lowat_bytes", "131072")
    filler.fill("node.tcp.buffer", "2")
    filler.pick("node.tcp.buffer", "BDP")
    filler.form.ok_button.invoke()
    assert lab.edits() == edit_count + 1
    expected = TcpTuning(
        pacing=True, initial_window_packets=20, ecn="on", sack=False, notsent_lowat_bytes=131_072, buffer_bdp=2
    )
    assert lab.topology.node("h1").tcp == expected
    again = open_dialog(lab, node("h1"))
    assert again.input("node.tcp.buffer").box.get() == "BDP"
    again.pick("node.tcp.sack", "the kernel's default (yes)")
    again.pick("node.tcp.buffer", "default")
    again.form.ok_button.invoke()
    assert lab.topology.node("h1").tcp == expected.model_copy(update={"sack": None, "buffer_bdp": None})


def test_a_link_sets_the_congestion_control_and_refuses_invalid_names(lab: Any) -> None:
    filler = open_dialog(lab, link(lab.topology.links[0].id))
    filler.fill("a.congestion_control", "B B R")
    assert not filler.can_ok
    filler.fill("a.congestion_control", "bbr")
    filler.form.ok_button.invoke()
    assert lab.topology.links[0].a.congestion_control == "bbr"


def test_a_flow_without_congestion_control_shows_the_default(lab: Any) -> None:
    host = open_dialog(lab, node("h1"))
    host.fill("node.congestion_control", "reno")
    host.form.ok_button.invoke()
    lab.editor.dialogs.flows()
    filler = Filler(lab, lab.editor.dialogs.open_dialogs["flows"])
    table = filler.input("flows")
    filler.press("<Key-space>", table.add_button)
    filler.type("", filler.cell("flows", 0, 4))
    assert table.cell(0, 4).slot.hint() == "reno (host)"
    filler.form.ok_button.invoke()
    assert lab.topology.flows[0].congestion_control == ""
    end = open_dialog(lab, link(lab.topology.links[0].id))
    end.fill("a.congestion_control", "bbr")
    end.form.ok_button.invoke()
    lab.editor.dialogs.flows()
    again = Filler(lab, lab.editor.dialogs.open_dialogs["flows"])
    assert again.input("flows").cell(0, 4).slot.hint() == "bbr (link)"
