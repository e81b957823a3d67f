"""Trust in drawings: what a drawing wants, and what of it this user has agreed to.

A drawing with commands of its own is a program. One that was made here, or that the user has let run before, is not
asked about; any other shows what it wants before its first run. Each wish is remembered together with the folder of the
drawing's file, so that a drawing elsewhere with the same wishes counts as another one.
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

_KEY = "agreed"
#: This many wishes are remembered, those agreed to last.
_MOST = 5000


def permissions_path() -> Path:
    """The file with the wishes agreed to."""
    return Path(platformdirs.user_config_dir("miniedit-frr")) / "trust.json"


def missing_permissions(topology: Topology, file: Path | None, path: Path) -> tuple[str, ...]:
    """The wishes of a drawing that this user has not agreed to; nothing for an example of ours.

    Args:
        file: the drawing's file; None for one without.
        path: the file with the wishes agreed to.
    """
    wanted = requested_permissions(topology)
    if not wanted or (file is not None and file.resolve().is_relative_to(examples_folder().resolve())):
        return ()
    known = _known(path)
    return tuple(wish for wish in wanted if _digest(wish, file) not in known)


def grant(agreed: Iterable[str], file: Path | None, path: Path) -> None:
    """Remember that this user lets a drawing have these wishes; a failure to write bothers nobody."""
    new = [_digest(wish, file) for wish in agreed]
    if new:
        older = [each for each in _known(path) if each not in new]
        UserFile(path).write({_KEY: [*older, *new][-_MOST:]})


def _known(path: Path) -> list[str]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))[_KEY]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _digest(wish: str, file: Path | None) -> str:
    folder = str(file.resolve().parent) if file is not None else ""
    return hashlib.sha256(f"{folder}\0{wish}".encode("utf-8", "surrogateescape")).hexdigest()
