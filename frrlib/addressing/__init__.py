"""Names and addresses that a topology leaves open, filled in."""
