"""Compiles kernel modules of users, confined, for the lab kernel that loads them."""
