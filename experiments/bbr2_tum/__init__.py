"""All TU experiments, in the order of their slides."""

from __future__ import annotations

from experiments.bbr2_tum.phases import PHASES, UNFAIR
from experiments.bbr2_tum.share import BUFFERS, ROUND_TRIPS
from experiments.bbr2_tum.single import LATENCY, LOSS

EXPERIMENTS = (PHASES, UNFAIR, BUFFERS, ROUND_TRIPS, LOSS, LATENCY)
