"""The command line: a module for each command, or for a few that belong together."""
