"""Experiments as topologies to view, change and run: a case with positions of nodes, a title and a descriptive note."""

from __future__ import annotations

import math

from frrlib.edits.annotations import TOOLS, fresh_ids
from frrlib.edits.layouts import left_to_right
from frrlib.model.annotations import Annotation
from frrlib.model.topology import Topology
from frrlib.picture.labels import Labels
from frrlib.picture.scene import scene_of
from miniedit_frr.experiments.catalogue import UnknownExperiment, suggestion
from miniedit_frr.experiments.declaration import Case, Experiment
from miniedit_frr.experiments.words import SETUP_WORDS, values_text

#: The note, in pixels: its least width, the width of a letter, the height of a line, and the gap above the note.
_WIDE, _LETTER, _LINE, _GAP = 460.0, 6.6, 17.0, 10.0
_TITLE = 200


class UnknownCase(UnknownExperiment):
    """The experiment has no case of this name."""


def find_case(experiment: Experiment, name: str = "") -> Case:
    """Return the case of this name, or the first case for an empty name.

    Raises:
        UnknownCase: the experiment has no case of this name; the message lists similar names.
    """
    cases = experiment.cases(False)
    names = [case.name for case in cases]
    if not name or name in names:
        return cases[names.index(name) if name else 0]
    raise UnknownCase(f"{experiment.name} has no case {name!r}; {suggestion(name, names)}")


def annotated_topology(experiment: Experiment, case: Case) -> Topology:
    """The topology of a case with positions, a title and a note. Its lab is the same as that of the case itself."""
    topology = lay_out_nodes(case.topology)
    title = f"{experiment.name}, {case.name}: {experiment.title}"[:_TITLE]
    return _with_note(topology.model_copy(update={"title": title}), case_note(experiment, case))


def lay_out_nodes(topology: Topology) -> Topology:
    """The topology with different positions of all nodes: its own, or from left to right if two nodes share one."""
    places = {(node.x, node.y) for node in topology.nodes}
    return topology if len(places) == len(topology.nodes) else left_to_right(topology)


def case_note(experiment: Experiment, case: Case) -> str:
    """The description of a case, for a note in its topology."""
    lines = [
        f"{experiment.name}: {experiment.title}",
        f"This case is {SETUP_WORDS[case.setup]}: {values_text(case.values)}".removesuffix(": "),
        f"Source: {experiment.source}",
        "Run it with Run > Run with Flows, and change any value. For all cases, figures and verdicts:"
        f" miniedit-frr experiment run {experiment.name}",
    ]
    return "\n".join(lines)


def _with_note(topology: Topology, text: str) -> Topology:
    """The topology with a note below everything else."""
    box = scene_of(topology, Labels()).bounds()
    assert box is not None, "an experiment has nodes"
    left_edge, right_edge = box.left, box.right
    width = max(_WIDE, right_edge - left_edge)
    lines = sum(math.ceil(len(line) * _LETTER / width) for line in text.split("\n"))
    fill, line = TOOLS["note"][1]
    note = Annotation(
        id=next(fresh_ids(topology)), x=(left_edge + right_edge - width) / 2, y=box.bottom + _GAP, width=width,
        height=lines * _LINE + _LINE, text=text, fill=fill, line=line,
    )  # fmt: skip
    return topology.model_copy(update={"annotations": (*topology.annotations, note)})
