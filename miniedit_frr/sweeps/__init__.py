"""Sweeps and comparisons from the window: their dialogs, progress and results."""
