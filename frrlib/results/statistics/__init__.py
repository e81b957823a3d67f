"""Numbers computed from the samples of runs."""
