"""The routing of a lab in the real window: canvas, tables, path and timeline show that a link goes down."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.routing_presets import ospf_everywhere
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from tests import keyboard
from tests.waiting import pause
from tests.window.hands_on_labs import Runner, choose, labels

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def ring() -> Topology:
    """h1 - r1, a ring r1 - r2 - r3 - r4 - r1, and r3 - h3: two equal paths from h1 to h3, all with OSPF."""
    nodes = (
        Host(name="h1", x=60, y=200), Host(name="h3", x=760, y=200),
        Router(name="r1", x=230, y=200), Router(name="r2", x=410, y=80),
        Router(name="r3", x=590, y=200), Router(name="r4", x=410, y=320),
    )  # fmt: skip
    pairs = (("h1", "r1"), ("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r1"), ("r3", "h3"))
    links = tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs, 1))
    return ospf_everywhere(Topology(nodes=nodes, links=links))


LAB = ring()


@pytest.fixture
def runner(shared_runner: Runner) -> Runner:
    """A user at a window with the ring, in a running lab with all routes."""
    shared_runner.wait(lambda: signs(shared_runner, "l2") == {"up"} and signs(shared_runner, "l5") == {"up"})
    return shared_runner


def rest(runner: Runner, seconds: float) -> None:
    """Let the window work for a while."""
    pause(seconds, runner.editor.window.update)


def signs(runner: Runner, link: str) -> set[str]:
    """The grades of the signs on a link."""
    return {pill.grade for pill in runner.view.routing.placed_signs(Key("link", link))}


def hovered(runner: Runner, kind: str, name: str) -> str:
    """The tip at an object under the pointer."""
    return str(runner.lab_controller.display.tip_text(Key(kind, name)))


def row_of(window: Any, prefix: str) -> dict[str, Any]:
    """The cells of a prefix in the tables, by router."""
    return {router: window.content_of(prefix, router) for router in window.router_names}


def test_windows_show_the_state_of_routers(runner: Runner) -> None:
    running = runner.lab_controller
    menu = runner.right_click(runner.at("r1"))
    offered = menu.nametowidget(menu.entrycget("Routing", "menu"))
    assert labels(offered) == [
        "Neighbors", "Why Is It Missing?", "Routes", "Running Configuration", "FRR's Routes", "OSPF Database",
        "OSPF Routes",
    ]  # fmt: skip
    choose(menu, "Routing", "Neighbors")
    table, _ = running.routing_windows.neighbors["Neighbors of r1"]
    runner.wait(lambda: len(table.sheet.rows()) == 2)
    assert [row[:3] for row in table.sheet.rows()] == [["OSPF", "r2", "✓ Full"], ["OSPF", "r4", "✓ Full"]]
    choose(menu, "Routing", "OSPF Database")
    text = running.routing_windows.texts["OSPF Database of r1"]
    runner.wait(lambda: "Router Link States" in text.text.get("1.0", "end"))
    choose(menu, "Routing", "Running Configuration")
    text = running.routing_windows.texts["Running Configuration of r1"]
    runner.wait(lambda: "router ospf" in text.text.get("1.0", "end"))
    keyboard.write(text.find, "hostname")
    menu = runner.right_click(runner.middle("r1", "r2"))
    choose(menu, "Adjacency Details")
    table, _ = running.routing_windows.neighbors["Adjacencies over r1 to r2"]
    runner.wait(lambda: len(table.sheet.rows()) == 2)
    assert [row[:3] for row in table.sheet.rows()] == [["r1", "OSPF", "r2"], ["r2", "OSPF", "r1"]]

    # The signs can be switched off, and come back.
    runner.press_key("<Control-Key-6>")
    assert not runner.view.find_withtag("routing")
    assert running.routing.legend.frame is None
    runner.press_key("<Control-Key-6>")
    assert signs(runner, "l2") == {"up"}


def test_a_dead_end_is_shown_on_the_canvas(runner: Runner) -> None:
    running, view = runner.lab_controller, runner.view
    choose(runner.right_click(runner.at("h1")), "Ping and Path to…")
    assert runner.selected() == {"h1"}
    runner.press_key("<Escape>")
    assert runner.selected() == set()
    runner.click(runner.at("h3"))
    assert running.probes.path_window is None  # it was given up, and a click selects again
    assert runner.selected() == {"h3"}

    choose(runner.right_click(runner.at("h1")), "Ping and Path to…")
    runner.click(runner.at("h3"))
    assert runner.editor.tool_controller.tool is not running.mode.two_nodes
    window, tracker = running.probes.path_window, running.probes.path_tracker
    runner.wait(lambda: tracker.forward is not None)
    address = tracker.forward.address
    runner.execute("r2", "ip", "route", "add", "blackhole", address)
    runner.wait(lambda: "r2 has a blackhole route" in str(window.path.cget("text")))
    texts = [pill.text for pill in view.routing.placed_signs(Key("node", "r2"))]
    assert texts == ["blackhole", "2/2"]
    assert {"l1", "l2", "l4", "l5", "l6"} <= {key.name for key in view.highlighted_keys}  # the other path still works
    assert "l3" not in {key.name for key in view.highlighted_keys}
    runner.execute("r2", "ip", "route", "del", "blackhole", address)
    runner.wait(lambda: [pill.text for pill in view.routing.placed_signs(Key("node", "r2"))] == ["2/2"])
    assert "l3" in {key.name for key in view.highlighted_keys}

    gateway = next(hop.gateway for stop in tracker.backward.stops if stop.node == "r2" for hop in stop.hops)
    runner.execute("r2", "ip", "route", "add", address, "via", gateway)
    runner.wait(lambda: "loop: r1 → r2 → r1" in str(window.path.cget("text")))
    assert "loop" in [pill.text for pill in view.routing.placed_signs(Key("node", "r1"))]
    runner.press_key("<Escape>")
    assert not view.highlighted_keys
    assert [pill.text for pill in view.routing.placed_signs(Key("node", "r1"))] == ["2/2"]
    runner.execute("r2", "ip", "route", "del", address, "via", gateway)


def test_the_tip_shows_running_timers(runner: Runner) -> None:
    hovered(runner, "node", "r1")  # requests the timers
    runner.wait(lambda: "dead in" in hovered(runner, "node", "r1"))
    first = hovered(runner, "node", "r1")
    runner.wait(lambda: hovered(runner, "node", "r1").partition("dead in")[2] != first.partition("dead in")[2])


def configure(runner: Runner, router: str, *lines: str) -> None:
    """Enter lines of configuration in the vtysh of a router."""
    runner.execute(router, "vtysh", *(word for line in ("configure terminal", *lines) for word in ("-c", line)))


def text_of(window: Any) -> str:
    """The text of a window on one line."""
    return " ".join(window.text.get("1.0", "end").split())


def test_a_missing_neighbor_and_a_missing_route_are_explained(runner: Runner) -> None:
    windows = runner.lab_controller.routing_windows
    explanations = windows.explanations
    configure(runner, "r2", "interface r2-eth0", "no ip ospf area 0")
    configure(runner, "r3", "interface r3-eth2", "no ip ospf area 0")
    runner.wait(lambda: "OSPF Neighbor r1" in labels(missing_menu(runner, "r2")))
    missing_menu(runner, "r2").invoke(0)
    window = explanations.windows["Why r2 Lacks the OSPF Neighbor r1"]
    runner.wait(lambda: "✗ OSPF does not run on r2-eth0 of r2" in text_of(window))
    assert "→" in text_of(window)
    configure(runner, "r2", "interface r2-eth0", "ip ospf area 0")
    runner.wait(lambda: signs(runner, "l2") == {"up"})
    keyboard.press(window, "<F5>")
    runner.wait(lambda: "✗" not in text_of(window))

    windows.show_tables()
    tables = windows.tables
    lan = str(runner.lab_controller.routing.topology.link("l6").a.addresses[0].network)
    runner.wait(lambda: lan in tables.prefixes and not row_of(tables, lan)["r1"].text)
    at_lan = tables.prefixes.index(lan)
    tables.cells.on_pick(at_lan, tables.router_names.index("r3"))
    assert tables.why_button.instate(["disabled"])  # r3 has the route
    tables.cells.on_pick(at_lan, tables.router_names.index("r1"))
    tables.why_button.invoke()
    window = explanations.windows[f"Why r1 Lacks {lan}"]
    runner.wait(lambda: f"r3 does not advertise {lan} by OSPF, because OSPF does not run on r3-eth2" in text_of(window))
    configure(runner, "r3", "interface r3-eth2", "ip ospf area 0")
    runner.wait(lambda: row_of(tables, lan)["r1"].text)
    tables.destroy()

    choose(missing_menu(runner, "r2"), "Route…")
    dialog = explanations.dialog
    keyboard.write(dialog.entry, "10.9/99", "<Return>")
    assert "10.9/99 is no prefix" in dialog.fault.get()
    keyboard.write(dialog.entry, "x", "<Control-Key-a>", "<BackSpace>")
    keyboard.write(dialog.entry, "192.0.2.0/24", "<Return>")
    runner.wait(lambda: "Why r2 Lacks 192.0.2.0/24" in explanations.windows)
    window = explanations.windows["Why r2 Lacks 192.0.2.0/24"]
    runner.wait(lambda: "No interface of a router has an address in 192.0.2.0/24" in text_of(window))
    keyboard.press(window, "<Escape>")
    assert not window.winfo_exists()


def missing_menu(runner: Runner, router: str) -> Any:
    """The menu of what a router may lack."""
    menu = runner.right_click(runner.at(router))
    for name in ("Routing", "Why Is It Missing?"):
        menu = menu.nametowidget(menu.entrycget(menu.index(name), "menu"))
    return menu


def test_a_link_down_is_shown_everywhere(runner: Runner, tmp_path: Path) -> None:
    running, view = runner.lab_controller, runner.view
    assert signs(runner, "l1") == set()  # nobody speaks OSPF with a host
    assert [pill.text for pill in view.routing.placed_signs(Key("node", "r1"))] == ["2/2"]
    assert "OSPF  r2: Full" in hovered(runner, "node", "r1")
    assert "r1 → r2" in hovered(runner, "link", "l2")
    assert "r2 → r1" in hovered(runner, "link", "l2")
    assert running.routing.legend.frame is not None

    runner.press_key("<F7>")
    tables = running.routing_windows.tables
    link = running.routing.topology.link("l2")
    lan = str(running.routing.topology.link("l6").a.addresses[0].network)
    beyond = str(running.routing.topology.link("l3").a.addresses[0].network)
    runner.wait(lambda: tables.prefixes and row_of(tables, lan)["r1"].text == "r2, r4 · ospf")
    assert row_of(tables, lan)["r3"].text == "r3-eth2 · connected"
    tables.mark_button.invoke()
    assert running.routing.book.changes() == {"new": 0, "changed": 0, "gone": 0}

    choose(runner.right_click(runner.at("h1")), "Ping and Path to…")
    runner.click(runner.at("h3"))
    window = running.probes.path_window
    runner.wait(lambda: "2 equal-cost paths" in str(window.path.cget("text")))
    assert {key.name for key in view.highlighted_keys} == {f"l{i}" for i in range(1, 7)} | {
        "h1",
        "h3",
        "r1",
        "r2",
        "r3",
        "r4",
    }
    runner.wait(lambda: "traceroute agrees" in str(window.path.cget("text")))

    drawn_count = view.routing.draw_count
    rest(runner, 0.5)
    assert view.routing.draw_count == drawn_count  # nothing changes, nothing is drawn

    choose(runner.right_click(runner.middle("r1", "r2")), "Link Down")
    runner.wait(lambda: signs(runner, "l2") == {"down"})
    assert [pill.text for pill in view.routing.placed_signs(Key("node", "r1"))] == ["1/2"]
    assert signs(runner, "l3") == {"up"}
    runner.wait(lambda: row_of(tables, lan)["r1"] == ("r4 · ospf", "changed"))
    assert link is not None
    runner.wait(lambda: row_of(tables, str(link.a.addresses[0].network))["r1"].change in ("gone", "changed"))
    tables.save(tmp_path / "routes.csv")
    with (tmp_path / "routes.csv").open(newline="") as file:
        changed = {(row["router"], row["prefix"]) for row in csv.DictReader(file) if row["change"] == "changed"}
    assert ("r1", lan) in changed
    runner.wait(lambda: str(window.path.cget("text")).startswith("Forward: h1 → r1 → r4 → r3 → h3"))
    assert {key.name for key in view.highlighted_keys} == {"h1", "r1", "r4", "r3", "h3", "l1", "l5", "l4", "l6"}
    runner.wait(lambda: [row[1] for row in window.hops.rows()] == ["r1", "r4", "r3", "h3"])  # and traced anew
    runner.press_key("<Escape>")
    assert not view.highlighted_keys
    assert running.probes.path_window is None

    runner.press_key("<Shift-F7>")
    timeline = running.routing_windows.timeline
    kinds = {item.kind for item in running.routing.timeline.items()}
    assert {"adjacency-up", "adjacency-down", "routes"} <= kinds
    down = next(item for item in timeline.listed if item.kind == "adjacency-down")
    timeline.lanes.on_pick(down.number)
    runner.wait(lambda: runner.selected() == {down.where})
    timeline.save(tmp_path / "timeline.csv")
    assert "adjacency-down" in (tmp_path / "timeline.csv").read_text()

    choose(runner.right_click(runner.middle("r1", "r2")), "Link Up")
    runner.wait(lambda: signs(runner, "l2") == {"up"})
    # As it was when it was marked; of equal paths that it lost, FRR 8.4 does not give the kernel all back.
    runner.wait(lambda: row_of(tables, beyond)["r1"] == ("r2 · ospf", ""))

    runner.lab_controller.stop()
    runner.wait(lambda: not running.is_alive)
    assert not view.find_withtag("routing")
    assert running.routing.legend.frame is None
    assert timeline.listed  # it stays to be read
