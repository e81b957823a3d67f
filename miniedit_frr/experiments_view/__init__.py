"""File > Experiments: published experiments, run with their verdicts, and as topologies to view and change."""
