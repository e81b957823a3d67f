"""Files of this machine hidden from a lab: people's own. A folder of theirs can be shown to it, but no secrets.

Standard library only.
"""

from __future__ import annotations

import os
import pwd
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Where homes are, besides this user's own.
_HOMES = ("/home", "/root")
#: Folders of which every lab has its own, or nothing: what is in them is this machine's.
APART = ("/dev", "/proc", "/sys", "/tmp", "/run", "/mnt", "/var/tmp")
#: Where each lab has what belongs to it, as `view` lays it out; so has a lab in a lab.
_LAB = "/run/lab"
#: What is below one of these in a home is never shown, like all that has a dot before its name: keys, keyrings,
#: profiles of browsers.
_KEPT = ("snap",)


def hidden() -> tuple[str, ...]:
    """The folders that no lab sees: where homes are, and this user's home wherever it is; none lies in another."""
    wanted = [*_HOMES, os.environ.get("HOME", ""), _home_by_id()]
    real = {os.path.realpath(path) for path in wanted if path.startswith("/")}
    homes = [path for path in sorted(real) if os.path.isdir(path) and not _holds_the_system(path)]
    return tuple(path for path in homes if not any(below(path, other) for other in homes if other != path))


def why_not(folder: str) -> str:
    """Why a folder cannot be shown to a lab, as what is said of it; empty where it can.

    Args:
        folder: its path, absolute.
    """
    path = os.path.realpath(folder)
    if not os.path.isdir(path):
        return "is no folder of this machine"
    homes = hidden()
    if os.path.dirname(path) in _HOMES[:1]:
        return "is a home folder"
    for home in (*homes, *_user_homes()):
        if below(home, path):
            return f"holds the home folder {home}"
        names = os.path.relpath(path, home).split("/") if below(path, home) else []
        if any(name.startswith(".") or name in _KEPT for name in names):
            return f"is one in which programs keep keys and profiles ({names[0]})"
    if any(below(apart, path) for apart in APART):
        return "holds folders that each lab has of its own"
    if any(below(path, apart) for apart in ("/dev", "/proc", "/sys")):
        return "belongs to the machine's kernel"
    if below(path, _LAB):
        return "is where labs have what belongs to them"
    return ""


def is_out_of_sight(folder: str) -> bool:
    """Whether a lab sees a folder only where it is shown to it."""
    return any(below(os.path.realpath(folder), other) for other in (*hidden(), *APART))


def readable(without: Sequence[str]) -> list[str]:
    """Folders and files that hold all of this machine's that a lab may read: everything but `without` (`hidden`), what
    each lab has of its own, and the kernel's."""
    return _others("/", (*without, *APART))


def below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _others(folder: str, without: tuple[str, ...]) -> list[str]:
    """The contents of a folder, by parts that hold none of `without`."""
    found = []
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
        found += _others(path, without) if any(below(other, path) for other in without) else [path]
    return found


def _home_by_id() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _user_homes() -> tuple[str, ...]:
    """This user's own home folders, which may lie in one that is hidden whole."""
    wanted = {os.path.realpath(path) for path in (os.environ.get("HOME", ""), _home_by_id()) if path.startswith("/")}
    return tuple(path for path in sorted(wanted) if os.path.isdir(path) and not _holds_the_system(path))


def _holds_the_system(path: str) -> bool:
    """Whether a lab needs the content of a folder: the home of a service may be `/` or `/var`."""
    return path == "/" or any(below(part, path) for part in ("/usr", "/etc", "/var", "/opt", "/lib", "/bin", *APART))
