"""Plots and loads of flows while they run; the only matplotlib of the window."""
