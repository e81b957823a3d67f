"""The parts of this installation shown to a lab: our code as bytecode and the packages of the agent; and its memory."""

from __future__ import annotations

import compileall
import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs

from frrlib.errors import PlaceError, TopologyError
from frrlib.model.topology import Topology
from frrlib.place.confinement import bounds, private_files

#: Where Debian keeps packages, which a virtual environment may leave out.
_DEBIANS = Path("/usr/lib/python3/dist-packages")
_HERE = Path(__file__).resolve().parents[1]
#: The folder that holds the library, for Python to find it.
CODE = _HERE.parent
#: The rooms, and the files beside them, whose modules run in a lab.
_ROOMS_IN_A_LAB = ("agent", "place", "safe_text", "system", "virtual_time", "vtysh", "wire")
_FILES_IN_A_LAB = ("__init__.py", "bbr.py", "errors.py", "places.py")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def site_folders() -> tuple[Path, ...]:
    """The folders that hold the two packages the agent needs besides our own. Raises PlaceError."""
    folders = []
    for package, remedy in (("msgspec", "pip install msgspec"), ("mininet", "sudo apt-get install mininet")):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            if _DEBIANS.joinpath(package).is_dir():
                why = f"{sys.executable} does not see the package {package}, which is installed for Debian's Python"
                raise PlaceError(why, f"python3 -m venv --system-site-packages {sys.prefix}")
            raise PlaceError(f"the Python package {package} is missing", remedy)
        folders.append(Path(spec.origin).resolve().parent.parent)
    return tuple(dict.fromkeys(folders))


def shown_folders(topology: Topology, folder: Path | None) -> tuple[Path, ...]:
    """The folders of this machine that a lab sees besides what every lab sees: the drawing's own and those it names.

    Of `copied_folders` it has copies.

    Args:
        folder: the one that the drawing's file is in; None where there is none. It is not shown where it may not be,
            such as a home folder itself.

    Raises:
        TopologyError: one that the drawing names is not there, or is never shown.
    """
    found = [folder.resolve()] if folder is not None and not private_files.reason_to_hide(str(folder.resolve())) else []
    return tuple(dict.fromkeys([*found, *_named("shown_folders", topology.shown_folders, folder)]))


def copied_folders(topology: Topology, folder: Path | None) -> tuple[Path, ...]:
    """The folders of this machine of which a lab has a copy.

    Args:
        folder: the one that the drawing's file is in; None where there is none.

    Raises:
        TopologyError: one is not there, is never shown, or holds too much.
    """
    found = _named("copied_folders", topology.copied_folders, folder)
    for index, path in enumerate(found):
        files, size_bytes = bounds.count_files(str(path), bounds.FOLDER_FILES)
        if files > bounds.FOLDER_FILES or size_bytes > bounds.FOLDER_MIB << 20:
            raise TopologyError(
                f"the folder {topology.copied_folders[index]} is too large for a copy",
                field=f"copied_folders.{index}",
                right=f"copy {bounds.FOLDER_MIB} MiB and {bounds.FOLDER_FILES:,} files at most, or show it instead",
            )
    return found


def _named(field: str, names: Sequence[str], folder: Path | None) -> tuple[Path, ...]:
    """The folders of a field of the drawing. Raises TopologyError."""
    found = []
    for index, text in enumerate(names):
        path = Path(text).expanduser()
        path = (path if folder is None else folder / path).absolute()
        if why := private_files.reason_to_hide(str(path)):
            raise TopologyError(
                f"the folder {text} {why}",
                field=f"{field}.{index}",
                right="show another folder, or copy the files that are needed",
            )
        found.append(path.resolve())
    return tuple(found)


def code_folder() -> Path:
    """The folder with our code for a lab, which sees it read-only: with the bytecode of all modules that run inside.

    A lab that had to compile them would start late, and in virtual time its clock would differ by these system calls.
    Where the installation takes no bytecode, a copy of it in the user's cache does.
    """
    if _is_compiled(_HERE):
        return CODE
    files = {file.relative_to(_HERE): file.read_bytes() for file in sorted(_HERE.rglob("*.py"))}
    digest = hashlib.sha256(b"".join(b"%s\0%d\0%s" % (bytes(name), len(data), data) for name, data in files.items()))
    folder = platformdirs.user_cache_path("miniedit-frr") / f"code-{digest.hexdigest()[:16]}"
    try:
        if not folder.is_dir():
            _copy(files, folder)
        if (mode := folder.parent.stat().st_mode) & _OTHERS_WRITE:
            folder.parent.chmod(mode & ~_OTHERS_WRITE)  # fails if it is another user's
        if not all(map(_is_own, (folder.parent, folder))):
            return CODE
    except OSError:
        return CODE
    return folder if _is_compiled(folder / _HERE.name) else CODE


def _is_own(folder: Path) -> bool:
    """Whether nobody but this user can have put something into a folder. Raises OSError."""
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_WRITE


def _copy(files: Mapping[Path, bytes], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        for name, data in files.items():
            path = fresh / _HERE.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in (fresh, *fresh.rglob("*")):  # where root starts it, the lab is another user
            path.chmod(0o755 if path.is_dir() else 0o644)
        fresh.rename(folder)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not folder.is_dir():  # not made by another program meanwhile
            raise


def _is_compiled(library: Path) -> bool:
    """Compile what runs inside where that is not done. Returns whether the lab finds it compiled."""
    prefix, sys.pycache_prefix = sys.pycache_prefix, None
    try:
        done = [compileall.compile_dir(library / each, quiet=2) for each in _ROOMS_IN_A_LAB]
        done += [compileall.compile_file(library / each, quiet=2) for each in _FILES_IN_A_LAB]
    finally:
        sys.pycache_prefix = prefix
    if os.geteuid() != 0:
        return all(done)
    compiled = [
        library / "__pycache__",
        *(path for each in _ROOMS_IN_A_LAB for path in (library / each).rglob("__pycache__")),
    ]
    return all(done) and all(map(_opened, compiled))


def _opened(folder: Path) -> bool:
    """Let other users read a folder, whatever the umask was; whether they can."""
    try:
        mode = folder.stat().st_mode
        if mode & 0o005 != 0o005:
            folder.chmod(mode | 0o055)
    except OSError:
        return False
    return True


def processes(topology: Topology) -> int:
    """How many processes and threads a lab may have: what daemons, flows and shells take, several times over."""
    return 1000 + 64 * len(topology.nodes) + 32 * len(topology.routers) + 8 * sum(flow.count for flow in topology.flows)


def memory_mib(topology: Topology) -> int:
    """Memory for a lab kernel: what hosts and daemons touch, with room for queues; it is taken only as it is used."""
    return 768 + 64 * len(topology.routers) + 16 * len(topology.nodes)
