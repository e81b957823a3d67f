"""Faults of a running lab, from the menus and from edits of links."""
