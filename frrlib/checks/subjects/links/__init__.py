"""Checks of links: their ends, values, queues and impairments."""
