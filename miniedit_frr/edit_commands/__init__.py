"""Edits from the menus: each asks for its parameters and makes one edit of the topology."""
