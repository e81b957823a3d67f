"""Comparison of values with expected ones, checked by an oracle that tries all combinations."""

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


def is_subset(value: Any, pattern: Any) -> bool:
    """The oracle: for lists it tries all choices of elements, in all orders."""
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(key in value and is_subset(value[key], pattern[key]) for key in pattern)
    if isinstance(pattern, list):
        return isinstance(value, list) and any(
            all(map(is_subset, chosen, pattern)) for chosen in itertools.permutations(value, len(pattern))
        )
    return json.dumps(value) == json.dumps(pattern)  # in JSON true is not 1, and 1 not "1"


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path, or ABSENT."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError):
            return ABSENT
    return value


def with_nearest(top_level: list[Difference]) -> list[Difference]:
    """All differences, with those of the nearest elements."""
    return [inner for difference in top_level for inner in (difference, *with_nearest(list(difference.nearest)))]


@given(VALUES, VALUES)
def test_the_result_equals_that_of_the_oracle(value: Any, pattern: Any) -> None:
    assert (differences(value, pattern) == []) == is_subset(value, pattern)


@given(st.data(), VALUES)
def test_a_part_of_a_value_is_found_in_it(data: st.DataObject, value: Any) -> None:
    def part(whole: Any) -> Any:
        if isinstance(whole, dict):
            return {key: part(inner) for key, inner in whole.items() if data.draw(st.booleans())}
        if isinstance(whole, list):
            return data.draw(st.permutations([part(element) for element in whole if data.draw(st.booleans())]))
        return whole

    assert differences(value, part(value)) == []


@given(VALUES, VALUES)
def test_exact_is_equality_of_json(value: Any, other: Any) -> None:
    same = json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (differences(value, exact(other)) == []) == same


@given(VALUES, VALUES)
def test_a_path_leads_to_the_difference(value: Any, pattern: Any) -> None:
    for difference in with_nearest(differences(value, pattern)):
        assert at(value, difference.path) == difference.actual or at(value, difference.path) is difference.actual
        assert str(difference).startswith(path_text(difference.path))


@given(VALUES, VALUES)
def test_comparison_changes_no_value(value: Any, pattern: Any) -> None:
    originals = copy.deepcopy((value, pattern))
    differences(value, pattern)
    assert (value, pattern) == originals


@given(st.lists(st.sampled_from([1, 2, {"x": 1}, {"x": 1, "y": 2}]), max_size=4), st.permutations(range(4)))
def test_ordered_is_by_position(elements: list[Any], order: list[int]) -> None:
    shuffled = [elements[index] for index in order if index < len(elements)]
    same = len(elements) == len(shuffled) and all(map(is_subset, elements, shuffled))
    assert (differences(elements, ordered(*shuffled)) == []) == same
    assert differences(elements, shuffled) == []


def test_each_expected_element_needs_a_separate_element() -> None:
    # A search that assigns the first matching element would assign 1 to ANY, and none to the second pattern.
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
    ("pattern", "message"),
    [
        pytest.param({"peers": {"10.9.0.2": {"state": "Established"}}},
                     """peers["10.9.0.2"].state: wanted 'Established', found 'Active'""", id="leaf"),
        pytest.param(
            {"peers": {"10.9.0.3": ANY}},
            'peers["10.9.0.3"]: is missing, wanted ANY; there is 10.9.0.2, 10.9.1.2',
            id="missing",
        ),
        pytest.param({"as": ABSENT}, "as: should not be there, found 100", id="absent"),
        pytest.param({"as": "100"}, "as: wanted '100', found 100", id="another-kind"),
        pytest.param({"as": {}}, "as: wanted an object, found 100", id="no-object"),
        pytest.param({"as": [100]}, "as: wanted a list, found 100", id="no-list"),
        pytest.param({"as": re.compile("^1")}, "as: wanted a match of '^1', found 100", id="pattern-of-a-number"),
        pytest.param({"as": str}, "as: wanted str, found 100", id="class"),
        pytest.param({"as": lambda n: n > 100}, "as: a function says no to 100", id="predicate"),
        pytest.param({"as": len}, "as: len cannot take 100: TypeError: object of type 'int' has no len()", id="raises"),
        pytest.param({"routes": [{"prefix": "10.1.0.0/16", "metric": 20}]},
                     "routes: has no element {'prefix': '10.1.0.0/16', 'metric': 20}; the most similar one differs:\n"
                     "    routes[1].metric: wanted 20, found 30", id="nearest"),
        pytest.param({"routes": [ANY, ANY, {"metric": 1}]},
                     "routes: has no element {'metric': 1} that is left among 2", id="none-left"),
        pytest.param({"routes": ordered(ANY)},
                     "routes[1]: should not be there, found {'prefix': '10.1.0.0/16', 'metric': 30}", id="one-more"),
        pytest.param({"routes": ordered(ANY, ANY, 7)}, "routes[2]: is missing, wanted 7", id="one-fewer"),
        pytest.param({"peers": exact({"10.9.0.2": ANY})},
                     """peers["10.9.1.2"]: should not be there, found {'state': 'Established'}""", id="exact"),
        pytest.param([], f"the answer: wanted a list, found {SUMMARY}", id="whole"),
        pytest.param({"as": "x" * 201}, f"as: wanted '{'x' * 199}..., found 100", id="shortened"),
    ],
)  # fmt: skip
def test_messages_of_differences(pattern: Any, message: str) -> None:
    (difference,) = differences(SUMMARY, pattern)
    assert str(difference) == message


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (1, 1.0), (1.5, float), (3, int), (True, bool), (None, ABSENT), ("Established", re.compile("stab")),
        (7, lambda n: n > 3), ({"a": None}, {"a": None, "b": ABSENT}), (math.nan, math.nan), ((1, 2), [2]),
        ({"a": "x  y"}, {"a": text(" x y\n")}), ({"a": [1, 2]}, exact({"a": ordered(1, ANY)})),
    ],
)  # fmt: skip
def test_matching_values(value: Any, pattern: Any) -> None:
    assert differences(value, pattern) == []


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (True, 1), (0, False), (True, int), ("1", 1), (None, 0), ({"a": None}, {"a": ABSENT}), ({}, {"a": None}),
        ({"a": "x  y"}, {"a": "x y"}), (5, ABSENT), ([1, 2], exact([2, 1])),
        ({"a": {"b": 1, "c": 2}}, exact({"a": {"b": 1}})),
    ],
)  # fmt: skip
def test_values_that_do_not_match(value: Any, pattern: Any) -> None:
    assert differences(value, pattern) != []


def test_white_space_of_a_text_does_not_count() -> None:
    printed = "O>* 10.0.0.0/8 [110/20]\r\n\n   via 10.9.0.2,   r1-eth0\n"
    assert differences(printed, "O>* 10.0.0.0/8 [110/20]\nvia 10.9.0.2, r1-eth0") == []
    (difference,) = differences(printed, "O>* 10.0.0.0/8 [110/20]\nvia 10.9.0.3, r1-eth0")
    assert str(difference).splitlines()[-2:] == ["    -via 10.9.0.3, r1-eth0", "    +via 10.9.0.2, r1-eth0"]
    assert differences("ab", "a b") != []  # blanks between words are shortened, not dropped
    assert differences(["ab"], text("ab")) != []


def test_the_notation_of_frrs_own_tests() -> None:
    pattern = from_topotest(json.loads('{"a": null, "b": "*", "c": ["__ordered__", {"d": null}, "*"], "e": [2]}'))
    assert pattern == {"a": ABSENT, "b": ANY, "c": ordered({"d": ABSENT}, ANY), "e": [2]}
    assert differences({"b": 1, "c": [{}, 5], "e": [1, 2]}, pattern) == []
    assert len(differences({"a": 1, "c": [{"d": 1}], "e": []}, pattern)) == 5
