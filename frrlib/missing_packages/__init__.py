"""Debian packages that the machine lacks, fetched without root and laid over its system; the standard library only."""
