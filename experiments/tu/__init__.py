"""All TU experiments, in the order of the slides that they are from."""

from __future__ import annotations

from experiments.tu.phases import PHASES, UNFAIR
from experiments.tu.share import BUFFERS, ROUND_TRIPS
from experiments.tu.single import LATENCY, LOSS

EXPERIMENTS = (PHASES, UNFAIR, BUFFERS, ROUND_TRIPS, LOSS, LATENCY)
