"""Lists of packages: the fields of each package that the choice and the download of packages need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.versions import compare, satisfies

_RELATION = re.compile(r"([a-z0-9][a-z0-9+.-]*)(?::[a-z0-9]+)?\s*(?:\(\s*(<<|<=|=|>=|>>)\s*([^\s)]+)\s*\))?")
#: Needed by no program of a system whose packages are not installed by it.
_NOT_BASIC = "apt"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PATH = re.compile(r"[A-Za-z0-9][\w.+~:-]*(/[A-Za-z0-9][\w.+~:-]*)+")


class Relation(NamedTuple):
    """A package that another one needs or excludes, such as `libc6 (>= 2.34)`."""

    name: str
    operator: str = ""
    version: str = ""


class Record(NamedTuple):
    """A package in a list.

    Attributes:
        is_basic: whether every system has it.
        depends: groups of alternatives, of which each group needs one.
        excludes: packages that it conflicts with or breaks.
        provides: other names that it has; those with a version have the operator `=`.
        archive: the address of the archive that has its file.
        path: the path of its file in the archive.
        size: bytes of its file.
        sha256: the digest of its file.
    """

    name: str
    version: str
    architecture: str
    is_basic: bool
    depends: tuple[tuple[Relation, ...], ...]
    excludes: tuple[Relation, ...]
    provides: tuple[Relation, ...]
    archive: str
    path: str
    size: int
    sha256: str

    def is_named(self, relation: Relation) -> bool:
        """Whether it is the package of a relation, or provides it."""
        if self.name == relation.name and satisfies(self.version, relation.operator, relation.version):
            return True
        return any(
            name == relation.name and (not relation.operator or (operator == "=" and satisfies(version, *relation[1:])))
            for name, operator, version in self.provides
        )


class Index:
    """The newest version of each package in lists of packages. Only the records that are used get parsed."""

    def __init__(self) -> None:
        self._paragraphs: dict[str, list[tuple[str, str]]] = {}
        self._providers: dict[str, list[str]] = {}
        self._basic: set[str] = set()
        self._records: dict[str, Record] = {}

    def add(self, text: str, archive: str) -> None:
        """Add a list of packages of an archive."""
        for paragraph in text.split("\n\n"):
            name = _field(paragraph, "Package")
            if not name:
                continue
            self._paragraphs.setdefault(name, []).append((paragraph, archive))
            if _is_basic(paragraph) and name != _NOT_BASIC:
                self._basic.add(name)
            for relation in _relations(_field(paragraph, "Provides")):
                self._providers.setdefault(relation[0].name, []).append(name)

    def basic_names(self) -> list[str]:
        """The packages that every system has, without apt."""
        return sorted(self._basic)

    def find(self, name: str) -> Record | None:
        """The newest version of a package; None if no list has it.

        Raises:
            ArchiveError: the list lacks a field of the package, or has a malformed one.
        """
        if name not in self._records:
            newest = None
            for paragraph, archive in self._paragraphs.get(name, []):
                record = _parse(paragraph, archive)
                if newest is None or compare(record.version, newest.version) > 0:
                    newest = record
            if newest is None:
                return None
            self._records[name] = newest
        return self._records[name]

    def candidates(self, relation: Relation) -> Iterator[Record]:
        """The packages that satisfy a relation: the package of that name first, then those that provide it."""
        providers = sorted(set(self._providers.get(relation.name, [])) - {relation.name})
        providers.sort(key=lambda name: name not in self._basic)
        for name in [relation.name, *providers]:
            record = self.find(name)
            if record is not None and record.is_named(relation):
                yield record


def _field(paragraph: str, name: str) -> str:
    if paragraph.startswith(f"{name}: "):
        start = len(name) + 2
    else:
        start = paragraph.find(f"\n{name}: ") + len(name) + 3
        if start < len(name) + 3:
            return ""
    end = paragraph.find("\n", start)
    return paragraph[start : end if end >= 0 else len(paragraph)].strip()


def _is_basic(paragraph: str) -> bool:
    return "\nPriority: required" in paragraph or "\nEssential: yes" in paragraph


def _relations(text: str) -> Iterator[tuple[Relation, ...]]:
    for group in text.split(","):
        matches = [_RELATION.match(alternative.strip()) for alternative in group.split("|")]
        relations = tuple(Relation(match[1], match[2] or "", match[3] or "") for match in matches if match)
        if relations:
            yield relations


def _single(texts: Iterable[str]) -> tuple[Relation, ...]:
    return tuple(group[0] for text in texts for group in _relations(text))


def _parse(paragraph: str, archive: str) -> Record:
    name, size, digest = (_field(paragraph, field) for field in ("Package", "Size", "SHA256"))
    path = _field(paragraph, "Filename")
    if not (size.isdigit() and _SHA256.fullmatch(digest) and _PATH.fullmatch(path)):
        raise ArchiveError(f"The list of packages has no valid size, digest and path of {name}.")
    return Record(
        name=name,
        version=_field(paragraph, "Version"),
        architecture=_field(paragraph, "Architecture"),
        is_basic=_is_basic(paragraph),
        depends=tuple(_relations(f"{_field(paragraph, 'Pre-Depends')},{_field(paragraph, 'Depends')}")),
        excludes=_single([_field(paragraph, "Conflicts"), _field(paragraph, "Breaks")]),
        provides=_single([_field(paragraph, "Provides")]),
        archive=archive,
        path=path,
        size=int(size),
        sha256=digest,
    )
