"""Topologies in files; reading a file never executes anything."""
