"""Release files: the signed list of an archive's lists, with the digest of each."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from frrlib.debian_archive.errors import ArchiveError

_LINE = re.compile(r" ([0-9a-f]{64}) +([0-9]+) (\S+)")


class Release(NamedTuple):
    """A Release file.

    Attributes:
        codename: the name of the suite, such as `trixie`.
        date_s: when it was made, in seconds since 1970.
        valid_until_s: when it becomes invalid; infinite if it never does.
        has_digest_names: whether lists can be fetched by their digests, which stay while the archive changes.
        files: the digest and the size of each list, by path.
    """

    codename: str
    date_s: float
    valid_until_s: float
    has_digest_names: bool
    files: dict[str, tuple[str, int]]

    def check(self, codename: str, now_s: float | None = None) -> None:
        """Check that it is of this suite, and valid now.

        Raises:
            ArchiveError: it is of another suite, or too old.
        """
        now_s = time.time() if now_s is None else now_s
        if self.codename != codename:
            raise ArchiveError(f"The Release file is of {self.codename}, not of {codename}.")
        if now_s > self.valid_until_s:
            problem = f"The Release file of {codename} is too old"
            raise ArchiveError(f"{problem}. Check the clock of this machine, or choose another mirror.")


def parse(text: str) -> Release:
    """Parse the signed text of a Release file.

    Raises:
        ArchiveError: a field is missing or malformed.
    """
    head, _, section = text.partition("\nSHA256:\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line and not line.startswith(" "))
    files = {}
    for line in section.splitlines():
        match = _LINE.fullmatch(line)
        if not match:
            break
        files[match[3]] = (match[1], int(match[2]))
    try:
        until = fields.get("Valid-Until")
        return Release(
            codename=fields["Codename"],
            date_s=parsedate_to_datetime(fields["Date"]).timestamp(),
            valid_until_s=parsedate_to_datetime(until).timestamp() if until else float("inf"),
            has_digest_names=fields.get("Acquire-By-Hash") == "yes",
            files=files,
        )
    except (KeyError, ValueError, TypeError) as error:
        raise ArchiveError(f"The Release file is malformed: {error}") from error
