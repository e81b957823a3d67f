"""A topology as `frr.conf`, `tc` commands and the plan of a lab."""
