"""Soft edges of slanting lines, as they are on the screen and as Tk holds them."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.edits.arrange import shift
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.canvas.soft_edges import MAX_LINES

pytestmark = pytest.mark.gui
LEVEL, SLANTING = Key("link", "level"), Key("link", "slanting")


def drawing(further_pairs: int = 0) -> Topology:
    """A level link, a slanting link, and a number of further pairs of hosts with a link each."""
    hosts = [Host(name="a", x=100, y=100), Host(name="b", x=300, y=100), Host(name="c", x=320, y=230)]
    links = [Link(id=name, a=End(node="a"), b=End(node=b)) for name, b in (("level", "b"), ("slanting", "c"))]
    for index in range(further_pairs):
        hosts += [Host(name=f"{side}{index}", x=100.0 + 10 * index, y=y) for side, y in (("t", 400), ("u", 500))]
        links.append(Link(id=f"m{index}", a=End(node=f"t{index}"), b=End(node=f"u{index}")))
    return Topology(nodes=tuple(hosts), links=tuple(links))


def edges(view: Any) -> list[int]:
    """The edges that are seen."""
    return [item for item in view.find_withtag("line-edge") if view.itemcget(item, "state") != "hidden"]


def line_of(view: Any, key: Key) -> int:
    """The item of a link's line."""
    (line,) = (item for item in view.find_withtag("line") if view.key_of_item(item) == key)
    return int(line)


def test_a_slanting_line_has_a_wider_edge_below_it_and_a_level_one_has_none(user: Any) -> None:
    user.document.apply("Draw", drawing())
    user.editor.window.update()
    view = user.editor.view
    (edge,) = edges(view)
    line = line_of(view, SLANTING)
    assert view.key_of_item(edge) == SLANTING
    assert view.coords(edge) == view.coords(line)
    assert float(view.itemcget(edge, "width")) > float(view.itemcget(line, "width"))
    below = view.find_all().index
    assert below(edge) < below(line_of(view, LEVEL))
    between = sorted(view.winfo_rgb(colour) for colour in (view.theme.canvas, view.theme.link))
    assert between[0] < view.winfo_rgb(view.itemcget(edge, "fill")) < between[1]


def test_a_soft_edge_follows_its_line(user: Any) -> None:
    user.document.apply("Draw", drawing())
    view = user.editor.view

    def is_along() -> bool:
        (edge,), line = edges(view), line_of(view, SLANTING)
        wider = float(view.itemcget(edge, "width")) > float(view.itemcget(line, "width"))
        return wider and view.coords(edge) == view.coords(line)

    view.zoom_by(1.5)
    assert is_along()
    view.preview_move(frozenset("c"), 40, 70)
    assert is_along()
    view.preview_end()
    view.select({SLANTING})
    assert is_along()
    view.emphasize(SLANTING)
    assert is_along()
    user.document.apply("Move", shift(user.document.topology, ["a", "b", "c"], 30, 60))
    assert is_along()
    view.highlight((), way_back={SLANTING})  # dashed
    assert not edges(view)
    view.highlight(())
    assert is_along()
    user.document.apply("Draw", Topology())
    assert not view.find_withtag("line-edge")


def test_a_large_topology_has_no_soft_edges(user: Any) -> None:
    view = user.editor.view
    user.document.apply("Draw", drawing(MAX_LINES - 2))
    assert len(edges(view)) == 1
    user.document.apply("Draw", drawing(MAX_LINES - 1))
    assert not edges(view)
    user.document.undo()
    assert len(edges(view)) == 1
