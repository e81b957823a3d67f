"""Delay, jitter, loss and reordering of links, and the rule that examines each direction of a link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, place_title, shape_fix
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.checks.subjects.links import queues
from frrlib.model.impairments import Impairments
from frrlib.model.links import Link, Shape
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
#: The share of all packets, as netem counts shares.
_NETEM_SHARES = 2**32 - 1
_MODELS = {"gilbert_elliott": "Gilbert-Elliott", "four_states": "of four states"}
BELOW_RESOLUTION = SUBJECT.kind(
    "below-resolution",
    "A delay, a jitter or a share of packets is smaller than the kernel's resolution.",
    "tc counts delays in whole microseconds, and netem counts shares in steps of 1 in 2^32. A smaller value "
    "becomes 0. The lab then does not start, since it compares its settings with those that it reads back.",
    "Remove the value, or set at least one step.",
)
MUCH_JITTER = SUBJECT.kind(
    "much-jitter",
    "The jitter is larger than the delay.",
    "A delay cannot be negative, so the distribution is cut off at 0 and its mean differs from the delay in the "
    "topology.",
    "Set a jitter of at most the delay.",
)
REORDERING = SUBJECT.kind(
    "reordering",
    "The jitter reorders packets.",
    "TCP treats a packet as lost if three later packets arrive first (RFC 5681). Linux waits longer after it has "
    "seen reordering (RACK, RFC 8985), but loss-based congestion control still reduces its window. Jitter in a "
    "real queue keeps the order.",
    "No action is needed if reordering is intended. Otherwise vary the delay over time (`vary l1 delay=sine:...`), "
    "or add cross traffic that fills a queue.",
)
ALL_LOST = SUBJECT.kind(
    "all-lost",
    "A direction loses all packets.",
    "No packet arrives, but both ends still have carrier.",
    "Set a lower loss. Take the link down if the ends are to notice the failure.",
)
TWO_LOSSES = SUBJECT.kind(
    "two-losses",
    "Independent losses (or their correlation) and a burst loss model are both set.",
    "netem supports one loss model at a time.",
    "Remove one of them.",
)
REORDER_WITHOUT_DELAY = SUBJECT.kind(
    "reorder-without-delay",
    "Reordering is set, but no delay.",
    "netem reorders packets by sending some of them ahead of delayed ones.",
    "Set a delay, or remove the reordering.",
)
NO_JITTER = SUBJECT.kind(
    "no-jitter",
    "A distribution or correlation of the jitter is set, but no jitter.",
    "The setting has no effect.",
    "Set a jitter, or reset its distribution and correlation to the defaults.",
)


def _check_loss_models(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    rare = shape.impairments
    model = next((name for name in _MODELS if getattr(rare, name)), "")
    if not model or not (shape.loss_percent or rare.loss_correlation_percent):
        return None
    message = f"is set together with the loss model {_MODELS[model]}, but netem supports one loss model at a time"
    field = "loss_percent" if shape.loss_percent else "impairments.loss_correlation_percent"
    return error(TWO_LOSSES, link, f"{side}.{field}", message, "remove one of them")


def _check_resolution(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    for field in ("delay_ms", "jitter_ms"):
        value_ms = getattr(shape, field)
        if value_ms and not round(value_ms * 1e3):
            message = f"is {value_ms * 1e3:g} us, which tc rounds to 0 because it counts whole microseconds"
            return error(BELOW_RESOLUTION, link, f"{side}.{field}", message, "set 0, or at least 0.001 ms")
    shares = {"loss_percent": shape.loss_percent}
    for name in ("duplicate_percent", "corrupt_percent", "reorder_percent"):
        shares[f"impairments.{name}"] = getattr(shape.impairments, name)
    for field, percent in shares.items():
        if percent and not round(percent / 100 * _NETEM_SHARES):
            message = f"is {percent:g} %, which netem rounds to 0 because it counts in steps of 2.3e-8 %"
            return error(BELOW_RESOLUTION, link, f"{side}.{field}", message, "set 0, or at least 2.4e-8 %")
    return None


def _check_reordering(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if not shape.impairments.reorder_percent or shape.delay_ms:
        return None
    message = "lets packets skip the delay, but the delay is 0"
    return error(REORDER_WITHOUT_DELAY, link, f"{side}.impairments.reorder_percent", message, "set a delay too")


def _check_distribution(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    rare = shape.impairments
    if shape.jitter_ms:
        return None
    field = (
        "jitter_samples_ms" if rare.jitter_samples_ms
        else "jitter_distribution" if rare.jitter_distribution != "uniform"
        else "jitter_correlation_percent" if rare.jitter_correlation_percent else ""
    )  # fmt: skip
    message = "has no effect, because the jitter is 0"
    return warning(NO_JITTER, link, f"{side}.impairments.{field}", message, "set a jitter too") if field else None


def _check_jitter(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.jitter_ms > shape.delay_ms:
        delay = f"the delay of {shape.delay_ms:g} ms"
        message = f"is {shape.jitter_ms:g} ms, which is more than {delay}; a delay cannot be negative"
        return warning(MUCH_JITTER, link, f"{side}.jitter_ms", message, "set at most the delay")
    if shape.jitter_ms:
        return note(REORDERING, link, f"{side}.jitter_ms", "reorders packets")
    return None


def _check_total_loss(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.loss_percent < 100:
        return None
    message, remedy = "is 100 %, so no packet arrives", "set a lower loss, or take the link down"
    return warning(ALL_LOST, link, f"{side}.loss_percent", message, remedy)


_DIRECTION_RULES: tuple[queues.DirectionRule, ...] = (
    *queues.QUEUE_RULES,
    _check_loss_models,
    _check_resolution,
    _check_reordering,
    _check_distribution,
    *queues.QUEUE_SIZE_RULES,
    _check_jitter,
    _check_total_loss,
)


@SUBJECT.rule(*queues.SUBJECT.kinds, *SUBJECT.kinds)
def link_directions(facts: Facts) -> Iterator[Problem]:
    """All problems of each direction of each link, from the table above."""
    for link in facts.resolved.links:
        for side, shape, reverse_shape in (("a_to_b", link.a_to_b, link.b_to_a), ("b_to_a", link.b_to_a, link.a_to_b)):
            for rule in _DIRECTION_RULES:
                problem = rule(link, side, shape, reverse_shape)
                if problem is not None:
                    yield problem


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(MUCH_JITTER)
def _limit_jitter(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        changes = {} if shape.delay_ms else {"impairments": _without_distribution(shape.impairments)}
        return {"jitter_ms": min(shape.jitter_ms, shape.delay_ms), **changes}

    return shape_fix(f"limit the jitter to the delay at {place_title(facts, problem)}", facts, problem, update)


def _without_distribution(rare: Impairments) -> Impairments:
    return rare.model_copy(update={"jitter_distribution": "uniform", "jitter_correlation_percent": 0.0})


@SUBJECT.fix(NO_JITTER)
def _reset_distribution(facts: Facts, problem: Problem) -> Fix | None:
    label = f"reset the jitter distribution at {place_title(facts, problem)}"
    return shape_fix(
        label, facts, problem, lambda shape, reverse_shape: {"impairments": _without_distribution(shape.impairments)}
    )


@SUBJECT.fix(TWO_LOSSES)
def _keep_burst_losses(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        rare = shape.impairments.model_copy(update={"loss_correlation_percent": 0.0})
        return {"loss_percent": 0.0, "impairments": rare}

    return shape_fix(f"keep only the burst losses at {place_title(facts, problem)}", facts, problem, update)


@SUBJECT.fix(REORDER_WITHOUT_DELAY)
def _remove_reordering(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        rare = shape.impairments.model_copy(update={"reorder_percent": 0.0, "reorder_correlation_percent": 0.0})
        return {"impairments": rare}

    return shape_fix(f"remove the reordering at {place_title(facts, problem)}", facts, problem, update)
