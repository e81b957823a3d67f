"""A root folder of Debian packages, for machines without apt: the files that scripts of the packages would make.

The scripts themselves do not run. Runs on Python 3.9 or newer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from frrlib.missing_packages.namespace import MERGED, NOTHING, PLACE, run_with_root

#: Files of `/etc` that a package copies when it is installed, and their origin.
_COPIES = (("etc/nsswitch.conf", "usr/share/libc-bin/nsswitch.conf"), ("etc/profile", "usr/share/base-files/profile"))
#: Links that packages make when they are installed.
_LINKS = (("etc/mtab", "../proc/self/mounts"), ("usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt"))
#: The machine's files of `/etc` that programs in the root see: those that configure network, time and pip.
_OF_THE_MACHINE = ("resolv.conf", "hosts", "hostname", "localtime", "machine-id", "pip.conf")
_CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")
#: Where distributions keep the certificates that this machine trusts, besides the place that its Python reads.
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_DEBIANS = Path("usr/share/ca-certificates/mozilla")
_PYTHON = "/usr/bin/python3"


def complete(folder: Path) -> None:
    """Make the files of a new root that scripts of its packages would make."""
    for name in (NOTHING, PLACE, *(f"usr/{name}" for name in MERGED[:3])):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, origin in _COPIES:
        if (folder / origin).is_file() and not os.path.lexists(folder / name):
            (folder / name).write_bytes((folder / origin).read_bytes())
    for name, target in _LINKS:
        if (folder / name).parent.is_dir() and not os.path.lexists(folder / name):
            (folder / name).symlink_to(target)


def refresh(folder: Path) -> None:
    """Make a root agree with the network and the trusted certificates of this machine."""
    for name in _OF_THE_MACHINE:
        source = Path("/etc", name)
        if source.is_file():
            _write(folder / "etc" / name, source.read_bytes())
    parts = [path.read_bytes() for path in [*sorted((folder / _DEBIANS).glob("*.crt")), *_bundles()]]
    _write(folder / _CERTIFICATES, b"".join(part if part.endswith(b"\n") else part + b"\n" for part in parts))


def _bundles() -> Iterator[Path]:
    """The first file with the certificates that this machine trusts."""
    import ssl  # every start with fetched packages loads this module

    for name in (ssl.get_default_verify_paths().cafile or "", *_BUNDLES):
        if name and os.path.isfile(name):
            yield Path(name)
            return


def _write(path: Path, data: bytes) -> None:
    """Write a file if it has another content. A program that reads it sees the earlier or the new content."""
    if path.is_file() and not path.is_symlink() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def compile_modules(folder: Path) -> None:
    """Compile Python's modules in a root by its own Python. Without it each start would do so again."""
    library = folder / "usr/lib"
    modules = [str(path) for path in sorted(library.glob("python3*")) if path.is_dir()]
    command = [_PYTHON, "-I", "-S", "-m", "compileall", "-q", "-s", str(folder), "-p", "/", *modules]
    pid = os.fork()
    if pid == 0:
        try:
            with open(os.devnull, "w", encoding="ascii") as nothing:
                os.dup2(nothing.fileno(), 1)
                os.dup2(nothing.fileno(), 2)
            run_with_root(folder, command)
        finally:
            os._exit(1)
    os.waitpid(pid, 0)
