"""Starts and stops the lab of the topology, and connects it with all windows that show it."""
