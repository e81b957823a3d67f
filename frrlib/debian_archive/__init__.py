"""Signed lists, dependencies, downloads and unpacking of Debian packages without apt; the standard library only."""
