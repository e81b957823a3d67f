"""Martinber's scenarios of BBRv1, BBRv2, Reno and CUBIC, and his routed example."""

from experiments.mb.declared import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
