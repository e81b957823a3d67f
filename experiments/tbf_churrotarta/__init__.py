"""Four BBR flows behind a router, by churro-tarta: five ways to make its bottleneck."""

from experiments.tbf_churrotarta.declarations import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
