"""The window, worked with real events: what is drawn is in the document, and one gesture is one edit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from miniedit_frr.canvas.scene import Key

pytestmark = pytest.mark.gui

ROOT = Path(__file__).resolve().parents[2]
SHIFT = 0x1


def draw(user: Any) -> None:
    """h1 - r1 - h2, drawn by hand."""
    for key, at in (("h", (100, 200)), ("h", (500, 200)), ("r", (300, 200))):
        user.tool(key)
        user.click(at)
    user.tool("l")
    user.sweep((100, 200), (200, 210), (300, 200))
    user.sweep((300, 200), (400, 190), (500, 200))
    user.tool("v")


def edits(user: Any) -> int:
    return len(user.document._done)


def test_two_hosts_and_a_router_are_drawn_and_joined(user: Any) -> None:
    draw(user)
    assert [(node.name, node.kind) for node in user.topology.nodes] == [
        ("h1", "host"),
        ("h2", "host"),
        ("r1", "router"),
    ]
    assert [(link.a.node, link.b.node) for link in user.topology.links] == [("h1", "r1"), ("r1", "h2")]
    assert user.at("r1") == pytest.approx((300, 200), abs=1)
    assert user.topology.node("r1").runs_frr
    assert edits(user) == 5
    assert user.selected() == {"l2"}


def test_every_kind_of_node_can_be_placed(user: Any) -> None:
    for index, key in enumerate("hsbgrc"):
        user.tool(key)
        user.click((80 + 90 * index, 150))
    assert [node.name for node in user.topology.nodes] == ["h1", "s1", "s2", "r1", "r2", "c0"]
    assert [user.view.scene.nodes[Key("node", name)].icon for name in ("r1", "r2")] == ["legacy-router", "router"]


def test_parallel_links_and_links_between_hosts(user: Any) -> None:
    for at in ((100, 100), (400, 100)):
        user.tool("h")
        user.click(at)
    user.tool("l")
    for _ in range(3):
        user.sweep((100, 100), (400, 100))
    assert [link.id for link in user.topology.links] == ["l1", "l2", "l3"]
    ways = {tuple(user.items_at(Key("link", link.id))) for link in user.topology.links}
    assert len(ways) == 3


def test_a_controller_goes_on_the_switchs_list_and_off_again(user: Any) -> None:
    for key, at in (("c", (100, 100)), ("s", (400, 100)), ("h", (100, 300))):
        user.tool(key)
        user.click(at)
    user.tool("l")
    user.sweep((100, 300), (100, 100))
    assert user.topology.links == ()  # a controller speaks to switches only
    user.sweep((100, 100), (400, 100))
    assert user.topology.node("s1").controllers == ("c0",)
    user.tool("v")
    user.click((250, 100))
    user.press_key("<Delete>")
    assert user.topology.node("s1").controllers == ()
    assert len(user.topology.nodes) == 3


def test_a_drag_is_one_edit_and_undo_restores(user: Any) -> None:
    draw(user)
    before, count = user.topology, edits(user)
    shown = user.items_at(Key("link", "l1"))
    user.sweep((300, 200), (320, 240), (350, 300), (360, 330))
    assert edits(user) == count + 1
    assert user.at("r1") == pytest.approx((360, 330), abs=1)
    assert user.at("h1") == (before.node("h1").x, before.node("h1").y)
    assert user.items_at(Key("link", "l1"))[2:] == pytest.approx([360, 330], abs=1)
    user.press_key("<Control-Key-z>")
    assert user.topology == before
    assert user.items_at(Key("link", "l1")) == pytest.approx(shown)
    user.press_key("<Control-Shift-Key-Z>")
    assert user.at("r1") == pytest.approx((360, 330), abs=1)


def test_escape_ends_a_drag_without_an_edit(user: Any) -> None:
    draw(user)
    before, count = user.topology, edits(user)
    shown = {key: user.items_at(key) for key in user.view.scene.lines}
    user.press((300, 200))
    user.drag((350, 300))
    assert user.items_at(Key("link", "l1"))[2:] == pytest.approx([350, 300], abs=1)
    user.press_key("<Escape>")
    user.release((350, 300))
    assert user.topology == before
    assert edits(user) == count
    for key, at in shown.items():
        assert user.items_at(key) == pytest.approx(at, abs=1e-6)


def test_escape_ends_a_link_without_an_edit(user: Any) -> None:
    draw(user)
    count = edits(user)
    user.tool("l")
    user.press((100, 200))
    user.drag((500, 200))
    user.press_key("<Escape>")
    user.release((500, 200))
    assert edits(user) == count
    assert not user.view.find_withtag("preview")


def test_a_click_that_trembles_moves_nothing(user: Any) -> None:
    draw(user)
    count = edits(user)
    user.sweep((300, 200), (301, 201), (300, 201))
    assert edits(user) == count
    assert user.selected() == {"r1"}


def test_a_rubber_band_selects_and_shift_adds(user: Any) -> None:
    draw(user)
    user.sweep((40, 120), (200, 250), (350, 280))
    assert user.selected() == {"h1", "r1", "l1"}
    user.click((500, 200), SHIFT)
    assert user.selected() == {"h1", "r1", "l1", "h2"}
    user.click((500, 200), SHIFT)
    assert user.selected() == {"h1", "r1", "l1"}
    user.click((500, 400))
    assert user.selected() == set()


def test_several_nodes_move_together_in_one_edit(user: Any) -> None:
    draw(user)
    count = edits(user)
    user.sweep((40, 120), (350, 280))
    user.sweep((100, 200), (120, 260), (150, 300))
    assert edits(user) == count + 1
    assert user.at("h1") == pytest.approx((150, 300), abs=1)
    assert user.at("r1") == pytest.approx((350, 300), abs=1)
    assert user.at("h2") == pytest.approx((500, 200), abs=1)


def test_deleting_a_node_deletes_its_links_and_undo_brings_them_back(user: Any) -> None:
    draw(user)
    before = user.topology
    user.click((300, 200))
    user.press_key("<Delete>")
    assert [node.name for node in user.topology.nodes] == ["h1", "h2"]
    assert user.topology.links == ()
    assert set(user.view._items) == user.view.scene.keys()
    user.press_key("<Control-Key-z>")
    assert user.topology == before
    assert set(user.view._items) == user.view.scene.keys()


def test_copy_and_paste_make_new_nodes(user: Any) -> None:
    draw(user)
    user.press_key("<Control-Key-a>")
    user.press_key("<Control-Key-c>")
    user.press_key("<Control-Key-v>")
    assert [node.name for node in user.topology.nodes] == ["h1", "h2", "r1", "h3", "h4", "r2"]
    assert len(user.topology.links) == 4
    assert user.selected() == {"h3", "h4", "r2"}


def test_save_and_open_bring_the_same_drawing(user: Any, tmp_path: Path) -> None:
    draw(user)
    drawn, path = user.topology, tmp_path / "lab.mn"
    user.document.path = path
    user.press_key("<Control-Key-s>")
    assert user.document.is_saved
    user.editor.files.new()
    assert user.topology == Topology()
    user.editor.files.open(path)
    assert user.topology == drawn == mn.load(path).topology
    assert "lab.mn" in user.editor.window.title()
    assert user.editor.settings.recent == (str(path),)


def test_problems_are_shown_and_a_click_leads_to_the_node(user: Any) -> None:
    nodes = (Host(name="h1", x=100, y=100), Router(name="all", x=4000, y=3000))
    link = Link(id="l1", a=End(node="h1"), b=End(node="all"))
    user.document.apply("Load", Topology(nodes=nodes, links=(link,)))
    user.wait(lambda: user.editor.problems.tree.get_children())
    tree = user.editor.problems.tree
    rows = {tree.item(row, "values")[1]: row for row in tree.get_children()}
    row = next(row for where, row in rows.items() if where.startswith("all"))
    assert "error" in tree.item(row, "values")[0]
    assert user.view._marks[Key("node", "all")] == "error"
    tree.selection_set(row)
    user.wait(lambda: user.selected() == {"all"})
    x, y = user.view.to_widget((4000, 3000))
    assert 0 < x < user.view.winfo_width()
    assert 0 < y < user.view.winfo_height()


def test_properties_are_filled_in_and_a_wrong_value_changes_nothing(user: Any) -> None:
    draw(user)
    user.click((300, 200))
    panel = user.editor.properties
    panel.inputs["name"].set("core")
    panel.flush()
    assert user.topology.node("core") is not None
    assert [(link.a.node, link.b.node) for link in user.topology.links] == [("h1", "core"), ("core", "h2")]
    assert user.selected() == {"core"}
    before = user.topology
    panel.inputs["name"].set("h1")
    panel.flush()
    assert user.topology == before
    user.click((200, 200))
    panel.inputs["a_to_b.rate_mbit"].set("12.5")
    panel.flush()
    assert user.topology.link("l1").a_to_b.rate_mbit == 12.5
    panel.inputs["a_to_b.rate_mbit"].set("fast")
    panel.flush()
    assert user.topology.link("l1").a_to_b.rate_mbit == 12.5


def test_what_was_typed_counts_when_the_user_clicks_elsewhere(user: Any) -> None:
    draw(user)
    user.click((300, 200))
    count = edits(user)
    user.editor.properties.inputs["label"].set("the core")
    user.click((100, 200))
    assert user.topology.node("r1").label == "the core"
    assert user.selected() == {"h1"}
    assert user.editor.properties.inputs["label"].get() == ""
    assert edits(user) == count + 1


def test_at_a_zoom_without_texts_everything_works_and_they_come_back(user: Any) -> None:
    draw(user)
    user.view.zoom_to(0.2)
    assert all(user.view.itemcget(item, "state") == "hidden" for item in user.view.find_withtag("text"))
    user.press_key("<Control-Key-a>")
    user.view.zoom_to(1)
    for plate in user.view.find_withtag("plate"):
        (text,) = user.view.find_above(plate)
        assert user.view.itemcget(text, "state") == "normal"
        assert user.view.bbox(text) == pytest.approx(user.view.coords(plate), abs=1)


def test_closing_asks_where_something_is_unsaved(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr import filing

    asked: list[str] = []
    answers = iter(["Cancel", "Discard"])
    question = lambda message, *_, **__: (asked.append(message), next(answers))[1]  # noqa: E731
    monkeypatch.setattr(filing.Messagebox, "show_question", question)
    draw(user)
    drawn = user.topology
    user.editor.files.new()
    assert user.topology == drawn  # cancelled
    user.editor.files.new()
    assert user.topology == Topology()
    user.editor.files.new()
    assert len(asked) == 2  # an empty drawing is no loss


def test_garbage_is_collected_in_the_windows_thread_only(user: Any) -> None:
    import gc

    assert not gc.isenabled()
    user.editor._collector.close()
    assert gc.isenabled()


def test_the_wheel_zooms_to_the_pointer(user: Any) -> None:
    draw(user)
    x, y = user.view.to_widget((300, 200))
    before = user.view.factor
    for _ in range(4):
        user.view.event_generate("<Button-4>", x=x, y=y, state=0x4)
    assert user.view.factor > before * 1.5
    assert user.view.to_widget((300, 200)) == pytest.approx((x, y), abs=4)
    at = user.view.coords(user.view._items[Key("link", "l1")][0])
    assert at == pytest.approx([100 * user.view.factor, 200 * user.view.factor, 300 * user.view.factor,
                                200 * user.view.factor], rel=0.01)  # fmt: skip


def test_what_is_drawn_zoomed_is_where_it_was_clicked(user: Any) -> None:
    draw(user)
    user.view.zoom_by(0.5)
    user.tool("s")
    user.click((220, 420))
    assert user.at("s1") == pytest.approx((220, 420), abs=2)


def test_find_selects_and_shows(user: Any) -> None:
    draw(user)
    user.document.apply("far", Topology(nodes=(*user.topology.nodes, Host(name="far", x=5000, y=5000))))
    user.press_key("<Control-Key-f>")
    user.editor.find_bar.wanted.set("fa")
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


def test_the_dark_theme_changes_colours_and_nothing_else(user: Any) -> None:
    draw(user)
    before, light = user.topology, user.view.cget("background")
    user.press_key("<F9>")
    assert user.view.cget("background") != light
    assert user.topology == before
    assert set(user.view._items) == user.view.scene.keys()


def test_the_start_page_shows_examples_and_one_opens(user: Any) -> None:
    page = user.editor._start
    assert len(page.cards) == 3
    page.cards[0].event_generate("<ButtonRelease-1>")
    user.editor.window.update()
    assert user.topology == mn.load(ROOT / "examples" / "two-as-bgp.mn").topology
    assert user.document.path is None  # saving must not write into the examples
    assert user.editor._start is None


def test_the_start_page_makes_room_for_who_has_chosen_a_tool(user: Any) -> None:
    user.tool("h")
    assert user.editor._start is None
    user.tool("v")
    assert user.editor._start is not None


def test_only_what_has_changed_is_drawn_again(user: Any) -> None:
    draw(user)
    user.view.select(())
    before = {key: list(items) for key, items in user.view._items.items()}
    topology = user.topology
    nodes = tuple(node.model_copy(update={"x": node.x + 9}) if node.name == "h2" else node for node in topology.nodes)
    user.document.apply("Move", topology.model_copy(update={"nodes": nodes}))
    changed = {key.name for key in before if before[key] != user.view._items[key]}
    assert changed == {"h2", "l2"}


def test_without_a_display_the_message_says_what_to_do(tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    argv = [sys.executable, "-m", "miniedit_frr", "edit"]
    done = subprocess.run(argv, env={**env, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3
    assert "display" in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_is_no_drawing_is_refused_before_a_window_opens(tmp_path: Path) -> None:
    path = tmp_path / "bad.mn"
    path.write_text("{")
    argv = [sys.executable, "-m", "miniedit_frr", "edit", str(path)]
    done = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_defect_is_told_and_the_editor_goes_on(user: Any, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise KeyError("oops")
    except KeyError as error:
        user.editor._unexpected(KeyError, error, error.__traceback__)
    assert "oops" in user.editor.log.text.get("1.0", "end")
    assert "Traceback" in capsys.readouterr().err


def test_an_end_from_outside_closes_the_window(display: str, tmp_path: Path) -> None:
    import signal
    import time

    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "miniedit_frr", "edit", str(ROOT / "examples" / "two-as-bgp.mn")]
    process = subprocess.Popen(argv, env=env, stderr=subprocess.PIPE)
    kept, end = tmp_path / "miniedit-frr" / "window.json", time.monotonic() + 30
    while not kept.exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert "two-as-bgp.mn" in kept.read_text()
