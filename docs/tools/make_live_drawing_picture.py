"""Makes the pictures of edits beside a running lab, docs/images/live-*.png, on a display of its own.

python docs/tools/make_live_drawing_picture.py [FOLDER]

Needs Xvfb and a place for labs (see `miniedit-frr places`). Takes about half a minute. The pictures are the unedited
window with a real lab, before the edits are applied and after that.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_routing_pictures import all_up, run_until_up  # noqa: E402
from make_running_pictures import driven_editor, take_all  # noqa: E402

from frrlib.edits.changes import add_node  # noqa: E402
from frrlib.edits.router_tools import connect  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.network.network import Network, Ospf  # noqa: E402

#: The positions of the nodes of the running lab.
_PLACES = {"r1": (200, 200), "r2": (500, 120), "r3": (500, 320), "h1": (60, 200)}


def ring() -> Topology:
    """Three OSPF routers in a ring, and a host."""
    net = Network("ring")
    for name in ("r1", "r2", "r3"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.host("h1")
    for ends in (("r1", "r2"), ("r2", "r3"), ("r1", "r3"), ("h1", "r1")):
        net.link(*ends)
    nodes = (node.model_copy(update=dict(zip("xy", _PLACES[node.name], strict=True))) for node in net.topology.nodes)
    return net.topology.model_copy(update={"nodes": tuple(nodes)})


def grown(topology: Topology) -> Topology:
    """The ring with a further router and a host."""
    topology, router = add_node(topology, "ospf-router", 300, 450, lab_timers=True)
    topology, host = add_node(topology, "host", 500, 450)
    for ends in (("r1", router), (router, host), ("r3", router)):
        topology, _ = connect(topology, *ends)
    return topology


def main(folder: Path, below: Path) -> None:
    """Run the lab, draw, and take the pictures."""
    with driven_editor(ring(), folder, below, series="live") as driver:
        run_until_up(driver, 6)
        driver.editor.document.apply("Draw", grown(driver.editor.document.topology))
        driver.wait_until(lambda: driver.lab.changes.drawn.can_apply and driver.lab.changes.drawn.notice is not None)
        driver.editor.view.fit()
        driver.wait(0.6)
        driver.take_picture("drawing")
        driver.lab.run()
        driver.wait_until(lambda: all_up(driver, 10))
        driver.take_picture("applied")


if __name__ == "__main__":
    take_all(main)
