"""Fields of a router's dialog: enabled protocols, routes, daemons, and own lines."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.links import End, Link
from frrlib.model.routing import Bgp, BgpNeighbor, StaticRoute
from tests import keyboard
from tests.window.hands_on_dialogs import node, open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import box, of_class

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_ospf_is_enabled_and_configured(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
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


def test_errors_in_a_disabled_protocol_are_ignored(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.ospf")
    filler.fill("node.ospf.area", "x")
    assert not filler.can_ok
    filler.tick("node.ospf")
    assert filler.can_ok
    filler.press("<Return>", filler.input("node.ospf").focus)
    assert lab.topology == LAB


def test_bgp_networks_and_neighbors_are_filled_in(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
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

    # A list that cannot be changed has no buttons that look as if it could.
    def removals() -> list[str]:
        buttons = of_class(filler.input("node.bgp.neighbors").widget, "TButton")
        return [str(button) for button in buttons if button.cget("text") == "✕" and button.winfo_manager()]

    assert len(removals()) == 1
    filler.tick("node.bgp")
    assert not removals()
    filler.tick("node.bgp")
    assert len(removals()) == 1
    filler.press("<Return>")
    assert lab.topology.node("r1").bgp == Bgp(
        asn=100, networks=(IPv4Network("10.0.0.0/16"),),
        neighbors=(BgpNeighbor(address=IPv4Address("10.9.0.2"), remote_as=200, description="to r2"),),
        keepalive_s=3, hold_s=9,
    )  # fmt: skip


def test_problems_of_a_field_are_shown_and_do_not_disable_ok(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.ospf")
    filler.fill("node.ospf.hello_s", "60")
    lab.wait(lambda: "not longer than the hello interval of 60" in filler.note("node.ospf.dead_s"))
    assert filler.can_ok


def test_static_routes_and_daemons_are_filled_in(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.press("<Key-space>", filler.input("node.static_routes").add_button)
    filler.type("0.0.0.0/0", filler.cell("node.static_routes", 0, 0))
    filler.type("10.9.0.2", filler.cell("node.static_routes", 0, 1))
    filler.press("<Key-space>", filler.input("node.static_routes").add_button)
    filler.type("10.0.0.0/8", filler.cell("node.static_routes", 1, 0))
    filler.type("nowhere", filler.cell("node.static_routes", 1, 1))
    assert not filler.can_ok
    filler.type("blackhole", filler.cell("node.static_routes", 1, 1))
    filler.press("<Key-space>", box(filler.input("node.daemons").widget, "bfdd"))
    filler.form.ok_button.invoke()
    router = lab.topology.node("r1")
    assert router.static_routes == (
        StaticRoute(prefix=IPv4Network("0.0.0.0/0"), via=IPv4Address("10.9.0.2")),
        StaticRoute(prefix=IPv4Network("10.0.0.0/8"), via="blackhole"),
    )
    assert router.daemons == ("zebra", "bfdd")


def test_the_preview_contains_typed_lines_of_frr_conf(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    own_lines = filler.input("node.frr_conf").focus
    keyboard.give(own_lines)
    own_lines.insert("end", "ip route 192.0.2.0/24 blackhole\n")
    lab.editor.window.update()
    preview = next(filler.parts("preview")).preview.text
    assert "ip route 192.0.2.0/24 blackhole" in preview.get("1.0", "end")
    filler.tick("node.ospf")
    filler.input("node.frr_conf")
    assert "router ospf" in preview.get("1.0", "end")
    preview.insert("1.0", "typed")
    assert "typed" not in preview.get("1.0", "end")
    filler.press("<Return>", filler.input("node.frr_conf").focus)
    assert filler.form.is_open
    filler.press("<Control-Return>", own_lines)
    assert not filler.form.is_open
    assert lab.topology.node("r1").frr_conf.startswith("ip route 192.0.2.0/24 blackhole")


def test_a_new_neighbor_and_a_new_network_are_suggested(lab: Any) -> None:
    bgp_router = LAB.nodes[2].model_copy(update={"bgp": Bgp(asn=65_002)})
    lab.document.apply("BGP", LAB.model_copy(update={"nodes": (*LAB.nodes[:2], bgp_router, *LAB.nodes[3:])}))
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.bgp")
    assert filler.input("node.bgp.asn").focus.get() == "65001"
    for table in ("node.bgp.neighbors", "node.bgp.networks"):
        filler.press("<Key-space>", filler.input(table).add_button)
    filler.press("<Return>", filler.input("node.bgp.asn").focus)
    full = addressed(lab.topology)
    (session,), (network,) = lab.topology.node("r1").bgp.neighbors, lab.topology.node("r1").bgp.networks
    assert (session.address, session.remote_as) == (full.links[1].b.addresses[0].ip, 65_002)
    assert network == full.links[0].b.addresses[0].network


def test_networks_with_hosts_are_suggested_first(lab: Any) -> None:
    filler = open_dialog(lab, node("r2"))
    filler.tick("node.bgp")
    for _ in range(2):
        filler.press("<Key-space>", filler.input("node.bgp.networks").add_button)
    filler.press("<Return>", filler.input("node.bgp.asn").focus)
    between, hosts = (addressed(lab.topology).links[number].a.addresses[0].network for number in (1, 2))
    assert lab.topology.node("r2").bgp.networks == (hosts, between)


def test_a_page_that_is_too_high_scrolls_to_the_focus(lab: Any) -> None:
    parallel_links = tuple(Link(id=f"l{number}", a=End(node="r1"), b=End(node="r2")) for number in range(5, 80))
    lab.document.apply("Draw", LAB.model_copy(update={"links": (*LAB.links, *parallel_links)}))
    filler = open_dialog(lab, node("r1"))
    window = filler.form.window
    assert window.winfo_height() < window.winfo_screenheight()
    last = filler.cell("interfaces", 77, 2)
    keyboard.give(last)
    assert window.winfo_rooty() < last.winfo_rooty() < filler.form.ok_button.winfo_rooty()
    filler.type("10.77.0.1/24", last)
    filler.press("<Return>", last)
    assert lab.topology.links[-1].a.addresses == (IPv4Interface("10.77.0.1/24"),)
