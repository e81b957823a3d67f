"""Runs with flows: their options, their list, their figures and verdicts."""
