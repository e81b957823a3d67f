"""Where a lab runs."""
