"""`lib.topolog`: the tests' logger."""

from __future__ import annotations

from frrlib.topotest.log import get_logger, logger

__all__ = ["get_logger", "logger"]
