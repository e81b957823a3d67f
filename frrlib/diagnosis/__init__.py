"""Explains why a running lab lacks a route, a neighbor or replies to pings, from its daemons and kernels."""
