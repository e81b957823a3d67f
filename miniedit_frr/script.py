"""The end of an exported script. `main` is defined in `miniedit_frr.cli.script`."""

from miniedit_frr.cli.script import Run, main, runs

__all__ = ["Run", "main", "runs"]
