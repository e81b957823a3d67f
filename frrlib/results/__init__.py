"""Measurements, kept and shown."""
