"""Files of people on this machine, which a lab does not see. Some of their folders can be shown to it, but no secrets.

Standard library only.
"""

from __future__ import annotations

import os
import pwd
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Folders that contain homes, besides this user's own.
_HOMES = ("/home", "/root")
#: Folders whose content belongs to this machine. A lab has its own instead, or none.
APART = ("/dev", "/proc", "/sys", "/tmp", "/run", "/mnt", "/var/tmp")
#: Folder with the files of a lab, see `file_tree`. A lab in a lab has it, too.
_LAB = "/run/lab"
#: Folders of a home that are never shown, like all names that begin with a dot: they hold keys, keyrings and profiles
#: of browsers.
_PRIVATE_NAMES = ("snap",)


def hidden() -> tuple[str, ...]:
    """The folders that no lab sees: those that contain homes, and this user's home. None of them lies in another."""
    candidates = [*_HOMES, os.environ.get("HOME", ""), _home_by_id()]
    real = {os.path.realpath(path) for path in candidates if path.startswith("/")}
    homes = [path for path in sorted(real) if os.path.isdir(path) and not _holds_the_system(path)]
    return tuple(path for path in homes if not any(is_below(path, home) for home in homes if home != path))


def reason_to_hide(folder: str) -> str:
    """The reason why a folder cannot be shown to a lab, as a predicate ("is a home folder"). Empty if it can.

    Args:
        folder: absolute path.
    """
    path = os.path.realpath(folder)
    if not os.path.isdir(path):
        return "is not a folder of this machine"
    homes = hidden()
    if os.path.dirname(path) in _HOMES[:1]:
        return "is a home folder"
    for home in (*homes, *_user_homes()):
        if is_below(home, path):
            return f"contains the home folder {home}"
        names = os.path.relpath(path, home).split("/") if is_below(path, home) else []
        if any(name.startswith(".") or name in _PRIVATE_NAMES for name in names):
            return f"may contain keys and profiles of programs ({names[0]})"
    if any(is_below(apart, path) for apart in APART):
        return "contains folders that each lab replaces by its own"
    if any(is_below(path, apart) for apart in ("/dev", "/proc", "/sys")):
        return "belongs to the machine's kernel"
    if is_below(path, _LAB):
        return "is reserved for the files of labs"
    return ""


def is_out_of_sight(folder: str) -> bool:
    """Whether a lab sees a folder only if it is shown to it."""
    return any(is_below(os.path.realpath(folder), hidden_folder) for hidden_folder in (*hidden(), *APART))


def readable(without: Sequence[str]) -> list[str]:
    """The folders and files of this machine that a lab may read.

    Args:
        without: folders that are left out (`hidden`), besides those that are private to each lab and the kernel's.
    """
    return _others("/", (*without, *APART))


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _others(folder: str, without: tuple[str, ...]) -> list[str]:
    """The files and folders below a folder that contain none of `without`."""
    paths = []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    for name in names:
        path = os.path.join(folder, name)
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if path in without or not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            continue
        paths += _others(path, without) if any(is_below(excluded, path) for excluded in without) else [path]
    return paths


def _home_by_id() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _user_homes() -> tuple[str, ...]:
    """This user's own home folders, which may lie in a hidden folder."""
    homes = {os.path.realpath(path) for path in (os.environ.get("HOME", ""), _home_by_id()) if path.startswith("/")}
    return tuple(path for path in sorted(homes) if os.path.isdir(path) and not _holds_the_system(path))


def _holds_the_system(path: str) -> bool:
    """Whether a lab needs the content of a folder: the home of a service may be `/` or `/var`."""
    return path == "/" or any(is_below(part, path) for part in ("/usr", "/etc", "/var", "/opt", "/lib", "/bin", *APART))
