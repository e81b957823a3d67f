"""Finds flows that delivered nothing although nothing that was planned explains it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from frrlib.model.faults import Fault
from frrlib.wire.plan import FlowPlan


def undelivered_flows(
    flows: Sequence[FlowPlan],
    reports: Mapping[str, Mapping[str, Any]],
    faults: Sequence[Fault] = (),
    expected: Container[str] = (),
) -> list[str]:
    """A sentence for each flow that ended in order and delivered nothing.

    A planned fault explains it, of whatever kind, if it begins before the flow's time is over: faults are made to cut
    flows.

    Args:
        flows: as planned.
        reports: by flow, of the sending tool and of our own senders, as `wire.RunFlows` returns them. A flow without a
            report has failed in another way.
        faults: as planned.
        expected: ids of flows that are meant to deliver nothing, such as one that a firewall stops.
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
        for tried in ("requests", "loads"):
            if report.get(tried):
                return float(report[tried] - report["failed"])
    except (KeyError, TypeError, ValueError):
        pass
    return None
