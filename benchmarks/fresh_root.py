"""A fresh Debian in a folder, and programs that run in it as if it were the machine: for steadiness.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

#: Files that configure the network, as far as this machine has them.
_OF_THE_NETWORK = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "usr/local/share/ca-certificates")
#: Without an init system a package would start its daemons itself, on this machine's network.
_NO_DAEMONS = "#!/bin/sh\nexit 101\n"
#: The root becomes the whole machine: user namespaces are refused inside a chroot.
_ENTER = """
set -eu
cd "$1"; shift
mount --bind . .; cd "$PWD"
mount --rbind /sys sys; mount --rbind /dev dev; mount -t tmpfs tmpfs dev/shm; mount -t tmpfs tmpfs tmp
mount -t proc proc proc
mkdir -p .machine; pivot_root . .machine; umount -l /.machine
cd "$1"; shift
exec "$@"
"""


def make(suite: str, folder: Path) -> Path:
    """Make a small Debian of a suite ("trixie") below `folder` and return its root. Needs root and debootstrap.

    Raises:
        CalledProcessError: it could not be made; debootstrap says why.
    """
    root = folder / suite
    remove(root)
    folder.mkdir(parents=True, exist_ok=True)
    argv = ["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, root]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    for name in _OF_THE_NETWORK:
        source, target = Path("/") / name, root / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            target.unlink(missing_ok=True)
            shutil.copyfile(source, target)
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text(_NO_DAEMONS)
    policy.chmod(0o755)
    subprocess.run(argv_in(root, Path("/"), ["update-ca-certificates"]), check=True, stdout=subprocess.DEVNULL)
    return root


def argv_in(root: Path, folder: Path, argv: Sequence[str]) -> list[str]:
    """The command that runs `argv` in a folder of a root, with processes and mounts of its own that end with it."""
    enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", _ENTER, "enter"]
    return [*enter, str(root), str(folder), *argv]


def environment() -> dict[str, str]:
    """This one's, as far as it is the network's, for a root's own user `root`."""
    known = {name: value for name, value in os.environ.items() if name.lower().endswith(("_proxy", "_cert"))}
    return {**known, "HOME": "/root", "USER": "root", "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def remove(root: Path) -> None:
    """Remove a root. Nothing of this machine is mounted in it: mounts went with the programs."""
    shutil.rmtree(root, ignore_errors=True)
