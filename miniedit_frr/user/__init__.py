"""This user's small files, and the package's files besides code; no window."""
