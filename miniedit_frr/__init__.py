"""MiniEdit-FRR: the editor and the command line."""
