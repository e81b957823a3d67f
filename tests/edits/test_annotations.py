"""Notes and shapes as values: rejected values, and the results of edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from pydantic import ValidationError

from frrlib.edits import annotations as annotating
from frrlib.edits import clipboard
from frrlib.edits.changes import delete
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.annotations import PALETTE, Annotation
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from tests.strategies.topologies import topologies

THREE = Topology(
    nodes=(Host(name="h1"), Host(name="h2")),
    annotations=tuple(
        Annotation(id=f"a{n}", x=10.0 * n, kind=kind)
        for n, kind in enumerate(("note", "rectangle", "ellipse"), start=1)
    ),
)


def ids(topology: Topology) -> list[str]:
    return [annotation.id for annotation in topology.annotations]


@pytest.mark.parametrize(
    "fields",
    [
        {"id": ""}, {"kind": "star"}, {"width": 0}, {"height": -1}, {"x": float("nan")}, {"width": float("inf")},
        {"fill": "pink"}, {"fill": "#12345"}, {"line": "#12345g"}, {"fill": "red\n"}, {"text": "x" * 10_001},
    ],
)  # fmt: skip
def test_annotations_reject_invalid_values(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Annotation.model_validate({"id": "a1", **fields})


@pytest.mark.parametrize("color", ["", *PALETTE, "#00aaFF"])
def test_valid_colors(color: str) -> None:
    assert Annotation(id="a1", fill=color, line=color).fill == color
    assert Host(name="h1", colour=color).colour == color


def test_a_new_annotation_is_on_top_and_has_the_next_id() -> None:
    after, name = annotating.annotate(THREE, "rectangle", 5, 6, 70, 80, "zone")
    assert name == "a4"
    assert ids(after) == ["a1", "a2", "a3", "a4"]
    new = after.annotation("a4")
    assert new is not None
    assert (new.x, new.y, new.width, new.height, new.text) == (5, 6, 70, 80, "zone")


def test_the_default_size_is_that_of_the_kind() -> None:
    after, name = annotating.annotate(Topology(), "note", 0, 0)
    new = after.annotation(name)
    assert new is not None
    assert (new.width, new.height) == annotating.TOOLS["note"][0]


def test_a_deleted_id_is_not_reused_while_a_later_one_exists() -> None:
    after = annotating.delete_annotations(THREE, ["a2"])
    assert ids(after) == ["a1", "a3"]
    assert annotating.annotate(after, "note", 0, 0)[1] == "a4"


def test_only_the_chosen_annotations_move() -> None:
    after = annotating.shift_annotations(THREE, ["a1", "a3"], 3, -4)
    assert [(annotation.x, annotation.y) for annotation in after.annotations] == [(13, -4), (20, 0), (33, -4)]


@pytest.mark.parametrize(("where", "order"), [("front", ["a2", "a1", "a3"]), ("back", ["a1", "a3", "a2"])])
def test_annotations_are_restacked_in_order(where: str, order: list[str]) -> None:
    assert ids(annotating.restack(THREE, ["a1", "a3"], where)) == order  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "edit",
    [
        lambda t: annotating.change(t, ["a9"], text="x"),
        lambda t: annotating.change(t, ["a1"], fill="pink"),
        lambda t: annotating.change(t, ["a1"], width=0),
        lambda t: annotating.shift_annotations(t, ["a1"], float("inf"), 0),
        lambda t: annotating.delete_annotations(t, ["h1"]),
        lambda t: annotating.restack(t, ["a9"], "front"),
        lambda t: annotating.replace_annotation(t, Annotation(id="a9")),
        lambda t: annotating.color_nodes(t, ["h9"], "red"),
        lambda t: annotating.color_nodes(t, ["h1"], "pink"),
        lambda t: annotating.annotate(t, "note", float("nan"), 0),
    ],
)
def test_edits_reject_invalid_values(edit: object) -> None:
    with pytest.raises(TopologyError):
        edit(THREE)  # type: ignore[operator]


def test_nodes_are_colored_and_get_their_own_color_back() -> None:
    red = annotating.color_nodes(THREE, ["h2"], "red")
    assert [node.colour for node in red.nodes] == ["", "red"]
    assert annotating.color_nodes(red, ["h1", "h2"], "") == THREE


def test_pasted_annotations_get_ids_of_their_own_and_keep_their_order() -> None:
    part = clipboard.copy(THREE, ["h1"], ["a3", "a1"])
    after, names = clipboard.paste(THREE, part, 7, 8)
    assert names == {"h1": "h3"}
    assert ids(after) == ["a1", "a2", "a3", "a4", "a5"]
    assert [(annotation.kind, annotation.x, annotation.y) for annotation in after.annotations[3:]] == [
        ("note", 17, 8),
        ("ellipse", 37, 8),
    ]


def test_deleting_nodes_leaves_annotations() -> None:
    assert ids(delete(THREE, ["h1", "h2"])) == ids(THREE)


@given(topologies())
def test_every_annotation_is_read_back_from_a_file(topology: Topology) -> None:
    assert mn.loads(mn.dumps(topology)).topology.annotations == topology.annotations
