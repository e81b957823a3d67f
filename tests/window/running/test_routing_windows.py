"""Windows and signs of routing with artificial events and without a lab: only changes are drawn."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib import wire
from frrlib.edits.arrange import shift
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.session import routing as session_routing
from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui


def triangle() -> Topology:
    at = {"r1": (100.0, 300.0), "r2": (350.0, 80.0), "r3": (600.0, 300.0)}
    pairs = (("r1", "r2"), ("r2", "r3"), ("r1", "r3"))
    return Topology(
        nodes=tuple(Router(name=name, x=x, y=y) for name, (x, y) in at.items()),
        links=tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs, 1)),
    )


@pytest.fixture
def routing(user: User) -> Any:
    """The routing of an editor with a triangle, in which r1 and r2 have reported adjacencies."""
    user.document.apply("Draw", triangle())
    controller = user.editor.lab_controller.routing
    controller.begin(user.topology)
    for router, neighbor, interface in (("r1", "r2", "r1-eth0"), ("r2", "r1", "r2-eth0")):
        controller.add_adjacency(AdjacencyState(router, "ospf", neighbor, "Full", True, 1.0, interface, "10.0.0.9"))
    controller.show()
    return controller


def texts(user: User, link: str) -> list[str]:
    return [pill.text for pill in user.view.routing.placed_signs(Key("link", link))]


def test_only_changed_signs_are_redrawn(user: User, routing: Any) -> None:
    layer = user.view.routing
    assert texts(user, "l1") == ["OSPF Full", "OSPF Full"]
    drawn_count = layer.draw_count
    routing.add_adjacency(AdjacencyState("r1", "ospf", "r2", "Full", True, 5.0, "r1-eth0", "10.0.0.9", "dead in 2 s"))
    routing.show()
    assert layer.draw_count == drawn_count
    routing.add_adjacency(AdjacencyState("r1", "ospf", "r2", "gone", False, 6.0, "r1-eth0", "10.0.0.9"))
    routing.show()
    assert layer.draw_count == drawn_count + 2  # the link, and r1's own sign
    assert texts(user, "l1") == ["OSPF gone", "OSPF Full"]


def test_signs_follow_moves_and_zooms(user: User, routing: Any) -> None:
    layer = user.view.routing
    (old_sign, _) = layer.placed_signs(Key("link", "l1"))
    user.document.apply("Move", shift(user.topology, ["r1"], 0, 60))
    assert layer.placed_signs(Key("link", "l1"))[0].at != old_sign.at
    user.view.zoom_to(0.4)
    item_types = [user.view.type(item) for item in user.view.find_withtag("routing")]
    assert set(item_types) == {"image"}  # marks without texts
    user.view.zoom_to(1)
    assert "text" in [user.view.type(item) for item in user.view.find_withtag("routing")]

    def has_signs(link: str) -> bool:
        return any(layer.key_of_item(item) == Key("link", link) for item in user.view.find_withtag("routing"))

    at = user.at("r1")
    user.press(at)
    user.drag((at[0], at[1] + 30))
    user.drag((at[0], at[1] + 40))
    assert not has_signs("l1")  # nothing stays behind while its node is moved
    user.release((at[0], at[1] + 40))
    assert has_signs("l1")
    user.document.undo()
    user.document.undo()
    assert layer.placed_signs(Key("link", "l1"))[0] == old_sign


def test_tables_of_many_routers_draw_only_visible_cells(user: User, routing: Any) -> None:
    for router in range(64):
        for prefix in range(150):
            change = RouteChange(f"r{router}", f"10.{prefix}.0.0/16", True, 1.0, ("10.9.0.2 r1-eth0",), "ospf", 20)
            routing.book.take(change)
    user.editor.lab_controller.routing_windows.show_tables()
    tables = user.editor.lab_controller.routing_windows.tables
    user.wait(lambda: tables.cells.item_count)
    assert len(tables.prefixes) == 150
    assert tables.cells.item_count < 500
    tables.filter.insert(0, "10.7.")
    tables.refresh()
    assert tables.prefixes == ["10.7.0.0/16"]
    tables.routers.insert(0, "r63, r5")
    tables.refresh()
    assert tables.router_names == ["r5", *(f"r{i}" for i in range(50, 60)), "r63"]
    tables.destroy()


def test_a_timeline_can_be_paused_and_selects_its_objects(user: User, routing: Any) -> None:
    windows = user.editor.lab_controller.routing_windows
    windows.show_timeline()
    window = windows.timeline
    assert len(window.listed) == 2
    window.pause()
    routing.add_incident(Incident("fault", "l3", "r1 to r3: has lost its carrier", 7.0))
    routing.refresh()
    assert len(window.listed) == 2
    window.pause()
    assert [item.where for item in window.listed] == ["r1", "r2", "l3"]
    assert window.sheet.rows()[-1][2] == "r1 to r3"
    window.lanes.on_pick(window.listed[-1].number)
    user.wait(lambda: user.selected() == {"l3"})
    selection = window.sheet.tree.selection()
    routing.add_route_change(RouteChange("r1", "10.1.0.0/16", False, 8.0))
    window.refresh()
    assert window.sheet.tree.selection() == selection  # news do not take the choice away
    window.sheet.tree.column(1, width=60)
    window.sheet.tree.event_generate("<ButtonRelease-1>")
    item = str(window.listed[0].number)
    assert str(window.sheet.tree.set(item, 1)).endswith("…") and not window.sheet.rows()[0][1].endswith("…")
    window.update()
    span = window.lanes.shown_span_s
    window.lanes.event_generate("<Control-Button-4>", x=window.lanes.winfo_width() // 2, y=9)
    closer = window.lanes.shown_span_s
    assert closer[1] - closer[0] == pytest.approx(0.7 * (span[1] - span[0]))
    window.destroy()


def test_messages_of_the_wire_are_converted() -> None:
    event = wire.AdjacencyEvent("r1", "bgp", "r2", "Idle", False, 3.0, "", "10.0.0.2", "why", "red")
    assert session_routing.routing_event(event) == AdjacencyState(
        "r1", "bgp", "r2", "Idle", False, 3.0, "", "10.0.0.2", "why", "red"
    )
    route = wire.RouteEvent("r1", "10.1.0.0/16", True, 1.0, ("10.0.0.2 r1-eth0",), "bgp", 20, 100)
    assert session_routing.routing_event(route) == RouteChange(
        "r1", "10.1.0.0/16", True, 1.0, route.via, "bgp", 20, 100
    )
    note = wire.RoutingNote("r1", "ospf", "spf", "shortest paths", 1.0, 0.0005)
    assert session_routing.routing_event(note) == Incident("note", "r1", "shortest paths (0.5 ms)", 1.0, "ospf")
    fault = wire.FaultEvent("link-down", "l1", 2.0)
    assert session_routing.routing_event(fault) == Incident("fault", "l1", "link down", 2.0)
    assert session_routing.routing_event(wire.StepEvent("build", "done", 1.0)) is None
