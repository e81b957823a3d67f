"""Edits from the menus: each asks what it must, and makes one edit of the drawing."""
