"""Makes the pictures of the list of problems, docs/images/problems*.png.

python docs/tools/make_problem_pictures.py [FOLDER]

Needs Xvfb.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, Picture, framed_display, take  # noqa: E402

from frrlib.model.flows import Flow  # noqa: E402
from frrlib.model.links import End, Link, Shape  # noqa: E402
from frrlib.model.nodes import Host, Router  # noqa: E402
from frrlib.model.problem import Problem  # noqa: E402
from frrlib.model.queues import FqCodel  # noqa: E402
from frrlib.model.routing import Ospf  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402


def topology_with_mistakes() -> Topology:
    """A first experiment with common mistakes."""
    plain = Shape()
    nodes = (
        Host(name="h1", x=80, y=120, start_command="ethtool -K h1-eth0 tso on"),
        Host(name="h2", x=80, y=280),
        Router(name="r1", x=260, y=200, ospf=Ospf()),
        Router(name="r2", x=460, y=200, ospf=Ospf(dead_s=4)),
        Host(name="h3", x=640, y=120),
        Host(name="h4", x=640, y=280),
    )
    links = (
        Link(id="l1", a=End(node="h1"), b=End(node="r1"), a_to_b=Shape(rate_mbit=10, delay_ms=5)),
        Link(id="l2", a=End(node="h2"), b=End(node="r1"), a_to_b=Shape(queue_packets=20)),
        Link(id="l3", a=End(node="r1"), b=End(node="r2"), b_to_a=Shape(loss_percent=1, delay_ms=40),
             a_to_b=Shape(rate_mbit=20, delay_ms=40, queue_packets=20, loss_percent=1, jitter_ms=60)),
        Link(id="l4", a=End(node="r2"), b=End(node="h3"), b_to_a=plain),
        Link(id="l5", a=End(node="r2"), b=End(node="h4", mtu_bytes=1400), a_to_b=Shape(rate_mbit=50, queue=FqCodel())),
    )  # fmt: skip
    flows = (
        Flow(id="cubic", source="h1", destination="h3", duration_s=20),
        Flow(id="bbr", source="h2", destination="h4", congestion_control="bbr", duration_s=7.5),
    )
    return Topology(nodes=nodes, links=links, flows=flows)


def _problem(editor: Editor, kind: str) -> Problem:
    return next(problem for problem in editor.problems.listed if problem.kind == kind)


def _select_problem(editor: Editor) -> None:
    """Enlarge the list of problems, and select one of its lines."""
    editor.window.update()
    high = editor.window.winfo_height()
    editor.bottom.master.sashpos(0, high - round(380 * editor.ui))
    editor.window.update()
    editor.view.fit()
    editor.problems.look_at(_problem(editor, "queue-below-bdp"))


def _explain(editor: Editor) -> None:
    editor.problem_fixer.explain(_problem(editor, "sender-is-bottleneck"))


PICTURES = (
    Picture("problems", topology_with_mistakes, prepare=_select_problem),
    Picture("problems-dark", topology_with_mistakes, "dark", prepare=_select_problem),
    Picture("problems-why", topology_with_mistakes, prepare=_explain, dialog_only=True),
    Picture("problems-why-dark", topology_with_mistakes, "dark", prepare=_explain, dialog_only=True),
)


def main() -> None:
    """Take every picture."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with framed_display() as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        for picture in PICTURES:
            take(picture, folder, Path(below) / "window.json")


if __name__ == "__main__":
    main()
