"""Configurations of routers beside the drawing: what was typed goes into it, folders in and out, old ones are kept."""
