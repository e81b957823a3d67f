"""The scenario track: the plan of a run, shown and edited on a time axis."""
