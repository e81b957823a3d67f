"""Notes, shapes and colours, worked with real events."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.annotations import annotate
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.picture.shapes import handles
from tests.window.hands_on_labs import choose

pytestmark = pytest.mark.gui

SHIFT = 0x1
A1 = Key("annotation", "a1")


def only(user: Any) -> Any:
    (annotation,) = user.topology.annotations
    return annotation


def frame(user: Any) -> tuple[float, float, float, float]:
    annotation = only(user)
    return annotation.x, annotation.y, annotation.width, annotation.height


def draw_shape(user: Any, kind: str = "rectangle") -> None:
    """A shape from (100, 100) to (300, 220), drawn by hand and not selected."""
    user.tool({"note": "n", "rectangle": "a", "ellipse": "e"}[kind])
    user.sweep((100, 100), (200, 150), (300, 220))
    user.view.select(())


def edits(user: Any) -> list[str]:
    return list(user.document.undo_labels)


def context_menu(user: Any, key: Key) -> tk.Menu:
    """The commands of the selection's context menu."""
    menu = tk.Menu(user.editor.window, tearoff=False)
    user.editor.canvas_commands.fill_context_menu(menu, key)
    return menu


def choose_color(user: Any, key: Key, color: str) -> None:
    """Choose a color of the selection's context menu."""
    choose(context_menu(user, key), "Fill", color)


@pytest.mark.parametrize("kind", ["rectangle", "ellipse"])
def test_dragging_draws_one_shape_and_deselects_the_tool(user: Any, kind: str) -> None:
    draw_shape(user, kind)
    assert only(user).kind == kind
    assert frame(user) == pytest.approx((100, 100, 200, 120), abs=2)
    assert edits(user) == [f"Add {kind}"]
    assert user.editor.tool_controller.tool.icon == "select"


def test_a_click_places_a_note_with_the_typed_text(user: Any) -> None:
    user.tool("n")
    user.click((100, 100))
    user.write("two\nlines")
    user.click((600, 500))
    assert only(user).text == "two\nlines"
    assert frame(user)[:2] == pytest.approx((100, 100), abs=1)
    assert only(user).height > 30
    assert any(user.view.itemcget(item, "text") == "two\nlines" for item in user.view.find_withtag("name"))


def test_a_long_text_increases_the_height_of_its_note(user: Any) -> None:
    user.tool("n")
    user.click((100, 100))
    height = only(user).height
    user.write("many words " * 8)
    user.editor.canvas_commands.finish_writing()
    assert only(user).height > height
    (text,) = [item for item in user.view.find_withtag("name") if user.view.itemcget(item, "text")]
    _, _, right, low = user.view.bbox(text)
    box = user.view.scene.shapes[A1].box
    assert right <= box.right * user.view.factor
    assert low <= box.bottom * user.view.factor


def test_a_double_click_edits_the_text_and_escape_cancels(user: Any) -> None:
    draw_shape(user)
    old_topology = user.topology
    user.double_click((150, 150))
    user.write("x", "<Escape>")
    assert user.topology == old_topology
    user.double_click((180, 180))
    user.write("zone", "<Control-Return>")
    assert only(user).text == "zone"


def test_moving_a_shape_is_one_edit_that_undo_reverts(user: Any) -> None:
    draw_shape(user)
    old_topology = user.topology
    user.sweep((150, 150), (160, 170), (190, 200))
    assert frame(user) == pytest.approx((140, 150, 200, 120), abs=2)
    assert len(edits(user)) == 2
    user.press_key("<Control-Key-z>")
    assert user.topology == old_topology
    assert user.view.coords(user.view.items_of(A1)[0])[:2] == pytest.approx(
        [old_topology.annotations[0].x * user.view.factor, old_topology.annotations[0].y * user.view.factor]
    )


@pytest.mark.parametrize(
    ("sides", "to", "expected"),
    [
        ("se", (350, 300), (100, 100, 250, 200)),
        ("n", (999, 60), (100, 60, 200, 160)),
        ("w", (900, 0), (284, 100, 16, 120)),  # it never turns over
    ],
)
def test_dragging_a_handle_resizes_the_shape(
    user: Any, sides: str, to: tuple[float, float], expected: tuple[float, ...]
) -> None:
    draw_shape(user)
    user.click((150, 150))
    user.sweep(handles(user.view.scene.shapes[A1].box)[sides], (310, 230), to)
    assert frame(user) == pytest.approx(expected, abs=3)
    assert len(edits(user)) == 2


def test_escape_cancels_a_resize(user: Any) -> None:
    draw_shape(user)
    old_topology = user.topology
    user.click((150, 150))
    user.press((300, 220))
    user.drag((400, 300))
    user.press_key("<Escape>")
    user.release((400, 300))
    assert user.topology == old_topology
    assert user.view.coords(user.view.items_of(A1)[0])[2:] == pytest.approx(
        [300 * user.view.factor, 220 * user.view.factor], abs=3
    )


def test_nodes_are_hit_before_shapes_and_move_with_selected_shapes(user: Any) -> None:
    user.tool("h")
    user.click((200, 150))
    draw_shape(user)
    user.click((200, 150))
    assert user.selected() == {"h1"}
    user.click((120, 120), SHIFT)
    assert user.selected() == {"h1", "a1"}
    user.sweep((130, 200), (140, 210), (170, 260))
    assert user.at("h1") == pytest.approx((240, 210), abs=2)
    assert frame(user)[:2] == pytest.approx((140, 160), abs=2)
    assert len(edits(user)) == 3


def test_a_shift_drag_on_a_shape_selects_the_nodes_in_the_frame(user: Any) -> None:
    for at in ((150, 150), (250, 150)):
        user.tool("h")
        user.click(at)
    draw_shape(user)
    user.sweep((110, 110), (200, 150), (290, 200), state=SHIFT)
    assert user.selected() == {"h1", "h2"}


def test_an_unfilled_shape_is_hit_at_its_outline_only(user: Any) -> None:
    draw_shape(user)
    user.view.select({A1})
    choose_color(user, A1, "None")
    user.click((200, 160))
    assert user.selected() == set()
    user.click((200, 100))
    assert user.selected() == {"a1"}


def test_nodes_and_shapes_are_copied_pasted_duplicated_and_deleted(user: Any) -> None:
    user.tool("h")
    user.click((200, 150))
    draw_shape(user)
    user.press_key("<Control-Key-a>")
    user.press_key("<Control-Key-c>")
    user.press_key("<Control-Key-v>")
    assert user.selected() == {"h2", "a2"}
    user.press_key("<Control-Key-d>")
    assert [annotation.id for annotation in user.topology.annotations] == ["a1", "a2", "a3"]
    assert user.selected() == {"h3", "a3"}
    user.press_key("<Delete>")
    assert [annotation.id for annotation in user.topology.annotations] == ["a1", "a2"]
    assert [node.name for node in user.topology.nodes] == ["h1", "h2"]
    assert user.view.drawn_keys == user.view.scene.keys()


def test_the_newest_shape_is_on_top_and_can_be_sent_to_the_back(user: Any) -> None:
    draw_shape(user)
    user.tool("e")
    user.sweep((120, 110), (200, 150), (290, 210))
    view = user.view
    lowest = lambda key: view.find_all().index(view.items_of(key)[0])  # noqa: E731
    assert lowest(A1) < lowest(Key("annotation", "a2"))
    choose(context_menu(user, Key("annotation", "a2")), "Send to Back")
    assert [annotation.id for annotation in user.topology.annotations] == ["a2", "a1"]
    assert lowest(A1) > lowest(Key("annotation", "a2"))


def test_shapes_are_below_lines_and_nodes(user: Any) -> None:
    for at in ((150, 150), (250, 150)):
        user.tool("h")
        user.click(at)
    user.tool("l")
    user.sweep((150, 150), (250, 150))
    draw_shape(user)
    order = user.view.find_all()
    highest = max(order.index(item) for item in user.view.items_of(A1))
    for key in (Key("node", "h1"), Key("link", "l1")):
        assert min(order.index(item) for item in user.view.items_of(key)) > highest
    user.view.select({A1})
    user.view.zoom_by(1.3)
    order = user.view.find_all()
    assert order.index(user.view.items_of(A1)[0]) < order.index(user.view.items_of(Key("link", "l1"))[0])


def test_a_color_is_set_for_selected_nodes_and_shapes(user: Any) -> None:
    user.tool("h")
    user.click((200, 400))
    draw_shape(user)
    user.press_key("<Control-Key-a>")
    choose_color(user, A1, "Red")
    assert only(user).fill == user.topology.node("h1").colour == "red"
    assert len(edits(user)) == 3
    user.view.zoom_by(1.5)
    user.press_key("<F9>")
    assert user.view.drawn_keys == user.view.scene.keys()


def test_the_background_of_a_name_is_the_color_of_the_shape_behind_it(user: Any) -> None:
    user.tool("h")
    user.click((200, 150))
    painted = lambda: user.view.itemcget(*user.view.find_withtag("plate"), "fill")  # noqa: E731
    assert painted() == user.view.theme.canvas
    draw_shape(user)
    assert painted() == user.view.itemcget(user.view.items_of(A1)[0], "fill") != user.view.theme.canvas


def test_annotations_survive_saving_and_opening(user: Any, tmp_path: Path) -> None:
    draw_shape(user, "note")
    user.editor.canvas_commands.finish_writing()
    saved = user.topology
    user.document.path = tmp_path / "lab.mn"
    user.press_key("<Control-Key-s>")
    user.editor.files.new()
    user.editor.files.open(tmp_path / "lab.mn")
    assert user.topology == saved


def test_annotations_with_the_same_id_are_both_shown(user: Any) -> None:
    topology, _ = annotate(Topology(nodes=(Host(name="h1"),)), "note", 0, 0)
    user.document.apply("Load", topology.model_copy(update={"annotations": topology.annotations * 2}))
    assert len(user.view.scene.shapes) == 2
    user.press_key("<Control-Key-a>")
    user.press_key("<Delete>")
    assert user.topology.annotations == ()


def test_the_side_panel_edits_the_color_and_size_of_a_shape(user: Any) -> None:
    draw_shape(user)
    user.click((150, 150))
    panel = user.editor.properties
    assert set(panel.inputs) == {"fill", "line", "width", "height"}
    panel.inputs["width"].set("250")
    panel.inputs["fill"].set("green")
    user.click((600, 500))
    assert (only(user).width, only(user).fill) == (250, "green")


def test_opening_the_dialog_of_a_shape_does_nothing(user: Any) -> None:
    draw_shape(user)
    user.click((150, 150))
    user.press_key("<Alt-Return>")
    assert len(edits(user)) == 1
    assert not user.editor.dialogs.has_dialog({A1})


def test_redrawing_keeps_the_order_of_many_shapes(user: Any) -> None:
    topology = Topology()
    for number in range(60):
        topology, _ = annotate(topology, "rectangle", number * 5, number * 3)
    user.document.apply("Load", topology)
    view = user.view

    def stacked() -> bool:
        order = {item: index for index, item in enumerate(view.find_all())}
        places = [order[view.items_of(Key("annotation", annotation.id))[0]] for annotation in user.topology.annotations]
        return places == sorted(places)

    assert stacked()
    view.select({A1, Key("annotation", "a30")})
    assert stacked()
    view.zoom_by(0.7)
    assert stacked()
    choose_color(user, A1, "Red")
    assert stacked()
    user.press_key("<F9>")
    assert stacked()
    user.sweep((0, 0), (20, 20), (40, 30))
    assert stacked()
