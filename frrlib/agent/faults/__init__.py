"""Faults in the lab, on request and as planned."""
