"""Loads of links on the canvas: colors, widths, gauges, and tips."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.annotations import Annotation
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture.geometry import length, part
from frrlib.picture.scene import Key
from miniedit_frr.canvas.load_layer import LoadLook, load_color, load_look
from miniedit_frr.live.loads import LinkLoad
from miniedit_frr.live_plots.loads import load_text
from miniedit_frr.session.events import SampleBatch
from tests.window.hands_on_window import User
from tests.window.running.test_small_screens import overlap

SHAPE = Shape(rate_mbit=10, delay_ms=5, queue_bytes=50_000)
LAB = Topology(
    nodes=(Host(name="h1", x=100, y=200), Router(name="r1", x=400, y=200), Host(name="h2", x=400, y=450)),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1"), a_to_b=SHAPE, b_to_a=SHAPE),
        Link(id="l2", a=End(node="r1"), b=End(node="h2")),
    ),
)
L1 = Key("link", "l1")


def test_a_part_of_a_path_has_the_requested_length() -> None:
    path = ((0.0, 0.0), (10.0, 0.0), (10.0, 20.0))
    assert part(path, 4, 16) == ((4, 0), (10, 0), (10, 6))
    assert length(part(path, 4, 16)) == pytest.approx(12)
    assert part(path, 12, 20) == ((10, 2), (10, 10))


def test_loads_are_divided_into_classes() -> None:
    assert [load_look(10 * share, share, None).grade for share in (0.1, 0.4, 0.69, 0.7, 0.95, 1.2)] == [
        0,
        1,
        1,
        2,
        3,
        3,
    ]
    assert load_look(0.0, 0.0, 0.5) == LoadLook(-2, 0.0, 9)
    assert load_look(5.0, None, None).grade == -1
    # a gauge is empty only where nothing waits, and full only where it is
    assert [load_look(1, None, fill).fill for fill in (0.0, 0.001, 0.5, 0.999, 1.0)] == [0, 1, 9, 18, 18]
    widths = [load_look(rate, None, None).width for rate in (0.1, 1, 10, 100, 1000)]
    assert widths == sorted(widths)
    assert widths[-1] < 8


def test_loads_are_described_in_texts() -> None:
    load = LinkLoad(9.5, 10.0, 25_000, 0.5, 20.0, 12.0)
    text = "9.5 of 10 Mbit/s (95 %); queue 25 kB, 20 ms, 50 % full; drops 12 packets/s"
    assert load_text(load) == text
    assert load_text(LinkLoad(3.0)) == "3 Mbit/s"
    assert load_text(LinkLoad(0.0)) == "nothing"


def items(user: User) -> list[tuple[str, str]]:
    """The items drawn for loads: kinds and colours."""
    view = user.view
    return [(view.type(item), view.itemcget(item, "fill")) for item in view.find_withtag("load")]


@pytest.mark.gui
def test_only_changed_loads_are_drawn_again(lab: User) -> None:
    layer = lab.view.loads
    both = {L1: {"h1": LoadLook(3, 4.0, 9), "r1": LoadLook(0, 2.5, 0)}}
    layer.show(both)
    assert layer.draw_count == 1
    assert [kind for kind, _ in items(lab)].count("rectangle") == 2  # the gauge of the queue that holds something
    assert ("line", load_color(3, lab.editor.theme)) in items(lab)
    assert ("line", load_color(0, lab.editor.theme)) in items(lab)
    layer.show({L1: dict(both[L1])})
    assert layer.draw_count == 1
    layer.show({L1: {**both[L1], "r1": LoadLook(1, 2.5, 0)}})
    assert layer.draw_count == 2
    # the arrow from h1 ends short of the middle, where the other one ends, too
    arrows = [lab.view.coords(item) for item in lab.view.find_withtag("load") if lab.view.type(item) == "line"]
    (to_right,) = [item for item in arrows if item[0] < item[-2]]
    assert 240 < to_right[-2] / lab.view.factor < 250
    layer.show({})
    assert items(lab) == []


@pytest.mark.gui
def test_a_gauge_covers_no_text(lab: User) -> None:
    """A note lies on the usual place of a gauge; compare Tk's boxes of the items."""
    view, loads = lab.view, {L1: {"h1": LoadLook(3, 4.0, 9)}}

    def gauge() -> tuple[int, int, int, int]:
        boxes = [view.bbox(item) for item in view.find_withtag("load") if view.type(item) == "rectangle"]
        return min(boxes)[0], min(box[1] for box in boxes), max(box[2] for box in boxes), max(box[3] for box in boxes)

    view.loads.show(loads)
    usual = gauge()
    x, y = (usual[0] + usual[2]) / 2 / view.factor, (usual[1] + usual[3]) / 2 / view.factor
    note = Annotation(id="n1", kind="note", x=x - 20, y=y - 12, text="a note of some words")
    lab.document.apply("Note", lab.topology.model_copy(update={"annotations": (note,)}))
    lab.editor.window.update()
    view.loads.show({})
    view.loads.show(loads)
    texts = [view.bbox(item) for item in view.items_of(Key("annotation", "n1")) if view.type(item) == "text"]
    assert any(overlap(usual, text) for text in texts)
    assert not any(overlap(gauge(), text) for text in texts)


@pytest.mark.gui
def test_loads_follow_moves_and_zooms(lab: User) -> None:
    layer = lab.view.loads
    layer.show({L1: {"h1": LoadLook(3, 4.0, 9)}})
    count = len(items(lab))
    lab.sweep(lab.at("r1"), (420, 240), (400, 300))
    assert len(items(lab)) == count
    arrow = next(item for item in lab.view.find_withtag("load") if lab.view.type(item) == "line")
    assert lab.view.coords(arrow)[-1] / lab.view.factor == pytest.approx(250, abs=3)
    assert lab.view.key_of_item(arrow) == L1
    wide = float(lab.view.itemcget(arrow, "width"))
    lab.view.zoom_to(0.5)
    arrow = next(item for item in lab.view.find_withtag("load") if lab.view.type(item) == "line")
    assert float(lab.view.itemcget(arrow, "width")) < wide
    lab.editor.preferences.switch_theme()
    assert len(items(lab)) == count


def rows(many: int) -> list[list[Any]]:
    """Samples of the queue from h1 to r1, 9.6 Mbit/s, half full, and nothing back."""
    samples: list[list[Any]] = []
    for index in range(many):
        samples.append([index / 100, "l1:h1-r1", 25_000, 17, 12_000 * index, 0, 0, None, 0, 0])
        samples.append([index / 100, "l1:r1-h1", 0, 0, 0, 0, 0, None, 0, 0])
    return samples


@pytest.mark.gui
def test_samples_are_shown_on_the_canvas_and_in_the_tip(lab: User) -> None:
    running = lab.editor.lab_controller
    running.live.begin(lab.topology, True, "a run")
    running.live.add_samples(SampleBatch("queue", rows(100), 50.0))
    running.live.refresh()
    assert lab.view.loads.looks(L1) == {"h1": LoadLook(3, 4.0, 9), "r1": LoadLook(-2, 0.0, 0)}
    text = running.live.loads.text_of(L1)
    assert "h1 to r1: 9.6 of 10 Mbit/s (96 %); queue 25 kB, 20 ms, 50 % full" in text
    assert "r1 to h1: 0 of 10 Mbit/s (0 %)" in text or "r1 to h1: nothing" in text
    assert running.live.loads.legend.frame is not None
    lab.editor.toggle_label("load")
    assert items(lab) == []
    assert running.live.loads.text_of(L1) == ""
    assert running.live.loads.legend.frame is None
    lab.editor.toggle_label("load")
    assert items(lab)
    running.live.end()
    assert items(lab) == []
    assert running.live.loads.legend.frame is None
