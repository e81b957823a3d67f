"""Martinber's scenarios of BBRv1, BBRv2, Reno and CUBIC, and his routed example."""

from miniedit_frr.experiments.bbr2_martinber.declarations import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
