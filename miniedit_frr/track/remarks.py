"""The remarks of `check` on each entry of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.checks.subjects.faults import invalid_targets, unsuitable_times
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.labels import with_remedy
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

#: Problems that are computed here for each fault: of several with one target only one may have them.
_OF_ONE = ("no-target", "late", "outlasts")
Remark = tuple[str, str]


def remarks_of(topology: Topology, problems: Sequence[Problem]) -> dict[ScheduleKey, Remark]:
    """Entry to severity ("error" or "warning") and reason; entries without remarks are left out.

    Args:
        problems: what `check` has found in the drawing.
    """
    told = [each for each in problems if each.severity != Severity.NOTE]
    found: dict[ScheduleKey, Remark] = {}
    for index, flow in enumerate(topology.flows):
        names = {flow.id, *flow.result_ids}
        own = [each for each in told if each.node in names and not each.field.startswith("faults")
               and topology.node(each.node) is None and topology.link(each.node) is None]  # fmt: skip
        _note(
            found,
            ScheduleKey("flow", index),
            [(each.severity.value, with_remedy(each.why, each.right)) for each in own],
        )
    filled = with_names(topology) if topology.faults else topology
    others = [each for each in told if each.field.partition(".")[0] == "faults" and each.kind not in _OF_ONE]
    for index, fault in enumerate(topology.faults):
        _note(found, ScheduleKey("fault", index), [*_of_fault(topology, filled, fault),
              *((each.severity.value, with_remedy(each.why, each.right)) for each in others
                if each.node and each.node in (fault.node, fault.target))])  # fmt: skip
    return found


def _of_fault(topology: Topology, filled: Topology, fault: Fault) -> list[Remark]:
    names = [("error", with_remedy(why, right)) for _, why, right in invalid_targets(filled, fault)]
    return names + [
        (each.severity.value, with_remedy(each.why, each.right)) for each in unsuitable_times(topology, fault)
    ]


def _note(found: dict[ScheduleKey, Remark], key: ScheduleKey, said: list[Remark]) -> None:
    if said:
        severity = "error" if any(each == "error" for each, _ in said) else "warning"
        found[key] = severity, "\n".join(why for _, why in said)
