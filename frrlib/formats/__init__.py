"""Topologies in files."""
