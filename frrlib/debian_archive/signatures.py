"""Signatures of Release files, checked by a program of the machine: gpgv, sqv or gpg."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from frrlib.debian_archive.errors import ArchiveError

#: A Release file is one signed message, and nothing else. Text around it, or a second message, is not accepted.
_BEGIN, _SIGNATURE = b"-----BEGIN PGP SIGNED MESSAGE-----\n", b"-----BEGIN PGP SIGNATURE-----\n"
#: Reports of GnuPG about a signature that is not as it should be.
_BAD = ("BADSIG", "EXPSIG", "EXPKEYSIG", "REVKEYSIG")


class BadSignature(ArchiveError):
    """None of the keys has signed a file."""


class NoVerifier(ArchiveError):
    """This machine has no program that checks signatures."""


def signed_text(file: Path, keyrings: Sequence[Path]) -> str:
    """The part of a file that one of the keys has signed. Further signatures of unknown keys are ignored.

    Raises:
        BadSignature: none of these keys has signed it.
        NoVerifier: this machine has no program that can check it.
    """
    data = file.read_bytes()
    if not data.startswith(_BEGIN) or data.count(_BEGIN) != 1 or data.count(_SIGNATURE) != 1:
        raise BadSignature(f"{file.name} is refused: it is not one signed message.")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "signed")
        for verifier, arguments in _ARGUMENTS.items():
            keys = [f"--keyring={path.absolute()}" for path in keyrings]
            command = [verifier, *arguments(folder), *keys, "--output", str(output)]
            command += [*(["--decrypt"] if verifier == "gpg" else []), str(file.absolute())]
            with contextlib.suppress(FileNotFoundError):
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
                if not _is_good(verifier, done):
                    raise BadSignature(f"{file.name} is refused: none of the expected keys has signed it.")
                return output.read_text(encoding="utf-8", errors="replace")
    raise NoVerifier(f"No program here checks signatures. Install one of {', '.join(_ARGUMENTS)}.")


def _gpgv(folder: str) -> list[str]:
    return ["-q", "--homedir", folder, "--status-fd", "1"]


def _sqv(_: str) -> list[str]:
    return ["--cleartext"]


def _gpg(folder: str) -> list[str]:
    options = ["--batch", "--no-options", "--no-default-keyring", "--trust-model", "always", "--no-auto-key-locate"]
    return [*_gpgv(folder), *options]


#: The programs in the order in which they are tried, with their arguments for an empty folder. apt uses gpgv or sqv.
_ARGUMENTS: dict[str, Callable[[str], list[str]]] = {"gpgv": _gpgv, "sqv": _sqv, "gpg": _gpg}


def _is_good(verifier: str, done: subprocess.CompletedProcess[str]) -> bool:
    """GnuPG also fails if one of several signatures has an unknown key, so its reports decide."""
    if verifier == "sqv":
        return done.returncode == 0
    reports = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("[GNUPG:] ")]
    return "VALIDSIG" in reports and not any(name in reports for name in _BAD)
