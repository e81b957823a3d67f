"""Networks with one mistake, which `check` must name."""
