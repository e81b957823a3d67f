"""All MG experiments, in the order of their slides; the last one is only in the repository."""

from __future__ import annotations

from miniedit_frr.experiments.miniweb_girondi.delay import MG_D
from miniedit_frr.experiments.miniweb_girondi.file import MG_S
from miniedit_frr.experiments.miniweb_girondi.lan import MG_0, MG_N
from miniedit_frr.experiments.miniweb_girondi.loss import MG_L
from miniedit_frr.experiments.miniweb_girondi.page import MG_W

EXPERIMENTS = (MG_L, MG_D, MG_W, MG_S, MG_N, MG_0)
