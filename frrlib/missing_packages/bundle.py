"""A bundle: one file with packages and the signed lists that name them, for machines without a network."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tarfile
import tempfile
from collections.abc import Container, Sequence
from pathlib import Path

from frrlib.debian_archive import keys
from frrlib.debian_archive.errors import ArchiveError
from frrlib.debian_archive.signatures import BadSignature, signed_text
from frrlib.missing_packages import machine
from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.layer import Layer
from frrlib.missing_packages.packages import Package, check_file, first_names, parse_records

_MANIFEST = "manifest.json"
_MEMBER = re.compile(r"(manifest\.json|(lists|archives)/[A-Za-z0-9][\w.+~%:@-]*)")
_KEYRINGS = Path("/usr/share/keyrings")

#: The digest and the size of packages, by name, version and architecture.
_Records = dict[tuple[str, str, str], tuple[str, int]]


class _BadSignature(SetupError):
    """No key of the distribution has signed a file."""


def write(path: Path, layer: Layer, apt_folder: Path) -> None:
    """Write the packages of a layer, and the lists that vouch for them. An earlier file stays until all is written.

    Raises:
        SetupError: a package is not there any more, no list of the distribution has it, or the file cannot be written.
    """
    lists = _needed_lists(apt_folder / "state/lists", layer.packages)
    rows = [package._asdict() for package in layer.packages]
    manifest = {"distribution": layer.distribution, "wanted": layer.wanted, "packages": rows}
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with tempfile.TemporaryDirectory() as folder, tarfile.open(unfinished, "w") as bundle:
            Path(folder, _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
            bundle.add(Path(folder, _MANIFEST), _MANIFEST)
            for file in lists:
                bundle.add(file, f"lists/{file.name}")
            for package in layer.packages:
                file = apt_folder / "archives" / package.file_name
                check_file(package, file)
                bundle.add(file, f"archives/{file.name}")
        unfinished.replace(path)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _needed_lists(folder: Path, packages: Sequence[Package]) -> list[Path]:
    """The lists that vouch for packages, and their Release files. Other archives have other keys."""
    needed: list[Path] = []
    absent = {_key(package): _content(package) for package in packages}
    for release in sorted(folder.glob("*InRelease")):
        with contextlib.suppress(_BadSignature):
            lists = _records(folder, set(_named_digests(_signed_text(release))))
            useful = [file for file, records in lists.items() if any(records.get(k) == v for k, v in absent.items())]
            needed += [release, *useful] if useful else []
            for file in useful:
                absent = {key: content for key, content in absent.items() if lists[file].get(key) != content}
    if absent:
        names = first_names(sorted(name for name, _, _ in absent))
        problem = f"No list here with a signature of the distribution has {names}"
        raise SetupError(
            f"{problem}. Fetch them again by `./run setup --update`, or copy the bundle that was used here."
        )
    return needed


def read(path: Path, folder: Path) -> tuple[list[str], list[Package]]:
    """Unpack a bundle into a folder, and return the packages in `archives`: those that it is for, and all.

    Every package has been compared with a list, every list with a Release file, and each of these with the
    distribution's keys on this machine.

    Raises:
        SetupError: it is no bundle, is for another system, or is refused.
    """
    try:
        with tarfile.open(path) as bundle:
            for member in bundle:
                if not member.isfile() or not _MEMBER.fullmatch(member.name):
                    raise SetupError(f"{path} is refused: it contains {member.name!r}.")
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                source = bundle.extractfile(member)
                if source:
                    with source, target.open("wb") as file:
                        for data in iter(lambda: source.read(1 << 20), b""):  # noqa: B023 - used at once
                            file.write(data)
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        packages = [Package(**row) for row in manifest["packages"]]
        wanted = [str(name) for name in manifest["wanted"]]
    except (OSError, tarfile.TarError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, OSError) and error.errno:
            raise SetupError(no_space(folder, str(error)) or f"{path} cannot be unpacked: {error.strerror}") from error
        raise SetupError(f"{path} is no bundle: {error}") from error
    if manifest.get("distribution") != machine.target():
        raise SetupError(f"{path} is for {manifest.get('distribution')}; this machine is {machine.target()}.")
    vouched = _vouched(folder / "lists")
    for package in packages:
        if vouched.get(_key(package)) != _content(package):
            raise SetupError(f"{path} is refused: no signed list in it has {package.name} {package.version}.")
        try:
            check_file(package, folder / "archives" / package.file_name)
        except SetupError as error:
            problem = f"{path} is refused: the content of {package.file_name} in it is not that of the signed lists"
            raise SetupError(f"{problem}. Copy the bundle again.") from error
    return wanted, packages


def _key(package: Package) -> tuple[str, str, str]:
    return package.name, package.version, package.architecture


def _content(package: Package) -> tuple[str, int]:
    return package.sha256, package.size


def _vouched(folder: Path) -> _Records:
    """The packages in those lists that a Release file with a good signature names."""
    digests: set[str] = set()
    for release in sorted(folder.glob("*InRelease")):
        digests.update(_named_digests(_signed_text(release)))
    return {key: content for records in _records(folder, digests).values() for key, content in records.items()}


def _records(folder: Path, digests: Container[str]) -> dict[Path, _Records]:
    """The packages in each list that has one of these digests."""
    by_list = {}
    for file in sorted(folder.glob("*_Packages")):
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() in digests:
            by_list[file] = parse_records(data.decode("utf-8", errors="replace"))
    return by_list


def _named_digests(release: str) -> list[str]:
    """The SHA256 digests of the files that a Release file names."""
    section = release.partition("\nSHA256:")[2]
    digests = []
    for line in section.splitlines()[1:]:
        if not line.startswith(" "):
            break
        digests.append(line.split()[0])
    return digests


def _signed_text(release: Path) -> str:
    """The signed part of a file.

    Raises:
        SetupError: no key of the distribution has signed it, or nothing here can tell.
    """
    try:
        if machine.has_apt():
            return signed_text(release, sorted(_KEYRINGS.glob("*-archive-keyring.gpg")))
        return signed_text(release, keys.keyrings())
    except BadSignature as error:
        problem = f"{release.name} in the bundle is refused"
        raise _BadSignature(f"{problem}: no key of this machine's distribution signed it.") from error
    except ArchiveError as error:
        raise SetupError(f"A bundle needs a program that checks its signatures. {error}") from error
