"""The program of a lab: code as bytecode, the agent's packages, shown folders; and limits of memory and processes."""

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

#: Debian's folder of Python packages; a virtual environment may not include it.
_DEBIANS = Path("/usr/lib/python3/dist-packages")
_HERE = Path(__file__).resolve().parents[1]
#: The folder that contains the library, for Python's path.
CODE = _HERE.parent
#: The rooms, and the files beside them, whose modules run in a lab.
_ROOMS_IN_A_LAB = ("agent", "place", "safe_text", "system", "virtual_time", "vtysh", "wire")
_FILES_IN_A_LAB = ("__init__.py", "bbr.py", "errors.py", "places.py")
#: The folder of a results folder with the sources of the run's kernel modules.
_MODULES = "modules"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def site_folders() -> tuple[Path, ...]:
    """The folders of the two packages that the agent needs besides our own. Raises PlaceError."""
    folders = []
    for package, remedy in (("msgspec", "pip install msgspec"), ("mininet", "sudo apt-get install mininet")):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            if _DEBIANS.joinpath(package).is_dir():
                missing = f"{sys.executable} does not see the package {package}, which is installed for Debian's Python"
                raise PlaceError(missing, f"python3 -m venv --system-site-packages {sys.prefix}")
            raise PlaceError(f"the Python package {package} is missing", remedy)
        folders.append(Path(spec.origin).resolve().parent.parent)
    return tuple(dict.fromkeys(folders))


def shown_folders(topology: Topology, folder: Path | None) -> tuple[Path, ...]:
    """The folders of this machine that a lab of this topology sees: the folder of its file, and those that it names.

    `copied_folders` are copied instead.

    Args:
        folder: the folder of the topology's file; None for none. A folder that may not be shown, such as a home folder,
            is left out.

    Raises:
        TopologyError: a named folder does not exist, or is never shown.
    """
    folders = (
        [folder.resolve()] if folder is not None and not private_files.reason_to_hide(str(folder.resolve())) else []
    )
    return tuple(dict.fromkeys([*folders, *_named("shown_folders", topology.shown_folders, folder)]))


def copied_folders(topology: Topology, folder: Path | None) -> tuple[Path, ...]:
    """The folders of this machine of which a lab has a copy.

    Args:
        folder: the folder of the topology's file; None for none.

    Raises:
        TopologyError: a folder does not exist, is never shown, or is too large.
    """
    folders = _named("copied_folders", topology.copied_folders, folder)
    for index, path in enumerate(folders):
        files, size_bytes = bounds.count_files(str(path), bounds.FOLDER_FILES)
        if files > bounds.FOLDER_FILES or size_bytes > bounds.FOLDER_MIB << 20:
            raise TopologyError(
                f"the folder {topology.copied_folders[index]} is too large for a copy",
                field=f"copied_folders.{index}",
                remedy=f"copy {bounds.FOLDER_MIB} MiB and {bounds.FOLDER_FILES:,} files at most, or show it instead",
            )
    return folders


def module_files(topology: Topology, folder: Path | None) -> tuple[Path, ...]:
    """The C files of a topology's kernel modules.

    Args:
        folder: the folder of the topology's file; None for none.

    Raises:
        TopologyError: a file does not exist.
    """
    paths = []
    for index, text in enumerate(topology.kernel_modules):
        path = Path(text).expanduser()
        path = (path if folder is None else folder / path).absolute()
        if folder is not None and not path.is_file():  # a results folder keeps the files of its run
            path = folder / _MODULES / path.name
        if not path.is_file():
            raise TopologyError(
                f"the kernel module {text} does not exist", field=f"kernel_modules.{index}",
                remedy="put the C file there, or remove it in the topology preferences",
            )  # fmt: skip
        paths.append(path.resolve())
    return tuple(paths)


def _named(field: str, names: Sequence[str], folder: Path | None) -> tuple[Path, ...]:
    """The folders in a field of the topology. Raises TopologyError."""
    paths = []
    for index, text in enumerate(names):
        path = Path(text).expanduser()
        path = (path if folder is None else folder / path).absolute()
        if refusal := private_files.reason_to_hide(str(path)):
            raise TopologyError(
                f"the folder {text} {refusal}",
                field=f"{field}.{index}",
                remedy="show another folder, or copy the files that are needed",
            )
        paths.append(path.resolve())
    return tuple(paths)


def code_folder() -> Path:
    """The folder with our code and the bytecode of all modules that run in a lab, which sees it read-only.

    A lab that compiled them itself would start late, and in virtual time the extra system calls would change its clock.
    If the installation is not writable, a copy of it in the user's cache is compiled.
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
    """Whether only this user can write to a folder. Raises OSError."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE


def _copy(files: Mapping[Path, bytes], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        for name, data in files.items():
            path = temporary / _HERE.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in (temporary, *temporary.rglob("*")):  # if root starts it, the lab runs as another user
            path.chmod(0o755 if path.is_dir() else 0o644)
        temporary.rename(folder)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
        if not folder.is_dir():  # not made by another program meanwhile
            raise


def _is_compiled(library: Path) -> bool:
    """Compile the modules that run in a lab, if necessary. Returns whether the lab finds their bytecode."""
    prefix, sys.pycache_prefix = sys.pycache_prefix, None
    try:
        compiled_all = [compileall.compile_dir(library / name, quiet=2) for name in _ROOMS_IN_A_LAB]
        compiled_all += [compileall.compile_file(library / name, quiet=2) for name in _FILES_IN_A_LAB]
    finally:
        sys.pycache_prefix = prefix
    if os.geteuid() != 0:
        return all(compiled_all)
    compiled = [
        library / "__pycache__",
        *(path for name in _ROOMS_IN_A_LAB for path in (library / name).rglob("__pycache__")),
    ]
    return all(compiled_all) and all(map(_opened, compiled))


def _opened(folder: Path) -> bool:
    """Let other users read a folder, whatever the umask was. Returns whether they can."""
    try:
        mode = folder.stat().st_mode
        if mode & 0o005 != 0o005:
            folder.chmod(mode | 0o055)
    except OSError:
        return False
    return True


def processes(topology: Topology) -> int:
    """Limit for processes and threads of a lab: several times the number that daemons, flows and shells need."""
    return 1000 + 64 * len(topology.nodes) + 32 * len(topology.routers) + 8 * sum(flow.count for flow in topology.flows)


def memory_mib(topology: Topology) -> int:
    """Memory for a lab kernel: for hosts, daemons and queues. It is allocated only when it is used."""
    return 768 + 64 * len(topology.routers) + 16 * len(topology.nodes)
