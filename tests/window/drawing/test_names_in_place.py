"""Names written in place, highlights under the pointer, and links as MiniEdit draws them."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.picture.scene import Key

pytestmark = pytest.mark.gui

H1 = Key("node", "h1")


def place(user: Any, *tools_and_places: tuple[str, tuple[float, float]]) -> None:
    for key, at in tools_and_places:
        user.tool(key)
        user.click(at)
    user.tool("v")
    user.view.select(())


def link(user: Any, a: tuple[float, float], b: tuple[float, float]) -> None:
    user.tool("l")
    user.sweep(a, ((a[0] + b[0]) / 2, a[1] + 20), b)
    user.tool("v")


def point(user: Any, at: tuple[float, float]) -> None:
    """Move the pointer itself."""
    x, y = user.view.to_widget(at)
    user.view.event_generate("<Motion>", x=x, y=y, warp=True)
    user.editor.window.update()
    user.view.event_generate("<Motion>", x=x, y=y)
    user.editor.window.update()


def message(user: Any) -> str:
    return user.editor.status.shown_message


def test_f2_renames_the_node_and_all_references(user: Any) -> None:
    place(user, ("h", (100, 200)), ("h", (400, 200)))
    link(user, (100, 200), (400, 200))
    user.click((100, 200))
    user.press_key("<F2>")
    user.write("web", "<Return>")
    assert [node.name for node in user.topology.nodes] == ["web", "h2"]
    assert user.topology.links[0].a.node == "web"
    assert user.selected() == {"web"}
    user.press_key("<Control-Key-z>")
    assert user.topology.node("h1")


def test_control_a_selects_the_whole_name(user: Any) -> None:
    place(user, ("h", (100, 200)))
    user.click((100, 200))
    user.press_key("<F2>")
    field = user.editor.canvas_commands.writing.field
    user.press_key("<End>", on=field)
    user.press_key("<Control-Key-a>", on=field)
    user.write("web", "<Return>")
    assert [node.name for node in user.topology.nodes] == ["web"]


def test_a_double_click_on_the_name_but_not_on_the_icon_renames(user: Any) -> None:
    place(user, ("h", (100, 200)))
    name = (100, 200 + 22 + 5 + 6)
    user.click(name)
    assert user.selected() == {"h1"}
    user.click(name)
    assert user.editor.canvas_commands.writing is not None
    user.write("x", "<Escape>")
    assert user.topology.node("h1")
    user.click((102, 195))
    user.click((102, 195))
    assert user.editor.canvas_commands.writing is None


def test_the_name_of_another_node_is_reported_while_typing_and_rejected(user: Any) -> None:
    place(user, ("h", (100, 200)), ("h", (400, 200)))
    old_topology = user.topology
    user.view.select({H1})
    user.press_key("<F2>")
    user.write("h2")
    assert "name of another node" in message(user)
    user.click((250, 400))
    assert user.topology == old_topology


def test_renaming_a_node_with_a_label_changes_the_label(user: Any) -> None:
    place(user, ("h", (100, 200)))
    node = user.topology.node("h1").model_copy(update={"label": "server"})
    user.document.apply("Label", user.topology.model_copy(update={"nodes": (node,)}))
    user.view.select({H1})
    user.press_key("<F2>")
    user.write("x", "<Return>")
    assert (user.topology.node("h1").name, user.topology.node("h1").label) == ("h1", "x")


def test_letters_typed_into_a_name_choose_no_tool(user: Any) -> None:
    place(user, ("h", (100, 200)))
    user.view.select({H1})
    user.press_key("<F2>")
    user.write("lens", "<Return>")
    assert user.editor.tool_controller.tool.icon == "select"
    assert user.topology.node("lens")


def test_scrolling_or_zooming_accepts_the_typed_name(user: Any) -> None:
    place(user, ("h", (100, 200)))
    user.view.select({H1})
    user.press_key("<F2>")
    user.write("w")
    user.view.event_generate("<Button-4>", x=5, y=5, state=0x4)
    user.editor.window.update()
    assert user.topology.node("w")
    assert user.editor.canvas_commands.writing is None


def test_the_thing_under_the_pointer_is_highlighted(user: Any) -> None:
    place(user, ("h", (100, 200)), ("h", (400, 200)))
    link(user, (100, 200), (400, 200))
    user.view.select(())
    line = Key("link", "l1")
    width = lambda: float(user.view.itemcget(user.view.items_of(line)[0], "width"))  # noqa: E731
    old_width = width()
    point(user, (250, 200))
    assert user.view.hover.key == line
    assert width() > old_width
    point(user, (400, 200))
    assert user.view.hover.key == Key("node", "h2")
    assert user.view.find_withtag("hover")
    assert width() == old_width
    point(user, (250, 400))
    assert user.view.hover.key is None
    assert not user.view.find_withtag("hover")


def test_a_link_from_a_node_to_itself_is_rejected(user: Any) -> None:
    place(user, ("h", (100, 200)))
    user.tool("l")
    user.sweep((100, 200), (200, 300), (105, 205))
    assert user.topology.links == ()
    assert "h1 cannot be linked to itself" in message(user)


@pytest.mark.parametrize("other", ["h", "b", "g", "r", "c"])
def test_a_controller_is_linked_to_openflow_switches_only(user: Any, other: str) -> None:
    place(user, ("c", (100, 200)), (other, (400, 200)))
    old_topology = user.topology
    user.tool("l")
    user.sweep((100, 200), (250, 220), (400, 200))
    assert user.topology == old_topology
    assert user.view.scene.lines == {}
    assert "speaks to OpenFlow switches" in message(user)


def test_control_links_are_red_and_dashed_and_links_down_are_dashed(user: Any) -> None:
    place(user, ("c", (100, 200)), ("s", (400, 200)), ("h", (400, 400)))
    link(user, (100, 200), (400, 200))
    link(user, (400, 200), (400, 400))
    user.view.select(())
    look = lambda key, option: user.view.itemcget(user.view.items_of(key)[0], option)  # noqa: E731
    control, data = Key("control", "s1", "c0"), Key("link", "l1")
    red, green, blue = (int(look(control, "fill")[at : at + 2], 16) for at in (1, 3, 5))
    assert red > 2 * max(green, blue)
    assert look(control, "dash") and not look(data, "dash")
    down = user.topology.links[0].model_copy(update={"up": False})
    user.document.apply("Down", user.topology.model_copy(update={"links": (down,)}))
    assert look(data, "dash")


def test_deleting_a_controller_removes_it_from_its_switches(user: Any) -> None:
    place(user, ("c", (100, 200)), ("s", (400, 200)))
    link(user, (100, 200), (400, 200))
    user.click((100, 200))
    user.press_key("<BackSpace>")
    assert user.topology.node("s1").controllers == ()
    assert user.view.scene.lines == {}


def test_pasted_routers_are_renumbered_and_readdressed(user: Any) -> None:
    from ipaddress import IPv4Interface

    place(user, ("r", (100, 200)), ("r", (400, 200)))
    link(user, (100, 200), (400, 200))
    wire = user.topology.links[0]
    ends = [
        end.model_copy(update={"addresses": (IPv4Interface(f"192.0.2.{number}/24"),)})
        for number, end in enumerate(wire.ends, start=1)
    ]
    stated = wire.model_copy(update={"a": ends[0], "b": ends[1]})
    user.document.apply("Address", user.topology.model_copy(update={"links": (stated,)}))
    user.press_key("<Control-Key-a>")
    user.press_key("<Control-Key-c>")
    for _ in range(2):
        user.press_key("<Control-Key-v>")
    assert [node.name for node in user.topology.nodes] == [f"r{number}" for number in range(1, 7)]
    assert [link.id for link in user.topology.links] == ["l1", "l2", "l3"]
    said_twice = [link for link in user.topology.links if link.a.addresses == ends[0].addresses]
    assert said_twice == [stated]
    from frrlib.checks.check import check

    user.wait(lambda: not user.editor.checker.is_busy)
    assert not [problem for problem in check(user.topology) if problem.severity == "error"]


def test_the_field_of_a_name_is_readable_at_any_zoom(user: Any) -> None:
    from tkinter import font

    place(user, ("h", (100, 200)))
    user.view.zoom_to(0.2)
    user.view.select({H1})
    user.press_key("<F2>")
    field = user.editor.canvas_commands.writing.field
    assert (
        font.Font(user.view, font=field.cget("font")).actual("size") <= -11
        or font.Font(user.view, font=field.cget("font")).metrics("linespace") >= 11
    )
    user.write("x", "<Escape>")


def test_a_drag_of_a_node_accepts_its_typed_name_first(user: Any) -> None:
    place(user, ("h", (100, 200)))
    user.view.select({H1})
    user.press_key("<F2>")
    user.write("w")
    user.sweep((100, 190), (150, 240), (200, 290))
    assert [node.name for node in user.topology.nodes] == ["w"]
    assert user.at("w") == pytest.approx((200, 300), abs=2)
