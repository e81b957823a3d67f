"""The interface for exported scripts. It is defined in `miniedit_frr.cli.script`."""

from miniedit_frr.cli.script import Run, main, runs

__all__ = ["Run", "main", "runs"]
