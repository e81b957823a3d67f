"""Runs FRR's own topotest directories, unmodified, in labs without root."""
