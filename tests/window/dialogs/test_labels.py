"""Problems use the texts of the window: the labels of its forms, and advice in full sentences."""

from __future__ import annotations

import re

import pytest

from frrlib.checks.check import check
from frrlib.errors import LabFailed, TopologyError
from frrlib.model.labels import (
    _OTHERS,
    LABELS,
    error_words,
    label_of,
    link_title,
    place_of,
    place_words,
    remedy,
    sentences,
    with_remedy,
)
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import error
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.fields.quantities import RATE_MBIT, TIME_MS, InvalidQuantity
from miniedit_frr.dialogs.forms.flows import FLOW
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.parts import fields_of
from tests.window.topologies import EVERY_KIND


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("default_route", "Default route"), ("addresses", "Addresses"), ("tcp.pacing", "fq pacing"),
        ("ospf.dead_s", "OSPF, Dead interval"), ("bgp.neighbors[10.0.0.1].remote_as", "BGP, Neighbors"),
        ("a_to_b.queue_limit", "Queue limit"), ("frr_conf", "Lines of your own"),
        ("a.mac", "MAC address"), ("nobody_knows", "nobody_knows"), ("", ""),
    ],
)  # fmt: skip
def test_fields_have_the_labels_of_their_forms(field: str, label: str) -> None:
    assert label_of(field) == label


def test_the_place_of_a_problem_names_node_and_field() -> None:
    assert place_of(error("x", "h1", "default_route", "is wrong"), None) == "h1, Default route"
    assert place_of(error("x", "h1", "", "is wrong"), None) == "h1"
    assert place_of(error("x", "", "", "is wrong"), None) == "topology"


def _two_links(*further_links: Link) -> Topology:
    ends = Link(id="l1", a=End(node="r1"), b=End(node="r2"))
    return Topology(nodes=(Router(name="r1"), Router(name="r2"), Host(name="l1")), links=(ends, *further_links))


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("mtu_bytes", "r1 - r2, MTU"), ("", "r1 - r2"), ("b.mac", "r1 - r2, MAC address at r2"),
        ("a_to_b.rate_mbit", "r1 → r2, Rate"), ("b_to_a.queue_bdp", "r2 → r1, Queue limit"),
    ],
)  # fmt: skip
def test_links_are_called_by_their_ends(field: str, words: str) -> None:
    topology = _two_links().model_copy(update={"nodes": _two_links().nodes[:2]})
    assert place_words(topology, "l1", field) == words


def test_the_field_decides_between_a_node_and_a_link_of_the_same_name() -> None:
    assert place_words(_two_links(), "l1", "default_route") == "l1, Default route"
    assert place_words(_two_links(), "l1", "a_to_b.rate_mbit") == "r1 → r2, Rate"


def test_parallel_links_are_distinguished_by_their_ids() -> None:
    topology = _two_links(Link(id="l2", a=End(node="r2"), b=End(node="r1")))
    assert link_title(topology, topology.links[1]) == "r2 - r1 (l2)"
    assert place_words(topology, "l2", "a_to_b.rate_mbit") == "r2 → r1 (l2), Rate"


def test_a_table_has_the_labels_of_all_forms_and_no_others() -> None:
    labels: dict[str, str] = {}
    for tab in (tab for tabs in (*FORMS.values(), LINK, FLOW, PREFERENCES) for tab in tabs):
        for field in fields_of(tab.parts):
            label = field.label or tab.title
            label = f"{tab.title}, {label}" if tab.section == "Protocols" and label != tab.title else label
            for path in filter(None, (field.path, *field.covers)):
                name = path.removeprefix("node.")
                side, _, name_within_side = name.partition(".")
                labels.setdefault(name_within_side if side in ("a", "b", "a_to_b", "b_to_a") else name, label)
    # Labels of tables beside the forms take precedence.
    assert {name: label for name, label in labels.items() if name not in _OTHERS} == {
        name: label for name, label in LABELS.items() if name not in _OTHERS
    }


@pytest.mark.parametrize(
    ("advice", "sentence"),
    [("another address", "Expected another address"), ("such as 40 s", "Expected a value such as 40 s"),
     ("give a rate too", "Give a rate too"), ("did you mean h1?", "Did you mean h1?"),
     ("from 0 to 5 s", "Expected a value from 0 to 5 s"), ("", "")],
)  # fmt: skip
def test_a_remedy_is_a_sentence(advice: str, sentence: str) -> None:
    assert remedy(advice) == sentence
    full = sentence if sentence.endswith("?") else f"{sentence}."
    assert sentences("h1", "is taken", advice) == " ".join(["h1: is taken.", *([full] if sentence else [])])


def test_errors_name_their_place_with_the_labels_of_the_dialogs() -> None:
    topology = _two_links().model_copy(update={"nodes": _two_links().nodes[:2]})
    wrong = TopologyError("is too fast", node="l1", field="a_to_b.rate_mbit", remedy="at most 100", line=3)
    assert error_words(wrong, topology) == "line 3, r1 → r2, Rate: is too fast; expected at most 100"
    assert error_words(TopologyError("is no drawing")) == "is no drawing"
    assert error_words(LabFailed("r1 has died")) == "r1 has died"


def test_no_problem_shows_a_field_name_of_the_model() -> None:
    problems = check(EVERY_KIND)
    assert problems
    texts = [sentences(place_of(problem, EVERY_KIND), problem.message, problem.remedy) for problem in problems]
    assert not [text for text in texts if re.search(r"[a-z]_[a-z]|\b[ab]\.|\bl\d+\b", text)]


@pytest.mark.parametrize(
    ("advice", "sentence"),
    [("another address", "is taken; expected another address"), ("give a rate too", "is taken; give a rate too"),
     ("", "is taken")],
)  # fmt: skip
def test_advice_is_joined_to_the_reason(advice: str, sentence: str) -> None:
    assert with_remedy("is taken", advice) == sentence


def test_messages_about_units_and_numbers_name_an_example() -> None:
    with pytest.raises(InvalidQuantity, match="'mbit' is not a unit here; expected a value such as 20 ms"):
        TIME_MS.read("20 mbit")
    with pytest.raises(InvalidQuantity, match="is not a number; expected one such as"):
        RATE_MBIT.read("fast")
