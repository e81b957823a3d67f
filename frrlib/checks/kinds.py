"""Kinds of problems, and the subjects that join each kind with the rules that find it and with its fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from frrlib.checks.facts import Rule
from frrlib.checks.fix import Fixer
from frrlib.model import problem
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.problem import Problem, ProblemSubject

#: The subject of a problem: the name of a node (empty for the whole topology), a link, a flow, or a kind and a name.
Subject = str | Link | Flow | ProblemSubject


class Reason(NamedTuple):
    """The explanation of a kind of problem: three short texts of complete sentences.

    Attributes:
        means: the condition that was found.
        matters: its consequences.
        todo: the change that fixes it.
    """

    means: str
    matters: str
    todo: str


class ProblemKind(NamedTuple):
    """A kind of problem.

    Attributes:
        name: the key of the kind in reports and on the command line ("no-path").
        reason: its explanation.
        runs: whether a lab can run with an error of this kind if the author of the topology intends it, because real
            networks can have the same mistake.
    """

    name: str
    reason: Reason
    runs: bool = False


class CheckSubject:
    """The kinds of problems of one subject, the rules that find them, and their fixes, in the order of the module.

    Attributes:
        kinds: the kinds that the module declares.
        rules: each rule with the kinds that it may yield, also those of other subjects.
        fixers: name of a kind to the function that makes its fix.
    """

    def __init__(self) -> None:
        self.kinds: list[ProblemKind] = []
        self.rules: dict[Rule, tuple[ProblemKind, ...]] = {}
        self.fixers: dict[str, Fixer] = {}

    def kind(self, name: str, means: str, matters: str, todo: str, *, runs: bool = False) -> ProblemKind:
        """Declare a kind of problem."""
        kind = ProblemKind(name, Reason(means, matters, todo), runs)
        self.kinds.append(kind)
        return kind

    def rule(self, *kinds: ProblemKind) -> Callable[[Rule], Rule]:
        """A decorator for a rule that yields problems of these kinds."""

        def register(rule: Rule) -> Rule:
            self.rules[rule] = kinds
            return rule

        return register

    def fix(self, *kinds: ProblemKind) -> Callable[[Fixer], Fixer]:
        """A decorator for the function that makes the fix of these kinds. The kinds may be those of other subjects."""

        def register(fixer: Fixer) -> Fixer:
            self.fixers.update((kind.name, fixer) for kind in kinds)
            return fixer

        return register


def error(kind: ProblemKind, subject: Subject, field: str, message: str, remedy: str = "") -> Problem:
    """Make a problem that keeps the lab from running."""
    about, name = _subject_of(subject)
    return problem.error(kind.name, name, field, message, remedy, about=about)


def warning(kind: ProblemKind, subject: Subject, field: str, message: str, remedy: str = "") -> Problem:
    """Make a problem that puts the results of the lab in doubt."""
    about, name = _subject_of(subject)
    return problem.warning(kind.name, name, field, message, remedy, about=about)


def note(kind: ProblemKind, subject: Subject, field: str, message: str, remedy: str = "") -> Problem:
    """Make a remark that needs no change."""
    about, name = _subject_of(subject)
    return problem.note(kind.name, name, field, message, remedy, about=about)


def _subject_of(subject: Subject) -> ProblemSubject:
    match subject:
        case ProblemSubject():
            return subject
        case Link():
            return ProblemSubject("link", subject.id)
        case Flow():
            return ProblemSubject("flow", subject.id)
    return ProblemSubject("node" if subject else "", subject)
