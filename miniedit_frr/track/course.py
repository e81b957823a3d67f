"""The value of a link over the time of a plan: as drawn, and as faults change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from frrlib.model.faults import Fault
from frrlib.model.links import Link
from miniedit_frr.live.curves import nice_above

#: Seconds, and the value from then on.
Steps = tuple[tuple[float, float], ...]

#: The values that have a row, in the order of the rows, with what they are called and their unit.
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
    return tuple(fault.values.given) if fault.values is not None else ()


@lru_cache(maxsize=256)  # a wave may have thousands, and a drag asks for all of them at every move
def steps(fault: Fault, field: str) -> Steps:
    """The course that a fault gives a value; empty where it takes a rate's limit away."""
    if fault.course is not None and fault.duration_s is not None:
        return tuple((fault.time_s + after_s, value) for after_s, value in fault.course.steps(fault.duration_s))
    value = fault.loss_percent if fault.values is None else fault.values.given[field]
    return () if field == "rate_mbit" and not value else ((fault.time_s, value),)


def configured_value(link: Link | None, field: str, towards: str) -> float | None:
    """The drawn value of a link; None where nothing limits it, or where its two directions differ."""
    if link is None:
        return None
    values = {getattr(shape, field) for _, to, shape in link.directions if towards in ("", to.node)}
    return values.pop() if len(values) == 1 else None


def value_course(faults: Sequence[tuple[Fault, float]], field: str, drawn: float | None) -> Steps:
    """A value over the whole time: as drawn, changed by faults; empty where no drawn value says what it is before and
    after them.

    Args:
        faults: each with when it is over.
    """
    if drawn is None:
        return ()
    found: list[tuple[float, float]] = [(0.0, drawn)]
    for fault, until_s in faults:
        found += steps(fault, field)
        # A value that was set stays; one that varies, or a loss, returns to the drawn value afterwards.
        if fault.kind != "link-values":
            found.append((until_s, drawn))
    return tuple(sorted(found, key=lambda step: step[0]))


def row_top(values: Sequence[float], field: str) -> float:
    """The value at the upper rim of a row: a round number with room for all values, and for no more than 100 %."""
    top = nice_above(1.1 * max(values, default=0.0))
    return min(100.0, top) if field == "loss_percent" else float(f"{top:.9g}")
