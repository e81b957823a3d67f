"""Small helpers for files, descriptors, signals and processor times of the machine; the standard library only."""
