"""The problems of each entry of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.checks.subjects.faults import invalid_targets, unsuitable_times
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.labels import with_remedy
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

#: Kinds of problems that are computed here for each fault, since several faults can have the same target.
_OF_ONE = ("no-target", "late", "outlasts")
Remark = tuple[str, str]


def remarks_of(topology: Topology, problems: Sequence[Problem]) -> dict[ScheduleKey, Remark]:
    """The severity ("error" or "warning") and the reason of each entry with problems.

    Args:
        problems: the problems of the topology.
    """
    serious = [problem for problem in problems if problem.severity != Severity.NOTE]
    remarks: dict[ScheduleKey, Remark] = {}
    for index, flow in enumerate(topology.flows):
        names = {flow.id, *flow.result_ids}
        flow_problems = [
            problem for problem in serious
            if problem.node in names and not problem.field.startswith("faults")
            and _is_about_flow(problem, topology)
        ]  # fmt: skip
        _add_remark(remarks, ScheduleKey("flow", index), [_remark(problem) for problem in flow_problems])
    filled = with_names(topology) if topology.faults else topology
    fault_problems = [
        problem for problem in serious if problem.field.partition(".")[0] == "faults" and problem.kind not in _OF_ONE
    ]
    for index, fault in enumerate(topology.faults):
        matching = [
            problem for problem in fault_problems if problem.node and problem.node in (fault.node, fault.target)
        ]
        fault_remarks = [*_of_fault(topology, filled, fault), *map(_remark, matching)]
        _add_remark(remarks, ScheduleKey("fault", index), fault_remarks)
    return remarks


def _is_about_flow(problem: Problem, topology: Topology) -> bool:
    """Whether a problem with the name of a flow is about it. Without that, no node or link may have the name."""
    is_other = topology.node(problem.node) is not None or topology.link(problem.node) is not None
    return problem.about == "flow" or (not problem.about and not is_other)


def _remark(problem: Problem) -> Remark:
    return problem.severity.value, with_remedy(problem.message, problem.remedy)


def _of_fault(topology: Topology, filled: Topology, fault: Fault) -> list[Remark]:
    target_remarks = [("error", with_remedy(reason, remedy)) for _, reason, remedy in invalid_targets(filled, fault)]
    return target_remarks + [
        (problem.severity.value, with_remedy(problem.message, problem.remedy))
        for problem in unsuitable_times(topology, fault)
    ]


def _add_remark(remarks: dict[ScheduleKey, Remark], key: ScheduleKey, entry_remarks: list[Remark]) -> None:
    if entry_remarks:
        severity = "error" if any(name == "error" for name, _ in entry_remarks) else "warning"
        remarks[key] = severity, "\n".join(reason for _, reason in entry_remarks)
