"""The impairments of a link beyond delay and plain loss."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import Milliseconds, Percent, Value
from frrlib.model.delays import MOST_SAMPLES

Distribution = Literal["uniform", "normal", "pareto", "paretonormal"]
DelaySample = Annotated[Milliseconds, Field(le=60_000)]


class GilbertElliott(Value):
    """Loss in bursts: a good and a bad state, each with its own loss (Gilbert, 1960; Elliott, 1963).

    All values are probabilities per packet, in percent.

    Attributes:
        to_bad_percent, to_good_percent: transition from the good state to the bad one, and back (p and r).
        loss_in_bad_percent, loss_in_good_percent: loss in each state (1-h and 1-k).
    """

    to_bad_percent: Annotated[Percent, Field(gt=0)]
    to_good_percent: Annotated[Percent, Field(gt=0)]
    loss_in_bad_percent: Percent = 100.0
    loss_in_good_percent: Percent = 0.0

    @property
    def mean_loss_percent(self) -> float:
        """The loss in the long run: the mean of both states' losses, weighted by their shares of the packets."""
        to_bad, to_good = self.to_bad_percent, self.to_good_percent
        return (to_bad * self.loss_in_bad_percent + to_good * self.loss_in_good_percent) / (to_bad + to_good)


class FourStates(Value):
    """Loss by netem's Markov chain of four states (Salsano, Ludovici, Ordine, 2012).

    State 1 is received, 2 received within a burst, 3 lost within a burst, 4 lost alone. All values are transition
    probabilities per packet, in percent: `p13_percent` is that from state 1 to state 3.
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
            percent / 100
            for percent in (self.p13_percent, self.p31_percent, self.p32_percent, self.p23_percent, self.p14_percent)
        )
        # Transitions: 1 to 3 and 4, 3 to 1 and 2, 2 to 3, 4 always to 1. Shares are relative to that of state 1.
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
    """Rarer impairments of a link's direction; all are off by default.

    Correlations are those of netem: the weight of the previous packet's random number in the next one. They also change
    the resulting share. For loss in bursts use `gilbert_elliott`.

    Attributes:
        jitter_distribution: distribution of the delay, with a spread of the shape's `jitter_ms`.
        jitter_samples_ms: measured delays in ms (`delays.read_samples`), empty for none. They replace
            `jitter_distribution`: the delay has their distribution, with the shape's `delay_ms` as its mean and
            `jitter_ms` as its standard deviation. Set these to the samples' own to reproduce the measured delays.
        jitter_correlation_percent, loss_correlation_percent: see above.
        gilbert_elliott, four_states: loss in bursts, instead of the shape's `loss_percent`.
        duplicate_percent: share of packets that arrive twice.
        corrupt_percent: share of packets with one flipped bit.
        reorder_percent, reorder_correlation_percent: share of packets that skip the delay and so overtake others.
        reorder_gap: reorder one packet in every N; None for any packet.
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
        """Whether any impairment is active that needs neither delay nor jitter nor plain loss."""
        shares = (self.duplicate_percent, self.corrupt_percent, self.reorder_percent)
        return any(shares) or self.gilbert_elliott is not None or self.four_states is not None
