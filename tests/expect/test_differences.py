"""Comparing answers with what is wanted of them, against an oracle that tries everything and knows no cleverness."""

from __future__ import annotations

import copy
import itertools
import json
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.expect.comparison import (
    ABSENT,
    ANY,
    Difference,
    differences,
    exact,
    from_topotest,
    ordered,
    path_text,
    text,
)

LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)


def is_subset(found: Any, wanted: Any) -> bool:
    """The oracle: lists by trying all choices of elements, in all orders."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and is_subset(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and any(
            all(map(is_subset, chosen, wanted)) for chosen in itertools.permutations(found, len(wanted))
        )
    return json.dumps(found) == json.dumps(wanted)  # in JSON true is not 1, and 1 not "1"


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """What is at a path; ABSENT for nothing."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError):
            return ABSENT
    return value


def every(said: list[Difference]) -> list[Difference]:
    """All differences, those of nearest elements included."""
    return [inner for each in said for inner in (each, *every(list(each.nearest)))]


@given(VALUES, VALUES)
def test_as_the_oracle_says(found: Any, wanted: Any) -> None:
    assert (differences(found, wanted) == []) == is_subset(found, wanted)


@given(st.data(), VALUES)
def test_a_part_of_a_value_is_found_in_it(data: st.DataObject, value: Any) -> None:
    def part(whole: Any) -> Any:
        if isinstance(whole, dict):
            return {key: part(inner) for key, inner in whole.items() if data.draw(st.booleans())}
        if isinstance(whole, list):
            return data.draw(st.permutations([part(each) for each in whole if data.draw(st.booleans())]))
        return whole

    assert differences(value, part(value)) == []


@given(VALUES, VALUES)
def test_exact_is_equality_of_json(found: Any, wanted: Any) -> None:
    same = json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    assert (differences(found, exact(wanted)) == []) == same


@given(VALUES, VALUES)
def test_a_path_leads_to_the_difference(found: Any, wanted: Any) -> None:
    for each in every(differences(found, wanted)):
        assert at(found, each.path) == each.actual or at(found, each.path) is each.actual
        assert str(each).startswith(path_text(each.path))


@given(VALUES, VALUES)
def test_comparison_changes_no_value(found: Any, wanted: Any) -> None:
    before = copy.deepcopy((found, wanted))
    differences(found, wanted)
    assert (found, wanted) == before


@given(st.lists(st.sampled_from([1, 2, {"x": 1}, {"x": 1, "y": 2}]), max_size=4), st.permutations(range(4)))
def test_ordered_is_by_position(found: list[Any], order: list[int]) -> None:
    shuffled = [found[index] for index in order if index < len(found)]
    same = len(found) == len(shuffled) and all(map(is_subset, found, shuffled))
    assert (differences(found, ordered(*shuffled)) == []) == same
    assert differences(found, shuffled) == []


def test_each_expected_element_needs_a_separate_element() -> None:
    # A search that gives the first that fits to each would give 1 to ANY, and nothing to the second.
    assert differences([1, 2], [ANY, 1]) == []
    assert differences([{"a": 1, "b": 2}, {"a": 1}], [{"a": 1}, {"b": 2}]) == []
    assert len(differences([1], [1, 1])) == 1
    assert len(differences([1], [ANY, ANY])) == 1


SUMMARY = {
    "as": 100,
    "peers": {"10.9.0.2": {"state": "Active", "pfxRcd": 0}, "10.9.1.2": {"state": "Established"}},
    "routes": [{"prefix": "10.0.0.0/8", "metric": 20}, {"prefix": "10.1.0.0/16", "metric": 30}],
}


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        pytest.param({"peers": {"10.9.0.2": {"state": "Established"}}},
                     """peers["10.9.0.2"].state: expected 'Established', found 'Active'""", id="leaf"),
        pytest.param(
            {"peers": {"10.9.0.3": ANY}},
            'peers["10.9.0.3"]: is missing, expected ANY; the keys are 10.9.0.2, 10.9.1.2',
            id="missing",
        ),
        pytest.param({"as": ABSENT}, "as: must be absent, found 100", id="absent"),
        pytest.param({"as": "100"}, "as: expected '100', found 100", id="another-kind"),
        pytest.param({"as": {}}, "as: expected an object, found 100", id="no-object"),
        pytest.param({"as": [100]}, "as: expected a list, found 100", id="no-list"),
        pytest.param({"as": re.compile("^1")}, "as: expected a match of '^1', found 100", id="pattern-of-a-number"),
        pytest.param({"as": str}, "as: expected str, found 100", id="class"),
        pytest.param({"as": lambda n: n > 100}, "as: a function returned false for 100", id="predicate"),
        pytest.param({"as": len}, "as: len failed for 100: TypeError: object of type 'int' has no len()", id="raises"),
        pytest.param({"routes": [{"prefix": "10.1.0.0/16", "metric": 20}]},
                     "routes: has no element {'prefix': '10.1.0.0/16', 'metric': 20}; the most similar one differs:\n"
                     "    routes[1].metric: expected 20, found 30", id="nearest"),
        pytest.param({"routes": [ANY, ANY, {"metric": 1}]},
                     "routes: has no element {'metric': 1} among the unmatched of 2", id="none-left"),
        pytest.param({"routes": ordered(ANY)},
                     "routes[1]: must be absent, found {'prefix': '10.1.0.0/16', 'metric': 30}", id="one-more"),
        pytest.param({"routes": ordered(ANY, ANY, 7)}, "routes[2]: is missing, expected 7", id="one-fewer"),
        pytest.param({"peers": exact({"10.9.0.2": ANY})},
                     """peers["10.9.1.2"]: must be absent, found {'state': 'Established'}""", id="exact"),
        pytest.param([], f"the answer: expected a list, found {SUMMARY}", id="whole"),
        pytest.param({"as": "x" * 201}, f"as: expected '{'x' * 199}..., found 100", id="shortened"),
    ],
)  # fmt: skip
def test_messages_of_differences(wanted: Any, said: str) -> None:
    (difference,) = differences(SUMMARY, wanted)
    assert str(difference) == said


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (1, 1.0), (1.5, float), (3, int), (True, bool), (None, ABSENT), ("Established", re.compile("stab")),
        (7, lambda n: n > 3), ({"a": None}, {"a": None, "b": ABSENT}), (math.nan, math.nan), ((1, 2), [2]),
        ({"a": "x  y"}, {"a": text(" x y\n")}), ({"a": [1, 2]}, exact({"a": ordered(1, ANY)})),
    ],
)  # fmt: skip
def test_matching_values(found: Any, wanted: Any) -> None:
    assert differences(found, wanted) == []


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (True, 1), (0, False), (True, int), ("1", 1), (None, 0), ({"a": None}, {"a": ABSENT}), ({}, {"a": None}),
        ({"a": "x  y"}, {"a": "x y"}), (5, ABSENT), ([1, 2], exact([2, 1])),
        ({"a": {"b": 1, "c": 2}}, exact({"a": {"b": 1}})),
    ],
)  # fmt: skip
def test_values_that_do_not_match(found: Any, wanted: Any) -> None:
    assert differences(found, wanted) != []


def test_white_space_of_a_text_does_not_count() -> None:
    printed = "O>* 10.0.0.0/8 [110/20]\r\n\n   via 10.9.0.2,   r1-eth0\n"
    assert differences(printed, "O>* 10.0.0.0/8 [110/20]\nvia 10.9.0.2, r1-eth0") == []
    (difference,) = differences(printed, "O>* 10.0.0.0/8 [110/20]\nvia 10.9.0.3, r1-eth0")
    assert str(difference).splitlines()[-2:] == ["    -via 10.9.0.3, r1-eth0", "    +via 10.9.0.2, r1-eth0"]
    assert differences("ab", "a b") != []  # blanks between words are shortened, not dropped
    assert differences(["ab"], text("ab")) != []


def test_the_notation_of_frrs_own_tests() -> None:
    wanted = from_topotest(json.loads('{"a": null, "b": "*", "c": ["__ordered__", {"d": null}, "*"], "e": [2]}'))
    assert wanted == {"a": ABSENT, "b": ANY, "c": ordered({"d": ABSENT}, ANY), "e": [2]}
    assert differences({"b": 1, "c": [{}, 5], "e": [1, 2]}, wanted) == []
    assert len(differences({"a": 1, "c": [{"d": 1}], "e": []}, wanted)) == 5
