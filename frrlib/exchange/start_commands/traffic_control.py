"""`tc` commands of a node's interface as the shape of a link's direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from frrlib.formats.entry import Unreadable
from frrlib.formats.units import milliseconds
from frrlib.model.frames import USUAL_MTU_BYTES, full_frame_bytes
from frrlib.model.links import Shape
from frrlib.model.own_commands import OwnCommand, parse_command

#: Units of `tc` for rates, in Mbit/s, and for sizes, in bytes ("kb" is 1024 bytes, "kbit" 1024 bits).
_RATES = {"": 1e-6, "bit": 1e-6, "kbit": 1e-3, "mbit": 1.0, "gbit": 1e3, "bps": 8e-6, "kbps": 8e-3, "mbps": 8.0}
_SIZES = {"": 1.0, "b": 1.0, "k": 1024.0, "kb": 1024.0, "m": 1024.0**2, "mb": 1024.0**2, "kbit": 128.0,
          "mbit": 131_072.0}  # fmt: skip
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?)([a-z]*)")


def shape_of(lines: Sequence[str]) -> Shape | None:
    """The shape that commands at one interface make; None if they are not a tree of commands.

    Delay, jitter and loss of a netem, and rate, burst and limit of a tbf, become fields if there is one of each
    and nothing else. All other commands stay commands of the direction.

    Args:
        lines: the commands in the form of `own_commands`.
    """
    try:
        commands = [parse_command(line) for line in lines]
        fields = _fields(commands)
        return Shape(qdiscs=tuple(lines)) if fields is None else Shape.model_validate(fields)
    except (ValueError, ValidationError):
        return None


def _fields(commands: Sequence[OwnCommand]) -> dict[str, Any] | None:
    """The fields of a netem, a tbf, or one above the other; None for all other commands."""
    kinds = [command.kind for command in commands]
    if len(commands) > 2 or len(set(kinds)) < len(kinds) or any(c.table or c.is_class for c in commands):
        return None
    fields: dict[str, Any] = {}
    for command in commands:
        command_fields = {"netem": _netem, "tbf": _tbf}.get(command.kind, lambda _: None)(command)
        if command_fields is None:
            return None
        fields |= command_fields
    return fields


def _tbf(command: OwnCommand) -> dict[str, Any] | None:
    """The rate of a tbf, its burst in full frames, and its limit in bytes; None if it has other arguments."""
    words = command.arguments.split()
    options = dict(zip(words[::2], words[1::2], strict=False))
    burst = options.pop("burst", options.pop("buffer", options.pop("maxburst", "")))
    if len(words) % 2 or options.keys() - {"rate", "latency", "limit"} or "rate" not in options or not burst:
        return None
    rate_mbit, burst_bytes = _quantity(options["rate"], _RATES), _quantity(burst, _SIZES)
    fields: dict[str, Any] = {
        "rate_mbit": rate_mbit,
        "burst_frames": max(1, round(burst_bytes / full_frame_bytes(USUAL_MTU_BYTES))),
    }
    if "limit" in options:
        fields["queue_bytes"] = max(1, round(_quantity(options["limit"], _SIZES)))
    elif "latency" in options:  # tc computes the limit from it in this way
        fields["queue_bytes"] = round(rate_mbit * 125 * _milliseconds(options["latency"]) + burst_bytes)
    return fields


def _quantity(word: str, units: dict[str, float]) -> float:
    match = _QUANTITY.fullmatch(word.lower())
    if match is None or match[2] not in units:
        raise ValueError(f"{word!r} is no quantity of tc")
    return float(match[1]) * units[match[2]]


def _netem(command: OwnCommand) -> dict[str, Any] | None:
    """Delay, jitter and loss of a netem with these and a limit only; None for any other command."""
    values: dict[str, float] = {}
    words = command.arguments.split()
    while words:
        word, words = words[0], words[1:]
        if word in ("delay", "latency") and words:
            values["delay_ms"] = _milliseconds(words[0])
            words = words[1:]
            if words and words[0][0].isdigit():
                values["jitter_ms"] = _milliseconds(words[0])
                words = words[1:]
        elif word in ("loss", "drop") and words:
            words = words[1:] if words[0] == "random" else words
            if not words[0].endswith("%"):
                return None
            values["loss_percent"] = float(words[0].removesuffix("%"))
            words = words[1:]
        elif word == "limit" and words:
            words = words[1:]
        else:
            return None
    return values


def _milliseconds(word: str) -> float:
    try:
        return milliseconds(word)[0]
    except Unreadable as problem:
        raise ValueError(str(problem)) from None
