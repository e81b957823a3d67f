"""The log of tests and of their library; pytest shows it if a test fails."""

from __future__ import annotations

import logging

logger = logging.getLogger("topotest")


def get_logger(name: str, log_level: str | None = None, target: str | None = None) -> logging.Logger:
    """A logger of that name below the tests' own; pytest sets level and file."""
    return logger.getChild(name)
