"""The changes that turn a running configuration into a saved one."""

from __future__ import annotations

from frrlib.conf.changes import as_own_lines, difference

#: First words of lines that FRR prints about itself, or that labs add for logging.
_NOT_COMPARED = ("frr version", "frr defaults", "hostname ", "log ", "Building configuration", "Current configuration")


def changes(running: str, saved: str) -> list[str]:
    """Lines of configuration that turn the running configuration into the saved one; empty if they are equal."""
    return as_own_lines(difference(_compared(running), _compared(saved))).splitlines()


def _compared(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(_NOT_COMPARED))
