"""Permissions of topologies: those that a topology needs, and those that this user has granted.

A topology with commands of its own is a program. It runs without a question if it was made here, or if the user has let
it run before. Any other topology shows the permissions that it needs before its first run. Each granted permission is
stored together with the folder of the topology's file, so that the same topology in another folder asks again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from frrlib.model.permissions import requested_permissions
from frrlib.model.topology import Topology
from miniedit_frr.user.package_files import examples_folder
from miniedit_frr.user.user_file import UserFile

_KEY = "agreed"  # as it is stored
#: This many permissions are stored, those that were granted last.
_MOST = 5000


def permissions_path() -> Path:
    """The file with the granted permissions."""
    return Path(platformdirs.user_config_dir("miniedit-frr")) / "trust.json"


def missing_permissions(topology: Topology, file: Path | None, path: Path) -> tuple[str, ...]:
    """The permissions of a topology that this user has not granted; none for our own examples.

    Args:
        file: the topology's file; None for a topology without a file.
        path: the file with the granted permissions.
    """
    requested = requested_permissions(topology)
    if not requested or (file is not None and file.resolve().is_relative_to(examples_folder().resolve())):
        return ()
    granted = _granted_digests(path)
    return tuple(permission for permission in requested if _digest(permission, file) not in granted)


def grant(permissions: Iterable[str], file: Path | None, path: Path) -> None:
    """Store that this user grants permissions to a topology. A failure to write the file is not reported.

    Args:
        file: the topology's file; None for a topology without a file.
        path: the file with the granted permissions.
    """
    new = [_digest(permission, file) for permission in permissions]
    if new:
        older = [digest for digest in _granted_digests(path) if digest not in new]
        UserFile(path).write({_KEY: [*older, *new][-_MOST:]})


def _granted_digests(path: Path) -> list[str]:
    try:
        digests = json.loads(path.read_text(encoding="utf-8"))[_KEY]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    return [digest for digest in digests if isinstance(digest, str)] if isinstance(digests, list) else []


def _digest(permission: str, file: Path | None) -> str:
    folder = str(file.resolve().parent) if file is not None else ""
    return hashlib.sha256(f"{folder}\0{permission}".encode("utf-8", "surrogateescape")).hexdigest()
