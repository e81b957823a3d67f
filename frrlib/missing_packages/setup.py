"""Fetches what is missing, and shows, updates and removes what was fetched."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from frrlib.missing_packages import bundle, machine
from frrlib.missing_packages.apt import Apt
from frrlib.missing_packages.errors import SetupError
from frrlib.missing_packages.layer import Layer, Store, remove, users
from frrlib.missing_packages.namespace import check_permitted
from frrlib.missing_packages.packages import Package
from frrlib.missing_packages.without_apt import WithoutApt

#: What labs need, as in `.ci/setup.sh`.
RUN_PACKAGES = (
    "mininet", "frr", "iperf3", "nginx", "curl", "wget", "iproute2", "iputils-ping", "python3-tk", "python3-venv",
    "openssh-server", "openssh-client", "kmod", "util-linux", "tcpdump", "libxcursor1", "gcc",
)  # fmt: skip
#: What building lab kernels and their modules needs besides, as in `.ci/setup.sh`.
KERNEL_PACKAGES = ("linux-source", "build-essential", "flex", "bison", "bc")
_LAB_KERNEL = "user-mode-linux"


def say(text: str) -> None:
    """Print a line about progress."""
    sys.stderr.write(f"{text}\n")


def run_packages() -> list[str]:
    """The packages that labs need on this machine. Debian has a lab kernel for PCs only, Ubuntu none."""
    name = machine.target()
    return [*RUN_PACKAGES, *([_LAB_KERNEL] if name.startswith("debian") and name.endswith("-x86_64") else [])]


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """One process at a time fetches packages. A process that waited finds them there.

    Programs of apt hold the lock, too: they can outlive this process if it is killed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="ascii") as file:
        os.set_inheritable(file.fileno(), True)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Another process changes {folder}. This one waits for its end.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def usable(store: Store, missing: Sequence[str]) -> Layer | None:
    """The current layer if it has all of these packages and fits this machine."""
    layer = store.current()
    return layer if layer and not layer.problem(missing) else None


def prepare(cache: Path, missing: Sequence[str], update: bool = False) -> Layer:
    """The layer with these packages, made if necessary.

    Args:
        cache: the user's cache of this project.
        missing: packages that the machine lacks.
        update: whether to look for newer versions.

    Raises:
        SetupError: they cannot be fetched or used here.
    """
    store = Store(cache)
    layer = None if update else usable(store, missing)
    if layer:
        return layer
    check_permitted()
    with _only_one(store.folder):
        layer = None if update else usable(store, missing)
        return layer or _fetch(store, missing)


def _fetch(store: Store, missing: Sequence[str]) -> Layer:
    current = store.current()
    names = set(missing) | set(machine.missing_packages(current.wanted) if current else ())
    wanted = sorted(names)
    apt: Apt | WithoutApt
    if machine.has_apt():
        apt = Apt(store.apt_folder)
        say(f"These packages are missing: {' '.join(wanted)}")
        say(f"They are fetched into {store.folder}; nothing else on this machine changes, and no root is needed.")
    else:
        apt = WithoutApt(store.apt_folder)
        say(f"This machine has no apt-get: a root folder of Debian is made in {store.folder}.")
        say("Nothing else on this machine changes, and no root is needed.")
    is_new = apt.update()
    try:
        packages = apt.resolve(wanted)
        size = sum(package.size for package in packages) / 1e6
        say(f"Fetching {len(packages)} packages ({size:.0f} MB), which continues if it was interrupted.")
        apt.download(wanted, packages)
    except SetupError as error:
        if is_new:
            raise
        raise SetupError(f"{error}\n{_without_network(wanted)}") from error
    say("Unpacking them.")
    return store.make(wanted, packages, apt.archives)


def _without_network(names: Sequence[str]) -> str:
    return (
        f"The lists of packages cannot be fetched (network?). Missing are: {' '.join(names)}\n"
        "On a machine with a network and the same distribution, write them to a file with\n"
        "`./run setup --bundle FILE`. Bring the file here, then `./run setup --from FILE`."
    )


def write_bundle(cache: Path, path: Path, names: Sequence[str]) -> Layer:
    """Write a bundle of the packages that this machine lacks, or had to fetch.

    Raises:
        SetupError: nothing is missing here, or it cannot be written.
    """
    store = Store(cache)
    missing = machine.missing_packages(names)
    current = store.current()
    if not missing and current is None:
        raise SetupError("This machine has all packages. Write the bundle on a machine that lacks them.")
    layer = prepare(cache, missing)
    bundle.write(path, layer, store.apt_folder)
    return layer


def read_bundle(cache: Path, path: Path) -> Layer:
    """Make the layer of the packages in a bundle that this machine lacks.

    Raises:
        SetupError: the bundle is refused, or does not fit.
    """
    check_permitted()
    store = Store(cache)
    with _only_one(store.folder):
        folder = store.folder / "bundle-new"
        remove(folder)
        folder.mkdir(mode=0o700)
        try:
            wanted, packages = bundle.read(path, folder)
            chosen = _lacking(packages)
            return store.make(wanted, chosen, folder / "archives")
        finally:
            remove(folder)


def _lacking(packages: Sequence[Package]) -> list[Package]:
    """The packages that this machine does not have, or has in the version that they replace."""
    present = machine.installed_versions([package.name for package in packages])
    return [one for one in packages if present.get(one.name, "") == one.replaced]


def clean(cache: Path, everything: bool) -> list[str]:
    """Delete old layers, or with `everything` all layers and downloads. Returns what was kept, with the reason."""
    store = Store(cache)
    if not store.folder.is_dir():
        return []
    kept = []
    with _only_one(store.folder):
        current = store.current()
        layers = store.old_layers() + ([current.path] if everything and current else [])
        for path in layers:
            pids = users(path)
            if pids:
                kept.append(f"{path} is in use by process {pids[0]}")
            else:
                remove(path)
        if everything:
            shutil.rmtree(store.apt_folder, ignore_errors=True)
            if not kept:
                (store.folder / "current").unlink(missing_ok=True)
    return kept


def status(cache: Path, names: Sequence[str]) -> list[str]:
    """Lines about the packages that labs need: those of the machine, and those of the layer."""
    store = Store(cache)
    present = machine.installed_versions(names)
    layer = store.current()
    if machine.has_apt():
        lines = [f"{machine.distribution()}: {len(present)} of {len(names)} packages are installed."]
    else:
        lines = [f"{machine.distribution()}: no apt-get, so `./run` uses packages of Debian in a root folder."]
    missing = [name for name in names if name not in present]
    if missing and machine.has_apt():
        lines.append(f"Not installed: {' '.join(missing)}")
    if layer is None:
        lines.append("No packages were fetched." + (" ./run fetches them." if missing else ""))
    else:
        problem = layer.problem(missing)
        lines.append(f"Fetched: {len(layer.packages)} packages in {layer.path}")
        lines.append(f"They are fetched again at the next start: {problem}." if problem else "They can be used.")
    return lines
