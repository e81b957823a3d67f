"""Small libraries that go before the C library of programs in lab kernels, or of these themselves, and small programs.

Each is a file of `kernel/` that says what it is for, compiled once into the user's cache. None needs a header, so a
bare compiler makes them.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import platformdirs

from frrlib import writing
from frrlib.errors import PlaceError
from frrlib.kernels import material

#: Those for FRR's daemons in a lab kernel that keeps real time: a clock without system calls, and quick starts.
DAEMONS = ("clock", "copies")
_COMPILERS = ("cc", "gcc", "clang", "tcc")
_FLAGS = ("-O2", "-shared", "-fPIC", "-nostdlib")
_PROGRAM_FLAGS = ("-O2", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector")


def has_compiler() -> bool:
    """Whether this machine has a C compiler."""
    return _compiler() is not None


def library(name: str) -> Path:
    """The library of `kernel/NAME.c`, compiled into the user's cache where it is not there yet.

    Raises:
        PlaceError: there is no compiler, or the cache cannot be written.
    """
    return _made(name, ".so", _FLAGS)


def program(name: str) -> Path:
    """The static program of `kernel/NAME.c`, compiled into the user's cache where it is not there yet.

    Raises:
        PlaceError: there is no compiler, or the cache cannot be written.
    """
    return _made(name, "", _PROGRAM_FLAGS)


def _made(name: str, suffix: str, flags: tuple[str, ...]) -> Path:
    source = material.read(f"{name}.c")
    digest = hashlib.blake2b(f"{flags}{source}".encode(), digest_size=8).hexdigest()
    path = platformdirs.user_cache_path("miniedit-frr") / f"{name}-{digest}{suffix}"
    if not path.is_file():
        _compile(name, source, path, flags)
    return path


def for_daemons() -> dict[str, Path]:
    """The libraries for FRR's daemons by their names; none where they cannot be made, which costs time only."""
    try:
        return {name: library(name) for name in DAEMONS}
    except PlaceError:
        return {}


def _compiler() -> str | None:
    return next((found for name in _COMPILERS if (found := shutil.which(name))), None)


def _compile(name: str, source: str, path: Path, flags: tuple[str, ...]) -> None:
    compiler = _compiler()
    if compiler is None:
        raise PlaceError(f"kernel/{name}.c cannot be compiled, since there is no C compiler", "apt-get install gcc")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing.replaced(path) as new:  # whole or not at all, even if another process makes it meanwhile
            done = subprocess.run(
                [compiler, *flags, "-x", "c", "-", "-o", new], input=source, capture_output=True, text=True, timeout=60
            )
            if done.returncode != 0:
                raise PlaceError(f"kernel/{name}.c does not compile with {compiler}: {done.stderr.strip()}")
            new.chmod(0o755)
    except OSError as problem:
        raise PlaceError(f"{path.parent} cannot be written: {problem.strerror}") from None
