"""Samples of connections and queues, taken while flows run."""
