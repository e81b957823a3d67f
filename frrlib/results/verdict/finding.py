"""Findings about a run, and the verdict that follows from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

#: "ok", a reason to doubt the measurements, or a sign that the lab differed from the topology.
Severity = Literal["ok", "doubt", "wrong"]
#: The name of findings about the machine. A run without such a finding is not called trustworthy.
PROCESSORS = "processors"
#: The verdict on a run; empty if no finding is against it, but too little was recorded to call it trustworthy.
Verdict = Literal["trustworthy", "doubtful", "not as drawn", ""]


class Finding(BaseModel):
    """The comparison of a measurement with its expected value.

    Attributes:
        what: the measured quantity ("base RTT", "rate", "loss").
        subject: the flow, direction or machine.
        configured: the value in the topology, or the usual one; None if there is neither.
        measured: the measured value, if there is one.
        unit: the unit of the numbers ("ms", "Mbit/s", "packets", "bytes", "%"); empty for words and plain counts.
        low, high: the bounds of `measured`; None for no bound.
        severity: see `Severity`.
        message: the problem as a sentence for people without its full stop; for "ok" a remark, usually empty.
        remedy: the recommended action, as a clause; empty if it is obvious.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    what: str
    subject: str
    configured: float | str | None = None
    measured: float | str | None = None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    severity: Severity = "ok"
    message: str = Field(default="", validation_alias=AliasChoices("message", "why"))
    remedy: str = Field(default="", validation_alias=AliasChoices("remedy", "right"))


def verdict(findings: Sequence[Finding]) -> Verdict:
    """The verdict that follows from the most severe finding."""
    severities = {finding.severity for finding in findings}
    if "wrong" in severities:
        return "not as drawn"
    if "doubt" in severities:
        return "doubtful"
    return "trustworthy" if any(finding.what == PROCESSORS for finding in findings) else ""


def reasons(findings: Sequence[Finding], *severities: Severity) -> list[str]:
    """The sentences of the findings with these severities, in the order of the severities."""
    return [finding.message for severity in severities for finding in findings if finding.severity == severity]
