"""The cost of measuring, and the number of skipped samples, from the samplers' reports at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def samplers_text(samplers: Mapping[str, Mapping[str, Any]]) -> str:
    """A sentence for people, without a full stop: "0.7 % of a processor"; empty if nothing is known.

    A lab kernel counts processor time in ticks, and the samples are in step with these. The result is then "at most"
    the time from the beginning to the end of each sample, in which other processes may have run.

    Args:
        samplers: the reports as in the reply to `wire.RunFlows`, and among the facts of `run.json`.
    """
    reports = [report for report in samplers.values() if report.get("seconds")]
    if not reports:
        return ""
    share = samplers_share(samplers) or 0.0
    text = f"{'' if all('cpu_s' in report for report in reports) else 'at most '}{100 * share:.2g} % of a processor"
    taken_count, skipped_count = (sum(int(report.get(name, 0)) for report in reports) for name in ("taken", "left_out"))
    if skipped_count:
        text += (
            f"; {skipped_count} of {taken_count + skipped_count} samples were skipped, because the machine was too slow"
        )
    return text


def samplers_share(samplers: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The share of one processor that all samplers used together, 1 for a whole processor; None if unknown."""
    reports = [report for report in samplers.values() if report.get("seconds")]
    if not reports:
        return None
    used_s = sum(float(report.get("cpu_s", report.get("busy_s", 0.0))) for report in reports)
    return used_s / max(float(report["seconds"]) for report in reports)
