"""Makes the pictures of a running lab's routing, docs/images/routing-*.png, on a display of its own.

python docs/tools/make_routing_screenshots.py [FOLDER]

Needs Xvfb and a place for labs with VRFs (see `miniedit-frr places`). Takes about four minutes. Every picture is a real
lab in the window as people have it: a link fails, and what the routers do about it is seen.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from miniedit_frr.session import requests

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import Stage, stage, take_all  # noqa: E402
from make_screenshots import example  # noqa: E402

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
    """Two hosts and five routers with OSPF, and BFD on two of them: two ways of equal length, one longer."""
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
    (link,) = (each for each in with_names(topology).links if {each.a.node, each.b.node} == {a, b})
    for end in link.ends:
        node = topology.node(end.node)
        assert isinstance(node, Router)
        # Lines of one's own show that what they do is seen as well.
        lines = f"interface {end.interface}\n ip ospf bfd\n!\n"
        topology = replace_node(topology, end.node, node.model_copy(update={"bfd": Bfd(), "frr_conf": lines}))
    return topology


def begin(there: Stage, fewest: int = 12) -> None:
    """Run the lab until all neighbours are up, and so many."""
    there.lab_controller.run()
    there.until(lambda: there.lab_controller.state in (LabState.RUNNING, LabState.FAILED))
    there.until(lambda: all_up(there, fewest))
    there.editor.bottom.select(there.editor.log)


def all_up(there: Stage, fewest: int) -> bool:
    """Whether all neighbours are up."""
    listed = there.lab_controller.routing.adjacencies.all()
    return len(listed) >= fewest and all(each.up for each in listed)


def fail(there: Stage) -> None:
    """Have a link fail, and wait until the neighbours at both its ends know."""
    there.lab_controller.actions.set_link(_FAILING, up=False)
    there.until(lambda: sum(each.grade == "down" for each in there.lab_controller.routing.adjacencies.all()) >= 2)


def of_a_failure(folder: Path, below: Path) -> None:
    """A link fails: the drawing, the tables, the way and the timeline."""
    with stage(ring(), folder, below, series="routing") as there:
        begin(there)
        running, windows = there.lab_controller, there.lab_controller.routing_windows
        there.take("up")
        running.probes.follow("h1", "h2")
        way = running.probes.path_window
        there.until(lambda: way and "agrees" in str(way.path.cget("text")))
        there.rest(2)
        there.take("way")
        windows.show_tables()
        tables = windows.tables
        assert tables is not None
        there.until(lambda: len(running.routing.book.rows()) > 5)
        tables.mark()
        fail(there)
        there.until(lambda: sum(running.routing.book.changes().values()) > 3)
        there.rest(2)
        running.probes.end()
        there.take("tables")
        there.close_windows()
        there.take("down")
        windows.show_timeline()
        there.take("timeline")
        assert windows.timeline is not None
        windows.timeline.span.set("Last second")
        windows.timeline.refresh()
        there.take("timeline-second")
        there.close_windows()
        windows.neighbors_of("r4")
        there.take("neighbours")
        there.close_windows()
        windows.show("r1", "OSPF Database", "show ip ospf database")
        there.rest(1)
        there.take("database")
        there.close_windows()


def of_the_dark(folder: Path, below: Path) -> None:
    """The same in the dark theme."""
    with stage(ring(), folder, below, "dark", "routing") as there:
        begin(there)
        windows = there.lab_controller.routing_windows
        windows.show_tables()
        tables = windows.tables
        assert tables is not None
        there.rest(1.5)
        tables.mark()
        fail(there)
        there.until(lambda: sum(there.lab_controller.routing.book.changes().values()) > 3)
        there.rest(2)
        there.take("tables-dark")
        there.close_windows()
        there.editor.view.select({Key("node", "r1")})
        there.take("down-dark")
        windows.show_timeline()
        there.take("timeline-dark")


def of_a_path_that_ends(folder: Path, below: Path) -> None:
    """A router throws packets away, and then sends them back."""
    with stage(ring(), folder, below, series="routing") as there:
        begin(there)
        running = there.lab_controller
        running.probes.follow("h1", "h2")
        following = running.probes.path_tracker
        there.until(lambda: following.forward is not None and following.backward is not None)
        assert following.forward is not None
        assert following.backward is not None
        address = following.forward.address
        gateway = next(hop.gateway for stop in following.backward.stops if stop.node == "r2" for hop in stop.hops)
        done: list[object] = []
        for name, route in (("blackhole", ("blackhole", address)), ("loop", (address, "via", gateway))):
            argv = ("ip", "route", "replace", *route)
            running.session.ask(partial(requests.execute, node="r2", argv=argv)).then(done.append, done.append)
            there.until(lambda word=name: word in "\n".join(following.forward.troubles() if following.forward else ()))
            there.rest(3)
            there.take(f"path-{name}")


def of_vrfs(folder: Path, below: Path) -> None:
    """Two customers with the same addresses are told apart: on the drawing, in the tables and on their paths."""
    with stage(example("vrf.mn"), folder, below, series="routing") as there:
        begin(there, 4)
        there.lab_controller.probes.follow("blue1", "blue2")
        there.rest(2)
        there.take("vrf-path")
        there.close_windows()
        there.lab_controller.routing_windows.show_tables()
        there.rest(2)
        there.take("vrf-tables")


if __name__ == "__main__":
    take_all(of_a_failure, of_a_path_that_ends, of_vrfs, of_the_dark)
