"""The commands for graded exercises."""
