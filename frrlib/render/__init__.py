"""The values in other tongues: frr.conf, tc commands, the plan of a lab."""
