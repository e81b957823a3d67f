"""The error of this room. It runs before anything is installed, on Python 3.9 or newer."""

from __future__ import annotations


class SetupError(Exception):
    """The missing packages cannot be fetched or used. The message has the reason and the remedy."""
