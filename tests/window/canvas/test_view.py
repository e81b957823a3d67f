"""Views of a topology: zoom, labels, themes, search, and places of problems."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from tests.window.hands_on_window import draw

pytestmark = pytest.mark.gui


def test_a_click_on_a_problem_selects_and_shows_its_node(user: Any) -> None:
    nodes = (Host(name="h1", x=100, y=100), Router(name="all", x=4000, y=3000))
    link = Link(id="l1", a=End(node="h1"), b=End(node="all"))
    user.document.apply("Load", Topology(nodes=nodes, links=(link,)))
    user.wait(lambda: user.editor.problems.tree.get_children())
    tree = user.editor.problems.tree
    rows = {tree.item(row, "values")[1]: row for row in tree.get_children()}
    row = next(row for where, row in rows.items() if where.startswith("all"))
    assert "error" in tree.item(row, "values")[0]
    assert user.view.badge_of(Key("node", "all")) == "error"
    tree.selection_set(row)
    user.wait(lambda: user.selected() == {"all"})
    x, y = user.view.to_widget((4000, 3000))
    assert 0 < x < user.view.winfo_width()
    assert 0 < y < user.view.winfo_height()


def test_texts_hidden_at_a_small_zoom_reappear_in_place(user: Any) -> None:
    draw(user)
    user.view.zoom_to(0.2)
    assert all(user.view.itemcget(item, "state") == "hidden" for item in user.view.find_withtag("text"))
    user.press_key("<Control-Key-a>")
    user.view.zoom_to(1)
    for plate in user.view.find_withtag("plate"):
        (text,) = user.view.find_above(plate)
        assert user.view.itemcget(text, "state") == "normal"
        assert user.view.bbox(text) == pytest.approx(user.view.coords(plate), abs=1)


@pytest.mark.parametrize(
    ("zoom", "tags"),
    [(1.0, {"name", "small"}), (0.75, {"name", "small"}), (0.7, {"name"}), (0.5, {"name"}), (0.4, set())],
)
def test_smaller_texts_are_hidden_at_larger_zooms(user: Any, zoom: float, tags: set[str]) -> None:
    draw(user)
    user.editor.toggle_label("interfaces")
    user.wait(lambda: user.view.find_withtag("small"))
    user.view.zoom_to(zoom)
    for tag in ("name", "small"):
        visibility = {user.view.itemcget(item, "state") != "hidden" for item in user.view.find_withtag(tag)}
        assert visibility == {tag in tags}


def test_the_wheel_zooms_to_the_pointer(user: Any) -> None:
    draw(user)
    x, y = user.view.to_widget((300, 200))
    old_factor = user.view.factor
    for _ in range(4):
        user.view.event_generate("<Button-4>", x=x, y=y, state=0x4)
    assert user.view.factor > old_factor * 1.5
    assert user.view.to_widget((300, 200)) == pytest.approx((x, y), abs=4)
    at = user.view.coords(user.view.items_of(Key("link", "l1"))[0])
    assert at == pytest.approx([100 * user.view.factor, 200 * user.view.factor, 300 * user.view.factor,
                                200 * user.view.factor], rel=0.01)  # fmt: skip


def test_a_node_drawn_at_another_zoom_is_at_the_click(user: Any) -> None:
    draw(user)
    user.view.zoom_by(0.5)
    user.tool("s")
    user.click((220, 420))
    assert user.at("s1") == pytest.approx((220, 420), abs=2)


def test_find_selects_and_reveals_the_hit(user: Any) -> None:
    draw(user)
    user.document.apply("far", Topology(nodes=(*user.topology.nodes, Host(name="far", x=5000, y=5000))))
    user.press_key("<Control-Key-f>")
    user.editor.find_bar.words.set("fa")
    user.editor.window.update()
    assert user.selected() == {"far"}
    x, y = user.view.to_widget((5000, 5000))
    assert 0 < x < user.view.winfo_width() and 0 < y < user.view.winfo_height()


def test_labels_can_be_switched(user: Any) -> None:
    draw(user)
    texts = lambda: {user.view.itemcget(item, "text") for item in user.view.find_withtag("text")}  # noqa: E731
    assert {"h1", "h2"} <= texts()
    user.press_key("<Control-Key-1>")
    assert not {"h1", "h2"} & texts()
    user.press_key("<Control-Key-3>")
    user.wait(lambda: any("/" in text for text in texts()))


def test_the_dark_theme_changes_only_colors(user: Any) -> None:
    draw(user)
    topology, light = user.topology, user.view.cget("background")
    user.press_key("<F9>")
    assert user.view.cget("background") != light
    assert user.topology == topology
    assert user.view.drawn_keys == user.view.scene.keys()


def test_opening_the_find_bar_keeps_the_whole_topology_visible(user: Any) -> None:
    places = [(0.0, 0.0), (0.0, 900.0), (1200.0, 900.0)]
    hosts = tuple(Host(name=f"h{number}", x=x, y=y) for number, (x, y) in enumerate(places))
    user.document.apply("Draw", Topology(nodes=hosts))
    view, window = user.view, user.editor.window
    view.fit()
    window.update()

    def are_all_visible() -> bool:
        return all(20 < view.to_widget(at)[1] < view.winfo_height() - 20 for at in places)

    high = view.winfo_height()
    assert are_all_visible()
    user.editor.find_bar.open()
    window.update()
    assert view.winfo_height() < high and are_all_visible()


def test_the_badge_of_a_flow_is_left_of_its_text(user: Any) -> None:
    flow = Flow(id="f", source="h1", destination="h2")
    nodes = (Host(name="h1", x=100, y=200), Host(name="h2", x=500, y=200))
    user.document.apply("Draw", Topology(nodes=nodes, flows=(flow,)))
    user.editor.window.update()
    view = user.view
    view.mark({Key("flow", "f"): "error"})
    kinds = {view.type(item): item for item in view.items_of(Key("flow", "f"))}
    text, badge = view.bbox(kinds["text"]), view.bbox(kinds["image"])
    assert badge[2] <= text[0] and badge[2] > text[0] - 8
    assert badge[1] < (text[1] + text[3]) / 2 < badge[3]


def test_the_value_of_a_link_moves_aside_for_its_badge(user: Any) -> None:
    shape = Shape(rate_mbit=10, delay_ms=5)
    link = Link(id="l1", a=End(node="h1"), b=End(node="h2"), a_to_b=shape, b_to_a=shape)
    nodes = (Host(name="h1", x=100, y=200), Host(name="h2", x=500, y=200))
    user.document.apply("Draw", Topology(nodes=nodes, links=(link,)))
    user.wait(lambda: not user.editor.checker.is_busy)
    view, key = user.view, Key("link", "l1")

    def place_of_text() -> list[float]:
        (text,) = (item for item in view.items_of(key) if view.type(item) == "text")
        return list(view.coords(text))

    view.mark({})
    old_place = place_of_text()
    view.mark({key: "warning"})
    kinds = {view.type(item): item for item in view.items_of(key)}
    text, badge = view.bbox(kinds["text"]), view.bbox(kinds["image"])
    assert badge[2] <= text[0] or text[2] <= badge[0] or text[3] <= badge[1]
    view.mark({})
    assert place_of_text() == old_place
