"""The scenario track: the plan of a run, seen and edited on a time axis."""
