"""The choice of packages for a system of its own: the basic packages, the wanted ones, and all that they depend on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.index import Index, Record, Relation


def resolve(index: Index, wanted: Sequence[str]) -> list[Record]:
    """All packages of a system with the wanted ones, by name.

    Recommended packages are left out. The first possible alternative of a dependency is taken, unless another one is
    chosen already.

    Raises:
        ArchiveError: no list has a package that is needed, or two packages exclude each other.
    """
    chosen: dict[str, Record] = {}
    for name in [*index.basic_names(), *wanted]:
        record = index.find(name)
        if record is None:
            raise ArchiveError(f"The lists of packages have no {name}.")
        chosen[name] = record
    queue = deque(chosen.values())
    while queue:
        record = queue.popleft()
        for group in record.depends:
            if any(other.is_named(relation) for relation in group for other in chosen.values()):
                continue
            candidate = _first_possible(index, group, chosen.values())
            if candidate is None:
                raise ArchiveError(f"{record.name} needs {_text(group)}, which cannot be chosen.")
            chosen[candidate.name] = candidate
            queue.append(candidate)
    for record in chosen.values():
        for other in chosen.values():
            if _exclude(record, other):
                raise ArchiveError(f"{record.name} and {other.name} cannot be used together.")
    return sorted(chosen.values(), key=lambda record: record.name)


def _first_possible(index: Index, group: Iterable[Relation], chosen: Iterable[Record]) -> Record | None:
    others = list(chosen)
    for relation in group:
        for candidate in index.candidates(relation):
            if not any(_exclude(candidate, other) or _exclude(other, candidate) for other in others):
                return candidate
    return None


def _exclude(record: Record, other: Record) -> bool:
    return record.name != other.name and any(other.is_named(relation) for relation in record.excludes)


def _text(group: Iterable[Relation]) -> str:
    return " or ".join(f"{name} {operator} {version}".strip() for name, operator, version in group)
