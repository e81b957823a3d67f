"""File > Experiments: published experiments as topologies to view, change and run."""
