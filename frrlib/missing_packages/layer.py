"""A layer: a folder with the unpacked files of packages, named after the distribution and the digest of its content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from frrlib.missing_packages import accounts, machine, root
from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.namespace import MERGED
from frrlib.missing_packages.packages import Package, check_file, digest

_RECORD, _FORMAT = "layer.json", 1
_IS_INSTALLED = "Status: install ok installed"
#: Links that packages would make when they are installed.
_ALTERNATIVES = (
    ("usr/bin/cc", "gcc"),
    ("usr/bin/c++", "g++"),
    ("usr/sbin/ovs-vswitchd", "../lib/openvswitch-switch/ovs-vswitchd"),
    ("usr/bin/awk", "mawk"),
    ("usr/bin/which", "which.debianutils"),
    ("usr/bin/telnet", "inetutils-telnet"),
)
#: Bits of a file's mode that give somebody else this user's rights.
_UNSAFE = 0o6022


class Layer(NamedTuple):
    """A complete layer.

    Attributes:
        path: its folder.
        distribution: the system for which it was made.
        wanted: the packages for which it was made.
        packages: all packages in it.
    """

    path: Path
    distribution: str
    wanted: tuple[str, ...]
    packages: tuple[Package, ...]

    @property
    def is_root(self) -> bool:
        """Whether it is a whole root folder, for machines without apt."""
        return "-root-" in self.distribution

    def problem(self, missing: Sequence[str]) -> str:
        """Why it cannot be used for these missing packages; empty if it can."""
        names = {package.name for package in self.packages}
        if self.distribution != machine.target():
            return f"it was made for {self.distribution}"
        lacking = [name for name in missing if name not in names]
        if lacking:
            return f"it lacks {' '.join(lacking)}"
        present = machine.installed_versions(sorted(names))
        changed = [one.name for one in self.packages if present.get(one.name, "") != one.replaced]
        return f"this machine now has another {' '.join(changed)}" if changed else ""


class Store:
    """The layers of a user.

    Args:
        cache: the user's cache of this project.
    """

    def __init__(self, cache: Path) -> None:
        self.folder = cache / "system"
        self.apt_folder = self.folder / ("apt" if machine.has_apt() else "debian")

    def path_of(self, packages: Sequence[Package]) -> Path:
        """The folder of the layer of these packages."""
        return self.folder / f"{machine.target()}-{digest(packages)}"

    def current(self) -> Layer | None:
        """The layer that was made last; None if there is none."""
        try:
            return read(self.folder / os.readlink(self.folder / "current"))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def make(self, wanted: Sequence[str], packages: Sequence[Package], archives: Path) -> Layer:
        """Unpack packages, unless that has been done, and make them the current layer.

        Raises:
            SetupError: a file is not as in the signed lists, or cannot be unpacked.
        """
        path = self.path_of(packages)
        try:
            layer = read(path)
        except (OSError, ValueError, KeyError, TypeError):
            layer = Layer(path, machine.target(), tuple(sorted(wanted)), tuple(packages))
            _unpack(layer, archives)
        link = self.folder / f".current-{os.getpid()}"
        link.symlink_to(path.name)
        link.replace(self.folder / "current")
        return layer

    def old_layers(self) -> list[Path]:
        """The folders of all layers but the current one, and of unfinished ones."""
        current = self.current()
        return sorted(
            path
            for path in self.folder.glob("*-*")
            if path.is_dir() and not path.is_symlink() and (current is None or path != current.path)
        )


def read(path: Path) -> Layer:
    """Read the record of a layer. Only a complete layer has one.

    Raises:
        OSError, ValueError, KeyError, TypeError: there is none, or not in this format.
    """
    record = json.loads((path / _RECORD).read_text(encoding="utf-8"))
    if record["format"] != _FORMAT:
        raise ValueError(f"{path} has format {record['format']}")
    packages = tuple(Package(**row) for row in record["packages"])
    return Layer(path, record["distribution"], tuple(record["wanted"]), packages)


def refresh(layer: Layer, folder: Path) -> None:
    """Make the layer in a folder agree with the machine's accounts, and write its versions if it lacks them."""
    accounts.refresh(folder)
    if layer.is_root:
        root.refresh(folder)
    path = _inside(folder, machine.LAYER_STATUS)
    if not path.exists():
        status = "".join(
            f"Package: {package.name}\n{_IS_INSTALLED}\nVersion: {package.version}\n\n" for package in layer.packages
        )
        temporary = path.with_name(f".{path.name}-{os.getpid()}")
        temporary.write_text(status, encoding="utf-8")
        temporary.replace(path)


def _inside(folder: Path, path: Path) -> Path:
    return folder / str(path).lstrip("/")


def users(path: Path, processes: Path = Path("/proc")) -> list[int]:
    """The processes of this user that run with a layer."""
    found = []
    for table in processes.glob("[0-9]*/mountinfo"):
        try:
            if f"lowerdir={path}/" in table.read_text(encoding="utf-8", errors="surrogateescape"):
                found.append(int(table.parent.name))
        except OSError:
            continue
    return sorted(found)


def remove(path: Path) -> None:
    """Delete the folder of a layer. Folders of packages can be read-only."""
    import shutil

    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o700)
    shutil.rmtree(path, ignore_errors=True)


def _unpack(layer: Layer, archives: Path) -> None:
    path = layer.path
    partial = path.with_name(f"{path.name}.partial")
    if partial.exists():
        remove(partial)
    partial.mkdir(mode=0o700, parents=True)
    for package in layer.packages:
        check_file(package, archives / package.file_name)
        (_unpack_alone if layer.is_root else _unpack_by_dpkg)(archives / package.file_name, partial)
    for name in MERGED:
        if (partial / name).is_dir() and not (partial / name).is_symlink():
            _merge(partial / name, partial / "usr" / name)
    _close(partial)
    _link_alternatives(partial)
    _list_packages(partial, layer.packages)
    if layer.is_root:
        root.complete(partial)
    refresh(layer, partial)
    if layer.is_root:
        root.compile_modules(partial)
    else:
        _compile(partial)
    record = {"format": _FORMAT, "distribution": layer.distribution, "wanted": layer.wanted}
    rows = [package._asdict() for package in layer.packages]
    (partial / _RECORD).write_text(json.dumps({**record, "packages": rows}, indent=1), encoding="utf-8")
    if path.exists():
        remove(path)
    partial.rename(path)


def _unpack_by_dpkg(file: Path, folder: Path) -> None:
    done = subprocess.run(
        ["dpkg-deb", "-x", str(file), str(folder)],
        text=True,
        capture_output=True,
        check=False,
        close_fds=False,  # it inherits the lock of the cache, so that no other process unpacks at the same time
    )
    if done.returncode:
        problem = no_space(folder, done.stderr)
        raise SetupError(problem or f"{file.name} cannot be unpacked: {done.stderr.strip()}")


def _unpack_alone(file: Path, folder: Path) -> None:
    from frrlib.debian_archive.errors import ArchiveError
    from frrlib.debian_archive.unpacking import unpack

    try:
        unpack(file, folder)
    except ArchiveError as error:
        raise SetupError(f"{error}") from error
    except OSError as error:
        raise SetupError(no_space(folder, str(error)) or f"{file.name} cannot be unpacked: {error}") from error


def _merge(source: Path, target: Path) -> None:
    """Move a tree of folders into another one."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in list(source.iterdir()):
        goal = target / entry.name
        if entry.is_dir() and not entry.is_symlink() and goal.is_dir():
            _merge(entry, goal)
        elif not os.path.lexists(goal):
            entry.rename(goal)


def _close(folder: Path) -> None:
    """Take away bits of modes by which others would get this user's rights."""
    for parent, _, files in os.walk(folder):
        os.chmod(parent, (os.stat(parent).st_mode & 0o777 & ~_UNSAFE) | 0o700)
        for name in files:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                os.chmod(path, (os.stat(path).st_mode & 0o7777 & ~_UNSAFE) | 0o600)
    os.chmod(folder, 0o700)
    for name in ("usr", "etc"):
        if (folder / name).is_dir():
            os.chmod(folder / name, 0o755)


def _link_alternatives(folder: Path) -> None:
    for name, target in _ALTERNATIVES:
        path = folder / name
        if (path.parent / target).exists() and not os.path.lexists(path):
            path.symlink_to(target)


def _list_packages(folder: Path, packages: Sequence[Package]) -> None:
    path = _inside(folder, machine.LAYER_LIST)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{package.name}\n" for package in packages), encoding="utf-8")


def _compile(folder: Path) -> None:
    """Compile Python modules, as installed packages do. Without it each start would do so again."""
    modules = folder / "usr/lib/python3/dist-packages"
    if modules.is_dir():
        options = ["-q", "-s", str(folder), "-p", "/"]
        subprocess.run(
            [sys.executable, "-I", "-S", "-m", "compileall", *options, str(modules)], capture_output=True, check=False
        )
