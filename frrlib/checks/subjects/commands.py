"""Commands of nodes and flows."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.kinds import CheckSubject, note
from frrlib.model.flows import Flow
from frrlib.model.problem import Problem
from frrlib.model.traffic.kinds import Command

SUBJECT = CheckSubject()
COMMAND = SUBJECT.kind(
    "command",
    "A node has a command that runs when it starts or stops.",
    "Before you run a topology from someone else, you should see its commands. They run in the lab only, with the "
    "permissions of the lab.",
    "Read the command.",
)


@SUBJECT.rule(COMMAND)
def commands(facts: Facts) -> Iterator[Problem]:
    """Commands of the topology are shown, so that no user runs one unknowingly."""
    for node in facts.topology.nodes:
        for field in ("start_command", "stop_command"):
            yield from _report_command(node.name, field, getattr(node, field))
    for flow in facts.topology.flows:
        if isinstance(flow.traffic, Command):
            yield from _report_command(flow, "traffic.command", flow.traffic.command)
            yield from _report_command(flow, "traffic.server", flow.traffic.server)


def _report_command(subject: str | Flow, field: str, text: str) -> Iterator[Problem]:
    if text.strip():
        excerpt = text if len(text) <= 60 else f"{text[:57]}..."
        yield note(COMMAND, subject, field, f"{excerpt!r} runs in the lab only")
