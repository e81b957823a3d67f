"""Kernel sources from the distribution's packages `linux-source-VERSION`, fetched by apt into the user's cache.

No root is needed: apt downloads into any folder, and checks the signatures of the distribution. On Debian, the sources
of its newer releases can be fetched, too: apt then uses separate lists of packages, in the cache.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs

from frrlib.errors import PlaceError

#: Receives the progress: the step ("lists" of packages, "fetch"), and the completed share of it.
Tell = Callable[[str, float], None]

#: Stands for the newest version.
NEWEST = "newest"
_NAME = re.compile(r"^linux-source-([0-9]+(?:\.[0-9]+)+)\b", re.MULTILINE)
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)+")
#: Suites of Debian that a machine with an older one lacks.
_NEWER_SUITES = ("stable", "stable-backports", "testing")
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
#: A program of the package apt.
_HELPER = "/usr/lib/apt/apt-helper"
#: A line of apt's status: the downloaded file, and the percentage.
_PERCENT = re.compile(rb"^dlstatus:\d+:([0-9.]+):")
#: Descriptions and indexes that are not needed to fetch a package.
_NO_MORE_LISTS = ("-o", "Acquire::Languages=none", "-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
                  "-o", "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false")  # fmt: skip


def _ignore_progress(share: float) -> None:
    pass


class PackageLists:
    """The lists of packages of apt, those of this machine or others.

    Args:
        sources: lines of a `sources.list`; empty for the lists of this machine.
        folder: the folder of further lists.
    """

    def __init__(self, sources: Sequence[str] = (), folder: Path | None = None) -> None:
        self._sources, self._folder = tuple(sources), folder or _cache() / "lists"

    def update(self, tell: Tell) -> None:
        """Fetch the lists. Those of this machine stay as they are, since only root can change them.

        Raises:
            PlaceError: they cannot be fetched, or have no valid signature.
        """
        if not self._sources:
            return
        for name in ("state/lists/partial", "cache/archives/partial", "parts"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        (self._folder / "status").touch()
        (self._folder / "sources.list").write_text("\n".join(self._sources) + "\n", encoding="ascii")
        self._run(["apt-get", "update", *_NO_MORE_LISTS], lambda share: tell("lists", share), self._folder)

    def versions(self) -> list[str]:
        """The versions of Linux in the lists, the newest first."""
        argv = ["apt-cache", *self._options(), "search", "--names-only", "^linux-source-[0-9]"]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise PlaceError("this machine has no apt", "miniedit-frr kernel build FILE, an archive of Linux") from None
        return sorted(set(_NAME.findall(done.stdout)), key=_numbers, reverse=True)

    def fetch(self, version: str, tell: Tell) -> Path:
        """Fetch the source of a version in the lists. Returns the archive, which stays in the cache.

        A part of the package stays there, too, and the next call fetches the rest.

        Raises:
            PlaceError: it cannot be fetched, the package has no archive, or another process fetches it.
        """
        package = f"linux-source-{version}"
        work = _cache() / f"{package}.part"
        work.mkdir(exist_ok=True)
        with (work / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PlaceError(f"another process fetches {package}", "wait until it has ended") from None
            # In `work`, this command would remove a part of the package.
            facts = self._run(["apt-get", "download", package, "--print-uris"], _ignore_progress, _cache())
            url, name, _, digest = facts.split()
            # Unlike apt-get, it goes on with a part, and it compares the digest.
            self._run(
                [_HELPER, "download-file", url.strip("'"), name, digest], lambda share: tell("fetch", share), work
            )
            # It refuses a package without a signature, and downloads nothing since the file is complete.
            self._run(["apt-get", "download", package], _ignore_progress, work)
            archive = unpacked(work / name)
            shutil.rmtree(work)
        return archive

    def _options(self) -> list[str]:
        if not self._sources:
            return []
        folder = self._folder
        paths = {
            "State": "state", "State::status": "status", "Cache": "cache", "Etc::SourceList": "sources.list",
            "Etc::SourceParts": "parts",
        }  # fmt: skip
        return [word for name, path in paths.items() for word in ("-o", f"Dir::{name}={folder / path}")]

    def _run(self, argv: Sequence[str], tell: Callable[[float], None], folder: Path) -> str:
        """Run a program of apt, and pass its progress on. Returns its other output."""
        command = [argv[0], *self._options(), "-o", "APT::Status-Fd=1", "-o", "APT::Sandbox::User=root", *argv[1:]]
        output = b""
        try:
            with tempfile.TemporaryFile() as error_file:
                with subprocess.Popen(
                    command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=error_file,
                    env={**os.environ, "LC_ALL": "C"},
                ) as apt:  # fmt: skip
                    assert apt.stdout is not None
                    for line in apt.stdout:
                        if match := _PERCENT.match(line):
                            tell(float(match[1]) / 100)
                        else:
                            output += line
                status = apt.returncode
                error_file.seek(0)
                errors = error_file.read().decode(errors="replace")
        except FileNotFoundError:
            raise PlaceError("this machine has no apt", "miniedit-frr kernel build FILE, an archive of Linux") from None
        lines = [line for line in errors.splitlines() if line.startswith("E: ")]
        if status or (argv[1] == "update" and "W: Failed to fetch" in errors):
            reason = (lines or errors.strip().splitlines() or [f"exit status {status}"])[0].removeprefix("E: ")
            raise PlaceError(
                f"{Path(argv[0]).name} {argv[1]} fails: {reason}",
                "connect to the network, and the same command goes on with the rest. Or fetch the package elsewhere "
                "(apt-get download linux-source-VERSION): miniedit-frr kernel build FILE.deb",
            )
        tell(1.0)
        return output.decode(errors="replace")


def fetch(version: str, tell: Tell) -> Path:
    """The archive of a version of Linux, fetched unless it is in the cache.

    Args:
        version: such as "6.12", or `NEWEST`.
        tell: receives the progress.

    Raises:
        PlaceError: the version is unknown; the error names the known ones. Or it cannot be fetched.
    """
    if version != NEWEST and not _VERSION.fullmatch(version):
        raise PlaceError(f"{version!r} is no version of Linux", f"enter a number such as 6.12, or {NEWEST}")
    cached = _cache() / f"linux-source-{version}.tar.xz"
    if cached.is_file():
        return cached
    known: list[str] = []
    for lists in _all_lists(version):
        lists.update(tell)
        versions = lists.versions()
        known += versions
        chosen = versions[0] if version == NEWEST and versions else version
        if chosen in versions:
            return lists.fetch(chosen, tell)
    names = ", ".join(sorted(set(known), key=_numbers, reverse=True)) or "none"
    raise PlaceError(f"the distribution has no sources of Linux {version}", f"choose one of {names}, or {NEWEST}")


def _all_lists(version: str) -> list[PackageLists]:
    """The lists in which a version is looked for: this machine's first, unless the newest one is asked for."""
    own, newer = PackageLists(), newer_sources()
    if not newer:
        return [own]
    lists = PackageLists(newer)
    return [lists, own] if version == NEWEST else [own, lists]


def newer_sources() -> list[str]:
    """Lines of a `sources.list` for Debian's newer releases, from this machine's server; empty elsewhere."""
    argv = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(SUITE)", "Created-By: Packages"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return []
    servers = [line.split() for line in done.stdout.splitlines()]
    server = next((words[0] for words in servers if words[1:2] == ["Debian"] and "security" not in words[-1]), None)
    if server is None or not Path(_KEYRING).exists():
        return []
    return [f"deb [signed-by={_KEYRING}] {server} {suite} main" for suite in _NEWER_SUITES]


def unpacked(package: Path) -> Path:
    """The archive in a package file `linux-source-VERSION_*.deb`, moved into the cache.

    Raises:
        PlaceError: the file is no such package.
    """
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=_cache()) as work:
        done = subprocess.run(["dpkg-deb", "-x", package, work], capture_output=True, text=True, check=False)
        archives = list(Path(work).glob("usr/src/linux-source-*.tar.*"))
        if done.returncode or len(archives) != 1:
            raise PlaceError(f"{package} is no package of a kernel source", "name a file linux-source-VERSION_*.deb")
        target = _cache() / archives[0].name
        shutil.move(archives[0], target)
    return target


def _cache() -> Path:
    folder = platformdirs.user_cache_path("miniedit-frr") / "sources"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
