"""A field for the user's own `tc` commands, and their effect on the other fields of a direction."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from frrlib.model.links import Link, Shape
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.parts import FieldPair

#: The text shown instead of results.
REPLACED = "replaced by\ntc commands of your own"
_HELP = (
    "Type one command per line, without tc qdisc add dev INTERFACE, such as root handle 1: netem delay 10ms. For "
    "classes, start the line with class. The commands run unchanged on the sending interface and replace rate, delay, "
    "queue and loss of this direction. Their effect is not checked."
)


def _read(text: str) -> tuple[str, ...]:
    return tuple(line for text_line in text.splitlines() if (line := text_line.strip()))


def _with_commands(shape: Shape, lines: tuple[str, ...]) -> Shape:
    """A shape with only these commands; without commands, the shape keeps its other settings."""
    return Shape(qdiscs=lines) if lines else shape.model_copy(update={"qdiscs": ()})


def _explanation(link: Link) -> str:
    qdisc_kinds = [shape.qdisc_kinds for _, _, shape in link.directions if shape.qdiscs]
    kinds = ", ".join(dict.fromkeys(kind for kinds_of_shape in qdisc_kinds for kind in kinds_of_shape))
    return f"{_HELP} Qdiscs: {kinds}." if kinds else _HELP


COMMANDS_FIELD = Field(
    "qdiscs", "Commands", TextKind(_read, "\n".join, "lines", width=30), _HELP,
    lens=Lens(lambda shape: shape.qdiscs, _with_commands, ("qdiscs",)), explains=_explanation,
)  # fmt: skip


def has_own_commands(shape: Shape) -> bool:
    """Whether a direction has own commands. All other fields then have no effect."""
    return bool(shape.qdiscs)


def lock_replaced(pair: FieldPair) -> FieldPair:
    """A pair that locks the fields of a side with own commands, and shows a remark there."""
    return dataclasses.replace(
        pair, fields=tuple(map(_locked_if_replaced, pair.fields)), summary=_summary_unless_replaced(pair.summary)
    )


def _locked_if_replaced(field: Field) -> Field:
    idle = field.idle
    return dataclasses.replace(field, idle=lambda shape: has_own_commands(shape) or (idle is not None and idle(shape)))


def _summary_unless_replaced(summary: Callable[[Link, str], str] | None) -> Callable[[Link, str], str]:
    return lambda link, side: (
        REPLACED if has_own_commands(getattr(link, side)) else summary(link, side) if summary is not None else ""
    )
