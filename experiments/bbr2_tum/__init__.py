"""All TU experiments, in the order of their slides."""

from __future__ import annotations

from miniedit_frr.experiments.bbr2_tum.phases import PHASES, UNFAIR
from miniedit_frr.experiments.bbr2_tum.share import BUFFERS, ROUND_TRIPS
from miniedit_frr.experiments.bbr2_tum.single import LATENCY, LOSS

EXPERIMENTS = (PHASES, UNFAIR, BUFFERS, ROUND_TRIPS, LOSS, LATENCY)
