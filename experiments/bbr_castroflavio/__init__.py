"""The replication of the BBR paper by castroflavio: figures 5 and 6, and a shared buffer."""

from miniedit_frr.experiments.bbr_castroflavio.declarations import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
