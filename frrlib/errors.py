"""Errors by their source: the topology, the machine, the lab, or a command.

Every error that a user may see is one of these. Each has the parts of its message as attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal


class LabError(Exception):
    """Base of all errors that are reported to the user as one message, without a traceback."""


class TopologyError(LabError):
    """The topology or its file is wrong.

    Its text names fields as the model and files do, for the authors of scripts. `frrlib.model.labels.error_words` gives
    it in the words of the dialogs.

    Args:
        message: what is wrong, as a clause ("has no such link end").
        node: name of the node or ID of the link or flow concerned; empty for the whole topology.
        about: "node", "link" or "flow", whichever `node` names, since they may have the same name; empty if unknown.
        field: the field concerned, dotted ("ospf.networks"); empty for none.
        remedy: the remedy as an instruction, or the expected value; empty if it is obvious.
        line: line of the file, from 1; 0 if it is unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        node: str = "",
        about: Literal["", "node", "link", "flow"] = "",
        field: str = "",
        remedy: str = "",
        line: int = 0,
    ) -> None:
        self.message, self.node, self.about, self.field = message, node, about, field
        self.remedy, self.line = remedy, line
        place = ".".join(part for part in (node, field) if part)
        text = f"{place}: {message}" if place else message
        if line:
            text = f"line {line}: {text}"
        super().__init__(f"{text}; {remedy}" if remedy else text)


class PlaceError(LabError):
    """This machine lacks something that the lab needs.

    Args:
        missing: what is missing, as a sentence without a full stop.
        remedy: the command that installs it, or another instruction; empty if there is no remedy.
    """

    def __init__(self, missing: str, remedy: str = "") -> None:
        self.missing, self.remedy = missing, remedy
        super().__init__(f"{missing}. Remedy: {remedy}" if remedy else missing)


class LabFailed(LabError):
    """The lab ran, but a request failed: a route is missing, a flow failed, a daemon died."""


class SealedNode(LabFailed):
    """A command was refused in a sealed router (`frrlib.model.sealed`).

    Args:
        node: its name.
    """

    def __init__(self, node: str) -> None:
        super().__init__(f"{node} is sealed: its configuration is not shown, so it has no shell and no vtysh")


class Interrupted(KeyboardInterrupt):
    """Another thread requested the end of a lab. It interrupts the lab's own thread as Ctrl-C would."""


class CommandFailed(LabError):
    """A command ended with a status other than 0.

    Args:
        argv: the command as a list of words.
        status: its exit status; negative for a signal.
        stderr: its error output, shortened by the caller if long.
    """

    def __init__(self, argv: Sequence[str], status: int, stderr: str) -> None:
        self.argv, self.status, self.stderr = tuple(argv), status, stderr
        message = stderr.strip() or "no message"
        super().__init__(f"`{' '.join(argv)}` ended with status {status}: {message}")
