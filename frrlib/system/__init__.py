"""Small helpers for files, descriptors, signals, processor times and imports; the standard library only."""
