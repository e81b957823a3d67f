"""The lab kernels that were built here, and which of them labs run in.

Each has a folder in the user's cache: the kernel (`linux`), its configuration (`config`) and what is known of it
(`kernel.json`). The folder's name is the kernel's release and the beginning of a digest of source and configuration.
"""

from __future__ import annotations

import json
import mmap
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from frrlib import writing
from frrlib.errors import PlaceError

#: What `use` takes for the distribution's lab kernel, whatever was built.
DISTRIBUTION = "distribution"
KERNEL, CONFIG, RECORD = "linux", "config", "kernel.json"
_USED = "used"
#: Part of the help text that each kernel of User-Mode Linux contains.
_MARK = b"User Mode Linux"
_NOT_EXECUTABLE = "is not executable"
#: The longest stored choice in bytes: a path.
_LONGEST_CHOICE = 4096


@dataclass(frozen=True)
class Built:
    """A lab kernel that was built here.

    Attributes:
        name: its folder's ("6.12.117-lab-1f2e3d4c").
        release: what `uname -r` says in its labs.
        source: the archive or folder that it was built from.
        digest: of source and configuration; two kernels of one digest are the same.
        built: when, ISO 8601 with time zone.
        seconds: how long that took.
        jobs: with how many compilers at once.
        size_bytes: of the kernel.
        lacking: what was asked of its configuration and this source does not have ("NET_SCH_DUALPI2").
    """

    name: str
    release: str
    source: str
    digest: str
    built: str
    seconds: float
    jobs: int
    size_bytes: int
    lacking: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The kernel."""
        return folder() / self.name / KERNEL

    def configured(self) -> dict[str, str]:
        """Its configuration: name without CONFIG_ to value. Raises PlaceError where that is gone."""
        try:
            text = (folder() / self.name / CONFIG).read_text(encoding="utf-8")
        except OSError as problem:
            raise PlaceError(f"the configuration of {self.name} cannot be read: {problem.strerror}") from None
        pairs = (line.partition("=") for line in text.splitlines() if line.startswith("CONFIG_"))
        return {name.removeprefix("CONFIG_"): value.strip('"') for name, _, value in pairs}


def folder() -> Path:
    """The folder in which lab kernels are kept."""
    return platformdirs.user_cache_path("miniedit-frr") / "kernels"


def all_built() -> list[Built]:
    """The lab kernels that were built here, the newest first; what cannot be understood is none."""
    found = []
    for record in folder().glob(f"*/{RECORD}"):
        try:
            said = json.loads(record.read_text(encoding="utf-8"))
            built = Built(**{**said, "name": record.parent.name, "lacking": tuple(said.get("lacking", ()))})
        except (OSError, ValueError, TypeError):
            continue
        if os.access(built.path, os.X_OK):
            found.append(built)
    return sorted(found, key=lambda each: each.built, reverse=True)


def record(built: Built, below: Path) -> None:
    """Record in a folder the facts about its kernel."""
    (below / RECORD).write_text(json.dumps(asdict(built), indent=2) + "\n", encoding="utf-8")


def called(name: str) -> Built:
    """The one whose name is, or begins with, this.

    Raises:
        PlaceError: there is none, or several.
    """
    every = all_built()
    found = [each for each in every if each.name == name] or [each for each in every if each.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    there = ", ".join(each.name for each in found or every)
    if found:
        raise PlaceError(f"several lab kernels are called {name}: {there}", "say more of the name")
    raise PlaceError(f"there is no lab kernel {name}", f"there are {there}" if there else "miniedit-frr kernel build")


def fault(path: Path) -> str:
    """The reason why a file is no lab kernel, as a predicate ("is a folder"); empty for a lab kernel.

    The file is read and not executed.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as problem:
        return "does not exist" if isinstance(problem, FileNotFoundError) else f"cannot be read: {_reason(problem)}"
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            return "is a folder"
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return "is not a program"
        with mmap.mmap(handle, 0, access=mmap.ACCESS_READ) as content:
            if content.find(_MARK) < 0:
                return "is not a kernel of User-Mode Linux"
    except OSError as problem:
        return f"cannot be read: {_reason(problem)}"
    finally:
        os.close(handle)
    return "" if os.access(path, os.X_OK) else _NOT_EXECUTABLE


def refuse(path: Path) -> None:
    """Do nothing for a lab kernel.

    Raises:
        PlaceError: the file is not a lab kernel. The message has the reason and what to do.
    """
    if why := fault(path):
        remedy = (
            f"chmod +x {path}" if why == "is not executable" else "name the file of a lab kernel, such as linux.uml"
        )
        raise PlaceError(f"{path} {why}", f"{remedy}; miniedit-frr kernel list shows those that were built here")


def use(choice: str) -> None:
    """Have labs run in this kernel from now on: a name, a kernel's file, or `DISTRIBUTION`.

    Raises:
        PlaceError: there is no such kernel, or the choice cannot be stored.
    """
    if choice != DISTRIBUTION:
        is_file = os.sep in choice or Path(choice).exists()
        choice = str(Path(choice).resolve()) if is_file else called(choice).name
        refuse(_path(choice))
    try:
        folder().mkdir(parents=True, exist_ok=True)
        writing.replace(folder() / _USED, choice + "\n")
    except OSError as problem:
        raise PlaceError(f"{folder() / _USED} cannot be written: {problem.strerror}") from None


def used() -> str:
    """The kernel named to `use`; empty if none was, or that is no lab kernel any more: then the newest that was built
    counts."""
    choice = _stored()
    return choice if choice == DISTRIBUTION or (choice and not fault(_path(choice))) else ""


def unusable() -> str:
    """A sentence about a stored choice that is no lab kernel, with what to do; empty if there is no such choice."""
    choice = _stored()
    if choice in ("", DISTRIBUTION) or not (why := fault(_path(choice))):
        return ""
    return (
        f"{_path(choice)}, which was chosen for labs, {why}. "
        f"Choose another one with miniedit-frr kernel use NAME|FILE|{DISTRIBUTION}"
    )


def preferred() -> Path | None:
    """The lab kernel for labs that ask for none; None for the distribution's."""
    choice = used()
    if choice == DISTRIBUTION:
        return None
    if choice:
        return _path(choice)
    return next((each.path for each in all_built()), None)


def _stored() -> str:
    try:
        with open(folder() / _USED, "rb") as file:
            return os.fsdecode(file.read(_LONGEST_CHOICE)).strip()
    except OSError:
        return ""


def _path(choice: str) -> Path:
    return Path(choice) if os.sep in choice else folder() / choice / KERNEL


def _reason(problem: OSError | ValueError) -> str:
    return getattr(problem, "strerror", None) or str(problem)
