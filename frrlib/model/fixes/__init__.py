"""Fixes by kind of problem, for problems with exactly one solution."""
