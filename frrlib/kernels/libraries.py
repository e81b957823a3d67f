"""Small libraries that are loaded before the C library, into programs of labs or into a lab kernel itself.

Each is a documented file of `kernel/`, compiled once into the user's cache, as are some small programs. None needs a
header, so a compiler without further packages suffices.

Their code runs before all other code of a program. So a file is used only if it and its folder belong to this user,
other users cannot write them, and its content is the compiler's output: each file ends with a digest of its source and
content. Other files are compiled again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

import platformdirs

from frrlib.errors import PlaceError
from frrlib.kernels import material
from frrlib.system import atomic_files

#: The libraries for FRR's daemons in the real time of a lab kernel: a clock without system calls, quick starts, and a
#: poll that sleeps instead of returning at once for ever.
DAEMONS = ("clock", "copies", "polls")
#: The libraries for FRR's daemons on the kernel of this machine, whose clock needs no system call.
DAEMONS_IN_NAMESPACES = ("copies", "polls")
#: The processor for which these libraries are written.
_MACHINE = "x86_64"
#: The libraries for FRR's daemons in virtual time.
DAEMONS_IN_VIRTUAL_TIME = ("polls",)
_DIGEST_BYTES = 32
#: No library is larger.
_MOST_BYTES = 1 << 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_COMPILERS = ("cc", "gcc", "clang", "tcc")
_FLAGS = ("-O2", "-shared", "-fPIC", "-nostdlib")
_PROGRAM_FLAGS = ("-O2", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector")


def has_compiler() -> bool:
    """Whether this machine has a C compiler."""
    return _compiler() is not None


def library(name: str) -> Path:
    """The library of `kernel/NAME.c`, compiled into the user's cache if it is missing there.

    Raises:
        PlaceError: there is no compiler, or the cache cannot be written.
    """
    return _compiled_file(name, ".so", _FLAGS)


def program(name: str) -> Path:
    """The static program of `kernel/NAME.c`, compiled into the user's cache if it is missing there.

    Raises:
        PlaceError: there is no compiler, or the cache cannot be written.
    """
    return _compiled_file(name, "", _PROGRAM_FLAGS)


def _compiled_file(name: str, suffix: str, flags: tuple[str, ...]) -> Path:
    source = material.read(f"{name}.c")
    digest = hashlib.blake2b(f"{flags}{source}".encode(), digest_size=8).hexdigest()
    path = platformdirs.user_cache_path("miniedit-frr") / f"{name}-{digest}{suffix}"
    seal = f"{flags}{source}".encode()
    try:
        if path.parent.exists():
            _close_to_others(path.parent)
        if not _is_sound(path, seal):
            path.parent.mkdir(parents=True, exist_ok=True)
            _close_to_others(path.parent)
            _compile(name, source, path, flags, seal)
    except OSError as problem:
        raise PlaceError(f"{path.parent} cannot be written: {problem.strerror}") from None
    return path


def for_daemons(*, virtual_time: bool = False, in_namespaces: bool = False) -> dict[str, Path]:
    """The libraries for FRR's daemons: name to path. Empty if they cannot be compiled, or not for this processor.

    A lab in real time is only slower without them. One in virtual time works until a BGP connection is reset.

    Args:
        virtual_time: whether the lab runs in virtual time.
        in_namespaces: whether the lab runs on the kernel of this machine.
    """
    if os.uname().machine != _MACHINE:
        return {}
    names = DAEMONS_IN_VIRTUAL_TIME if virtual_time else DAEMONS_IN_NAMESPACES if in_namespaces else DAEMONS
    try:
        return {name: library(name) for name in names}
    except PlaceError:
        return {}


def _compiler() -> str | None:
    return next((compiler for name in _COMPILERS if (compiler := shutil.which(name))), None)


def _close_to_others(folder: Path) -> None:
    """Make a folder writable for this user only. Raises OSError.

    Raises:
        PlaceError: the folder is another user's.
    """
    status = folder.stat()
    if status.st_uid != os.geteuid():
        raise PlaceError(
            f"{folder} belongs to another user, whose programs are not run",
            "set XDG_CACHE_HOME to a folder of this user's (after sudo: unset HOME)",
        )
    if status.st_mode & _OTHERS_WRITE:
        folder.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)


def _is_sound(path: Path, seal: bytes) -> bool:
    """Whether only this user can change a file, and its content is the compiler's output."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
                return False
            content = file.read(_MOST_BYTES)
    except OSError:
        return False
    return content[-_DIGEST_BYTES:] == _digest(seal, content[:-_DIGEST_BYTES])


def _digest(seal: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(content, key=hashlib.blake2b(seal).digest(), digest_size=_DIGEST_BYTES).digest()


def _compile(name: str, source: str, path: Path, flags: tuple[str, ...], seal: bytes) -> None:
    compiler = _compiler()
    if compiler is None:
        raise PlaceError(
            f"kernel/{name}.c cannot be compiled, because no C compiler is installed", "apt-get install gcc"
        )
    with atomic_files.replaced(path) as new:  # in one step, even if another process makes it meanwhile
        try:
            done = subprocess.run(
                [compiler, *flags, "-x", "c", "-", "-o", new], input=source, capture_output=True, text=True, timeout=60
            )
        except subprocess.TimeoutExpired:
            problem = f"kernel/{name}.c: {compiler} did not finish within a minute"
            raise PlaceError(problem, "try again later") from None
        if done.returncode != 0:
            raise PlaceError(f"kernel/{name}.c does not compile with {compiler}: {done.stderr.strip()}")
        with new.open("ab") as file:  # behind the part that a loader reads
            file.write(_digest(seal, new.read_bytes()))
        new.chmod(0o755)
