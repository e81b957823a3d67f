"""The directories of `suite` are run by `frrlib.topotest`, not by the project's own pytest."""

from __future__ import annotations

collect_ignore = ["suite"]
