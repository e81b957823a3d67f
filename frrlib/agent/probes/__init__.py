"""Probes of the lab's network: ping, traceroute, kernel route lookups, and trials of links."""
