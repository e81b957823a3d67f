"""Fields for the impairments of a direction: jitter, loss, duplication, corruption and reordering."""

from __future__ import annotations

from typing import Any

from frrlib.model.impairments import FourStates, GilbertElliott
from frrlib.model.links import Link, Shape
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens, replaced
from miniedit_frr.dialogs.fields.kinds import Content
from miniedit_frr.dialogs.fields.quantities import COUNT, PERCENT, InvalidQuantity
from miniedit_frr.dialogs.fields.samples import SAMPLES, mean_and_spread

_PERCENT = kinds.quantity(PERCENT)
_PLAIN = "random"
#: The initial values of each loss model: bursts of four packets.
_MODELS: dict[str, Any] = {
    "gilbert_elliott": GilbertElliott(to_bad_percent=1, to_good_percent=25),
    "four_states": FourStates(p13_percent=1, p31_percent=25),
}
_LABELS = {_PLAIN: "random", "gilbert_elliott": "Gilbert-Elliott", "four_states": "four states"}
_SENTENCES = {
    _PLAIN: "Packets are lost independently of each other. The percentage is on page Directions.",
    "gilbert_elliott": "The channel alternates between a good and a bad state, each with its own loss. Losses come in "
    "bursts.",
    "four_states": "netem's Markov chain of four states: received, received within a burst, lost within a burst, lost "
    "alone.",
}
_MEASURED = "measured"
#: The jitter distributions and their labels. "measured" uses samples from a file.
_DISTRIBUTIONS = {
    "uniform": "uniform", "normal": "normal", "pareto": "Pareto", "paretonormal": "Pareto and normal",
    _MEASURED: _MEASURED,
}  # fmt: skip


def _model(shape: Shape) -> str:
    return next((name for name in _MODELS if getattr(shape.impairments, name) is not None), _PLAIN)


def _with_model(shape: Shape, model: str) -> Shape:
    models = {name: begin if name == model else None for name, begin in _MODELS.items()}
    return Shape.model_validate({**dict(shape), "impairments": shape.impairments.model_copy(update=models)})


def _implied_edits(content: Content) -> dict[str, Content | None]:
    """The edits that follow from a loss model: edits of other models are dropped, and bursts exclude random loss."""
    forgotten: dict[str, Content | None] = {f"impairments.{name}": None for name in _MODELS}
    if content in ("", _LABELS[_PLAIN], _PLAIN):
        return forgotten
    return {**forgotten, "loss_percent": "0", "impairments.loss_correlation_percent": "0"}


def _explanation(link: Link) -> str:
    return "\n".join(dict.fromkeys(_SENTENCES[_model(shape)] for shape in (link.a_to_b, link.b_to_a)))


def _jitter(shape: Shape) -> str:
    return _MEASURED if shape.impairments.jitter_samples_ms else shape.impairments.jitter_distribution


def _with_jitter(shape: Shape, kind: str) -> Shape:
    if kind != _MEASURED:
        return replaced(shape, "impairments", replaced(shape.impairments, "jitter_distribution", kind))
    if not shape.impairments.jitter_samples_ms:
        raise InvalidQuantity("needs measured delays; choose a file of delays")
    return shape


def _with_samples(shape: Shape, samples: tuple[float, ...]) -> Shape:
    return replaced(shape, "impairments", replaced(shape.impairments, "jitter_samples_ms", samples))


def _chance(path: str, label: str, help: str) -> Field:
    return Field(f"impairments.{path}", label, _PERCENT, help)


IMPAIRMENT_FIELDS = (
    Field("jitter_kind", "Jitter distribution",
          kinds.choice(_DISTRIBUTIONS), "Probability distribution of the delay variation.",
          lens=Lens(_jitter, _with_jitter, ("impairments.jitter_distribution",)),
          implied_edits=lambda content: {} if content == _MEASURED else {"jitter_samples": ""}),
    Field("jitter_samples", "Measured delays", SAMPLES,
          "In ms, read from a file. Delay and jitter are set to their mean and standard deviation.",
          lens=Lens(lambda shape: shape.impairments.jitter_samples_ms, _with_samples,
                    ("impairments.jitter_samples_ms",)),
          implied_edits=lambda content: {**mean_and_spread(content), "jitter_kind": None}),
    _chance("jitter_correlation_percent", "Jitter correlation",
            "How strongly a packet's delay depends on the delay of the packet before."),
    Field("loss_model", "Loss model", kinds.choice(_LABELS), "Statistical model of packet loss.",
          lens=Lens(_model, _with_model, ("impairments.gilbert_elliott", "impairments.four_states")),
          explains=_explanation, implied_edits=_implied_edits),
    _chance("loss_correlation_percent", "Loss correlation",
            "For random loss. It also changes the loss rate. Use a loss model for bursts."),
    _chance("gilbert_elliott.to_bad_percent", "Good to bad", "Probability per packet of entering the bad state (p)."),
    _chance("gilbert_elliott.to_good_percent", "Bad to good", "Probability per packet of leaving the bad state (r)."),
    _chance("gilbert_elliott.loss_in_bad_percent", "Loss when bad",
            "Probability of losing a packet in the bad state (1-h)."),
    _chance("gilbert_elliott.loss_in_good_percent", "Loss when good",
            "Probability of losing a packet in the good state (1-k)."),
    _chance("four_states.p13_percent", "1 to 3", "Probability that a burst begins with a lost packet (p13)."),
    _chance("four_states.p31_percent", "3 to 1", "Probability that the burst ends after a lost packet (p31)."),
    _chance("four_states.p32_percent", "3 to 2", "Probability that a packet within the burst is received (p32)."),
    _chance("four_states.p23_percent", "2 to 3", "Probability that the next packet of the burst is lost again (p23)."),
    _chance("four_states.p14_percent", "1 to 4", "Probability that a single packet is lost outside a burst (p14)."),
    _chance("duplicate_percent", "Duplicate", "Percentage of packets that are delivered twice."),
    _chance("corrupt_percent", "Corrupt", "Percentage of packets in which one bit is flipped."),
    _chance("reorder_percent", "Reorder",
            "Percentage of packets sent without the delay, so that they overtake others. Needs a delay."),
    _chance("reorder_correlation_percent", "Reorder correlation",
            "How strongly the choice depends on the choice for the packet before."),
    Field("impairments.reorder_gap", "Gap", kinds.quantity(COUNT, optional=True),
          "Reorder at most one packet in every N.", hint="any"),
)  # fmt: skip


def loss_summary(link: Link, side: str) -> str:
    """The average loss of a direction, and the mean length of its loss bursts."""
    shape: Shape = getattr(link, side)
    words = f"average loss {shape.mean_loss_percent:.3g} %"
    bursts = shape.impairments.gilbert_elliott
    if bursts is not None:
        words += f"\nbursts of {100 / bursts.to_good_percent:.3g} packets"
    return words
