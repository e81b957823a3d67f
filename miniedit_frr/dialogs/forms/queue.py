"""Fields for the queue of a direction: its qdisc, its limit, its shaper, and the parameters of the qdisc."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from frrlib.model.links import (
    USUAL_PEAK_FRAMES,
    Link,
    Shape,
    bdp_bytes,
    queue_limit_bytes,
    usual_burst_frames,
)
from frrlib.model.quantities import size_words
from frrlib.model.queue_defaults import LIMITS_PACKETS
from frrlib.model.queues import DISCIPLINES, AnyDiscipline, Cake, Choke, Red
from frrlib.render import queues
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import Content
from miniedit_frr.dialogs.fields.quantities import BDP, COUNT, PACKETS, RATE_MBIT, SIZE_BYTES, TIME_MS, InvalidQuantity
from miniedit_frr.dialogs.forms.queue_parameters import PARAMETERS, SENTENCES, QueueParameter

_LIMITS = {"queue_packets": PACKETS, "queue_bytes": SIZE_BYTES, "queue_ms": TIME_MS, "queue_bdp": BDP}
_KINDS: dict[Any, str] = {None: "plain fifo", **{kind: kind for kind in DISCIPLINES}}
#: The parameters of RED and CHOKe that follow from the limit, and their names in `queues.EarlyDropValues`.
_COMPUTED = {
    "min_bytes": "lower", "max_bytes": "upper", "min_packets": "lower", "max_packets": "upper",
    "burst_packets": "burst_packets",
}  # fmt: skip


def format_number(number: float) -> str:
    """A number with four significant digits. A larger one is rounded, with commas between its thousands."""
    return f"{number:.4g}" if number < 1000 else f"{round(number):,}"


def _frames(count: float) -> str:
    """A number of frames, rounded to whole frames from 10 on."""
    number = format_number(count) if count < 10 else format_number(round(count))
    return f"{number} full frame{'' if number == '1' else 's'}"


def queueing_delay(limit_bytes: float, rate_mbit: float) -> str:
    """The queueing delay of a full queue with this limit."""
    return f"{drain_time(limit_bytes, rate_mbit)} of queueing delay"


def drain_time(limit_bytes: float, rate_mbit: float) -> str:
    """The time in which a queue of this length drains."""
    return f"{format_number(limit_bytes * 8 / rate_mbit / 1e3)} ms"


# --- the qdisc ----------------------------------------------------------------------------------------------------


def _kind(shape: Shape) -> str | None:
    return shape.queue.kind if shape.queue is not None else None


def _with_kind(shape: Shape, kind: str | None) -> Shape:
    """The shape with another qdisc and the kernel's defaults for all its parameters."""
    return Shape.model_validate({**dict(shape), "queue": DISCIPLINES[kind]() if kind else None})


def _sentences(link: Link) -> str:
    """The descriptions of the qdiscs of both directions."""
    left_kind, right_kind = _kind(link.a_to_b), _kind(link.b_to_a)
    if left_kind == right_kind:
        return SENTENCES[left_kind]
    return f"Left: {SENTENCES[left_kind]}\nRight: {SENTENCES[right_kind]}"


def _forget_parameters(content: Content) -> dict[str, Content | None]:
    # Edits for one qdisc do not apply to another one, even under the same name.
    return {"queue": None}


DISCIPLINE = Field(
    "queue", "Queue", kinds.mapped(_KINDS), "Queueing discipline (qdisc) for waiting packets; needs a rate.",
    lens=Lens(_kind, _with_kind, ("queue", "queue.kind")), explains=_sentences, implied_edits=_forget_parameters,
)  # fmt: skip

# --- its limit ----------------------------------------------------------------------------------------------------


def _limit(shape: Shape) -> tuple[str, float | int] | None:
    return next(((name, getattr(shape, name)) for name in _LIMITS if getattr(shape, name) is not None), None)


def _with_limit(shape: Shape, limit: tuple[str, float | int] | None) -> Shape:
    settings = {name: value for name, value in dict(shape).items() if name not in _LIMITS}
    return Shape.model_validate({**settings, **({limit[0]: limit[1]} if limit else {})})


LIMIT = Field(
    "queue_limit", "Queue limit", kinds.measured(_LIMITS, none="default"),
    "In packets, in bytes, as the time to drain the queue, or in bandwidth-delay products (BDP) of the link; needs a "
    "rate. A limit in time or BDP follows a rate that changes while the lab runs.",
    lens=Lens(_limit, _with_limit, tuple(_LIMITS)),
)  # fmt: skip


def limit_summary(link: Link, side: str) -> str:
    """The queue limit of a direction in all units."""
    return equivalents(*_direction(link, side))


def _direction(link: Link, side: str) -> tuple[Shape, Shape, int]:
    """The shape of a direction, the reverse shape, and the size of a full frame at the sender in bytes."""
    if side == "a_to_b":
        return link.a_to_b, link.b_to_a, link.a.frame_bytes
    return link.b_to_a, link.a_to_b, link.b.frame_bytes


def equivalents(shape: Shape, reverse: Shape, frame_bytes: int) -> str:
    """A direction's queue limit in bytes, packets, ms and bandwidth-delay products.

    Args:
        shape, reverse: the direction, and the reverse direction.
        frame_bytes: size of a full frame of the sending interface.
    """
    limit, rate = queue_limit_bytes(shape, reverse, frame_bytes), shape.rate_mbit
    if limit is None or rate is None:
        return "no rate, no queue"
    queue = shape.discipline
    if shape.stated_limit_bytes(reverse, frame_bytes) is None:
        packets = LIMITS_PACKETS[queue.kind]
        if packets is None:
            return f"{queue.kind}'s default limit,\nfrom rate and round-trip time"
        delay = queueing_delay(packets * frame_bytes, rate)
        return f"{queue.kind}'s default limit:\n= {format_number(packets)} packets\n= {delay}"
    parts = [
        size_words(limit),
        _frames(limit / frame_bytes),
        f"{drain_time(limit, rate)} of queueing delay",
    ]
    product = bdp_bytes(rate, shape.delay_ms + reverse.delay_ms)
    if product:
        parts.append(f"{limit / product:.3g} BDP" if limit < 100 * product else f"{format_number(limit / product)} BDP")
    return "= " + "\n= ".join(parts) + _in_kernel_unit(queue.limit_in, queue.kind, limit, frame_bytes)


def _in_kernel_unit(limit_in: str, kind: str, limit_bytes: int, frame_bytes: int) -> str:
    """A remark on the kernel's unit of the limit, if it is not bytes."""
    if limit_in == "packets":
        is_whole = limit_bytes % frame_bytes == 0
        return "" if is_whole else f"\n{kind} counts packets: {format_number(queues.packets(limit_bytes, frame_bytes))}"
    return "" if limit_in == "bytes" else f"\n{kind} counts memory,\nso fewer frames fit"


def target_delay(queue: AnyDiscipline) -> str:
    """The target queueing delay of a qdisc; empty if it has no target."""
    if isinstance(queue, Cake):
        return f"{format_number(queue.aqm_target_ms)} ms"
    return f"{format_number(queue.effective('target_ms'))} ms" if hasattr(queue, "target_ms") else ""


# --- the parameters of its qdisc ----------------------------------------------------------------------------------


def _computed(link: Link, side: str, name: str) -> str:
    """The current value of a parameter of RED or CHOKe that follows from the limit; empty for other qdiscs."""
    shape, reverse, frame_bytes = _direction(link, side)
    if shape.rate_mbit is None or not isinstance(shape.queue, Red | Choke):
        return ""
    limit_bytes = queue_limit_bytes(shape, reverse, frame_bytes) or 0
    return str(getattr(queues.early_drop_values(shape.queue, limit_bytes, frame_bytes), _COMPUTED[name]))


def _default_text(parameter: QueueParameter, context: Any, link: Link, side: str) -> str:
    """The default of a parameter."""
    kind = _kind(getattr(link, side))
    if kind is None or not parameter.is_of(kind):
        return ""
    _, _, frame_bytes = _direction(link, side)
    text = parameter.default_text(kind, frame_bytes)
    return text or (_computed(link, side, parameter.name) if parameter.name in _COMPUTED else "")


def _explanation(parameter: QueueParameter, link: Link) -> str:
    """The meaning of a parameter for the current qdiscs, and the kernel's default."""
    kinds_of_both = dict.fromkeys((_kind(link.a_to_b), _kind(link.b_to_a)))
    present = [kind for kind in kinds_of_both if kind is not None and parameter.is_of(kind)]
    words = list(dict.fromkeys(parameter.help_by_kind.get(kind, parameter.help) for kind in present))
    text = " ".join(words) or parameter.help
    if parameter.kind.widget != "choice" or not present:
        return text
    defaults = {kind: parameter.default_text(kind) for kind in present}
    if len(set(defaults.values())) == 1:
        return f"{text} Default: {defaults[present[0]]}."
    return f"{text} Default: {', '.join(f'{default} ({kind})' for kind, default in defaults.items())}."


class _ParameterField(Field):
    """A field whose errors use the labels of the page."""

    def put(self, value: Any, new: Any) -> Any:
        try:
            return super().put(value, new)
        except InvalidQuantity as wrong:
            labels = {parameter.name: parameter.label.lower() for parameter in PARAMETERS}
            raise InvalidQuantity(re.sub(r"\w+", lambda word: labels.get(word[0], word[0]), str(wrong))) from None


def _field(parameter: QueueParameter) -> Field:
    path, is_choice = f"queue.{parameter.name}", parameter.kind.widget == "choice"
    return _ParameterField(
        path, parameter.label, parameter.kind, parameter.help, hint="" if is_choice else partial(_default_text,
                                                                                                 parameter),
        explains=partial(_explanation, parameter),
    )  # fmt: skip


def _is_cake(shape: Shape) -> bool:
    return isinstance(shape.queue, Cake)


def _has_no_peak(shape: Shape) -> bool:
    return _is_cake(shape) or shape.shaper != "tbf"


def _shaper_words(link: Link) -> str:
    has_cake = _is_cake(link.a_to_b) or _is_cake(link.b_to_a)
    return "The qdisc that limits the rate." + (" cake limits the rate itself." if has_cake else "")


def _default_burst(context: object, value: Link, side: str) -> str:
    shape, _, frame_bytes = _direction(value, side)
    return str(usual_burst_frames(shape.rate_mbit or 0.0, frame_bytes))


SHAPER = (
    Field("shaper", "Shaper", kinds.choice({"tbf": "tbf", "htb": "htb"}), "The qdisc that limits the rate.",
          explains=_shaper_words, idle=_is_cake),
    Field("burst_frames", "Burst", kinds.quantity(COUNT, optional=True),
          "Full frames that may pass at line rate. Default: 1 to 3, or 1 ms of data at high rates.",
          hint=_default_burst, idle=_is_cake),
    Field("peak_rate_mbit", "Peak rate", kinds.quantity(RATE_MBIT, optional=True),
          "Rate at which tbf's bucket empties (peakrate); above the rate. Empty: line rate.", hint="unlimited",
          idle=_has_no_peak),
    Field("peak_frames", "Peak burst", kinds.quantity(COUNT, optional=True),
          "Full frames that may pass at line rate with a peak rate (tbf's mtu).", hint=str(USUAL_PEAK_FRAMES),
          idle=_has_no_peak),
)  # fmt: skip
#: The parameters of all qdiscs. A form shows those of the current qdiscs.
DISCIPLINE_FIELDS = tuple(_field(parameter) for parameter in PARAMETERS)


def parameters_remark(link: Link, side: str) -> str:
    """The remark below the parameters of a direction."""
    has_some = any(parameter.name in type(getattr(link, side).discipline).model_fields for parameter in PARAMETERS)
    return "" if has_some else "this queue has no\nother parameters"
