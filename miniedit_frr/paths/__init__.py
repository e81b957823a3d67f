"""Paths of packets between two nodes, and the ping matrix."""
