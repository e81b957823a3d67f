"""Protocols, policies and VRFs in a router's dialog, with real keys: rows, and the forms of rows."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest

from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, PrefixList, PrefixRule, RouteMap, RouteMapEntry, StaticRoute
from frrlib.model.topology import Topology
from tests.window.hands_on_dialogs import details_button, node, open_dialog
from tests.window.topologies import R2, THREE_ROUTERS
from tests.window.widgets import box, buttons, texts

pytestmark = pytest.mark.gui

LAB = THREE_ROUTERS


def fill_button(table: Any) -> Any:
    """The button that adds all rows that the topology suggests."""
    return buttons(table.widget, table.kind.fill)[0]


# --- protocols ------------------------------------------------------------------------------------------------------


def test_a_neighbor_is_given_a_route_map_and_timers(lab: Any) -> None:
    maps = (RouteMap(name="from-r2", entries=(RouteMapEntry(sequence=10),)),)
    lab.document.apply("BGP", Topology(
        nodes=(LAB.nodes[0], LAB.nodes[1].model_copy(update={"bgp": Bgp(asn=1), "route_maps": maps}),
               LAB.nodes[2].model_copy(update={"bgp": Bgp(asn=2)}), *LAB.nodes[3:]), links=LAB.links))  # fmt: skip
    filler, edit_count = open_dialog(lab, node("r1")), lab.edits()
    table = filler.input("node.bgp.neighbors")
    filler.press("<Key-space>", table.add_button)
    assert (table.cell(0, 0).focus.get(), table.cell(0, 1).focus.get()) == (R2, "2")
    filler.open_rest(table, 0)
    details = table.details.inputs
    assert details["route_map_in"].slot.options == ("from-r2",)
    filler.type("from-r2", details["route_map_in"].focus)
    filler.type("2", details["hold_s"].focus)
    assert "must be at least 3 s" in filler.note("node.bgp.neighbors")
    assert not filler.can_ok
    filler.type("30 s", details["hold_s"].focus)
    filler.press("<Key-space>", details["next_hop_self"].focus)
    assert "●" in details_button(table, 0).cget("text")
    filler.press("<Return>", details["hold_s"].focus)
    assert lab.edits() == edit_count + 1
    (session,) = lab.topology.node("r1").bgp.neighbors
    assert session == BgpNeighbor(
        address=IPv4Address(R2), remote_as=2, route_map_in="from-r2", hold_s=30, next_hop_self=True
    )  # fmt: skip


def test_all_neighbors_are_added_without_known_as_numbers(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.bgp")
    table = filler.input("node.bgp.neighbors")
    filler.press("<Key-space>", fill_button(table))
    assert table.cell(0, 0).focus.get() == R2
    assert filler.form.window.focus_lastfor() is table.cell(0, 1).focus
    assert table.cell(0, 1).slot.hint() == "AS of r2"
    assert "Remote AS: is missing" in filler.note("node.bgp.neighbors")
    assert not filler.can_ok
    filler.type("65002", table.cell(0, 1).focus)
    assert filler.can_ok
    filler.form.cancel_button.invoke()


def test_one_click_adds_all_neighbors_or_networks(lab: Any) -> None:
    filler = open_dialog(lab, node("r2"))
    filler.tick("node.bgp")
    bgp_router = lab.topology.node("r1").model_copy(update={"bgp": Bgp(asn=7)})
    filler.form.cancel_button.invoke()
    both = {"r1": bgp_router, "r3": lab.topology.node("r3").model_copy(update={"bgp": Bgp(asn=8)})}
    lab.document.apply("BGP", LAB.model_copy(update={"nodes": tuple(both.get(node.name, node) for node in LAB.nodes)}))
    filler = open_dialog(lab, node("r2"))
    filler.tick("node.bgp")
    for path in ("node.bgp.neighbors", "node.bgp.networks"):
        button = fill_button(filler.input(path))
        filler.press("<Key-space>", button)
    filler.press("<Return>", filler.input("node.bgp.asn").focus)
    bgp = lab.topology.node("r2").bgp
    assert {session.remote_as for session in bgp.neighbors} == {7, 8}
    assert len(bgp.networks) == 2


def test_ospfv3_areas_and_interface_settings_are_filled_in(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.ospf6")
    filler.fill("node.ospf6.area", "0.0.0.7")
    table = filler.input("node.ospf6.areas")
    filler.press("<Key-space>", table.add_button)
    filler.type("7", filler.cell("node.ospf6.areas", 0, 0))
    filler.type("2001:db8::/32, 2001:db9::1/32", filler.cell("node.ospf6.areas", 0, 2))
    assert "the network is 2001:db9::/32" in filler.note("node.ospf6.areas")
    filler.type("2001:db8::/32", filler.cell("node.ospf6.areas", 0, 2))
    rows = filler.input("ospf6_interfaces")
    filler.type("33", rows.cell(2, 3).focus)
    filler.open_rest(rows, 2)
    filler.type("0", rows.details.inputs["settings.priority"].focus)
    filler.press("<Return>", rows.details.inputs["settings.priority"].focus)
    router = lab.topology.node("r1")
    assert router.ospf is None
    assert (router.ospf6.area, router.ospf6.hello_s, router.ospf6.lab_timers) == ("0.0.0.7", 1, True)
    (area,) = router.ospf6.areas
    assert (area.area, area.kind, str(area.ranges[0])) == ("7", "stub", "2001:db8::/32")
    assert [(row.interface, row.priority) for row in router.ospf6.interfaces] == [("r1-eth1", 0)]
    assert lab.topology.links[1].a.ospf_cost == 33


def test_a_protocol_starts_with_the_settings_of_its_neighbors(lab: Any) -> None:
    running = LAB.nodes[2].model_copy(update={"ospf": Ospf(area="5", hello_s=7, dead_s=28, lab_timers=False)})
    lab.document.apply("OSPF", LAB.model_copy(update={"nodes": (*LAB.nodes[:2], running, *LAB.nodes[3:])}))
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.ospf")
    filler.press("<Return>")
    assert lab.topology.node("r1").ospf == running.ospf


def test_a_vrf_with_a_route_and_bgp_is_filled_in(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    table = filler.input("node.vrfs")
    filler.press("<Key-space>", table.add_button)
    filler.type("red 1", table.cell(0, 0).focus)
    assert "it names a device" in filler.note("node.vrfs")
    filler.type("red", table.cell(0, 0).focus)
    filler.open_rest(table, 0)
    form = table.details
    filler.press("<Key-space>", box(form.inputs["interfaces"].widget, "r1-eth1"))
    routes = form.inputs["static_routes"]
    filler.press("<Key-space>", routes.add_button)
    for column, text in enumerate(("0.0.0.0/0", "10.1.0.2", "200")):
        filler.type(text, routes.cell(0, column).focus)
    filler.press("<Key-space>", form.inputs["bgp"].focus)
    filler.type("65009", form.inputs["bgp.asn"].focus)
    filler.press("<Return>", form.inputs["bgp.asn"].focus)
    (vrf,) = lab.topology.node("r1").vrfs
    assert (vrf.name, vrf.table, vrf.interfaces, vrf.bgp.asn) == ("red", 100, ("r1-eth1",), 65_009)
    route = StaticRoute(prefix=IPv4Network("0.0.0.0/0"), via=IPv4Address("10.1.0.2"), distance=200)
    assert vrf.static_routes == (route,)
    # An interface of the VRF is not in the default table.
    again = open_dialog(lab, node("r1"))
    again.tick("node.ospf")
    assert again.input("ospf_interfaces").row_count == 2
    again.form.cancel_button.invoke()


# --- policies -------------------------------------------------------------------------------------------------------


def test_policies_are_edited_with_the_keyboard(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    lists = filler.input("node.prefix_lists")
    filler.press("<Key-space>", lists.add_button)
    filler.type("theirs", lists.cell(0, 0).focus)
    rules = lists.details.inputs["rules"]
    for prefix, most in (("10.0.0.0/8", "24"), ("192.168.0.0/16", "")):
        filler.press("<Key-space>", rules.add_button)
        row = rules.row_count - 1
        filler.type(prefix, rules.cell(row, 1).focus)
        filler.type(most, rules.cell(row, 3).focus)
    filler.press("<Alt-Up>", rules.cell(1, 1).focus)
    maps = filler.input("node.route_maps")
    filler.press("<Key-space>", maps.add_button)
    filler.type("in", maps.cell(0, 0).focus)
    entries = maps.details.inputs["entries"]
    for _ in range(2):
        filler.press("<Key-space>", entries.add_button)
    filler.pick_in(entries.cell(1, 1), "deny")
    filler.open_rest(entries, 0)
    filler.type("theirs", entries.details.inputs["match_prefix_list"].focus)
    filler.type("200", entries.details.inputs["set_local_preference"].focus)
    filler.type("65001:100 no-exprt", entries.details.inputs["set_communities"].focus)
    assert "no-exprt: must be two numbers" in filler.note("node.route_maps")
    filler.type("65001:100 no-export", entries.details.inputs["set_communities"].focus)
    filler.press("<Return>", entries.details.inputs["set_metric"].focus)
    router = lab.topology.node("r1")
    assert router.prefix_lists == (
        PrefixList(name="theirs", rules=(
            PrefixRule(prefix=IPv4Network("192.168.0.0/16")),
            PrefixRule(prefix=IPv4Network("10.0.0.0/8"), at_most=24),
        )),
    )  # fmt: skip
    assert router.route_maps == (
        RouteMap(name="in", entries=(
            RouteMapEntry(sequence=10, match_prefix_list="theirs", set_local_preference=200,
                          set_communities=("65001:100", "no-export")),
            RouteMapEntry(sequence=20, action="deny"),
        )),
    )  # fmt: skip


def test_rows_are_edited_with_the_keyboard(lab: Any) -> None:
    """The space bar adds rows, arrows move between them, Alt moves them, and Control deletes them."""
    filler = open_dialog(lab, node("r1"))
    table = filler.input("node.vrfs")
    for _ in range(3):
        filler.press("<Key-space>", table.add_button)
    names = [table.cell(row, 0).focus for row in range(3)]
    assert filler.form.window.focus_lastfor() == names[2]
    filler.press("<Key-Up>", names[2])
    filler.press("<Alt-Up>", names[1])
    assert [table.cell(row, 0).focus.get() for row in range(3)] == ["vrf2", "vrf1", "vrf3"]
    filler.press("<Control-Delete>", table.cell(2, 0).focus)
    filler.open_rest(table, 0)
    assert (table.open_row, "VRF vrf2" in texts(table.widget)) == (0, True)
    filler.press("<Key-Down>", table.cell(0, 0).focus)
    assert (table.open_row, "VRF vrf1" in texts(table.widget)) == (1, True)
    filler.press("<Return>", table.cell(1, 0).focus)
    assert [(vrf.name, vrf.table) for vrf in lab.topology.node("r1").vrfs] == [("vrf2", 101), ("vrf1", 100)]


def test_several_routers_get_the_same_lists(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"), node("r2"), node("r3"))
    lists = filler.input("node.as_path_lists")
    filler.press("<Key-space>", lists.add_button)
    rules = lists.details.inputs["rules"]
    filler.press("<Key-space>", rules.add_button)
    filler.type("^$", rules.cell(0, 1).focus)
    filler.form.ok_button.invoke()
    lists_of_routers = {router.as_path_lists for router in lab.topology.routers}
    assert [path_list.rules[0].expression for (path_list,) in lists_of_routers] == ["^$"]


def test_undo_keeps_the_text_of_an_open_row(lab: Any) -> None:
    lab.document.apply("VRF", LAB.model_copy(update={"title": "x"}))
    filler = open_dialog(lab, node("r1"))
    table = filler.input("node.vrfs")
    filler.press("<Key-space>", table.add_button)
    filler.form.apply_button.invoke()
    filler.open_rest(table, 0)
    filler.type("blue", table.cell(0, 0).focus)
    lab.document.undo()
    lab.editor.window.update()
    assert table.cell(0, 0).focus.get() == "blue"
    filler.form.ok_button.invoke()
    assert [vrf.name for vrf in lab.topology.node("r1").vrfs] == ["blue"]
