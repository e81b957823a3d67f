"""A bundle: one file with packages and the signed lists that name them, for machines without a network."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from dataclasses import asdict
from pathlib import Path

from frrlib.missing_packages import machine
from frrlib.missing_packages.errors import SetupError
from frrlib.missing_packages.layer import Layer
from frrlib.missing_packages.packages import Package, check_file, parse_records

_MANIFEST = "manifest.json"
_MEMBER = re.compile(r"(manifest\.json|(lists|archives)/[A-Za-z0-9][\w.+~%:@-]*)")
_KEYRINGS = Path("/usr/share/keyrings")


def write(path: Path, layer: Layer, apt_folder: Path) -> None:
    """Write the packages of a layer, and the lists that vouch for them. An earlier file stays until all is written.

    Raises:
        SetupError: a package is not there any more, or the file cannot be written.
    """
    lists = [file for file in sorted((apt_folder / "state/lists").iterdir()) if _is_list(file.name)]
    rows = [asdict(package) for package in layer.packages]
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


def _is_list(name: str) -> bool:
    return name.endswith(("InRelease", "_Packages"))


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
        raise SetupError(f"{path} is no bundle: {error}") from error
    if manifest.get("distribution") != machine.distribution():
        raise SetupError(f"{path} is for {manifest.get('distribution')}; this machine is {machine.distribution()}.")
    vouched = _vouched(folder / "lists")
    for package in packages:
        if (package.sha256, package.size) != vouched.get((package.name, package.version, package.architecture)):
            raise SetupError(f"{path} is refused: no signed list in it has {package.name} {package.version}.")
        check_file(package, folder / "archives" / package.file_name)
    return wanted, packages


def _vouched(folder: Path) -> dict[tuple[str, str, str], tuple[str, int]]:
    """The packages in those lists that a Release file with a good signature names."""
    digests: set[str] = set()
    for release in sorted(folder.glob("*InRelease")):
        digests.update(_named_digests(_signed_text(release)))
    records: dict[tuple[str, str, str], tuple[str, int]] = {}
    for packages in sorted(folder.glob("*_Packages")):
        data = packages.read_bytes()
        if hashlib.sha256(data).hexdigest() in digests:
            records.update(parse_records(data.decode("utf-8", errors="replace")))
    return records


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
    keyrings = [f"--keyring={path}" for path in sorted(_KEYRINGS.glob("*-archive-keyring.gpg"))]
    try:
        done = subprocess.run(
            ["gpgv", "-q", *keyrings, "--output", "-", str(release)], capture_output=True, check=False
        )
    except OSError:
        raise SetupError("gpgv is not installed, which checks the signatures of a bundle.") from None
    if done.returncode:
        raise SetupError(f"{release.name} in the bundle is refused: no key of this machine's distribution signed it.")
    return done.stdout.decode("utf-8", errors="replace")
