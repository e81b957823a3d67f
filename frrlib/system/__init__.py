"""Small helpers for files, signals and processor times of the machine; the standard library only."""
