"""Plots of what a run measures, while it does and afterwards: windows and a panel with matplotlib in them."""
