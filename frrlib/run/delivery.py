"""Finds flows that delivered nothing although no planned fault explains it, and what the checks say about that."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from frrlib.checks.check import check
from frrlib.model.faults import Fault
from frrlib.model.problem import Severity
from frrlib.model.topology import Topology
from frrlib.wire.plan import FlowPlan


def undelivered_flows(
    flows: Sequence[FlowPlan],
    reports: Mapping[str, Mapping[str, Any]],
    faults: Sequence[Fault] = (),
    expected: Container[str] = (),
) -> list[str]:
    """A sentence for each flow that ended normally and delivered nothing.

    A planned fault of any kind explains it, if the fault begins before the flow's time is over.

    Args:
        flows: as planned.
        reports: flow to the report of its tool or of our sender, from the reply to `wire.RunFlows`. A flow without a
            report has failed in another way.
        faults: as planned.
        expected: ids of flows that are expected to deliver nothing, such as one that a firewall blocks.
    """
    first_s = min((fault.time_s for fault in faults), default=float("inf"))
    return [
        f"flow {flow.id} delivered nothing: no data of {flow.source} arrived at {flow.destination}"
        for flow in flows
        if flow.id not in expected
        and delivered_amount(reports.get(flow.id, {})) == 0
        and not first_s < (flow.start_s + flow.duration_s if flow.duration_s else float("inf"))
    ]


def delivered_amount(report: Mapping[str, Any]) -> float | None:
    """How much a flow delivered, by its report: bytes, answered pings, requests or page loads; None if unknown."""
    try:
        if "sum_received" in report.get("end", {}):
            return float(report["end"]["sum_received"]["bytes"])
        if "received" in report:
            return float(report["received"])
        for counter in ("requests", "loads"):
            if report.get(counter):
                return float(report[counter] - report["failed"])
    except (KeyError, TypeError, ValueError):
        pass
    return None


def explained_failure(topology: Topology, source: str, destination: str, failure: str) -> str:
    """A failure of the flows between two nodes, with the problem that the checks found there, if they found one."""
    ids = {flow.id for flow in topology.flows if (flow.source, flow.destination) == (source, destination)}
    for problem in check(topology):
        words = {problem.node} if problem.about == "flow" else set(problem.message.replace(",", " ").split())
        if problem.severity is not Severity.NOTE and ids & words:
            return f"{failure}. `miniedit-frr check` names the cause: {problem}"
    return failure
