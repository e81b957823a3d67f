"""JSON of the commands names the reason of a result as the library does."""

from __future__ import annotations

from frrlib.place.base import Abilities
from frrlib.verify.links import LinkCheck
from miniedit_frr.cli.verify import as_dict
from miniedit_frr.terminal.places import places_json


def test_a_place_and_a_check_of_a_link_have_a_reason() -> None:
    place = places_json([Abilities("root", False, "the user is not root", "use sudo")])["root"]
    assert (place["reason"], place["remedy"]) == ("the user is not root", "use sudo")
    check = as_dict(LinkCheck("l1", "a -> b", "rate", "Mbit/s", 10, 5, 9.95, 10.05, "the sender is too slow"))
    assert (check["reason"], check["is_true"]) == ("the sender is too slow", None)
