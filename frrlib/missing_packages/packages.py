"""Packages as apt describes them: what its resolver chose, and the digests in its signed lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from frrlib.missing_packages.errors import SetupError

#: `Inst NAME [INSTALLED] (VERSION ARCHIVE... [ARCHITECTURE])`, a line of `apt-get --simulate install`.
_INSTALL = re.compile(r"Inst (\S+?)(?::\S+)? (?:\[(\S+)\] )?\((\S+) .*\[(\S+)\]\)")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Package(NamedTuple):
    """A package in one version.

    Attributes:
        replaced: the version that the machine has; empty for none.
        sha256: the digest of its file, from apt's signed lists; empty if not yet known.
        size: bytes of its file.
    """

    name: str
    version: str
    architecture: str
    replaced: str = ""
    sha256: str = ""
    size: int = 0

    @property
    def file_name(self) -> str:
        """The name that apt gives to its file."""
        return f"{self.name}_{self.version.replace(':', '%3a')}_{self.architecture}.deb"


def parse_simulation(text: str) -> list[Package]:
    """The packages that `apt-get --simulate install` would install.

    Raises:
        SetupError: it would remove a package, which cannot be done without root.
    """
    chosen = []
    for line in text.splitlines():
        if line.startswith("Remv "):
            problem = f"the packages conflict with {line.split()[1]}, which this machine has"
            raise SetupError(f"{problem}. Only an administrator can replace it: use --system.")
        found = _INSTALL.match(line)
        if found:
            name, replaced, version, architecture = found.groups()
            chosen.append(Package(name, version, architecture, replaced or ""))
    return chosen


def parse_records(text: str) -> dict[tuple[str, str, str], tuple[str, int]]:
    """The digest and the size of each package in the output of `apt-cache show`, by name, version and architecture."""
    records: dict[tuple[str, str, str], tuple[str, int]] = {}
    for paragraph in text.split("\n\n"):
        fields = {}
        for line in paragraph.splitlines():
            name, colon, value = line.partition(": ")
            if colon and not line.startswith(" "):
                fields[name] = value.strip()
        key = (fields.get("Package", ""), fields.get("Version", ""), fields.get("Architecture", ""))
        digest = fields.get("SHA256", "")
        if _SHA256.fullmatch(digest) and fields.get("Size", "").isdigit():
            records.setdefault(key, (digest, int(fields["Size"])))
    return records


def with_digests(chosen: Iterable[Package], records: Mapping[tuple[str, str, str], tuple[str, int]]) -> list[Package]:
    """The packages with the digests of the lists.

    Raises:
        SetupError: the lists have no SHA256 digest of one of them.
    """
    complete = []
    for package in chosen:
        record = records.get((package.name, package.version, package.architecture))
        if record is None:
            raise SetupError(f"apt's lists have no SHA256 digest of {package.name} {package.version}. Run it again.")
        complete.append(
            Package(package.name, package.version, package.architecture, package.replaced, record[0], record[1])
        )
    return complete


def digest(packages: Iterable[Package]) -> str:
    """A digest of the content of these packages, whatever their order."""
    import hashlib

    lines = sorted(f"{one.name} {one.version} {one.architecture} {one.sha256}\n" for one in packages)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def first_names(names: Sequence[str]) -> str:
    """Up to five names, and the number of the others."""
    return " ".join(names[:5]) + (f" and {len(names) - 5} others" if len(names) > 5 else "")


def check_file(package: Package, path: Path) -> None:
    """Compare a package's file with the digest in the signed lists.

    Raises:
        SetupError: it has another content, or cannot be read.
    """
    import hashlib

    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            for data in iter(lambda: file.read(1 << 20), b""):
                found.update(data)
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}") from error
    if not package.sha256 or found.hexdigest() != package.sha256:
        raise SetupError(f"{path} is refused: its content is not that of the signed lists. Delete it and run again.")
