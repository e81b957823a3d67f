"""Labs of hosts, switches and FRR routers: described as values, run without root, measured, kept."""
