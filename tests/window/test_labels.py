"""Problems are told in the words of the window: the labels of its forms, and advice in whole sentences."""

from __future__ import annotations

import pytest

from frrlib.model.check import check
from frrlib.model.problem import error
from miniedit_frr.dialogs.labels import advised, label_of, place_of
from miniedit_frr.dialogs.quantities import RATE_MBIT, TIME_MS, Wrong
from tests.window.drawings import EVERY_KIND


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("default_route", "Default route"), ("addresses", "Addresses"), ("tcp.pacing", "fq pacing"),
        ("ospf.dead_s", "OSPF, Dead interval"), ("bgp.neighbors[10.0.0.1].remote_as", "BGP, Neighbours"),
        ("a_to_b.queue_limit", "Queue limit (first to second end)"), ("frr_conf", "Lines of your own"),
        ("a.mac", "MAC address (first end)"), ("nobody_knows", "nobody_knows"), ("", ""),
    ],
)  # fmt: skip
def test_fields_are_called_as_in_their_forms(field: str, label: str) -> None:
    assert label_of(field) == label


def test_where_a_problem_is() -> None:
    assert place_of(error("x", "h1", "default_route", "is wrong")) == "h1, Default route"
    assert place_of(error("x", "h1", "", "is wrong")) == "h1"
    assert place_of(error("x", "", "", "is wrong")) == "drawing"


def test_no_problem_of_a_drawing_with_every_kind_shows_a_name_of_the_models() -> None:
    problems = check(EVERY_KIND)
    assert problems
    assert not [each for each in map(place_of, problems) if "_" in each]


@pytest.mark.parametrize(
    ("right", "said"),
    [("another address", "is taken; expected another address"), ("give rate_mbit too", "is taken; give rate_mbit too"),
     ("", "is taken")],
)  # fmt: skip
def test_advice_is_no_fragment(right: str, said: str) -> None:
    assert advised("is taken", right) == said


def test_a_wrong_unit_or_number_is_not_called_an_example() -> None:
    with pytest.raises(Wrong, match="'mbit' is not a unit here; expected a value such as 20 ms"):
        TIME_MS.read("20 mbit")
    with pytest.raises(Wrong, match="is not a number; expected one such as"):
        RATE_MBIT.read("fast")
