"""The impairments of a cable beyond delay and plain loss."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import Milliseconds, Percent, Value
from frrlib.model.delays import MOST_SAMPLES

Distribution = Literal["uniform", "normal", "pareto", "paretonormal"]
DelaySample = Annotated[Milliseconds, Field(le=60_000)]


class GilbertElliott(Value):
    """Loss in bursts: a good and a bad state, each with a loss of its own (Gilbert, 1960; Elliott, 1963).

    All are chances per packet, in percent.

    Attributes:
        to_bad_percent, to_good_percent: to go from the good state to the bad one, and back (p and r).
        loss_in_bad_percent, loss_in_good_percent: to be lost in either (1-h and 1-k).
    """

    to_bad_percent: Annotated[Percent, Field(gt=0)]
    to_good_percent: Annotated[Percent, Field(gt=0)]
    loss_in_bad_percent: Percent = 100.0
    loss_in_good_percent: Percent = 0.0

    @property
    def mean_loss_percent(self) -> float:
        """The loss in the long run: each state's loss by the share of the packets that meet it."""
        to_bad, to_good = self.to_bad_percent, self.to_good_percent
        return (to_bad * self.loss_in_bad_percent + to_good * self.loss_in_good_percent) / (to_bad + to_good)


class FourStates(Value):
    """Loss by a chain of four states, as netem has it (Salsano, Ludovici, Ordine, 2012).

    State 1 receives, 2 receives within a burst, 3 loses within a burst, 4 loses alone. All are chances per packet, in
    percent, named by the states from and to.
    """

    p13_percent: Percent
    p31_percent: Percent = 100.0
    p32_percent: Percent = 0.0
    p23_percent: Percent = 100.0
    p14_percent: Percent = 0.0

    @property
    def mean_loss_percent(self) -> float:
        """The loss in the long run: the share of the states 3 and 4 in the chain's equilibrium."""
        p13, p31, p32, p23, p14 = (
            each / 100
            for each in (self.p13_percent, self.p31_percent, self.p32_percent, self.p23_percent, self.p14_percent)
        )
        # From 1 to 3 and 4, from 3 to 1 and 2, from 2 to 3, from 4 always to 1; shares in units of that of state 1.
        if p13 == 0:
            three = two = 0.0
        elif p31 == 0:
            return 100.0 * (p23 / (p23 + p32) if p23 + p32 else 1.0)
        else:
            three = p13 / p31
            two = three * p32 / p23 if p23 else float("inf")
        four = p14
        return 100.0 * (three + four) / (1 + two + three + four)


class Impairments(Value):
    """The rarer things that a cable does, each off unless given.

    Correlations are what netem makes of them: how much a random number is that of the packet before. They change the
    share itself, too; for loss in bursts take `gilbert_elliott`.

    Attributes:
        jitter_distribution: how the delay is spread by the shape's `jitter_ms`.
        jitter_samples_ms: delays that were measured, in ms (`delays.read_samples`), empty for none. The delay is spread
            as they are, whatever `jitter_distribution` says: about the shape's `delay_ms`, with `jitter_ms` as its
            standard deviation. With their own mean and standard deviation there, packets are delayed as they were.
        jitter_correlation_percent, loss_correlation_percent: see above.
        gilbert_elliott, four_states: loss in bursts, instead of the shape's `loss_percent`.
        duplicate_percent: packets that arrive twice.
        corrupt_percent: packets of which one bit is turned over.
        reorder_percent, reorder_correlation_percent: packets that skip the delay, and so overtake.
        reorder_gap: only every so many-th packet may skip it; None for any.
    """

    jitter_distribution: Distribution = "uniform"
    jitter_samples_ms: Annotated[tuple[DelaySample, ...], Field(max_length=MOST_SAMPLES)] = ()
    jitter_correlation_percent: Percent = 0.0
    loss_correlation_percent: Percent = 0.0
    gilbert_elliott: GilbertElliott | None = None
    four_states: FourStates | None = None
    duplicate_percent: Percent = 0.0
    corrupt_percent: Percent = 0.0
    reorder_percent: Percent = 0.0
    reorder_correlation_percent: Percent = 0.0
    reorder_gap: Annotated[int, Field(ge=1, le=1_000_000)] | None = None

    @model_validator(mode="after")
    def _enough_samples(self) -> Self:
        if len(self.jitter_samples_ms) == 1:
            raise ValueError("a distribution needs at least two measured delays; add one, or remove all")
        return self

    @model_validator(mode="after")
    def _one_model_of_loss(self) -> Self:
        if self.gilbert_elliott is not None and self.four_states is not None:
            raise ValueError("gilbert_elliott and four_states are both set; remove one of them")
        return self

    @property
    def are_any(self) -> bool:
        """Whether they do anything without a delay, a jitter or a plain loss."""
        shares = (self.duplicate_percent, self.corrupt_percent, self.reorder_percent)
        return any(shares) or self.gilbert_elliott is not None or self.four_states is not None
