"""Says what brings a running configuration back to one that was kept."""

from __future__ import annotations

from frrlib.conf.changes import as_own_lines, difference

#: First words of lines that FRR tells of itself, or that labs add to log what happens.
_NOT_COMPARED = ("frr version", "frr defaults", "hostname ", "log ", "Building configuration", "Current configuration")


def changes(running: str, kept: str) -> list[str]:
    """Lines of configuration that make the one say what the other says; none where it does already."""
    return as_own_lines(difference(_compared(running), _compared(kept))).splitlines()


def _compared(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(_NOT_COMPARED))
