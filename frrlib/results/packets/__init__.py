"""Packet captures of a run as columns, series and views."""
