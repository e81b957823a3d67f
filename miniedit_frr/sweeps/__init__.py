"""Sweeps from the window: their dialog, progress and results."""
