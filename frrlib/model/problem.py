"""A problem of a drawing: where it is, what is wrong, and what would be right."""

from __future__ import annotations

from enum import StrEnum

from frrlib.model.base import Value


class Severity(StrEnum):
    """How bad a problem is: an error keeps the lab from running, a warning makes it doubtful, a note explains it."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Problem(Value):
    """Something in a drawing that someone should know.

    Its text names fields as the model does, for the authors of scripts; `labels.place_of` and `labels.sentences` tell
    it in the words of the dialogs.

    Attributes:
        severity: how bad it is.
        kind: what it is in a word or two, the same for all problems of a kind ("duplicate-name").
        node: name of the node or id of the link or flow concerned, empty where it is the whole drawing.
        field: the field concerned, dotted ("ospf.dead_s"), empty where there is none.
        why: what is wrong, as a clause that can follow the node's name ("has no address").
        right: what would be right, empty where that is obvious.
    """

    severity: Severity
    kind: str
    node: str = ""
    field: str = ""
    why: str
    right: str = ""

    def __str__(self) -> str:
        where = ".".join(part for part in (self.node, self.field) if part)
        text = f"{where}: {self.why}" if where else self.why
        return f"{text}; {self.right}" if self.right else text


def error(kind: str, node: str, field: str, why: str, right: str = "") -> Problem:
    """A problem that keeps the lab from running."""
    return Problem(severity=Severity.ERROR, kind=kind, node=node, field=field, why=why, right=right)


def warning(kind: str, node: str, field: str, why: str, right: str = "") -> Problem:
    """A problem that makes the lab doubtful."""
    return Problem(severity=Severity.WARNING, kind=kind, node=node, field=field, why=why, right=right)


def note(kind: str, node: str, field: str, why: str, right: str = "") -> Problem:
    """Something worth knowing that needs no change."""
    return Problem(severity=Severity.NOTE, kind=kind, node=node, field=field, why=why, right=right)
