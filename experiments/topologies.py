"""Experiments as drawings to look at, change and run: a case laid out, with its title and a descriptive note."""

from __future__ import annotations

import math

from experiments.catalogue import UnknownExperiment, suggestion
from experiments.declaration import Case, Experiment
from experiments.words import SETUP_WORDS, values_text
from frrlib.edits.annotations import TOOLS, fresh_ids
from frrlib.edits.layouts import left_to_right
from frrlib.model.annotations import Annotation
from frrlib.model.topology import Topology
from frrlib.picture.labels import Labels
from frrlib.picture.scene import scene_of

#: The note, in pixels: its least width, a letter of it, a line of it, and its distance from the item above.
_WIDE, _LETTER, _LINE, _GAP = 460.0, 6.6, 17.0, 10.0
_TITLE = 200


class UnknownCase(UnknownExperiment):
    """An experiment has no case of that name."""


def find_case(one: Experiment, name: str = "") -> Case:
    """A case of an experiment by its name; without one the first.

    Raises:
        UnknownCase: it has none of that name; the message says which it has.
    """
    cases = one.cases(False)
    names = [case.name for case in cases]
    if not name or name in names:
        return cases[names.index(name) if name else 0]
    raise UnknownCase(f"{one.name} has no case {name!r}; {suggestion(name, names)}")


def annotated_topology(one: Experiment, case: Case) -> Topology:
    """A case as a drawing that people can look at. A lab built from it is the same as from the case itself."""
    topology = lay_out_nodes(case.topology)
    title = f"{one.name}, {case.name}: {one.title}"[:_TITLE]
    return _with_note(topology.model_copy(update={"title": title}), case_note(one, case))


def lay_out_nodes(topology: Topology) -> Topology:
    """The drawing with a place for every node: those that it has, or from left to right where two share one."""
    places = {(node.x, node.y) for node in topology.nodes}
    return topology if len(places) == len(topology.nodes) else left_to_right(topology)


def case_note(one: Experiment, case: Case) -> str:
    """The description of a case, for a note on its drawing."""
    lines = [
        f"{one.name}: {one.title}",
        f"This case is {SETUP_WORDS[case.setup]}: {values_text(case.values)}".removesuffix(": "),
        f"Source: {one.source}",
        "Run it with Run > Run with Flows, and change any value. For all cases, figures and verdicts:"
        f" miniedit-frr experiment run {one.name}",
    ]
    return "\n".join(lines)


def _with_note(topology: Topology, text: str) -> Topology:
    """The drawing with a note below all that is drawn."""
    box = scene_of(topology, Labels()).bounds()
    assert box is not None, "an experiment has nodes"
    left, right = box.left, box.right
    width = max(_WIDE, right - left)
    lines = sum(math.ceil(len(line) * _LETTER / width) for line in text.split("\n"))
    fill, line = TOOLS["note"][1]
    note = Annotation(
        id=next(fresh_ids(topology)), x=(left + right - width) / 2, y=box.bottom + _GAP, width=width,
        height=lines * _LINE + _LINE, text=text, fill=fill, line=line,
    )  # fmt: skip
    return topology.model_copy(update={"annotations": (*topology.annotations, note)})
