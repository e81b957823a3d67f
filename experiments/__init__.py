"""Published experiments of congestion control and routing, as declarations that can be run, drawn and judged."""
