"""The kinds of mistakes, and the decorator that adds one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from frrlib.model.topology import Topology


@dataclass(frozen=True)
class Faulty:
    """A network with one mistake.

    Attributes:
        topology: the network.
        places: nodes and links where the mistake may be reported.
    """

    topology: Topology
    places: frozenset[str]


#: Makes a mistake in a healthy network; None if the network has no place for it.
MakeMistake = Callable[[Random, Topology], Faulty | None]


@dataclass(frozen=True)
class Mistake:
    """A kind of mistake.

    Attributes:
        name: a few words.
        base: the kind of healthy network that it is made in.
        kinds: kinds of problems that name its cause.
        fields: the fields at which it may be reported.
        make: see `MakeMistake`.
    """

    name: str
    base: str
    kinds: frozenset[str]
    fields: frozenset[str]
    make: MakeMistake


MISTAKES: dict[str, Mistake] = {}


def mistake(name: str, base: str, kinds: str, fields: str) -> Callable[[MakeMistake], MakeMistake]:
    """A decorator for the function that makes a mistake.

    Args:
        name: a few words.
        base: the kind of healthy network; `make` may ignore it and build its own.
        kinds: kinds of problems, separated by blanks.
        fields: fields, separated by blanks; "-" for a problem of the node as a whole.
    """

    def register(make: MakeMistake) -> MakeMistake:
        assert name not in MISTAKES
        listed = frozenset("" if field == "-" else field for field in fields.split())
        MISTAKES[name] = Mistake(name, base, frozenset(kinds.split()), listed, make)
        return make

    return register
