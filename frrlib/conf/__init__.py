"""FRR's configuration as text: its sections, what two have apart, and how lines of one's own join what is there."""
