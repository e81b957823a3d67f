"""The walls around a lab: its file tree, limits, and forbidden system calls."""
