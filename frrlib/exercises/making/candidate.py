"""One check that a new exercise may have, with its group in lists and its id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from frrlib.exercises.checks import Check

#: Groups of candidates, in their order.
ADDRESSES, STATIC, NEIGHBORS, ROUTES, PATHS, PINGS, ABSENT, LINES = (
    "Addresses", "Static routes", "Neighbors", "Learned routes", "Paths", "Reachability", "Absences",
    "Configuration lines",
)  # fmt: skip
GROUPS = (ADDRESSES, STATIC, NEIGHBORS, ROUTES, PATHS, PINGS, ABSENT, LINES)
_LONGEST_ID = 40


@dataclass(frozen=True)
class Candidate:
    """A check that an exercise may have.

    Attributes:
        check: the check, with an id that is unique among all candidates.
        group: the group that lists show it in, one of `GROUPS`.
        is_proposed: whether an exercise gets it unless the author decides otherwise.
        is_certain: whether the topologies alone determine that it holds in the solution and fails at the start.
        better: of a line, the ids of the checks of the network's behavior that depend on it.
    """

    check: Check
    group: str
    is_proposed: bool = True
    is_certain: bool = True
    better: tuple[str, ...] = ()


def identifier(*words: str) -> str:
    """An id of a check, made of words."""
    text = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    return text[:_LONGEST_ID].strip("-") or "check"


def with_unique_ids(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates with a number after each id that occurs again."""
    ids: set[str] = set()
    unique = []
    for candidate in candidates:
        base = name = candidate.check.id
        number = 2
        while name in ids:
            name = f"{base[: _LONGEST_ID - 4]}-{number}"
            number += 1
        ids.add(name)
        unique.append(replace(candidate, check=candidate.check.model_copy(update={"id": name})))
    return unique
