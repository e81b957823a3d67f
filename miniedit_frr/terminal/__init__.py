"""What a terminal shows: how far a lab has come, and what came out."""
