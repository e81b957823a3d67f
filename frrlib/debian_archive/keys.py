"""The keys of Debian's archive for the release that is used, and the digest of each.

The files beside this module are those of Debian's package `debian-archive-keyring` (2023.3+deb12u2 and 2025.1), byte
for byte. On a machine with this package, `sha256sum /usr/share/keyrings/debian-archive-trixie-*` shows the same
digests, and `gpg --show-keys` the same fingerprints. Debian's web pages publish them, too.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from frrlib.debian_archive.errors import ArchiveError

_FOLDER = Path(__file__).parent


class Key(NamedTuple):
    """A file with one key.

    Attributes:
        file: its name.
        sha256: its digest.
        fingerprint: the fingerprint of the key.
    """

    file: str
    sha256: str
    fingerprint: str


KEYS = (
    Key(
        "debian-archive-trixie-automatic.gpg",
        "8dbd0029697f8c9b009eeb9a153c6536b62ca031fa0a5b4cec74e8d718fccef6",
        "04B54C3CDCA79751B16BC6B5225629DF75B188BD",
    ),
    Key(
        "debian-archive-trixie-security-automatic.gpg",
        "be1a7981908ab9010352131fcbf101a9556f6a61db76a19a1c146d31ef2d72d8",
        "5E04A1E3223A19A20706E20F9904613D4CCE68C6",
    ),
    Key(
        "debian-archive-trixie-stable.gpg",
        "abced156a22aa8683b228299ac35c1ea51515eef900cec0e562f56716dfe3915",
        "41587F7DB8C774BCCF131416762F67A0B2C39DE4",
    ),
)


def keyrings(folder: Path = _FOLDER) -> list[Path]:
    """The files of the keys.

    Raises:
        ArchiveError: one of them is missing, or has another content.
    """
    for key in KEYS:
        path = folder / key.file
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != key.sha256:
            raise ArchiveError(f"{path} is not the key {key.fingerprint} of Debian. Install this program again.")
    return [folder / key.file for key in KEYS]
