"""The effects of a direction's cable on packets, besides its delay, as fields."""

from __future__ import annotations

from typing import Any

from frrlib.model.impairments import FourStates, GilbertElliott
from frrlib.model.links import Link, Shape
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field, Lens, replaced
from miniedit_frr.dialogs.kinds import Content
from miniedit_frr.dialogs.quantities import COUNT, PERCENT, Wrong
from miniedit_frr.dialogs.samples import SAMPLES, centred

_PERCENT = kinds.quantity(PERCENT)
_PLAIN = "random"
#: The initial values of each model of loss: bursts of four packets.
_MODELS: dict[str, Any] = {
    "gilbert_elliott": GilbertElliott(to_bad_percent=1, to_good_percent=25),
    "four_states": FourStates(p13_percent=1, p31_percent=25),
}
_CALLED = {_PLAIN: "random", "gilbert_elliott": "Gilbert-Elliott", "four_states": "four states"}
_SENTENCES = {
    _PLAIN: "Each packet by itself; the share is on page Directions.",
    "gilbert_elliott": "A good and a bad state, each with a loss of its own: losses come in bursts.",
    "four_states": "Received, received or lost within a burst, and lost alone: netem's chain of four states.",
}
_MEASURED = "measured"
#: The entry for a type of distribution that netem reads from a table.
_DISTRIBUTIONS = {
    "uniform": "uniform", "normal": "normal", "pareto": "Pareto", "paretonormal": "Pareto and normal",
    _MEASURED: _MEASURED,
}  # fmt: skip


def _model(shape: Shape) -> str:
    return next((name for name in _MODELS if getattr(shape.impairments, name) is not None), _PLAIN)


def _with_model(shape: Shape, model: str) -> Shape:
    models = {name: begin if name == model else None for name, begin in _MODELS.items()}
    return Shape.model_validate({**dict(shape), "impairments": shape.impairments.model_copy(update=models)})


def _brought(content: Content) -> dict[str, Content | None]:
    """With loss in bursts there is no plain loss beside it; texts typed for another model do not count."""
    forgotten: dict[str, Content | None] = {f"impairments.{name}": None for name in _MODELS}
    if content in ("", _CALLED[_PLAIN], _PLAIN):
        return forgotten
    return {**forgotten, "loss_percent": "0", "impairments.loss_correlation_percent": "0"}


def _explained(link: Link) -> str:
    return "\n".join(dict.fromkeys(_SENTENCES[_model(shape)] for shape in (link.a_to_b, link.b_to_a)))


def _jitter(shape: Shape) -> str:
    return _MEASURED if shape.impairments.jitter_samples_ms else shape.impairments.jitter_distribution


def _with_jitter(shape: Shape, kind: str) -> Shape:
    if kind != _MEASURED:
        return replaced(shape, "impairments", replaced(shape.impairments, "jitter_distribution", kind))
    if not shape.impairments.jitter_samples_ms:
        raise Wrong("needs delays: take them from a file")
    return shape


def _with_samples(shape: Shape, samples: tuple[float, ...]) -> Shape:
    return replaced(shape, "impairments", replaced(shape.impairments, "jitter_samples_ms", samples))


def _chance(path: str, label: str, help: str) -> Field:
    return Field(f"impairments.{path}", label, _PERCENT, help)


CABLE = (
    Field("jitter_kind", "Jitter is", kinds.choice(_DISTRIBUTIONS), "How the delay is spread by the jitter.",
          lens=Lens(_jitter, _with_jitter, ("impairments.jitter_distribution",)),
          brings=lambda content: {} if content == _MEASURED else {"jitter_samples": ""}),
    Field("jitter_samples", "Measured delays", SAMPLES,
          "In ms, from a file. Delay and jitter become their mean and standard deviation.",
          lens=Lens(lambda shape: shape.impairments.jitter_samples_ms, _with_samples,
                    ("impairments.jitter_samples_ms",)),
          brings=lambda content: {**centred(content), "jitter_kind": None}),
    _chance("jitter_correlation_percent", "Jitter correlation", "How much a packet's delay is that of the one before."),
    Field("loss_model", "Loss is", kinds.choice(_CALLED), "How losses come.",
          lens=Lens(_model, _with_model, ("impairments.gilbert_elliott", "impairments.four_states")),
          explains=_explained, brings=_brought),
    _chance("loss_correlation_percent", "Loss correlation",
            "Of random losses; it changes the share too. For bursts take a model."),
    _chance("gilbert_elliott.to_bad_percent", "Good to bad", "Chance per packet to enter the bad state (p)."),
    _chance("gilbert_elliott.to_good_percent", "Bad to good", "Chance per packet to leave it (r)."),
    _chance("gilbert_elliott.loss_in_bad_percent", "Loss when bad", "Share lost in the bad state (1-h)."),
    _chance("gilbert_elliott.loss_in_good_percent", "Loss when good", "Share lost in the good state (1-k)."),
    _chance("four_states.p13_percent", "1 to 3", "Chance to begin a burst with a lost packet (p13)."),
    _chance("four_states.p31_percent", "3 to 1", "Chance that the burst ends after a lost packet (p31)."),
    _chance("four_states.p32_percent", "3 to 2", "Chance that a packet is received within the burst (p32)."),
    _chance("four_states.p23_percent", "2 to 3", "Chance that the next one is lost again (p23)."),
    _chance("four_states.p14_percent", "1 to 4", "Chance that a single packet is lost (p14)."),
    _chance("duplicate_percent", "Duplicate", "Share of packets that arrive twice."),
    _chance("corrupt_percent", "Corrupt", "Share of packets of which one bit is turned over."),
    _chance("reorder_percent", "Reorder", "Share of packets that skip the delay, and so overtake; needs a delay."),
    _chance("reorder_correlation_percent", "Reorder correlation", "How much it hangs on the packet before."),
    Field("impairments.reorder_gap", "Gap", kinds.quantity(COUNT, optional=True),
          "Only every so many-th packet may skip the delay.", hint="any"),
)  # fmt: skip


def told_of_loss(link: Link, side: str) -> str:
    """The average loss of a direction in the long run."""
    shape: Shape = getattr(link, side)
    words = f"mean loss {shape.mean_loss_percent:.3g} %"
    bursts = shape.impairments.gilbert_elliott
    if bursts is not None:
        words += f"\nbursts of {100 / bursts.to_good_percent:.3g} packets"
    return words
