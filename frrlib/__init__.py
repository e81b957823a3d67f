"""Labs of hosts, switches and FRR routers: described as values, run without root, measured, kept."""

__version__ = "0.2.0"
