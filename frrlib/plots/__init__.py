"""Figures of runs, drawn from results folders; the only matplotlib of the library besides pictures."""
