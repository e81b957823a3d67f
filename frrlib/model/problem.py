"""A problem of a topology: its place, what is wrong, and its remedy."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from frrlib.model.base import Value


class Severity(StrEnum):
    """An error keeps the lab from running, a warning puts its results in doubt, a note only explains."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


#: The kinds of things that a problem can be about; empty for the whole topology, and if it is not known.
About = Literal["", "node", "link", "flow"]
#: The kind of problem that FRR refuses a line. Routers start without such lines if the topology intends them.
REFUSED_LINE = "refused-line"


class ProblemSubject(NamedTuple):
    """The thing that a problem is about: its kind, and its name or ID."""

    about: About
    name: str


class Problem(Value):
    """A condition of a topology that its author should know.

    Its text names fields as the model does, for the authors of scripts. `labels.place_of` and `labels.sentences` give
    it in the words of the dialogs.

    Attributes:
        severity: its severity.
        kind: its kind in a word or two ("duplicate-name"), the key of its reason and of its fix.
        node: name of the node or ID of the link or flow concerned, empty for the whole topology.
        about: which of these `node` names, since a node, a link and a flow may have the same name; empty for the whole
            topology, and for files that do not say it.
        field: the field concerned, dotted ("ospf.dead_s"), empty for none.
        message: what is wrong, as a clause that can follow the place and a colon ("no router has this address").
        remedy: the remedy as an instruction ("choose another address") or as the expected value ("at most 5 s"), empty
            if it is obvious.
    """

    severity: Severity
    kind: str
    node: str = ""
    about: About = ""
    field: str = ""
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        where = ".".join(part for part in (self.node, self.field) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}; {self.remedy}" if self.remedy else text


def error(kind: str, node: str, field: str, message: str, remedy: str = "", *, about: About = "") -> Problem:
    """Make a problem that keeps the lab from running."""
    return Problem(
        severity=Severity.ERROR, kind=kind, node=node, about=about, field=field, message=message, remedy=remedy
    )


def warning(kind: str, node: str, field: str, message: str, remedy: str = "", *, about: About = "") -> Problem:
    """Make a problem that puts the results of the lab in doubt."""
    return Problem(
        severity=Severity.WARNING, kind=kind, node=node, about=about, field=field, message=message, remedy=remedy
    )


def note(kind: str, node: str, field: str, message: str, remedy: str = "", *, about: About = "") -> Problem:
    """Make a remark that needs no change."""
    return Problem(
        severity=Severity.NOTE, kind=kind, node=node, about=about, field=field, message=message, remedy=remedy
    )
