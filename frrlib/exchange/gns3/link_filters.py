"""Filters of GNS3's links as the shape of both directions."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from frrlib.formats import own
from frrlib.formats.entry import Unreadable, brief, number
from frrlib.formats.jsontext import InvalidFile, Path_
from frrlib.formats.mininet_remarks import Remarks
from frrlib.model.impairments import Impairments
from frrlib.model.links import Shape


def shape_of(filters: Any, path: Path_, remarks: Remarks) -> tuple[Shape, bool]:
    """The shape of both directions, and whether the link carries packets.

    Args:
        filters: the object `filters` of a link: lists of numbers by the name of the filter.
        path: its path in the file.
        remarks: receives remarks on filters without an equivalent.

    Raises:
        InvalidFile: a filter is not a list of numbers, or a number is out of range.
    """
    if not isinstance(filters, dict):
        raise InvalidFile("is not an object with lists by filter, as in {}", path)
    delay_ms = jitter_ms = loss = corrupt = 0.0
    is_up = True
    for name, value in filters.items():
        if name == "bpf":
            if any(str(text).strip() for text in (value if isinstance(value, list) else [value])):
                remarks.add("filters.bpf", f"is {brief(value)}; packets are not dropped by an expression here")
            continue
        if name not in ("delay", "packet_loss", "corrupt", "frequency_drop"):
            remarks.add("filters", f"{brief(name)} has no equivalent here and is left out")
            continue
        numbers = _numbers(value, (*path, name))
        if name == "delay":
            delay_ms, jitter_ms = numbers[0], numbers[1] if len(numbers) > 1 else 0.0
        elif name == "packet_loss":
            loss = max(loss, numbers[0])
        elif name == "corrupt":
            corrupt = numbers[0]
        elif numbers[0] < 0:
            is_up = False
        elif numbers[0] > 0:
            loss = max(loss, 100 / max(numbers[0], 1.0))
            reason = f"drops one packet in {numbers[0]:g}; here {loss:g} % of the packets are lost at random"
            remarks.add("filters.frequency_drop", reason)
    impairments = Impairments() if not corrupt else None
    try:
        shape = Shape(
            delay_ms=delay_ms,
            jitter_ms=jitter_ms,
            loss_percent=loss,
            impairments=impairments or Impairments(corrupt_percent=corrupt),
        )
    except ValidationError as problem:
        raise InvalidFile(own.refusal(problem, None, ()).reason, path) from None
    return shape, is_up


def _numbers(value: Any, path: Path_) -> list[float]:
    try:
        numbers = [number(item) for item in (value if isinstance(value, list) else [value])]
    except Unreadable as problem:
        raise InvalidFile(f"{problem}; a filter has a list of numbers, as in [10, 0]", path) from None
    return numbers or [0.0]
