"""Explains why a running lab lacks a route or a neighbor, from its daemons and kernels."""
