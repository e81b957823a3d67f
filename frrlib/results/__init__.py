"""Measurements in results folders: written, read, summarized and judged."""
