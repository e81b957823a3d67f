"""What this machine is, and the packages that it has."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

#: The packages of a layer, one a line: in sight of programs that run with the layer, and of no others.
LAYER_LIST = Path("/usr/share/miniedit-frr-layer/packages")
#: The same packages with their versions, as in dpkg's database. Labs read it (`frrlib.agent.facts`).
LAYER_STATUS = LAYER_LIST.with_name("status")
#: The release whose packages machines without apt use, in a root folder of their own.
ROOT_RELEASE = "debian13"
_STATUS = Path("/var/lib/dpkg/status")


def has_apt() -> bool:
    """Whether apt can fetch packages for this machine. Some other distributions have its programs, but no packages."""
    is_installed = shutil.which("apt-get") is not None and shutil.which("dpkg-deb") is not None
    return is_installed and _STATUS.exists() and _STATUS.stat().st_size > 0


def target() -> str:
    """The system for which packages are fetched: this machine, or a root folder of its own such as `debian13-root`."""
    return distribution() if has_apt() else f"{ROOT_RELEASE}-root-{os.uname().machine}"


def distribution(release: Path = Path("/etc/os-release")) -> str:
    """The distribution and its version in one word, such as `debian12`."""
    fields = {}
    try:
        for line in release.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            fields[name] = value.strip("\"'")
    except OSError:
        return f"unknown-{os.uname().machine}"
    return f"{fields.get('ID', 'unknown')}{fields.get('VERSION_ID', '')}-{os.uname().machine}".replace("/", "")


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of those packages that the machine has. Without apt, a root folder uses none of the machine's."""
    if not has_apt():
        return {}
    shape = "${db:Status-Abbrev}\t${Package}\t${Version}\n"
    command = ["dpkg-query", "-W", "-f", shape, *names]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {row[1]: row[2] for row in rows if len(row) == 3 and row[0][1:2] == "i"}


def missing_packages(names: Iterable[str]) -> list[str]:
    """Those of the packages that are neither installed nor in a layer that this process runs with."""
    wanted = list(names)
    present = set(installed_versions(wanted)) if wanted else set()
    with contextlib.suppress(OSError):
        present.update(LAYER_LIST.read_text(encoding="utf-8").split())
    return [name for name in wanted if name not in present]


def cache_folder() -> Path:
    """The user's cache of this project."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.cache")) / "miniedit-frr"
