"""Commands for detached labs: start, list and stop them, and run commands in their nodes."""
