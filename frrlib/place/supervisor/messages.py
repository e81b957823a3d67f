"""The supervisor's messages in the output of its lab, for the program that started the lab."""

from __future__ import annotations

#: Precedes the name of the signal that killed the lab, in a line of its console.
KILLED_BY = "frrlab: killed by "


def split_at_kill(console: str) -> tuple[str, str]:
    """Split the output of a lab at the line about its kill.

    Processes of a lab kernel that outlive it for a moment print after that line.

    Returns:
        The output before the line, and the name of the signal, such as "SIGKILL". Without such a line, all of the
        output, and an empty name.
    """
    at = 0
    for line in console.splitlines(keepends=True):
        name = line.rstrip().removeprefix(KILLED_BY)
        if line.startswith(KILLED_BY) and name.startswith("SIG") and name.isalnum():
            return console[:at], name
        at += len(line)
    return console, ""
