"""Notes and shapes without a window: hits, handles, texts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.picture.colors import ground, strong, text_on
from frrlib.picture.geometry import Box
from frrlib.picture.shapes import LEAST, handles, height_for, is_on_shape, resized, text_place
from frrlib.picture.text_sizes import LINE_STEP, size, wrapped
from frrlib.picture.theme import DARK, LIGHT
from miniedit_frr.canvas.grid import PITCH, align_point, nearest_crossing

BOX = Box(0, 0, 200, 100)
places = st.floats(-1000, 1000)


def monospaced(text: str, units: float) -> float:
    return len(text) * units / 2


@pytest.mark.parametrize(
    ("kind", "is_filled", "point", "expected"),
    [
        ("rectangle", True, (100, 50), True),
        ("rectangle", False, (100, 50), False),
        ("rectangle", False, (100, 3), True),
        ("rectangle", False, (100, -6), False),
        ("ellipse", True, (100, 50), True),
        ("ellipse", True, (8, 8), False),  # beside the curve
        ("ellipse", False, (100, 50), False),
        ("ellipse", False, (100, 98), True),
        ("note", True, (8, 8), True),
    ],
)
def test_a_point_hits_a_filled_shape_or_its_outline(
    kind: str, is_filled: bool, point: tuple[float, float], expected: bool
) -> None:
    assert is_on_shape(kind, BOX, is_filled, point, 5) is expected


@given(st.sampled_from(sorted(handles(BOX))), places, places)
def test_a_handle_moves_only_its_own_sides_and_never_flips_the_shape(sides: str, x: float, y: float) -> None:
    box = resized(BOX, sides, (x, y))
    assert box.right - box.left >= LEAST
    assert box.bottom - box.top >= LEAST
    for side, (was, now) in {
        "w": (BOX.left, box.left), "e": (BOX.right, box.right), "n": (BOX.top, box.top),
        "s": (BOX.bottom, box.bottom),
    }.items():  # fmt: skip
        assert side in sides or was == now


def test_eight_handles_are_on_the_edge() -> None:
    places_of_handles = handles(BOX)
    assert len(places_of_handles) == 8
    assert places_of_handles["nw"] == (0, 0) and places_of_handles["s"] == (100, 100)


@given(st.text(alphabet="ab \n", max_size=60), st.integers(10, 200))
def test_wrapping_keeps_every_word_and_breaks_only_if_necessary(text: str, width: int) -> None:
    lines = wrapped(text, width, 12, monospaced).split("\n")
    assert " ".join(lines).split() == text.split()
    for line in lines:
        assert monospaced(line, 12) <= width or " " not in line.strip(" ")


def test_a_text_is_as_wide_as_its_longest_line() -> None:
    assert size("ab\nabcd", 10, monospaced) == (20, 2 * 10 * LINE_STEP)


def test_a_note_is_as_high_as_its_text() -> None:
    heights = [height_for("word " * count, "note", BOX, monospaced) for count in (1, 20, 40)]
    assert all(a < b for a, b in itertools.pairwise(heights))


def test_the_text_of_a_shape_is_inside_it() -> None:
    for kind in ("note", "rectangle", "ellipse"):
        place = text_place(kind, BOX)
        assert BOX.contains(place.at)
        assert place.width < 200


@given(places, places)
def test_snapping_moves_a_point_by_half_the_pitch_at_most(x: float, y: float) -> None:
    at = nearest_crossing((x, y))
    assert all(value % PITCH == 0 for value in at)
    assert abs(at[0] - x) <= PITCH / 2 and abs(at[1] - y) <= PITCH / 2


def test_guides_align_with_the_nearest_row_and_column() -> None:
    other_nodes = [(100.0, 0.0), (103.0, 50.0), (0.0, 202.0)]
    assert align_point((102.0, 200.0), other_nodes, 5) == ((103.0, 202.0), (103.0, 202.0))
    assert align_point((110.0, 300.0), other_nodes, 5) == ((110.0, 300.0), (None, None))


def test_colors_have_a_shade_in_each_theme_and_custom_colors_are_unchanged() -> None:
    for shade in (ground, strong):
        assert shade("blue", LIGHT) != shade("blue", DARK)
        assert shade("#123456", LIGHT) == shade("#123456", DARK) == "#123456"
        assert shade("", LIGHT) == ""
    assert text_on("#ffffff", DARK) != text_on("#000000", DARK)


def test_a_note_is_found_by_its_text_and_drawn_in_previews() -> None:
    from frrlib.edits.annotations import annotate
    from frrlib.model.nodes import Host
    from frrlib.model.topology import Topology
    from frrlib.picture.scene import Key, scene_of
    from frrlib.picture.thumbnail import picture
    from miniedit_frr.panels.find import matches

    plain = Topology(nodes=(Host(name="h1"),))
    noted, _ = annotate(plain, "rectangle", -50, -50, 200, 100, "The Provider")
    assert matches(scene_of(noted), "provid") == [Key("annotation", "a1")]
    assert picture(noted, 100, 60, LIGHT).tobytes() != picture(plain, 100, 60, LIGHT).tobytes()
