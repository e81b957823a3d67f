"""`tc` commands of a node's interface as the shape of a link's direction."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from frrlib.formats.entry import Unreadable
from frrlib.formats.units import milliseconds
from frrlib.model.links import Shape
from frrlib.model.own_commands import OwnCommand, parse_command


def shape_of(lines: Sequence[str]) -> Shape | None:
    """The shape that commands at one interface make; None if they are not a tree of commands.

    Delay, jitter and loss of a single netem become fields. All other commands stay commands of the direction.

    Args:
        lines: the commands in the form of `own_commands`.
    """
    try:
        commands = [parse_command(line) for line in lines]
        if len(commands) == 1 and (shape := _netem(commands[0])) is not None:
            return shape
        return Shape(qdiscs=tuple(lines))
    except (ValueError, ValidationError):
        return None


def _netem(command: OwnCommand) -> Shape | None:
    """The shape of a netem with delay, jitter, loss and a limit only; None for any other command."""
    if command.kind != "netem" or command.parent != "root" or command.table:
        return None
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
    return Shape.model_validate(values)


def _milliseconds(word: str) -> float:
    try:
        return milliseconds(word)[0]
    except Unreadable as problem:
        raise ValueError(str(problem)) from None
