"""The value of a link during a plan: as configured, and changed by faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from frrlib.model.faults import Fault
from frrlib.model.links import Link
from miniedit_frr.live.curves import nice_above

#: Times in seconds, each with the value from then on.
Steps = tuple[tuple[float, float], ...]

#: The values that have a row, in the order of the rows, with their names and units.
VALUES: Mapping[str, tuple[str, str]] = {
    "rate_mbit": ("rate", "Mbit/s"), "delay_ms": ("delay", "ms"), "jitter_ms": ("jitter", "ms"),
    "loss_percent": ("loss", "%"), "queue_packets": ("queue", "packets"), "queue_bytes": ("queue", "bytes"),
    "queue_ms": ("queue", "ms"), "queue_bdp": ("queue", "BDP"),
}  # fmt: skip


def fields_of(fault: Fault) -> tuple[str, ...]:
    """The values of a link that a fault changes."""
    if fault.kind == "loss":
        return ("loss_percent",)
    if fault.course is not None:
        return (fault.course.value,)
    return tuple(fault.values.numbers) if fault.values is not None else ()


@lru_cache(maxsize=256)  # a wave may have thousands of steps, and each move of a drag needs all of them
def steps(fault: Fault, field: str) -> Steps:
    """The steps of a value during a fault; empty if the fault removes the limit of a rate."""
    if fault.course is not None and fault.duration_s is not None:
        return tuple((fault.time_s + after_s, value) for after_s, value in fault.course.steps(fault.duration_s))
    value = fault.loss_percent if fault.values is None else fault.values.numbers[field]
    return () if field == "rate_mbit" and not value else ((fault.time_s, value),)


def configured_value(link: Link | None, field: str, towards: str) -> float | None:
    """The configured value of a link; None if it has no limit, or if its two directions differ."""
    if link is None:
        return None
    values = {getattr(shape, field) for _, to, shape in link.directions if towards in ("", to.node)}
    return values.pop() if len(values) == 1 else None


def value_course(faults: Sequence[tuple[Fault, float]], field: str, configured: float | None) -> Steps:
    """The steps of a value during the whole plan: as configured, changed by faults; empty without a configured value.

    Args:
        faults: each with its end.
    """
    if configured is None:
        return ()
    steps_of_plan: list[tuple[float, float]] = [(0.0, configured)]
    for fault, until_s in faults:
        steps_of_plan += steps(fault, field)
        # A value that was set stays. A varying value or a loss returns to the configured value afterwards.
        if fault.kind != "link-values":
            steps_of_plan.append((until_s, configured))
    return tuple(sorted(steps_of_plan, key=lambda step: step[0]))


def row_top(values: Sequence[float], field: str) -> float:
    """The value at the upper edge of a row: a round number above all values, and at most 100 %."""
    top = nice_above(1.1 * max(values, default=0.0))
    return min(100.0, top) if field == "loss_percent" else float(f"{top:.9g}")
