"""The lab kernels that were built here, and the choice of the one in which labs run.

Each has a folder in the user's cache: the kernel (`linux`), its configuration (`config`), its record (`kernel.json`),
the headers for its modules (`kit`), and modules that were compiled with them (`modules`). The folder's name is the
kernel's release and the beginning of a digest of source and configuration.

A lab kernel is a program that this user starts outside of any lab. So a file is used only if it belongs to this user or
to root, and no other user can change it. The content of a kernel that was built here must be unchanged.
"""

from __future__ import annotations

import grp
import hashlib
import json
import mmap
import os
import pwd
import stat
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import platformdirs

from frrlib.errors import PlaceError
from frrlib.system import atomic_files

#: Argument of `use` for the distribution's lab kernel.
DISTRIBUTION = "distribution"
KERNEL, CONFIG, RECORD, KIT, MODULES = "linux", "config", "kernel.json", "kit", "modules"
_USED = "used"
#: Part of the help text that each kernel of User-Mode Linux contains.
_MARK = b"User Mode Linux"
_NOT_EXECUTABLE = "is not executable"
#: The longest stored choice in bytes: a path.
_LONGEST_CHOICE = 4096
#: A folder of the machine's root. In a user namespace without that id it belongs to the same id as all of root's files.
_OF_ROOT = "/proc/sys/kernel"


@dataclass(frozen=True)
class BuiltKernel:
    """A lab kernel that was built here.

    Attributes:
        name: name of its folder ("6.12.117-lab-1f2e3d4c").
        release: output of `uname -r` in its labs.
        source: the archive or folder that it was built from.
        digest: digest of source and configuration. Two kernels with the same digest are equal.
        built: time of the build, ISO 8601 with time zone.
        seconds: duration of the build.
        jobs: number of compilers that ran at once.
        size_bytes: size of the kernel.
        lacking: requested options of the configuration that this source lacks ("NET_SCH_DUALPI2").
        kernel_sha256: digest of the kernel's file, in hexadecimal digits. Empty if an earlier version of this program
            built the kernel.
        kit_bytes: size of the headers and scripts for its modules. 0 if it cannot load modules, or if an earlier
            version of this program built it.
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
    kernel_sha256: str = ""
    kit_bytes: int = 0

    @property
    def kit(self) -> Path:
        """The folder of headers and scripts for its modules."""
        return folder() / self.name / KIT

    @property
    def modules(self) -> Path:
        """The folder of modules that were compiled for it."""
        return folder() / self.name / MODULES

    @property
    def path(self) -> Path:
        """The kernel's file."""
        return folder() / self.name / KERNEL

    def configured(self) -> dict[str, str]:
        """Its configuration: name without CONFIG_ to value. Raises PlaceError if the file is missing."""
        try:
            text = (folder() / self.name / CONFIG).read_text(encoding="utf-8")
        except OSError as problem:
            raise PlaceError(f"the configuration of {self.name} cannot be read: {problem.strerror}") from None
        pairs = (line.partition("=") for line in text.splitlines() if line.startswith("CONFIG_"))
        return {name.removeprefix("CONFIG_"): value.strip('"') for name, _, value in pairs}


def folder() -> Path:
    """The folder in which lab kernels are kept."""
    return platformdirs.user_cache_path("miniedit-frr") / "kernels"


def built_kernels() -> list[BuiltKernel]:
    """The lab kernels that were built here, the newest first. Folders without a valid record are left out."""
    kernels = []
    for record in folder().glob(f"*/{RECORD}"):
        kernel = _read(record)
        if kernel is not None and os.access(kernel.path, os.X_OK):
            kernels.append(kernel)
    return sorted(kernels, key=lambda kernel: kernel.built, reverse=True)


def _read(record: Path) -> BuiltKernel | None:
    """The kernel that a record describes. None if the record is invalid."""
    try:
        facts = json.loads(record.read_text(encoding="utf-8"))
        return BuiltKernel(**{**facts, "name": record.parent.name, "lacking": tuple(facts.get("lacking", ()))})
    except (OSError, ValueError, TypeError):
        return None


def record(built: BuiltKernel, below: Path) -> None:
    """Write the record of a kernel into a folder."""
    (below / RECORD).write_text(json.dumps(asdict(built), indent=2) + "\n", encoding="utf-8")


def find_built(name: str) -> BuiltKernel:
    """The built kernel with this name, or the only one whose name begins with it.

    Raises:
        PlaceError: no name matches, or several do.
    """
    kernels = built_kernels()
    matches = [kernel for kernel in kernels if kernel.name == name] or [
        kernel for kernel in kernels if kernel.name.startswith(name)
    ]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(kernel.name for kernel in matches or kernels)
    if matches:
        raise PlaceError(f"several lab kernels match {name}: {names}", "enter more of the name")
    raise PlaceError(
        f"there is no lab kernel {name}", f"choose one of {names}" if names else "miniedit-frr kernel build"
    )


def reason_to_refuse(path: Path) -> str:
    """The reason why a file is not used as a lab kernel, as a predicate ("is a folder"). Empty for a usable one.

    The file is read and not executed. Its owner and mode, and those of its folder, must prevent other users from
    changing it. A kernel that was built here must be unchanged.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as problem:
        return "does not exist" if isinstance(problem, FileNotFoundError) else f"cannot be read: {_error_text(problem)}"
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
        return f"cannot be read: {_error_text(problem)}"
    finally:
        os.close(handle)
    if not os.access(path, os.X_OK):
        return _NOT_EXECUTABLE
    return (
        _reason_of_owner(status)
        or _reason_of_folder(path.resolve().parent)
        or _reason_of_content(path.resolve(), status)
    )


def _reason_of_owner(status: os.stat_result) -> str:
    if status.st_uid not in (os.geteuid(), 0, os.stat(_OF_ROOT).st_uid):
        return f"belongs to another user (number {status.st_uid}), whose programs are not run"
    return "can be changed by other users" if _others_write(status) else ""


def _others_write(status: os.stat_result) -> bool:
    """Whether other users than the owner can write, the members of the owner's private group excepted.

    Ubuntu gives each user a group of the same name without other members, and lets it write by default.
    """
    if status.st_mode & stat.S_IWOTH:
        return True
    if not status.st_mode & stat.S_IWGRP:
        return False
    try:
        group, owner = grp.getgrgid(status.st_gid), pwd.getpwuid(status.st_uid)
    except KeyError:
        return True
    return group.gr_name != owner.pw_name or not {owner.pw_name}.issuperset(group.gr_mem)


def _reason_of_folder(parent: Path) -> str:
    """The reason why other users can replace a file in a folder."""
    status = parent.stat()
    if status.st_mode & stat.S_ISVTX:  # only the owner of a file can replace it
        return ""
    return f"is in {parent}, which {reason}" if (reason := _reason_of_owner(status)) else ""


def _reason_of_content(path: Path, status: os.stat_result) -> str:
    """The reason why the content of a kernel that was built here differs from its record."""
    if path.name != KERNEL or path.parent.parent != folder().resolve():
        return ""
    built = _read(path.with_name(RECORD))
    if built is None or built.kernel_sha256 in ("", sha256(path, status.st_mtime_ns, status.st_ino)):
        return ""
    return "is not the kernel that was built: the file was changed or is damaged"


@lru_cache
def sha256(path: Path, _changed_ns: int, _inode: int) -> str:
    """The SHA-256 of a file in hexadecimal digits, computed again once the file has changed. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_usable(path: Path) -> None:
    """Refuse a file that is not used as a lab kernel.

    Raises:
        PlaceError: the file is refused. The message has the reason and a remedy.
    """
    if reason := reason_to_refuse(path):
        raise PlaceError(
            f"{path} {reason}",
            f"{_remedy(path, reason)}; miniedit-frr kernel list shows the kernels that were built here",
        )


def _remedy(path: Path, reason: str) -> str:
    if reason == _NOT_EXECUTABLE:
        return f"chmod +x {path}"
    if "changed by other users" in reason:
        return f"chmod go-w {path.resolve().parent if reason.startswith('is in') else path}, if nobody has changed it"
    if "another user" in reason:
        return "copy it into a folder of this user's (after sudo: unset HOME)"
    if "damaged" in reason:
        return "miniedit-frr kernel build --again"
    return "name the file of a lab kernel, such as linux.uml"


def use(choice: str) -> None:
    """Choose the kernel for labs from now on: a name, a kernel's file, or `DISTRIBUTION`.

    Raises:
        PlaceError: there is no such kernel, or the choice cannot be stored.
    """
    if choice != DISTRIBUTION:
        is_file = os.sep in choice or Path(choice).exists()
        choice = str(Path(choice).resolve()) if is_file else find_built(choice).name
        check_usable(_path(choice))
    try:
        folder().mkdir(parents=True, exist_ok=True)
        atomic_files.replace(folder() / _USED, choice + "\n")
    except OSError as problem:
        raise PlaceError(f"{folder() / _USED} cannot be written: {problem.strerror}") from None


def used() -> str:
    """The choice made by `use`. Empty without a choice, or if it is no lab kernel any more: then labs run in the newest
    built one."""
    choice = _stored()
    return choice if choice == DISTRIBUTION or (choice and not reason_to_refuse(_path(choice))) else ""


def unusable() -> str:
    """A sentence about a stored choice that is no lab kernel, with a remedy. Empty if the choice is usable."""
    choice = _stored()
    if choice in ("", DISTRIBUTION) or not (reason := reason_to_refuse(_path(choice))):
        return ""
    return (
        f"{_path(choice)}, which was chosen for labs, {reason}. "
        f"Choose another one with miniedit-frr kernel use NAME|FILE|{DISTRIBUTION}"
    )


def preferred() -> Path | None:
    """The lab kernel for labs that name none. None for the distribution's.

    Raises:
        PlaceError: it is the newest that was built here, and other users can change it or it was changed.
    """
    choice = used()
    if choice == DISTRIBUTION:
        return None
    if choice:
        return _path(choice)
    newest = next((built.path for built in built_kernels()), None)
    if newest is not None:
        check_usable(newest)
    return newest


def _stored() -> str:
    try:
        with open(folder() / _USED, "rb") as file:
            return os.fsdecode(file.read(_LONGEST_CHOICE)).strip()
    except OSError:
        return ""


def _path(choice: str) -> Path:
    return Path(choice) if os.sep in choice else folder() / choice / KERNEL


def _error_text(problem: OSError | ValueError) -> str:
    return getattr(problem, "strerror", None) or str(problem)
