"""FRR configurations of routers that a topotest describes in JSON."""
