"""FRR's daemons in the lab: their start, their end, and conversations with them."""
