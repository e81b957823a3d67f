"""Losses in bursts: the share in the long run, compared with simulated chains."""

from __future__ import annotations

import random

import pytest

from frrlib.model.impairments import FourStates, GilbertElliott
from frrlib.model.links import Shape
from tests.disciplines import CABLES

_PACKETS = 400_000


def played_gilbert(bursts: GilbertElliott, chance: random.Random) -> float:
    """The share lost in percent: netem moves first, then the state's own chance decides."""
    is_bad, lost = False, 0
    for _ in range(_PACKETS):
        leaves = bursts.to_good_percent if is_bad else bursts.to_bad_percent
        is_bad ^= chance.random() * 100 < leaves
        lost += chance.random() * 100 < (bursts.loss_in_bad_percent if is_bad else bursts.loss_in_good_percent)
    return 100 * lost / _PACKETS


def played_states(states: FourStates, chance: random.Random) -> float:
    """The share lost in percent: a packet is lost that comes to state 3 or 4."""
    transitions = {
        1: ((3, states.p13_percent), (4, states.p14_percent)),
        2: ((3, states.p23_percent),),
        3: ((1, states.p31_percent), (2, states.p32_percent)),
        4: ((1, 100.0),),
    }
    state, lost = 1, 0
    for _ in range(_PACKETS):
        remaining = chance.random() * 100
        for next_state, percent in transitions[state]:
            if remaining < percent:
                state = next_state
                break
            remaining -= percent
        lost += state in (3, 4)
    return 100 * lost / _PACKETS


@pytest.mark.parametrize(
    "bursts",
    [
        CABLES["gilbert"][1].gilbert_elliott,
        GilbertElliott(to_bad_percent=2, to_good_percent=20),
        GilbertElliott(to_bad_percent=30, to_good_percent=60, loss_in_good_percent=1),
    ],
)
def test_the_mean_loss_of_two_states(bursts: GilbertElliott) -> None:
    assert bursts.mean_loss_percent == pytest.approx(played_gilbert(bursts, random.Random(1)), rel=0.05)


@pytest.mark.parametrize(
    "states",
    [
        CABLES["states"][1].four_states,
        FourStates(p13_percent=5, p31_percent=50, p32_percent=30, p23_percent=60, p14_percent=1),
        FourStates(p13_percent=0, p14_percent=10),
    ],
)
def test_the_mean_loss_of_four_states(states: FourStates) -> None:
    assert states.mean_loss_percent == pytest.approx(played_states(states, random.Random(2)), rel=0.05)


def test_a_direction_loses_in_one_way() -> None:
    assert Shape(loss_percent=2).mean_loss_percent == 2
    assert Shape(impairments=CABLES["gilbert"][1]).mean_loss_percent > 6
    assert Shape(impairments=CABLES["gilbert"][1]).needs_link_namespace
    with pytest.raises(ValueError, match="remove one of them"):
        CABLES["gilbert"][1].__class__(
            gilbert_elliott=CABLES["gilbert"][1].gilbert_elliott, four_states=CABLES["states"][1].four_states
        )
