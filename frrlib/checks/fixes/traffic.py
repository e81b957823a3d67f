"""Fixes for flows with settings that their sender does not support, or that do not apply to them."""

from __future__ import annotations

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, Fixer, changed, flows_fix
from frrlib.model.flows import Flow
from frrlib.model.labels import label_of
from frrlib.model.problem import Problem
from frrlib.model.traffic.kinds import FULL_PAYLOAD_BYTES


def _any_tool(facts: Facts, problem: Problem) -> Fix | None:
    return _of_traffic(facts, problem, f"choose the sender of {problem.node} automatically", tool="auto")


def _in_one_frame(facts: Facts, problem: Problem) -> Fix | None:
    label = f"set the datagrams of {problem.node} to {FULL_PAYLOAD_BYTES} bytes"
    return _of_traffic(facts, problem, label, payload_bytes=FULL_PAYLOAD_BYTES)


def _of_traffic(facts: Facts, problem: Problem, label: str, **fields: object) -> Fix | None:
    """Change settings of the traffic of a flow; None if its kind has no such settings."""

    def change(flow: Flow) -> Flow | None:
        if flow.id != problem.node or not fields.keys() <= type(flow.traffic).model_fields.keys():
            return None
        traffic = changed(flow.traffic, **fields)
        return flow.model_copy(update={"traffic": traffic}) if traffic is not None else None

    return flows_fix(label, facts.drawn, change)


def _usual(facts: Facts, problem: Problem) -> Fix | None:
    """Reset the field to its default."""
    field = problem.field

    def change(flow: Flow) -> Flow | None:
        usual = Flow.model_fields[field].default
        return changed(flow, **{field: usual}) if flow.id == problem.node else None

    return (
        flows_fix(f"remove {label_of(field)} from {problem.node}", facts.drawn, change)
        if field in Flow.model_fields
        else None
    )


FIXERS: dict[str, Fixer] = {"tool-cannot": _any_tool, "fragments": _in_one_frame, "no-effect": _usual}
