"""The verdict of a run: measured values compared with the topology."""
