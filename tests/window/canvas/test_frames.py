"""The cost of a frame of the canvas, as the number of Tk calls and their words, and its unchanged appearance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import pytest
from PIL import Image

from frrlib.addressing.addressing import addressed
from frrlib.edits.arrange import shift
from frrlib.edits.changes import rename
from frrlib.model.annotations import Annotation
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture import icons
from frrlib.picture.labels import Labels
from frrlib.picture.scene import Key, Scene, SceneCache, scene_of
from frrlib.picture.theme import LIGHT
from miniedit_frr.canvas.batch import for_each
from miniedit_frr.canvas.shifts import shifts
from miniedit_frr.canvas.view import View
from miniedit_frr.document.document import Document
from tests.window.hands_on_window import User, editor_on
from tests.window.topologies import EVERY_KIND, THREE_ROUTERS

_ACROSS = 40
#: Maximum number of Tk calls in a frame, and of their words for an edit of one node with six links.
_CALLS, _WORDS = 150, 1500


def grid(nodes: int) -> Topology:
    """Nodes in rows, each joined to those at its right and below it; every other link is shaped."""
    grid_nodes = tuple(
        (Router if index % 3 else Host)(name=f"n{index}", x=index % _ACROSS * 110, y=index // _ACROSS * 110)
        for index in range(nodes)
    )
    pairs = [(index, index + 1) for index in range(nodes - 1) if (index + 1) % _ACROSS]
    pairs += [(index, index + _ACROSS) for index in range(nodes - _ACROSS)]
    links = tuple(
        Link(
            id=f"l{number}",
            a=End(node=f"n{a}"),
            b=End(node=f"n{b}"),
            a_to_b=Shape(rate_mbit=10 if number % 2 else None),
        )
        for number, (a, b) in enumerate(pairs)
    )
    return Topology(nodes=grid_nodes, links=links)


def _size(value: object) -> int:
    return sum(map(_size, value)) if isinstance(value, tuple | list) else 1


class CallCounter:
    """Tk, with a count of its calls and their words."""

    def __init__(self, tk: Any) -> None:
        self._tk, self.calls, self.words = tk, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tk, name)

    def call(self, *words: object) -> Any:
        self.calls += 1
        self.words += _size(words)
        return self._tk.call(*words)


@pytest.fixture(scope="module")
def at_the_grid(display: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    with editor_on(Document(), tmp_path_factory.mktemp("grid")) as editor:
        editor.document.begin("Draw", grid(1000))
        editor.view.fit()
        editor.window.update()
        yield User(editor)


@pytest.fixture(params=[0.2, 1.0], ids=["small", "large"])
def at_a_grid(at_the_grid: User, request: pytest.FixtureRequest) -> User:
    """A user of a topology with 1,000 nodes, one of them selected, at two zooms."""
    at_the_grid.view.zoom_to(request.param)
    at_the_grid.view.select({Key("node", "n500")})
    at_the_grid.editor.window.update()
    return at_the_grid


def count_calls(user: User, action: Callable[[], object]) -> CallCounter:
    """The canvas's calls of Tk while something is done and drawn."""
    view, tk = user.view, user.view.tk
    view.tk = counting = CallCounter(tk)
    try:
        action()
        user.editor.window.update()
    finally:
        view.tk = tk
    return counting


@pytest.mark.gui
@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param(lambda user: user.view.pan(7, 5), 50, id="pan"),
        pytest.param(lambda user: user.view.zoom_by(1.1), None, id="zoom"),
        pytest.param(lambda user: user.view.select(user.view.scene.keys()), None, id="select-all"),
        pytest.param(lambda user: user.view.select(()), _WORDS, id="select-nothing"),
        pytest.param(lambda user: user.view.highlight([Key("node", "n1"), Key("link", "l7")]), _WORDS, id="light"),
        pytest.param(lambda user: user.document.apply("x", shift(user.topology, ["n500"], 30, 10)), _WORDS, id="move"),
    ],
)
def test_a_frame_makes_few_tk_calls_in_a_large_topology(
    at_a_grid: User, action: Callable[[User], object], words: int | None
) -> None:
    counts = count_calls(at_a_grid, lambda: action(at_a_grid))
    assert 0 < counts.calls <= _CALLS
    assert words is None or counts.words <= words


@pytest.mark.gui
@pytest.mark.parametrize(
    "names", [pytest.param(["n500"], id="one"), pytest.param([f"n{number}" for number in range(1000)], id="all")]
)
def test_undo_makes_few_tk_calls(at_a_grid: User, names: list[str]) -> None:
    at_a_grid.document.apply("Move", shift(at_a_grid.topology, names, 30, 10))
    at_a_grid.editor.window.update()
    counts = count_calls(at_a_grid, at_a_grid.document.undo)
    assert 0 < counts.calls <= _CALLS
    assert counts.words <= _WORDS


def test_undo_reuses_sprites() -> None:
    topology, cache = grid(100), SceneCache()
    moved = shift(topology, [node.name for node in topology.nodes], 30, 10)
    first, _, again = (scene_of(step, cache=cache) for step in (topology, moved, topology))
    assert all(again.nodes[key] is first.nodes[key] for key in first.nodes)


def test_the_cache_drops_sprites_of_old_scenes() -> None:
    cache, drawing = SceneCache(), grid(10)
    names = [node.name for node in drawing.nodes]
    for step in range(20):
        scene_of(shift(drawing, names, step, 0), cache=cache)
    assert len(cache.nodes) <= 5 * len(names)


def test_an_edit_reuses_sprites_of_unchanged_things() -> None:
    cache, topology = SceneCache(), grid(100)
    old_scene, new_scene = (scene_of(step, cache=cache) for step in (topology, shift(topology, ["n50"], 5, 5)))
    assert old_scene.lines is new_scene.lines
    assert [key.name for key in old_scene.nodes if old_scene.nodes[key] is not new_scene.nodes[key]] == ["n50"]
    assert old_scene.places != new_scene.places


def edits() -> list[tuple[Topology, Labels, Topology | None]]:
    """A topology after each of several edits, with labels and addresses."""
    flows = (Flow(id="f1", source="h1", destination="h2"), Flow(id="f2", source="h2", destination="h1"))
    fill = tuple(
        annotation.model_copy(update={"fill": "yellow", "text": "An area"}) for annotation in THREE_ROUTERS.annotations
    )
    first = THREE_ROUTERS.model_copy(update={"flows": flows, "annotations": fill})
    full, names = Labels(interfaces=True, addresses=True), [node.name for node in first.nodes]
    shaped = first.links[0].model_copy(update={"a_to_b": Shape(rate_mbit=5)})
    twice = (*first.links, first.links[0].model_copy(update={"id": "l9"}))
    steps = [
        first,
        shift(first, ["r1"], 40, 25),
        shift(first, ["r1", "r2"], 40, 25),
        shift(first, names, 13.37, -7.01),
        shift(shift(first, names, 100, 100), ["h2"], 5, 0),
        rename(first, "r2", "core"),
        first.model_copy(update={"links": (shaped, *first.links[1:])}),
        first.model_copy(update={"links": twice}),
        first.model_copy(update={"links": first.links[1:]}),
        first.model_copy(update={"annotations": ()}),
        first.model_copy(update={"annotations": (Annotation(id="a3", x=80, y=150, width=80, height=90, fill="red"),)}),
        first.model_copy(update={"nodes": (*first.nodes, first.nodes[0].model_copy(update={"x": 20.0}))}),
        first,
    ]  # fmt: skip
    labeled_steps = [(topology, labels, None) for topology in steps for labels in (Labels(), full)]
    apart = [short(150), shift(short(150), ["r1", "r2"], 20, 20), short(152), short(400), short(150)]
    return [
        *labeled_steps,
        *((topology, full, addressed(topology)) for topology in (*steps[:4], EVERY_KIND, *apart, first)),
    ]


def short(px: float) -> Topology:
    """Two routers so far apart, on a shape, and a third; between those that are near the link's value interrupts it."""
    shape = Shape(rate_mbit=10, delay_ms=5)
    return Topology(
        nodes=(Router(name="r1"), Router(name="r2", x=px), Router(name="r3", y=300)),
        links=tuple(
            Link(id=name, a=End(node="r1"), b=End(node=neighbor), a_to_b=shape, b_to_a=shape)
            for name, neighbor in (("l1", "r2"), ("l2", "r3"))
        ),
        annotations=(Annotation(id="a1", x=75, y=0, width=300, height=100, fill="yellow" if px < 152 else "red"),),
    )


@pytest.mark.gui
def test_the_value_of_a_link_stays_above_its_background(at_the_grid: User) -> None:
    view, key = View(at_the_grid.editor.window), Key("link", "l1")
    view.show(scene_of(short(150), Labels(interfaces=True, addresses=True), addressed(short(150))))

    def is_behind() -> bool:
        text, plate = [item for item in view.items_of(key) if {"text", "plate"} & {*view.gettags(item)}][-2:]
        return (
            "plate" in view.gettags(plate)
            and view.find_above(plate) == (text,)
            and (view.coords(plate) == pytest.approx(view.bbox(text), abs=1))
        )

    assert is_behind()
    view.select({key})
    assert is_behind()
    view.zoom_to(1.5)
    assert is_behind()
    view.preview_move(frozenset({"r2"}), 0, 60)
    assert is_behind()
    view.preview_end()
    view.mark({})
    assert is_behind()
    view.destroy()


def test_a_cached_scene_equals_a_new_scene() -> None:
    cache = SceneCache()
    for topology, labels, addressed_topology in edits():
        assert scene_of(topology, labels, addressed_topology, cache) == scene_of(topology, labels, addressed_topology)


def looks_of(view: View) -> dict[Key, list[tuple[tuple[object, ...], list[float]]]]:
    """The visible properties of each thing, whatever items show it: its look, and its place."""
    options = ("fill", "outline", "width", "dash", "text", "anchor", "font")

    def look_of_item(item: int) -> tuple[tuple[object, ...], list[float]]:
        if view.itemcget(item, "state") == "hidden":
            return (view.type(item),), []
        item_options = view.itemconfigure(item) or {}
        values = [_plain(view.itemcget(item, name)) for name in options if name in item_options]
        return (view.type(item), *values, *_images(view, item)), view.coords(item)

    return {
        key: sorted(map(look_of_item, view.items_of(key)), key=lambda look: str(look[0])) for key in view.drawn_keys
    }


def differences(canvas: View, other_canvas: View) -> list[object]:
    """The differences in looks between two canvases."""
    left, right = looks_of(canvas), looks_of(other_canvas)
    assert left.keys() == right.keys()
    pairs = [(key, *both) for key in left for both in zip_longest(left[key], right[key], fillvalue=((), []))]
    return [(key, a, b) for key, a, b in pairs if a[0] != b[0] or a[1] != pytest.approx(b[1], abs=0.01)]


def _images(view: View, item: int) -> tuple[object, ...]:
    image_name = view.itemcget(item, "image") if view.type(item) == "image" else ""
    return tuple(stamp for stamp, image in view._images.items() if str(image) == image_name)


@pytest.mark.gui
def test_an_updated_canvas_looks_like_a_new_canvas(at_the_grid: User) -> None:
    """The same scene in two canvases: one was led there, the other shows nothing else."""
    window = at_the_grid.editor.window
    led = View(window, 1.0)
    everything: list[Callable[[Scene], set[Key] | frozenset[Key]]] = [
        lambda scene: scene.keys(), lambda scene: {Key("node", "r1"), Key("link", "l1")}, lambda scene: set(),
    ]  # fmt: skip
    for number, (topology, labels, addressed_topology) in enumerate(edits()):
        scene = scene_of(topology, labels, addressed_topology)
        led.show(scene)
        led.select(everything[number % 3](scene))
        path = [Key("link", "l2"), Key("flow", "f1")] if number % 2 else []
        path_back = [Key("node", "r3"), Key("link", "l3")]
        badges = {Key("node", "r2"): "error"} if number % 4 < 2 else {}
        states = {Key("link", "l3"): "down", Key("node", "r1"): "up"} if number % 5 < 3 else {}
        led.highlight(path, path_back)
        led.mark(badges)
        led.show_states(states)
        led.zoom_to((1.0, 0.3, 1.7, 0.8)[number % 4])
        fresh = View(window, led.ui, led.theme)
        fresh.zoom_to(led.zoom)
        fresh.show(scene)
        fresh.mark(badges)
        fresh.highlight(path, path_back)
        fresh.select(led.selection)
        fresh.show_states(states)
        assert differences(led, fresh) == []
        fresh.destroy()
    led.destroy()


def _plain(value: str) -> str:
    """Without the name that Tk gave to a font."""
    return value.rstrip("0123456789") if value.startswith("font") else value


def test_only_unchanged_looks_are_moved() -> None:
    three, offset = grid(3), (30.0, 10.0)
    scene = scene_of(three)
    assert shifts(scene, scene_of(shift(three, ["n1"], *offset)), {}, {}) == {Key("node", "n1"): offset}
    both = shifts(scene, scene_of(shift(three, ["n0", "n1"], *offset)), {}, {})
    assert both == {Key("node", "n0"): offset, Key("node", "n1"): offset, Key("link", "l0"): offset}
    assert shifts(scene, scene_of(rename(shift(three, ["n0", "n1"], *offset), "n1", "core")), {}, {}) == {
        Key("node", "n0"): offset
    }
    assert shifts(scene, scene_of(shift(three, ["n1"], 1e17, 0)), {}, {}) == {}


@pytest.mark.parametrize("name", icons.NAMES)
def test_an_icon_on_its_background_has_smooth_edges_and_no_half_transparent_pixel(name: str) -> None:
    soft, ground = icons.image(name, 40, "light"), LIGHT.canvas
    hard = icons.cut_out(soft, ground)
    assert {alpha for _, alpha in hard.getchannel("A").getcolors()} == {0, 255}  # type: ignore[union-attr,misc]
    assert any(0 < alpha < 255 for _, alpha in soft.getchannel("A").getcolors())  # type: ignore[union-attr,misc,operator]
    blended, composed = (Image.new("RGBA", soft.size, ground) for _ in range(2))
    blended.alpha_composite(soft)
    composed.alpha_composite(hard)
    places = [(x, y) for x in range(40) for y in range(40) if soft.getpixel((x, y))[3] >= 64]  # type: ignore[index]
    assert places
    assert all(blended.getpixel(at) == composed.getpixel(at) for at in places)


@pytest.mark.gui
def test_a_batch_runs_its_script_for_each_row_and_returns_the_results(at_the_grid: User) -> None:
    view = View(at_the_grid.editor.window)
    items = for_each(view, "x y", [(1, 2), (3, 4)], "$canvas create line 0 0 $x $y -fill $colour", colour="#123456")
    assert [view.coords(item) for item in items] == [[0, 0, 1, 2], [0, 0, 3, 4]]
    assert {view.itemcget(item, "fill") for item in items} == {"#123456"}
    assert for_each(view, "item", [], "error") == ()
    assert for_each(view, "text", [("[exit] $x {",)], "set text") == ("[exit] $x {",)
    view.destroy()
