"""Debian packages that the machine lacks, fetched without root and laid over its system or put in a root folder; the
standard library only."""
