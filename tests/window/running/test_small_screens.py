"""On small screens, the legends and the live plots neither hide nor cut parts of the drawing while flows run."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

from miniedit_frr.document.document import Document
from miniedit_frr.now.panel import NowPanel
from miniedit_frr.now.state import StateLine
from miniedit_frr.session.events import SampleBatch
from tests.window.hands_on_window import User, editor_on
from tests.window.topologies import TWO_AS

pytestmark = pytest.mark.gui

#: Width of the ring around plots with the focus.
_FOCUS_RING_PX = 2
#: The left, top, right and bottom edges in pixels of the canvas widget.
Edges = tuple[float, float, float, float]


def item_boxes(view: Any) -> dict[str, Edges]:
    """The boxes of visible icons, texts, signs and gauges, as Tk measures them."""
    left, top = view.canvasx(0), view.canvasy(0)
    boxes = {}
    for tag in ("icon", "text", "routing", "load"):
        for item in view.find_withtag(tag):
            box = view.bbox(item)
            if box is not None and view.type(item) != "line" and view.itemcget(item, "state") != "hidden":
                name = f"{tag} {item} {view.itemcget(item, 'text') if view.type(item) == 'text' else ''}"
                boxes[name] = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
    return boxes


def edges_of(card: Any) -> Edges:
    x, y = card.winfo_x(), card.winfo_y()
    return x, y, x + card.winfo_width(), y + card.winfo_height()


def overlap(a: Edges, b: Edges) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def queue_rows(topology: Any) -> list[list[Any]]:
    """Samples of one second: both directions of all links with a rate carry 9.6 Mbit/s."""
    directions = [f"{link.id}:{a}-{b}" for link in topology.links
                  for a, b in ((link.a.node, link.b.node), (link.b.node, link.a.node))]  # fmt: skip
    return [
        [index / 100, name, 25_000, 17, 12_000 * index, 0, 0, None, 0, 0] for index in range(100) for name in directions
    ]


@pytest.mark.parametrize("size", ["1280x768", "1280x800"])
@pytest.mark.parametrize("example", ["two-as-bgp", "ospf-reroute", "six-flows"])
def test_legends_and_plots_leave_the_drawing_visible(display: str, size: str, example: str, tmp_path: Path) -> None:
    document = Document()
    document.open(TWO_AS.with_name(f"{example}.mn"))
    with editor_on(document, tmp_path, size) as editor:
        user, view, running = User(editor), editor.view, editor.lab_controller
        user.wait(lambda: view.is_fitted and editor.window.winfo_geometry().startswith(size))
        running.routing.legend.show({"OSPF": (11, 12, "coming")})
        running.live.begin(document.topology, True, "A run")
        running.handle(SampleBatch("queue", queue_rows(document.topology), 50.0))
        running.live.refresh()
        user.wait(lambda: running.live.panel is not None and running.live.panel.plots.frames)
        user.wait(lambda: running.live.loads.legend.frame is not None)
        editor.window.update()
        cards = [edges_of(running.routing.legend.frame), edges_of(running.live.loads.legend.frame)]
        assert not overlap(*cards)
        boxes = item_boxes(view)
        assert len(boxes) > 10
        assert {name: box for name, box in boxes.items() if any(overlap(box, card) for card in cards)} == {}
        canvas = (0, 0, view.winfo_width(), view.winfo_height())
        for name, box in {**boxes, **dict(zip(("routing legend", "load legend"), cards, strict=True))}.items():
            assert box[0] >= 0, name
            assert box[1] >= 0, name
            assert box[2] <= canvas[2], name
            assert box[3] <= canvas[3], name

        plots = running.live.panel.plots
        labels = [label for panel in plots.panels for label in panel.axes.get_xticklabels() if label.get_text()]
        assert len(labels) > 4
        assert min(label.get_window_extent().y0 for label in labels) >= _FOCUS_RING_PX

        # A user's zoom stays, and the strip below the drawing ends with the legends.
        view.zoom_to(0.9)
        running.live.end()
        running.routing.legend.show({})
        editor.window.update()
        assert view.zoom == pytest.approx(0.9)
        assert view.strips_px == {"n": 0, "s": 0}


def test_a_long_queue_line_uses_the_space_of_its_empty_name(user: User) -> None:
    text = "queue 48.4 kB, 38.8 ms, 12 drops/s"
    window = tk.Toplevel(user.editor.window)
    try:
        window.geometry("326x200")
        panel = NowPanel(window, user.view.ui, user.editor.theme)
        panel.pack(fill="both", expand=True)
        panel.show("r1 to r2 now", [StateLine("", text, share=0.5)])
        (paper,) = [child for child in panel.winfo_children() if isinstance(child, tk.Canvas)]
        user.wait(lambda: paper.winfo_width() > 300)
        user.wait(
            lambda: any(
                paper.itemcget(item, "text") == text for item in paper.find_all() if str(paper.type(item)) == "text"
            )
        )
        assert paper.bbox("all")[2] <= paper.winfo_width()
    finally:
        window.destroy()
