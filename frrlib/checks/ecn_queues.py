"""The queues that mark packets instead of dropping them (ECN, RFC 3168), and those that are configured to."""

from __future__ import annotations

from frrlib.model.queues import AnyDiscipline, Cake, DualPi2


def marks(queue: AnyDiscipline | None) -> bool:
    """Whether a queue marks the packets of senders with ECN."""
    if isinstance(queue, Cake) or is_set_to_mark(queue):
        return True
    return queue is not None and may_mark(queue) and bool(queue.effective("ecn"))


def is_set_to_mark(queue: AnyDiscipline | None) -> bool:
    """Whether a queue marks because of a setting, or is DualPI2, so that marks are probably intended."""
    if isinstance(queue, DualPi2):
        return True
    return bool(getattr(queue, "ecn", None)) or getattr(queue, "ce_threshold_ms", None) is not None


def may_mark(queue: AnyDiscipline | None) -> bool:
    """Whether a queue has a setting for ECN."""
    return queue is not None and "ecn" in type(queue).model_fields
