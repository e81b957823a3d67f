"""Sentences about changes of a running lab, each compared with one that was written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from frrlib.changes.comparison import Change
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Ospf
from miniedit_frr.running_lab import change_words as words


def change(text: str, refusal: str = "", lines: tuple[str, ...] = ()) -> Change:
    """A change from its action, its subject and its name: "add node r6"."""
    action, subject, *name = text.split()
    values: dict[str, Any] = {"action": action, "subject": subject, "name": name[0] if name else "", "text": text}
    return Change(**values, refusal=refusal, lines=lines)


def title(link: str) -> str:
    return f"a to b ({link})"


SENTENCES = [
    (["add node r6", "add link l1", "add link l2"], "Added r6 and 2 links to the running lab.", 3),
    (["remove link l1"], "Removed the link a to b (l1) from the running lab.", 1),
    (["remake node r3", "remake link l1"], "Made r3 and the link a to b (l1) anew in the running lab.", 2),
    (
        ["change node r1", "change configuration r1", "add configuration r1", "remove configuration r2"],
        "Changed r1 and r2 in the running lab.",
        2,
    ),
    (["add node a", "add node b", "add node c", "add node d"], "Added 4 nodes to the running lab.", 4),
    (
        ["change node r1", "remove node h2", "add node r6", "add node h7", "add link l1"],
        "Added r6, h7 and the link a to b (l1) to the running lab; removed h2; changed r1.",
        5,
    ),
    (["change flows", "change faults"], "Changed flows and planned faults in the running lab.", 2),
    (["remake node r1", "change node r1", "change configuration r1"], "Made r1 anew in the running lab.", 1),
    ([], "The running lab is as drawn.", 0),
]


@pytest.mark.parametrize(("changes", "sentence", "number"), SENTENCES)
def test_a_line_says_what_was_done(changes: list[str], sentence: str, number: int) -> None:
    made = [change(text) for text in changes]
    assert words.applied_text(made, title) == sentence
    assert words.count_changes(made) == number


def test_changes_that_wait_are_counted_and_named() -> None:
    two = [change("add node r6"), change("remove link l1")]
    assert words.pending_text(two, title) == (
        "2 changes are not in the running lab: added r6; removed the link a to b (l1)."
    )
    assert words.pending_text(two[:1], title) == "One change is not in the running lab: added r6."


def test_refused_changes_have_their_reason_and_are_counted() -> None:
    refused = [change("add node s1", "it has no switches"), change("add link l1", "it has none"), change("add link l2")]
    assert words.refused_text(refused[:1]) == (
        "The running lab cannot follow this: add node s1. Reason: it has no switches."
    )
    assert words.refused_text(refused[:2]).endswith("It cannot follow one change more.")


def test_details_have_signs_reasons_and_lines() -> None:
    changes = [change("add node s1", "it has no switches"), change("change configuration r1", lines=("+ a", "- b"))]
    assert words.detail_lines(changes).splitlines() == [
        "+ add node s1: cannot be followed, because it has no switches", "~ change configuration r1", "    + a",
        "    - b",
    ]  # fmt: skip
    interrupting = replace(changes[1], interruptions=("BGP between r1 and r2 is interrupted",))
    assert words.detail_lines([interrupting]).splitlines()[-1] == "    ! BGP between r1 and r2 is interrupted"


def _drawing(cost: int | None = None, **more: Any) -> Topology:
    net = Network("pair")
    net.router("r1", ospf=Ospf(reference_mbit=cost) if cost else Ospf(), **more)
    net.router("r2", ospf=Ospf())
    return net.topology


def test_nodes_that_only_follow_other_changes_are_not_named() -> None:
    changes = [change("add link l1"), change("change configuration r1"), change("change configuration r2")]
    edited = words.main_changes(changes, _drawing(), _drawing(cost=1000))
    assert [item.name for item in edited] == ["l1", "r1"]
    assert [item.name for item in words.main_changes(changes, _drawing(), _drawing())] == ["l1"]
    assert words.main_changes(changes[1:], _drawing(), _drawing()) == tuple(changes[1:]), "something must be named"
