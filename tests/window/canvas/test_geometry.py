"""Plane geometry of scenes: arcs, distances, places of texts."""

from __future__ import annotations

from math import hypot, isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frrlib.picture.geometry import Box, arc, beside, distance, lanes, length

coordinate = st.floats(-2000, 2000)
point = st.tuples(coordinate, coordinate)


@pytest.mark.parametrize("count", range(1, 7))
def test_parallel_links_bow_out_differently_and_evenly(count: int) -> None:
    bows = lanes(count)
    assert len(set(bows)) == count
    assert sum(bows) == pytest.approx(0)


def test_a_single_link_is_straight() -> None:
    assert arc((0, 0), (100, 0), *lanes(1)) == ((0, 0), (100, 0))


@given(point, point, st.floats(-80, 80).filter(lambda bow: abs(bow) > 1))
def test_an_arc_ends_at_its_nodes_and_its_summit_has_the_given_distance(
    a: tuple[float, float], b: tuple[float, float], bow: float
) -> None:
    assume(hypot(b[0] - a[0], b[1] - a[1]) > 1)
    path = arc(a, b, bow)
    assert path[0] == pytest.approx(a)
    assert path[-1] == pytest.approx(b)
    assert max(distance(corner, (a, b)) for corner in path) == pytest.approx(abs(bow), rel=1e-6)


def test_arcs_of_opposite_bows_lie_on_opposite_sides() -> None:
    up, down = (arc((0, 0), (100, 0), bow) for bow in (20, -20))
    assert all(y <= 0 for _, y in up)
    assert all(y >= 0 for _, y in down)


def test_a_link_to_the_same_node_has_a_path_with_a_length() -> None:
    path = arc((5, 5), (5, 5), 0)
    assert length(path) > 20
    assert hypot(path[0][0] - path[-1][0], path[0][1] - path[-1][1]) < 1e-9


@pytest.mark.parametrize(
    ("at", "expected"),
    [((50, 7), 7), ((-3, 4), 5), ((103, -4), 5), ((100, 0), 0)],
    ids=["aside", "before", "behind", "on"],
)
def test_the_distance_to_a_segment_is_exact(at: tuple[float, float], expected: float) -> None:
    assert distance(at, ((0, 0), (100, 0))) == pytest.approx(expected)


@pytest.mark.parametrize("path", [((0, 0), (100, 0)), ((100, 0), (0, 0))], ids=["right", "left"])
def test_a_text_above_a_level_line_has_its_bottom_at_the_line(path: tuple[tuple[float, float], ...]) -> None:
    (_, y), anchor = beside(path, 50, 3)
    assert (y, anchor) == (-3, "s")
    (_, y), anchor = beside(path, 50, -3)
    assert (y, anchor) == (3, "n")


def test_a_distance_beyond_the_path_gives_its_end() -> None:
    at, _ = beside(((0, 0), (10, 0), (10, 10)), 99, 0)
    assert at == pytest.approx((10, 10))


def test_a_box_contains_its_points() -> None:
    box = Box.around([(1, 5), (4, 2)])
    assert box == Box(1, 2, 4, 5)
    assert Box.around([]) is None
    assert box.contains((1, 2))
    assert not box.contains((0.9, 2))
    assert isclose(box.grown(1).center[0], box.center[0])
