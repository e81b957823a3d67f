"""One thing that was looked at to judge a run, and the verdict over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

#: "ok", or a reason to doubt what was measured, or a sign that the lab was another one than the drawing.
Severity = Literal["ok", "doubt", "wrong"]
#: What is looked at of the machine; a run of which that was not kept is not called trustworthy.
PROCESSORS = "processors"
#: The verdict on a run; empty where there is nothing against it, and too little was kept to speak for it.
Verdict = Literal["trustworthy", "doubtful", "not as drawn", ""]


class Finding(BaseModel):
    """One thing that was looked at.

    Attributes:
        what: what was looked at ("base RTT", "rate", "loss").
        subject: of which flow, direction or machine.
        configured: what the drawing says, or what is usual; None where neither says anything.
        measured: what was found; None where nothing was.
        unit: of the numbers ("ms", "Mbit/s", "packets", "bytes", "%"); empty for words and plain counts.
        low, high: between what `measured` may be; None for no such bound.
        severity: see `Severity`.
        why: what is wrong, as a sentence for people without its full stop; of "ok" what there is to know beside the
            numbers, mostly nothing.
        right: what to do, as a clause; empty where that is obvious.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    what: str
    subject: str
    configured: float | str | None = None
    measured: float | str | None = None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    severity: Severity = "ok"
    why: str = ""
    right: str = ""


def verdict(findings: Sequence[Finding]) -> Verdict:
    """The verdict that the worst of the findings comes to."""
    found = {each.severity for each in findings}
    if "wrong" in found:
        return "not as drawn"
    if "doubt" in found:
        return "doubtful"
    return "trustworthy" if any(each.what == PROCESSORS for each in findings) else ""


def reasons(findings: Sequence[Finding], *severities: Severity) -> list[str]:
    """Why a run is not simply trusted: the sentences of findings of these severities, in the order of these."""
    return [each.why for severity in severities for each in findings if each.severity == severity]
