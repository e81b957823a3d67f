"""Commands that other programs run in a node at the start, read as addresses, routes, links and other settings."""
