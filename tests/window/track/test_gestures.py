"""Presses anywhere on the track, without a window: whatever is dragged, the plan stays valid and undo takes it back."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.edits.schedule import ScheduleEdit, ScheduleKey
from frrlib.model.topology import Topology
from frrlib.picture.geometry import Box
from miniedit_frr.document.document import Document
from miniedit_frr.tools.base import Pointer
from miniedit_frr.track import gestures
from miniedit_frr.track.builder import build_scene
from miniedit_frr.track.layout import Layout, fitted, layout_of
from tests.example_counts import examples
from tests.strategies.topologies import topologies


class Bench:
    """A track that nobody sees."""

    def __init__(self, topology: Topology, width: float, selected: Collection[ScheduleKey]) -> None:
        self.document = Document(topology)
        self.selection = frozenset(selected) & build_scene(topology).keys()
        scene = build_scene(topology)
        self.layout: Layout = layout_of(scene, fitted(width, scene.until_s, 1.0))
        self.previews: list[Topology] = []

    def select(self, selected: Collection[ScheduleKey]) -> None:
        self.selection = frozenset(selected)

    def preview(self, topology: Topology, selected: Collection[ScheduleKey], words: str) -> None:
        assert words
        assert frozenset(selected) <= build_scene(topology).keys()
        self.previews.append(topology)

    def preview_frame(self, frame: Box) -> None:
        pass

    def end_preview(self) -> None:
        pass

    def apply(self, label: str, change: ScheduleEdit) -> None:
        self.document.apply(label, change.topology)
        self.selection = frozenset(change.now[key] for key in self.selection if key in change.now)


shares = st.floats(0, 1)
entries = st.sets(st.builds(ScheduleKey, st.sampled_from(["flow", "fault"]), st.integers(0, 3)))


def _pixel_of_entry(bench: Bench, number: int, part: int) -> tuple[float, float] | None:
    """A pixel of some entry: its middle, its end, a level."""
    places = [(entry, band) for band in bench.layout.bands for entry in band.row.entries]
    if not places:
        return None
    entry, band = places[number % len(places)]
    box = bench.layout.box(entry, band)
    ys = [(box.top + box.bottom) / 2, *(bench.layout.y_of(band, value) for value in entry.levels.values())]
    xs = [(box.left + box.right) / 2, box.right, bench.layout.axis.x_of(entry.from_s + entry.period_s)]
    return xs[part % 3], ys[part % len(ys)]


@settings(max_examples=examples(50))
@given(
    topologies(), st.floats(300, 5000), entries, st.integers(0, 20), st.integers(0, 8),
    st.lists(st.tuples(st.floats(-6000, 6000), st.floats(-300, 300)), min_size=1, max_size=3),
    st.tuples(*[st.booleans()] * 4),
)  # fmt: skip
def test_any_drag_keeps_the_plan_valid_and_undo_reverts_it(
    topology: Topology, width: float, selected: set[ScheduleKey], number: int, part: int,
    moves: list[tuple[float, float]], flags: tuple[bool, bool, bool, bool],
) -> None:  # fmt: skip
    bench = Bench(topology, width, selected)
    at = _pixel_of_entry(bench, number, part)
    if at is None:
        return
    shift, control, free, cancels = flags
    gesture = gestures.begin(bench, Pointer(at, shift))  # type: ignore[arg-type]
    if gesture is None:
        assert shift and bench.document.topology == topology
        return
    last = Pointer(at)
    for dx, dy in moves:
        last = Pointer((at[0] + dx, at[1] + dy), False, control, free)
        gesture.move(last)
    assert bench.document.topology == topology, "until it ends a drag changes nothing"
    if cancels:
        gesture.cancel()
        assert bench.document.topology == topology
        return
    gesture.finish(last)
    dragged = bench.document.topology
    assert Topology.model_validate(dragged.model_dump()) == dragged
    assert bench.selection <= build_scene(dragged).keys()
    if bench.previews and isinstance(gesture, gestures.Drag):
        assert dragged == bench.previews[-1], "what was shown last is what it is"
    assert bench.document.undo() == (dragged != topology)
    assert bench.document.topology == topology
