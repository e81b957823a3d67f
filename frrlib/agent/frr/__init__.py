"""FRR's daemons in the lab: their start, their end, and the commands sent to them."""
