"""The machine's apt, run by an ordinary user with state of its own: its sources, resolver, signatures and downloads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.packages import Package, first_names, parse_records, parse_simulation, with_digests

#: What the machine's configuration may add for root, and what an ordinary user cannot do.
_SETTINGS = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
Dir::State "{folder}/state";
Dir::State::lists "{folder}/state/lists";
Dir::State::status "{status}";
Dir::Cache "{folder}/cache";
Dir::Cache::archives "{folder}/archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
APT::Keep-Downloaded-Packages "true";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::GzipIndexes "false";
Acquire::Retries "2";
Debug::NoLocking "true";
"""
#: apt deletes a list that does not fit, and then reports that the archive does not have it.
_LISTS_MB = 100
_LIST_KINDS = ("Contents-deb", "Contents-udeb", "DEP-11", "DEP-11-icons", "DEP-11-icons-hidpi")


class Apt:
    """apt with its state in a folder of this user.

    Args:
        folder: for its lists and downloads. An interrupted download continues there.
        status: dpkg's list of the packages that the machine has.
    """

    def __init__(self, folder: Path, status: Path = Path("/var/lib/dpkg/status")) -> None:
        self.archives = folder / "archives"
        self.lists = folder / "state/lists"
        self._settings = folder / "apt.conf"
        for name in (self.lists / "partial", self.archives / "partial", folder / "cache"):
            name.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._settings.write_text(_SETTINGS.format(folder=folder, status=status), encoding="utf-8")

    def update(self) -> bool:
        """Fetch the lists of packages; apt checks their signatures. Returns whether all are up to date.

        Raises:
            SetupError: the disk is full.
        """
        skipped = [f"-oAcquire::IndexTargets::deb::{kind}::DefaultEnabled=false" for kind in _LIST_KINDS]
        done = self._run(["apt-get", "-qq", *skipped, "update"])
        problem = no_space(self.lists, done.stderr, _LISTS_MB) if done.returncode else ""
        if problem:
            raise SetupError(problem)
        return done.returncode == 0

    def resolve(self, names: Sequence[str]) -> list[Package]:
        """All packages that are needed for these and that the machine lacks, with the digests in the signed lists.

        Raises:
            SetupError: they cannot be installed together, or are not in the lists.
        """
        done = self._run(["apt-get", "--simulate", "-y", "--no-remove", "install", *names])
        if done.returncode:
            raise SetupError(f"apt cannot find {' '.join(names)} for this machine: {self._reason(done.stderr)}")
        chosen = parse_simulation(done.stdout)
        exact = [f"{one.name}:{one.architecture}={one.version}" for one in chosen]
        exact = [name.replace(":all=", "=") for name in exact]
        shown = self._run(["apt-cache", "show", *exact]).stdout if exact else ""
        return with_digests(chosen, parse_records(shown))

    def download(self, names: Sequence[str], packages: Iterable[Package]) -> None:
        """Fetch the files of packages into `archives`; apt compares each with the signed lists.

        Raises:
            SetupError: a file could not be fetched, or is not as in the lists.
        """
        wanted = list(packages)
        exact = [f"{one.name}={one.version}" for one in wanted]
        done = self._run(["apt-get", "-q", "-y", "--no-remove", "--download-only", "install", *exact], len(wanted))
        missing = [one.name for one in wanted if not (self.archives / one.file_name).exists()]
        if done.returncode or missing:
            raise SetupError(f"Not fetched: {first_names(missing or names)}. {self._reason(done.stderr)}")

    def _reason(self, output: str) -> str:
        return no_space(self.archives, output) or _errors(output)

    def _run(self, argv: Sequence[str], downloads: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a program of apt. With `downloads`, a line on a terminal counts them.

        It inherits the lock of this user's cache, which it holds until its end.
        """
        command = [argv[0], "-c", str(self._settings), *argv[1:]]
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        try:
            if not downloads or not sys.stderr.isatty():
                return subprocess.run(
                    command, env=environment, text=True, capture_output=True, check=False, close_fds=False
                )
            with subprocess.Popen(
                command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False
            ) as process:
                lines = _show_downloads(process, downloads)
            return subprocess.CompletedProcess(command, process.returncode, "", "".join(lines))
        except OSError as error:
            raise SetupError(f"{argv[0]} cannot be run: {error.strerror}") from error


def _show_downloads(process: subprocess.Popen[str], count: int) -> list[str]:
    lines, fetched = [], 0
    for line in process.stdout or ():
        lines.append(line)
        if line.startswith("Get:"):
            fetched += 1
            sys.stderr.write(f"\r  {min(fetched, count)} of {count} packages ")
            sys.stderr.flush()
    sys.stderr.write("\n")
    return lines


def _errors(text: str) -> str:
    """The first errors of apt's output."""
    lines = [line[3:].strip() for line in text.splitlines() if line.startswith("E: ")]
    return "; ".join(lines[:3]) or "apt gives no reason"
