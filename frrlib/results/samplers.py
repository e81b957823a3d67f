"""The cost of measuring, and whether it kept pace, from the samplers' reports at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def samplers_text(samplers: Mapping[str, Mapping[str, Any]]) -> str:
    """A sentence for people, without a full stop: "0.7 % of a processor"; empty where nothing is known.

    A lab kernel counts processor time in ticks, with which samples go in step, so there it is "at most" the time from
    the beginning to the end of each sample, in which others may have run, too.

    Args:
        samplers: as `wire.RunFlows` gives them, and `run.json` keeps them among its facts.
    """
    told = [each for each in samplers.values() if each.get("seconds")]
    if not told:
        return ""
    share = samplers_share(samplers) or 0.0
    said = f"{'' if all('cpu_s' in each for each in told) else 'at most '}{100 * share:.2g} % of a processor"
    taken, left_out = (sum(int(each.get(name, 0)) for each in told) for name in ("taken", "left_out"))
    if left_out:
        said += f"; {left_out} of {taken + left_out} samples were skipped, because the machine was too slow"
    return said


def samplers_share(samplers: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The share of one processor that all samplers took, 1 for all of it; None if it is not known."""
    told = [each for each in samplers.values() if each.get("seconds")]
    if not told:
        return None
    used_s = sum(float(each.get("cpu_s", each.get("busy_s", 0.0))) for each in told)
    return used_s / max(float(each["seconds"]) for each in told)
