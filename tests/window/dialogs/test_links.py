"""Dialogs of links: both directions, units, queues, ends."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.links import Shape
from tests.window.hands_on_dialogs import link, open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import texts

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_both_directions_are_set_together_with_units(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, link("l2")), lab.edits()
    filler.fill("a_to_b.rate_mbit", "1.5 gbit")
    filler.fill("a_to_b.delay_ms", "0.1s")
    assert filler.input("a_to_b.rate_mbit").focus.get() == "1500"  # the field's own unit, once it is left
    filler.fill("a_to_b.loss_percent", "0.5 %")
    filler.press("<Return>")
    shape = Shape(rate_mbit=1500, delay_ms=100, loss_percent=0.5)
    assert (lab.topology.links[1].a_to_b, lab.topology.links[1].b_to_a) == (shape, shape)
    assert lab.edits() == edit_count + 1


def test_each_direction_has_its_own_rate_after_the_switch(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    switch = next(filler.parts("same")).same
    filler.press("<Key-space>", switch)
    filler.fill("a_to_b.rate_mbit", "10")
    filler.fill("b_to_a.rate_mbit", "2")
    filler.press("<Return>")
    changed = lab.topology.links[1]
    assert (changed.a_to_b.rate_mbit, changed.b_to_a.rate_mbit) == (10, 2)
    again = open_dialog(lab, link("l2"))
    switch = next(again.parts("same")).same
    assert not switch.instate(["selected"])
    again.press("<Key-space>", switch)
    again.press("<Return>", again.input("a_to_b.rate_mbit").focus)
    assert lab.topology.links[1].b_to_a.rate_mbit == 10


def test_a_queue_limit_is_accepted_in_any_unit(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.rate_mbit", "10")
    filler.fill("a_to_b.queue_limit", "64 kB")
    grid = next(filler.parts("same"))
    assert "42 full frames" in " ".join(texts(grid))
    queue = filler.input("a_to_b.queue_limit")
    filler.pick_in(queue, "ms")
    filler.type("30", queue.entry)
    assert "= 37.5 kB" in " ".join(texts(grid))
    filler.press("<Return>", queue.entry)
    assert lab.topology.links[1].b_to_a == Shape(rate_mbit=10, queue_ms=30)


def test_an_invalid_queue_limit_has_no_summary_and_is_copied_to_the_other_direction(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.rate_mbit", "10")
    filler.fill("a_to_b.queue_limit", "64 kB")
    grid = next(filler.parts("same"))
    assert sum("= 64 kB" in text for text in texts(grid)) == 2
    filler.fill("a_to_b.queue_limit", "0 kB")
    assert not any("kB" in text for text in texts(grid))
    mirrored = filler.form.inputs["b_to_a.queue_limit"]
    assert mirrored.entry.get() == "0"
    assert mirrored.entry.instate(["disabled"])
    filler.fill("a_to_b.queue_limit", "32 kB")
    assert sum("= 32 kB" in text for text in texts(grid)) == 2


def test_a_typed_unit_is_selected_in_the_list(lab: Any) -> None:
    """Earlier, "2 BDP" was shown beside "packets" until the field lost the focus."""
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.rate_mbit", "10")
    queue = filler.input("a_to_b.queue_limit")
    filler.type("2 BDP", queue.entry)
    assert queue.entry.get() == "2 BDP"
    assert queue.box.get() == "BDP"
    filler.type("30", queue.entry)
    assert queue.box.get() == "BDP"
    filler.press("<Return>", queue.entry)
    assert lab.topology.links[1].a_to_b.queue_bdp == 30


def test_problems_of_a_direction_are_shown_in_the_dialog(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.delay_ms", "20")
    filler.fill("a_to_b.jitter_ms", "40")
    grid = next(filler.parts("same"))
    lab.wait(lambda: "more than the delay of 20" in " ".join(texts(grid)))
    assert filler.can_ok


def test_the_dialog_edits_the_ends_of_a_link(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    filler.fill("a.interface", "wan")
    filler.fill("a.addresses", "10.9.0.1/16, 2001:db8::1/64")
    filler.fill("b.mac", "02:00:00:00:00:01")
    filler.fill("b.mtu_bytes", "9000")
    filler.pick("b.node", "h2")
    filler.tick("up")
    filler.press("<Return>")
    changed = lab.topology.links[1]
    assert (changed.a.interface, len(changed.a.addresses)) == ("wan", 2)
    assert (changed.b.node, changed.b.mac, changed.b.mtu_bytes) == ("h2", "02:00:00:00:00:01", 9000)
    assert changed.up is False
