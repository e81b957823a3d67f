"""Fixes of problems that have exactly one solution."""
