"""Configurations typed on running routers: compared, adopted or dropped."""
