"""Topologies in files of other programs, and the choice of the format by a file's name; reading executes nothing."""
