"""Errors by their source: the drawing, the machine, or a command.

Every error that a user may see is one of these; each carries what is needed to say so in one line.
"""

from __future__ import annotations

from collections.abc import Sequence


class LabError(Exception):
    """Base of all errors that are reported to the user as one message, without a traceback."""


class TopologyError(LabError):
    """The drawing or its file is wrong.

    Its text names fields as the model and files do, for the authors of scripts; `frrlib.model.labels.error_words` tells
    it in the words of the dialogs.

    Args:
        why: what is wrong, as a clause ("has no such link end").
        node: name of the node or id of the link concerned, empty where it is the whole topology.
        field: the field concerned, dotted ("ospf.networks"), empty where there is none.
        right: what would be right, empty where that is obvious.
        line: line of the file, from 1; 0 where it is not known.
    """

    def __init__(self, why: str, *, node: str = "", field: str = "", right: str = "", line: int = 0) -> None:
        self.why, self.node, self.field, self.right, self.line = why, node, field, right, line
        place = ".".join(part for part in (node, field) if part)
        text = f"{place}: {why}" if place else why
        if line:
            text = f"line {line}: {text}"
        super().__init__(f"{text}; {right}" if right else text)


class PlaceError(LabError):
    """This machine lacks something that the lab needs.

    Args:
        missing: what is missing, as a sentence without a full stop.
        remedy: the command that brings it, or what else the user can do; empty where nothing can.
    """

    def __init__(self, missing: str, remedy: str = "") -> None:
        self.missing, self.remedy = missing, remedy
        super().__init__(f"{missing}. Remedy: {remedy}" if remedy else missing)


class LabFailed(LabError):
    """The lab ran and did not do what was asked: a route is missing, a flow failed, a daemon died."""


class Interrupted(KeyboardInterrupt):
    """Another thread asked for the end of a lab. It ends what the lab's own thread does just as Ctrl-C would."""


class CommandFailed(LabError):
    """A command ended with a status other than 0.

    Args:
        argv: the command as a list of words.
        status: its exit status; negative for a signal.
        stderr: what it said, shortened by the caller if long.
    """

    def __init__(self, argv: Sequence[str], status: int, stderr: str) -> None:
        self.argv, self.status, self.stderr = tuple(argv), status, stderr
        said = stderr.strip() or "no message"
        super().__init__(f"`{' '.join(argv)}` ended with status {status}: {said}")
