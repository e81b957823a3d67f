"""Problems of files. The readers of files report them, not the rules of this room."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, links_fix
from frrlib.checks.kinds import CheckSubject
from frrlib.model.links import Link
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology

SUBJECT = CheckSubject()
UNREADABLE = SUBJECT.kind(
    "unreadable",
    "The file has a value that is not valid for its key.",
    "The value stays in the file unchanged and is not used.",
    "Set the value in its dialog.",
)
UNKNOWN_KEYS = SUBJECT.kind(
    "unknown-keys",
    "The file has keys that this program does not use.",
    "They are kept for the program that wrote them.",
    "No action is needed.",
)
MININET_OPTION = SUBJECT.kind(
    "mininet-option",
    "The topology was converted from a Mininet script, and an option of the script has no equivalent here.",
    "The option is left out, or the nearest setting is used. A lab may differ from Mininet in this.",
    "Compare the setting with the script, and change it if it matters to you.",
)
CONTAINERLAB_OPTION = SUBJECT.kind(
    "containerlab-option",
    "The topology was read from a file of containerlab, and a value of this file has no equivalent here.",
    "The value is left out, or a command runs when the lab starts. A lab may differ from containerlab in this.",
    "Compare the value with the file, and change the topology if it matters to you.",
)
CORE_OPTION = SUBJECT.kind(
    "core-option",
    "The topology was read from a scenario of CORE, and a value or service in it has no equivalent here.",
    "It is left out, or a command runs when the lab starts. A lab may differ from CORE in this.",
    "Compare the value with the scenario, and change the topology if it matters to you.",
)
GNS3_OPTION = SUBJECT.kind(
    "gns3-option",
    "The topology was read from a project of GNS3, and a node or value in it has no equivalent here.",
    "A node with another system is a host without settings; a value is left out, or a command runs when the lab "
    "starts. A lab may differ from GNS3 in this.",
    "Compare the node with the project, and change the topology if it matters to you.",
)
KATHARA_OPTION = SUBJECT.kind(
    "kathara-option",
    "The topology was read from a lab of Kathara, and a part of its files has no equivalent here.",
    "The part is left out, or a command runs when the lab starts. A lab may differ from Kathara in this.",
    "Compare it with the file, and change the topology if it matters to you.",
)
GRAPHML_VALUE = SUBJECT.kind(
    "graphml-value",
    "The topology was read from a GraphML file, which describes a graph and no lab.",
    "Values without an equivalent are left out, and values that a lab needs, such as routing, are chosen.",
    "Compare the values with the file, and change the topology if they matter to you.",
)
DOUBLE_KEY = SUBJECT.kind(
    "double-key",
    "An object of the file has the same key twice.",
    "The last value is used.",
    "Delete one of them.",
)
LEFT_OVER = SUBJECT.kind(
    "left-over",
    "The file has settings of a node or link that is no longer in it.",
    "Another program has changed the file. These settings are dropped.",
    "No action is needed, unless you want to set them again.",
)
NO_PREFIX = SUBJECT.kind(
    "no-prefix",
    "An address in the file has no prefix length.",
    "The prefix length of the network in the preferences is used, as in MiniEdit.",
    "Add a prefix length, such as /24.",
)
NO_UNIT = SUBJECT.kind(
    "no-unit",
    "A delay or jitter in the file has no unit.",
    "`tc` reads a bare number as microseconds. Many people who write `10` mean milliseconds.",
    "Check the value in the dialog of the link, and correct it if milliseconds are meant.",
)
#: The proposed value in the remedy of a delay without a unit.
_PROPOSED = re.compile(r'"([0-9.]+(?:e[+-]?[0-9]+)?)ms"')


def fix_of(topology: Topology, problem: Problem) -> Fix | None:
    """The fix of a delay without a unit: its number as milliseconds, in the directions that still have the value read.

    None for any other problem, and if the delay was changed since.
    """
    match = _PROPOSED.search(problem.remedy) if problem.kind == NO_UNIT.name else None
    if match is None:
        return None
    field, proposed_ms = f"{problem.field}_ms", float(match[1])

    def change(link: Link) -> Link:
        shapes = {
            side: getattr(link, side).model_copy(update={field: proposed_ms})
            for side in ("a_to_b", "b_to_a")
            if math.isclose(getattr(getattr(link, side), field), proposed_ms / 1000)
        }
        return link.model_copy(update=shapes)

    label = f"set the {problem.field} to {proposed_ms:g} ms at {problem.node}"
    return links_fix(label, topology, problem.node, change)


@SUBJECT.fix(NO_UNIT)
def _fix_unit(facts: Facts, problem: Problem) -> Fix | None:
    return fix_of(facts.topology, problem)


def remaining(topology: Topology, warnings: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems of a file that still apply: a delay without a unit no longer does when its value was changed."""
    return tuple(warning for warning in warnings if warning.kind != NO_UNIT.name or fix_of(topology, warning))


MANY_WARNINGS = SUBJECT.kind(
    "many-warnings",
    "The file has more warnings than are listed.",
    "Only the first ones are shown to keep the list readable.",
    "Fix the listed ones first. The others often have the same cause.",
)
