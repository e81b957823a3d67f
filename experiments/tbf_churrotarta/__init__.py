"""Four BBR flows behind a router, by churro-tarta: five ways to make its bottleneck."""

from miniedit_frr.experiments.tbf_churrotarta.declarations import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
