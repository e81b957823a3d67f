"""Messages in the output of a lab, for the program that started the lab."""

from __future__ import annotations

#: Precedes the name of the signal that killed the lab, in a line of its console.
KILLED_BY = "frrlab: killed by "
#: Precedes the reason why a lab was ended, such as a limit and its number, in a line of its console.
REASON = "frrlab: reason: "
#: Precedes the reason why init ended a lab kernel before its program began, in a line of its console.
REFUSED = "frrlab: refused: "


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


def reason_of_end(console: str) -> str:
    """The first reason why a lab was ended, from its console; empty for none. Later ones are consequences."""
    return next((line.removeprefix(REASON).strip() for line in console.splitlines() if line.startswith(REASON)), "")


def reason_of_refusal(console: str) -> str:
    """The reason why a lab kernel was not started, from its console; empty for none."""
    for line in console.splitlines():
        if line.startswith(REFUSED):
            return line.removeprefix(REFUSED).strip()
        before, found, name = line.partition("' invalid for parameter `")
        if found:
            value = before.rpartition("`")[2]
            return f"the kernel parameter {name.partition(chr(39))[0]}={value} cannot be set: the value is invalid"
    return ""
