"""Makes the pictures of a running lab's routing, docs/images/routing-*.png, on a display of its own.

python docs/tools/make_routing_pictures.py [FOLDER]

Needs Xvfb and a place for labs with VRFs (see `miniedit-frr places`). Takes about four minutes. Every picture is the
unedited window with a real lab: a link fails, and the routers react.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from miniedit_frr.session import requests

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import example  # noqa: E402
from make_running_pictures import EditorDriver, driven_editor, take_all  # noqa: E402

from frrlib.edits.changes import replace_node  # noqa: E402
from frrlib.edits.routing_presets import ospf_everywhere  # noqa: E402
from frrlib.model.interface_names import with_names  # noqa: E402
from frrlib.model.links import End, Link  # noqa: E402
from frrlib.model.nodes import Host, Router  # noqa: E402
from frrlib.model.routing import Bfd  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.session.events import LabState  # noqa: E402

_FAILING = "l2"


def ring() -> Topology:
    """Two hosts and a ring of five routers with OSPF, and BFD on two of them; one path is longer than the other."""
    nodes = (
        Host(name="h1", x=40, y=220), Host(name="h2", x=900, y=220),
        Router(name="r1", x=200, y=220), Router(name="r2", x=470, y=70), Router(name="r3", x=740, y=220),
        Router(name="r4", x=330, y=380), Router(name="r5", x=610, y=380),
    )  # fmt: skip
    pairs = (("h1", "r1"), ("r1", "r2"), ("r2", "r3"), ("r1", "r4"), ("r4", "r5"), ("r5", "r3"), ("r3", "h2"))
    links = tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs, 1))
    return with_bfd(ospf_everywhere(Topology(nodes=nodes, links=links)), "r4", "r5")


def with_bfd(topology: Topology, a: str, b: str) -> Topology:
    """The same, with BFD for OSPF between these two routers."""
    (link,) = (link for link in with_names(topology).links if {link.a.node, link.b.node} == {a, b})
    for end in link.ends:
        node = topology.node(end.node)
        assert isinstance(node, Router)
        # The window also predicts sessions from a router's own lines of frr.conf.
        lines = f"interface {end.interface}\n ip ospf bfd\n!\n"
        topology = replace_node(topology, end.node, node.model_copy(update={"bfd": Bfd(), "frr_conf": lines}))
    return topology


def run_until_up(driver: EditorDriver, minimum: int = 12) -> None:
    """Run the lab until at least this number of neighbors is adjacencies and all of them are up."""
    driver.lab.run()
    driver.wait_until(lambda: driver.lab.state in (LabState.RUNNING, LabState.FAILED))
    driver.wait_until(lambda: all_up(driver, minimum))
    driver.editor.bottom.select(driver.editor.log)


def all_up(driver: EditorDriver, minimum: int) -> bool:
    """Whether all neighbors are up."""
    adjacencies = driver.lab.routing.adjacencies.all()
    return len(adjacencies) >= minimum and all(adjacency.up for adjacency in adjacencies)


def take_link_down(driver: EditorDriver) -> None:
    """Take a link down, and wait until both of its ends have lost their neighbor."""
    driver.lab.actions.set_link(_FAILING, up=False)
    driver.wait_until(lambda: sum(adjacency.grade == "down" for adjacency in driver.lab.routing.adjacencies.all()) >= 2)


def take_link_failure(folder: Path, below: Path) -> None:
    """A link fails: the drawing, the tables, the path and the timeline."""
    with driven_editor(ring(), folder, below, series="routing") as driver:
        run_until_up(driver)
        lab, windows = driver.lab, driver.lab.routing_windows
        driver.take_picture("up")
        lab.probes.follow("h1", "h2")
        path_window = lab.probes.path_window
        driver.wait_until(lambda: path_window and "agrees" in str(path_window.path.cget("text")))
        driver.wait(2)
        driver.take_picture("path")
        windows.show_tables()
        tables = windows.tables
        assert tables is not None
        driver.wait_until(lambda: len(lab.routing.book.rows()) > 5)
        tables.mark()
        take_link_down(driver)
        driver.wait_until(lambda: sum(lab.routing.book.changes().values()) > 3)
        driver.wait(2)
        lab.probes.end()
        driver.take_picture("tables")
        driver.close_windows()
        driver.take_picture("down")
        windows.show_timeline()
        driver.take_picture("timeline")
        assert windows.timeline is not None
        windows.timeline.span.set("Last second")
        windows.timeline.refresh()
        driver.take_picture("timeline-second")
        driver.close_windows()
        windows.neighbors_of("r4")
        driver.take_picture("neighbors")
        driver.close_windows()
        windows.show("r1", "OSPF Database", "show ip ospf database")
        driver.wait(1)
        driver.take_picture("database")
        driver.close_windows()


def take_dark_theme(folder: Path, below: Path) -> None:
    """The same in the dark theme."""
    with driven_editor(ring(), folder, below, "dark", "routing") as driver:
        run_until_up(driver)
        windows = driver.lab.routing_windows
        windows.show_tables()
        tables = windows.tables
        assert tables is not None
        driver.wait(1.5)
        tables.mark()
        take_link_down(driver)
        driver.wait_until(lambda: sum(driver.lab.routing.book.changes().values()) > 3)
        driver.wait(2)
        driver.take_picture("tables-dark")
        driver.close_windows()
        driver.editor.view.select({Key("node", "r1")})
        driver.take_picture("down-dark")
        windows.show_timeline()
        driver.take_picture("timeline-dark")


def take_failed_paths(folder: Path, below: Path) -> None:
    """A router drops packets, and then sends them back."""
    with driven_editor(ring(), folder, below, series="routing") as driver:
        run_until_up(driver)
        lab = driver.lab
        lab.probes.follow("h1", "h2")
        tracker = lab.probes.path_tracker
        driver.wait_until(lambda: tracker.forward is not None and tracker.backward is not None)
        assert tracker.forward is not None
        assert tracker.backward is not None
        address = tracker.forward.address
        gateway = next(hop.gateway for stop in tracker.backward.stops if stop.node == "r2" for hop in stop.hops)
        replies: list[object] = []
        for name, route in (("blackhole", ("blackhole", address)), ("loop", (address, "via", gateway))):
            argv = ("ip", "route", "replace", *route)
            lab.session.ask(partial(requests.execute, node="r2", argv=argv)).then(replies.append, replies.append)
            driver.wait_until(
                lambda word=name: word in "\n".join(tracker.forward.troubles() if tracker.forward else ())
            )
            driver.wait(3)
            driver.take_picture(f"path-{name}")


def take_vrfs(folder: Path, below: Path) -> None:
    """Two customers with the same addresses: their paths and tables are separate."""
    with driven_editor(example("vrf.mn"), folder, below, series="routing") as driver:
        run_until_up(driver, 4)
        driver.lab.probes.follow("blue1", "blue2")
        driver.wait(2)
        driver.take_picture("vrf-path")
        driver.close_windows()
        driver.lab.routing_windows.show_tables()
        driver.wait(2)
        driver.take_picture("vrf-tables")


if __name__ == "__main__":
    take_all(take_link_failure, take_failed_paths, take_vrfs, take_dark_theme)
