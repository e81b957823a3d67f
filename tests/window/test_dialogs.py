"""Dialogs of the real window, filled in with real keys: what is checked, what becomes of it, and in how many edits."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

import pytest

from frrlib.model.addressing import addressed
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Router, Switch, VlanInterface
from frrlib.model.problem import Problem, Severity
from frrlib.model.routing import Bgp, BgpNeighbor, StaticRoute
from frrlib.model.topology import Topology
from miniedit_frr.canvas.scene import Key
from tests.window.hands_on_dialogs import Filler

pytestmark = pytest.mark.gui

LAB = Topology(
    nodes=(
        Host(name="h1", x=100, y=200),
        Router(name="r1", x=250, y=200, daemons=("zebra",)),
        Router(name="r2", x=400, y=200, daemons=("zebra",)),
        Host(name="h2", x=550, y=200),
        Switch(name="s1", x=250, y=400),
        Controller(name="c0", x=400, y=400),
    ),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2")),
        Link(id="l3", a=End(node="r2"), b=End(node="h2")),
        Link(id="l4", a=End(node="s1"), b=End(node="r1")),
    ),
)


@pytest.fixture
def lab(user: Any) -> Any:
    """Somebody at an editor with a drawing in it."""
    user.document.apply("Draw", LAB)
    user.editor.window.update()
    user.count = lambda: len(user.document._done)
    return user


def opened(user: Any, *keys: Key) -> Filler:
    """The dialog of some things."""
    user.view.select(keys)
    dialog = user.editor.dialogs.open_keys(keys, keys[0])
    return Filler(user, dialog)


def node(name: str) -> Key:
    return Key("node", name)


def link(name: str) -> Key:
    return Key("link", name)


# --- hosts --------------------------------------------------------------------------------------------------------


def test_a_host_is_filled_in_and_is_one_edit(lab: Any) -> None:
    filler, before = opened(lab, node("h1")), lab.count()
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
    assert lab.count() == before + 1
    assert lab.document.undo_label == "Change h1"
    lab.press_key("<Control-Key-z>")
    assert lab.topology == LAB


def test_a_rename_reaches_all_that_names_the_node(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.fill("node.name", "core")
    filler.press("<Return>")
    assert [(each.a.node, each.b.node) for each in lab.topology.links] == [
        ("h1", "core"), ("core", "r2"), ("r2", "h2"), ("s1", "core")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [("h2", "name of another node"), ("h 1", "a space in it; use letters"), ("", "Is empty"), ("lo", "lab itself")],
)
def test_a_name_that_cannot_be_is_told_while_typing(lab: Any, name: str, words: str) -> None:
    filler = opened(lab, node("h1"))
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
        filler, before = opened(lab, node("h1")), lab.count()
        filler.fill("node.name", "other")
        filler.fill("node.start_command", "x")
        if leave == "cancel":
            filler.form.cancel_button.invoke()
        else:
            filler.press("<Escape>")
        assert not filler.form.is_open
        assert (lab.topology, lab.count()) == (LAB, before)


def test_ok_without_a_change_is_no_edit(lab: Any) -> None:
    filler, before = opened(lab, node("r1")), lab.count()
    filler.press("<Return>")
    assert not filler.form.is_open
    assert lab.count() == before


def test_apply_stays_open_and_is_an_edit_each_time(lab: Any) -> None:
    filler, before = opened(lab, node("h1")), lab.count()
    assert filler.form.apply_button.instate(["disabled"])
    for label in ("one", "two"):
        filler.fill("node.label", label)
        filler.form.apply_button.invoke()
        assert lab.topology.node("h1").label == label
        assert filler.form.is_open
        assert filler.form.apply_button.instate(["disabled"])
    assert lab.count() == before + 2


def test_addresses_are_set_at_the_node_and_checked(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    cell = filler.cell("interfaces", 0, 2)
    filler.type("10.0.0.1", cell)
    assert "10.0.0.1: a prefix length is missing, as in 10.0.0.1/24" in filler.note("interfaces")
    assert cell.instate(["invalid"])
    assert not filler.can_ok
    filler.type("10.0.0.1/24", cell)
    assert not cell.instate(["invalid"])
    assert filler.can_ok
    filler.press("<Return>")
    assert lab.topology.links[0].a.addresses == (IPv4Interface("10.0.0.1/24"),)


def test_rows_are_added_and_removed(lab: Any) -> None:
    filler = opened(lab, node("h1"))
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


# --- routers ------------------------------------------------------------------------------------------------------


def test_ospf_is_switched_on_and_told(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    area = filler.input("node.ospf.area").focus
    assert area.instate(["disabled"])
    filler.tick("node.ospf")
    assert not area.instate(["disabled"])
    filler.fill("node.ospf.area", "0.0.0")
    assert "as in 0 or 0.0.0.1" in filler.note("node.ospf.area")
    filler.fill("node.ospf.area", "3")
    filler.fill("node.ospf.hello_s", "1 s")
    filler.fill("node.ospf.dead_s", "4")
    filler.type("50", filler.cell("ospf_interfaces", 2, 3))
    filler.press("<Key-space>", filler.cell("ospf_interfaces", 1, 4))
    filler.press("<Return>")
    router = lab.topology.node("r1")
    assert (router.ospf.area, router.ospf.hello_s, router.ospf.dead_s) == ("3", 1, 4)
    assert router.ospf.passive == ("r1-eth0",)
    assert lab.topology.links[1].a.ospf_cost == 50


def test_what_is_wrong_in_a_part_that_is_off_does_not_matter(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.tick("node.ospf")
    filler.fill("node.ospf.area", "x")
    assert not filler.can_ok
    filler.tick("node.ospf")
    assert filler.can_ok
    filler.press("<Return>", filler.input("node.ospf").focus)
    assert lab.topology == LAB


def test_bgp_with_networks_and_neighbours(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.tick("node.bgp")
    filler.fill("node.bgp.asn", "100")
    filler.press("<Key-space>", filler.input("node.bgp.networks").add_button)
    filler.type("10.0.0.1/16", filler.cell("node.bgp.networks", 0, 0))
    assert "the network is 10.0.0.0/16" in filler.note("node.bgp.networks")
    filler.type("10.0.0.0/16", filler.cell("node.bgp.networks", 0, 0))
    filler.press("<Key-space>", filler.input("node.bgp.neighbors").add_button)
    filler.type("10.9.0.2", filler.cell("node.bgp.neighbors", 0, 0))
    filler.type("200", filler.cell("node.bgp.neighbors", 0, 1))
    filler.type("to r2", filler.cell("node.bgp.neighbors", 0, 2))
    filler.press("<Return>")
    assert lab.topology.node("r1").bgp == Bgp(
        asn=100, networks=(IPv4Network("10.0.0.0/16"),),
        neighbors=(BgpNeighbor(address=IPv4Address("10.9.0.2"), remote_as=200, description="to r2"),),
    )  # fmt: skip


def test_what_the_drawing_says_of_a_field_is_shown_and_does_not_block(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.tick("node.ospf")
    filler.fill("node.ospf.hello_s", "60")
    lab.wait(lambda: "not more than the hello interval of 60" in filler.note("node.ospf.dead_s"))
    assert filler.can_ok


def test_static_routes_and_daemons(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.press("<Key-space>", filler.input("node.static_routes").add_button)
    filler.type("0.0.0.0/0", filler.cell("node.static_routes", 0, 0))
    filler.type("10.9.0.2", filler.cell("node.static_routes", 0, 1))
    filler.press("<Key-space>", filler.input("node.daemons")._boxes["bfdd"][1])
    filler.form.ok_button.invoke()
    router = lab.topology.node("r1")
    assert router.static_routes == (StaticRoute(prefix=IPv4Network("0.0.0.0/0"), via=IPv4Address("10.9.0.2")),)
    assert router.daemons == ("zebra", "bfdd")


def test_lines_of_ones_own_and_the_whole_configuration(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    own = filler.input("node.frr_conf").focus
    own.focus_force()
    own.insert("end", "ip route 192.0.2.0/24 blackhole\n")
    lab.editor.window.update()
    page = next(form for form in filler.form._forms.values() if "node.frr_conf" in form.inputs)
    preview = next(each for each in page.winfo_children() if hasattr(each, "preview")).preview.text
    assert "ip route 192.0.2.0/24 blackhole" in preview.get("1.0", "end")
    filler.tick("node.ospf")
    filler.input("node.frr_conf")
    assert "router ospf" in preview.get("1.0", "end")
    preview.insert("1.0", "typed")
    assert "typed" not in preview.get("1.0", "end")
    filler.press("<Return>", filler.input("node.frr_conf").focus)
    assert filler.form.is_open
    filler.press("<Control-Return>", own)
    assert not filler.form.is_open
    assert lab.topology.node("r1").frr_conf.startswith("ip route 192.0.2.0/24 blackhole")


def test_a_new_neighbour_and_a_new_network_are_offered(lab: Any) -> None:
    other = LAB.nodes[2].model_copy(update={"bgp": Bgp(asn=65_002)})
    lab.document.apply("BGP", LAB.model_copy(update={"nodes": (*LAB.nodes[:2], other, *LAB.nodes[3:])}))
    filler = opened(lab, node("r1"))
    filler.tick("node.bgp")
    assert filler.input("node.bgp.asn").focus.get() == "65001"
    for table in ("node.bgp.neighbors", "node.bgp.networks"):
        filler.press("<Key-space>", filler.input(table).add_button)
    filler.press("<Return>", filler.input("node.bgp.asn").focus)
    full = addressed(lab.topology)
    (session,), (network,) = lab.topology.node("r1").bgp.neighbors, lab.topology.node("r1").bgp.networks
    assert (session.address, session.remote_as) == (full.links[1].b.addresses[0].ip, 65_002)
    assert network == full.links[0].b.addresses[0].network


def test_a_page_that_is_too_high_scrolls_to_the_keyboard(lab: Any) -> None:
    more = tuple(Link(id=f"l{number}", a=End(node="r1"), b=End(node="r2")) for number in range(5, 80))
    lab.document.apply("Draw", LAB.model_copy(update={"links": (*LAB.links, *more)}))
    filler = opened(lab, node("r1"))
    window = filler.form.window
    assert window.winfo_height() < window.winfo_screenheight()
    last = filler.cell("interfaces", 77, 2)
    last.focus_force()
    lab.editor.window.update()
    assert window.winfo_rooty() < last.winfo_rooty() < filler.form.ok_button.winfo_rooty()
    filler.type("10.77.0.1/24", last)
    filler.press("<Return>", last)
    assert lab.topology.links[-1].a.addresses == (IPv4Interface("10.77.0.1/24"),)


# --- links --------------------------------------------------------------------------------------------------------


def test_both_directions_at_once_with_units(lab: Any) -> None:
    filler, before = opened(lab, link("l2")), lab.count()
    filler.fill("a_to_b.rate_mbit", "1.5 gbit")
    filler.fill("a_to_b.delay_ms", "0.1s")
    assert filler.input("a_to_b.rate_mbit").focus.get() == "1500"  # the field's own unit, once it is left
    filler.fill("a_to_b.loss_percent", "0.5 %")
    filler.press("<Return>")
    shape = Shape(rate_mbit=1500, delay_ms=100, loss_percent=0.5)
    assert (lab.topology.links[1].a_to_b, lab.topology.links[1].b_to_a) == (shape, shape)
    assert lab.count() == before + 1


def test_directions_that_differ(lab: Any) -> None:
    filler = opened(lab, link("l2"))
    page = filler.form._forms[0]
    switch = next(each for each in page.winfo_children() if hasattr(each, "same")).same
    filler.press("<Key-space>", switch)
    filler.fill("a_to_b.rate_mbit", "10")
    filler.fill("b_to_a.rate_mbit", "2")
    filler.press("<Return>")
    changed = lab.topology.links[1]
    assert (changed.a_to_b.rate_mbit, changed.b_to_a.rate_mbit) == (10, 2)
    again = opened(lab, link("l2"))
    switch = next(each for each in again.form._forms[0].winfo_children() if hasattr(each, "same")).same
    assert not switch.instate(["selected"])
    again.press("<Key-space>", switch)
    again.press("<Return>", again.input("a_to_b.rate_mbit").focus)
    assert lab.topology.links[1].b_to_a.rate_mbit == 10


def test_a_queue_limit_in_any_measure(lab: Any) -> None:
    filler = opened(lab, link("l2"))
    filler.fill("a_to_b.rate_mbit", "10")
    filler.fill("a_to_b.queue", "64 kB")
    grid = next(each for each in filler.form._forms[0].winfo_children() if hasattr(each, "same"))
    assert "42.27 full frames" in grid._told[0].cget("text")
    queue = filler.input("a_to_b.queue")
    filler.pick_in(queue, "ms")
    filler.type("30", queue.entry)
    assert "= 37\u202f500 bytes" in grid._told[0].cget("text")
    filler.press("<Return>", queue.entry)
    assert lab.topology.links[1].b_to_a == Shape(rate_mbit=10, queue_ms=30)


def test_what_the_drawing_says_of_a_direction_is_shown(lab: Any) -> None:
    filler = opened(lab, link("l2"))
    filler.fill("a_to_b.delay_ms", "20")
    filler.fill("a_to_b.jitter_ms", "40")
    grid = next(each for each in filler.form._forms[0].winfo_children() if hasattr(each, "same"))
    lab.wait(lambda: any("more than the delay of 20" in note.cget("text") for _, _, note in grid._notes))
    assert filler.can_ok


def test_the_ends_of_a_link(lab: Any) -> None:
    filler = opened(lab, link("l2"))
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


# --- several at once ----------------------------------------------------------------------------------------------


def test_several_links_at_once_are_one_edit(lab: Any) -> None:
    first = opened(lab, link("l1"))
    first.fill("a_to_b.rate_mbit", "5")
    first.press("<Return>")
    filler, before = opened(lab, link("l1"), link("l2"), link("l3")), lab.count()
    entry = filler.input("a_to_b.rate_mbit")
    assert entry.focus.get() == ""
    assert entry._hint.cget("text") == "(several values)"
    filler.fill("a_to_b.delay_ms", "20 ms")
    filler.press("<Return>")
    assert [(each.a_to_b.rate_mbit, each.a_to_b.delay_ms) for each in lab.topology.links[:3]] == [
        (5, 20), (None, 20), (None, 20)
    ]  # fmt: skip
    assert lab.count() == before + 1
    assert lab.document.undo_label == "Change 3 Links"


def test_several_hosts_at_once(lab: Any) -> None:
    filler = opened(lab, node("h1"), node("h2"), node("r1"))
    assert all("node.name" not in form.inputs for form in filler.form._forms.values())
    filler.fill("node.congestion_control", "bbr")
    filler.press("<Return>")
    assert [host.congestion_control for host in lab.topology.hosts] == ["bbr", "bbr"]
    assert lab.topology.node("r1") == LAB.node("r1")


def test_a_flag_that_differs_stays_until_it_is_pressed(lab: Any) -> None:
    for press in (False, True):
        lab.document.apply("Draw", LAB.model_copy(update={"links": tuple(
            each.model_copy(update={"up": each.id != "l1"}) for each in LAB.links)}))  # fmt: skip
        filler = opened(lab, link("l1"), link("l2"))
        assert filler.input("up").box.instate(["alternate"])
        if press:
            filler.tick("up")
        filler.press("<Return>", filler.input("a_to_b.delay_ms").focus)
        assert [each.up for each in lab.topology.links[:2]] == ([True, True] if press else [False, True])


# --- the document changes underneath ------------------------------------------------------------------------------


def test_undo_underneath_shows_and_keeps_what_was_typed(lab: Any) -> None:
    lab.document.apply("Move", LAB.model_copy(update={"nodes": (
        LAB.nodes[0].model_copy(update={"x": 300.0}), *LAB.nodes[1:])}))  # fmt: skip
    filler = opened(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.undo()
    lab.editor.window.update()
    assert filler.input("node.x").focus.get() == "100"
    assert filler.input("node.label").focus.get() == "mine"
    filler.press("<Return>")
    host = lab.topology.node("h1")
    assert (host.x, host.label) == (100, "mine")


def test_a_node_that_is_deleted_underneath_is_told(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    lab.view.select({node("h1")})
    lab.press_key("<Delete>")
    assert "no longer in the drawing" in filler.form.message.cget("text")
    assert not filler.can_ok
    filler.press("<Return>")
    assert lab.topology.node("h1") is None
    filler.press("<Escape>")
    assert not filler.form.is_open


def test_after_a_rename_by_apply_the_dialog_is_that_of_the_new_name(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    filler.fill("node.name", "h7")
    filler.form.apply_button.invoke()
    assert filler.form.window.title() == "Host h7"
    assert lab.editor.dialogs.open_keys([node("h7")], node("h7")) is filler.dialog


def test_a_rename_underneath_is_followed(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    other = opened(lab, node("r1"))
    other.fill("node.name", "core")
    other.press("<Return>")
    filler.fill("node.label", "x")
    again = opened(lab, node("core"))
    lab.document.undo()
    assert again.form.window.title() == "Router r1"
    again.press("<Escape>")
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.node("h1").label == "x"


def test_rows_that_are_others_now_are_not_mixed_up(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.type("10.5.0.1/24", filler.cell("interfaces", 0, 2))
    filler.fill("node.label", "core")
    lab.document.apply("Delete", LAB.model_copy(update={"links": LAB.links[1:]}))
    lab.editor.window.update()
    assert [row[2] for row in filler.form.draft.content("interfaces")] == ["", ""]
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.links == LAB.links[1:]
    assert lab.topology.node("r1").label == "core"


def test_another_drawing_closes_the_dialogs_of_this_one(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.new()
    assert not filler.form.is_open
    assert not lab.editor.dialogs.open_now
    assert lab.topology == Topology()


def test_what_a_running_lab_refuses_is_told(lab: Any) -> None:
    lab.document.guard = lambda before, after: "A lab runs."
    filler = opened(lab, node("h1"))
    filler.fill("node.start_command", "x")
    assert filler.form.message.cget("text") == "A lab runs."
    assert not filler.can_ok
    lab.document.guard = lambda before, after: ""


# --- the whole drawing --------------------------------------------------------------------------------------------


def test_flows_and_what_to_wait_for(lab: Any) -> None:
    lab.editor.dialogs.flows()
    filler, before = Filler(lab, lab.editor.dialogs.open_now["flows"]), lab.count()
    table = filler.input("flows")
    filler.press("<Key-space>", table.add_button)
    filler.press("<Key-space>", table.add_button)
    filler.pick_in(table.cell(1, 1), "h2")
    filler.pick_in(table.cell(1, 2), "h1")
    filler.type("bbr", filler.cell("flows", 1, 3))
    filler.type("500 ms", filler.cell("flows", 1, 4))
    filler.type("5 MB", filler.cell("flows", 1, 5))
    filler.type("4", filler.cell("flows", 1, 6))
    filler.fill("wait.timeout_s", "2 min")
    filler.form.ok_button.invoke()
    assert lab.topology.flows == (
        Flow(id="f1", source="h1", destination="h2"),
        Flow(id="f2", source="h2", destination="h1", congestion_control="bbr", start_s=0.5, duration_s=None,
             size_bytes=5_000_000, count=4),
    )  # fmt: skip
    assert lab.topology.wait.timeout_s == 120
    assert lab.count() == before + 1


def test_preferences_of_the_drawing(lab: Any) -> None:
    lab.editor.dialogs.preferences()
    filler = Filler(lab, lab.editor.dialogs.open_now["preferences"])
    filler.fill("title", "Two routers")
    filler.fill("preferences.ip_base", "192.168.0.1/16")
    assert "the network is 192.168.0.0/16" in filler.note("preferences.ip_base")
    filler.fill("preferences.ip_base", "192.168.0.0/16")
    filler.tick("preferences.openflow.of13")
    filler.fill("preferences.sflow.target", "10.0.0.9")
    filler.press("<Return>")
    wanted = lab.topology.preferences
    assert (lab.topology.title, wanted.ip_base, wanted.openflow.of13, wanted.sflow.target) == (
        "Two routers", "192.168.0.0/16", True, "10.0.0.9"
    )  # fmt: skip


def test_a_switch_and_a_controller(lab: Any) -> None:
    filler = opened(lab, node("s1"))
    filler.press("<Key-space>", filler.input("node.controllers")._boxes["c0"][1])
    filler.fill("node.dpid", "1g")
    assert "hexadecimal" in filler.note("node.dpid")
    filler.fill("node.dpid", "1f")
    filler.press("<Return>")
    assert (lab.topology.node("s1").controllers, lab.topology.node("s1").dpid) == (("c0",), "1f")
    filler = opened(lab, node("c0"))
    filler.fill("node.name", "c7")
    filler.fill("node.port", "6653")
    filler.press("<Return>")
    assert lab.topology.node("s1").controllers == ("c7",)
    assert lab.topology.node("c7").port == 6653


# --- the side panel -----------------------------------------------------------------------------------------------


def panel_of(user: Any, key: Key) -> Any:
    user.view.select({key})
    user.editor.window.update()
    return user.editor.properties


def typed(user: Any, panel: Any, path: str, text: str, end: str = "<Return>") -> None:
    entry = panel.form.inputs[path].focus
    entry.focus_force()
    user.editor.window.update()
    entry.delete(0, "end")
    entry.insert(0, text)
    entry.event_generate(end)
    user.editor.window.update()


def test_the_panel_speaks_as_the_dialog_does(lab: Any) -> None:
    panel, before = panel_of(lab, link("l2")), lab.count()
    typed(lab, panel, "a_to_b.rate_mbit", "1.5 gbit")
    assert lab.topology.links[1].a_to_b.rate_mbit == 1500
    assert panel.inputs["a_to_b.rate_mbit"].get() == "1500"
    typed(lab, panel, "a_to_b.delay_ms", "fast")
    assert "Is not a number, such as 20 ms" in panel.form.notes["a_to_b.delay_ms"].cget("text")
    assert lab.count() == before + 1
    typed(lab, panel, "a_to_b.delay_ms", "slow", "<Escape>")
    assert panel.inputs["a_to_b.delay_ms"].get() == "0"
    assert lab.count() == before + 1


def test_flags_of_the_panel_count_at_once(lab: Any) -> None:
    panel, before = panel_of(lab, node("r1")), lab.count()
    panel.form.inputs["node.ospf"].box.invoke()
    lab.editor.window.update()
    assert lab.topology.node("r1").ospf is not None
    assert lab.count() == before + 1
    assert panel.form.inputs["node.ospf.area"].widget.winfo_ismapped()
    typed(lab, panel, "node.ospf.area", "7")
    assert lab.topology.node("r1").ospf.area == "7"


def test_the_panel_leads_to_the_dialog_of_one_and_of_several(lab: Any) -> None:
    panel = panel_of(lab, node("h1"))
    panel.edit.invoke()
    lab.view.select({link("l1"), link("l2")})
    lab.editor.window.update()
    assert panel.edit.winfo_ismapped()
    panel.edit.invoke()
    titles = [each.form.window.title() for each in lab.editor.dialogs.open_now.values()]
    assert titles == ["Host h1", "2 Links"]
    lab.view.select(())
    lab.editor.window.update()
    assert not panel.edit.winfo_ismapped()


# --- opening ------------------------------------------------------------------------------------------------------


def test_a_double_click_opens_the_dialog(lab: Any) -> None:
    lab.click(lab.at("h1"))
    lab.click(lab.at("h1"))
    (dialog,) = lab.editor.dialogs.open_now.values()
    assert dialog.form.window.title() == "Host h1"
    assert lab.editor.dialogs.open(dialog.subject) is dialog
    dialog.form.cancel()
    assert not lab.editor.dialogs.open_now


def test_alt_return_opens_what_is_selected_or_the_preferences(lab: Any) -> None:
    lab.view.select({link("l2")})
    lab.press_key("<Alt-Return>")
    assert [each.form.window.title() for each in lab.editor.dialogs.open_now.values()] == ["Link r1 - r2"]
    lab.view.select(())
    lab.press_key("<Alt-Return>")
    assert "preferences" in lab.editor.dialogs.open_now


@pytest.mark.parametrize(
    ("name", "field", "title", "path"),
    [("h1", "default_route", "Host h1", "node.default_route"), ("r1", "ospf.dead_s", "Router r1", "node.ospf"),
     ("r1", "bgp.neighbors", "Router r1", "node.bgp"), ("l2", "a_to_b.queue_bdp", "Link r1 - r2", "a_to_b.queue"),
     ("l2", "b.mac", "Link r1 - r2", "b.mac"), ("s1", "controllers", "Switch s1", "node.controllers"),
     ("l2", "mtu_bytes", "Link r1 - r2", "a.mtu_bytes"), ("h1", "cores", "Host h1", "node.cores")],
)  # fmt: skip
def test_a_problem_leads_to_its_field(lab: Any, name: str, field: str, title: str, path: str) -> None:
    lab.editor._go_to(Problem(severity=Severity.ERROR, kind="x", node=name, field=field, why="is wrong"))
    lab.editor.window.update()
    (dialog,) = lab.editor.dialogs.open_now.values()
    assert dialog.form.window.title() == title
    made = next(form.inputs[path] for form in dialog.form._forms.values() if path in form.inputs)
    focus = dialog.form.window.focus_lastfor()
    assert focus is not None
    assert str(focus) == str(made.focus), (focus, made.focus)


def test_a_problem_of_an_interface_leads_to_its_row(lab: Any) -> None:
    why = "10.0.0.0/24 at r1-eth1 is the address of the network 10.0.0.0/24 itself"
    assert lab.editor.dialogs.focus_field("r1", "addresses", why)
    (form,) = (each.form for each in lab.editor.dialogs.open_now.values())
    made = next(page.inputs["interfaces"] for page in form._forms.values() if "interfaces" in page.inputs)
    assert str(form.window.focus_lastfor()) == str(made.cell(1, 2).focus)


def test_a_problem_of_a_flow_leads_to_the_flows(lab: Any) -> None:
    flow = Flow(id="f1", source="h1", destination="x")
    lab.document.apply("Flows", lab.topology.model_copy(update={"flows": (flow,)}))
    assert lab.editor.dialogs.focus_field("f1", "destination")
    (form,) = (each.form for each in lab.editor.dialogs.open_now.values())
    assert str(form.window.focus_lastfor()) == str(form._forms[0].inputs["flows"].cell(0, 2).focus)
    assert not lab.editor.dialogs.focus_field("nobody", "")


def test_the_keyboard_goes_through_the_fields_in_order(lab: Any) -> None:
    filler = opened(lab, node("c0"))
    filler.form.focus_first()
    seen = []
    for _ in range(5):
        lab.editor.window.update()
        focus = filler.form.window.focus_lastfor()
        seen += [path for form in filler.form._forms.values() for path, made in form.inputs.items()
                 if str(made.focus) == str(focus)]  # fmt: skip
        filler.press("<Tab>", focus)
    assert seen == ["node.name", "node.controller_type", "node.protocol", "node.port", "node.address"]


def test_closing_the_editor_with_a_dialog_open(lab: Any, tmp_path: Path) -> None:
    opened(lab, node("h1"))
