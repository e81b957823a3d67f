"""All MG experiments, in the order of the slides that they are from; the last one is from the repository alone."""

from __future__ import annotations

from experiments.mg.delay import MG_D
from experiments.mg.file import MG_S
from experiments.mg.lan import MG_0, MG_N
from experiments.mg.loss import MG_L
from experiments.mg.page import MG_W

EXPERIMENTS = (MG_L, MG_D, MG_W, MG_S, MG_N, MG_0)
