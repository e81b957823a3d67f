"""A fresh system in a folder, and programs that run in it as if it were the machine; its kernel is this machine's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: Who tries the project in a root: may use sudo, as whoever installed a system may.
USER = "student"
#: What debootstrap says when nothing comes from an archive, whatever the reason.
_SILENT = "Failed getting release file"
#: Files that configure the network, as far as this machine has them.
_OF_THE_NETWORK = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "usr/local/share/ca-certificates")
#: Without an init system a package would start its daemons itself, on this machine's network.
_NO_DAEMONS = "#!/bin/sh\nexit 101\n"
_MAY_ALL = f'{USER} ALL=(ALL) NOPASSWD: ALL\nDefaults env_keep += "http_proxy https_proxy no_proxy"\n'
#: debootstrap waits for an archive as long as wget does, which is for ever.
_IMPATIENT = "timeout = 30\ntries = 2\n"
_SCRIPTS = Path("/usr/share/debootstrap/scripts")
_UBUNTUS_KEYS = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
_SAY_ARCHIVE = 'default_mirror() { echo "$1"; exit; }; . "$0"'
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


class ArchiveUnreachable(Exception):
    """The archive of a system does not answer, so nothing can be said about the system."""


@dataclass(frozen=True)
class System:
    """A release of a distribution.

    Attributes:
        title: what people call it.
        suite: what its archive calls it.
        script: of debootstrap's scripts the one that makes it, for releases that are newer than this debootstrap; empty
            where its own is there.
        components: the parts of its archive, separated by commas.
        has_kernel: whether it has a package of a lab kernel; where not, one is built.
    """

    title: str
    suite: str
    script: str = ""
    components: str = "main"
    has_kernel: bool = True


SYSTEMS = {
    "debian12": System("Debian 12", "bookworm"),
    "debian13": System("Debian 13", "trixie"),
    "ubuntu24.04": System("Ubuntu 24.04", "noble", "gutsy", "main,universe", has_kernel=False),
}


def make_root(system: System, folder: Path) -> Path:
    """Make a minimal system below `folder`, with sudo and an ordinary user, and return its root.

    Needs root and debootstrap.

    Raises:
        NoAnswer: its archive does not answer.
        CalledProcessError: it could not be made; its output says why.
    """
    root = folder / system.suite
    remove_root(root)
    folder.mkdir(parents=True, exist_ok=True)
    _debootstrap(system, root, folder / "wgetrc")
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
    (root / "etc/sudoers.d" / USER).write_text(_MAY_ALL)
    for argv in (["update-ca-certificates"], ["useradd", "--create-home", "--shell", "/bin/bash", USER]):
        subprocess.run(command_in_root(root, Path("/"), argv), check=True, capture_output=True, env=environment())
    return root


def _debootstrap(system: System, root: Path, wgetrc: Path) -> None:
    wgetrc.write_text(_IMPATIENT)
    options = ["--variant=minbase", "--include=ca-certificates,sudo", f"--components={system.components}"]
    argv = [
        "debootstrap",
        *options,
        system.suite,
        str(root),
        _archive(system),
        *([system.script] * bool(system.script)),
    ]
    environment = {**os.environ, "WGETRC": str(wgetrc)}
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if done.returncode and _SILENT in done.stdout:
        raise ArchiveUnreachable(system.title)
    done.check_returncode()


def _archive(system: System) -> str:
    """The address of an archive, empty for debootstrap's own choice.

    Where this machine has no keys for its signatures, debootstrap turns to https, but of Debian's archive only.
    """
    if not system.script or _UBUNTUS_KEYS.exists():
        return ""
    script = str(_SCRIPTS / system.script)
    said = subprocess.run(
        ["sh", "-c", _SAY_ARCHIVE, script], stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "SUITE": system.suite, "ARCH": _architecture()},
    )  # fmt: skip
    return said.stdout.strip().replace("http://", "https://")


def _architecture() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


def command_in_root(root: Path, folder: Path, argv: Sequence[str], user: str = "root") -> list[str]:
    """The command that runs `argv` as a user in a folder of a root, with processes and mounts that end with it."""
    enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", _ENTER, "enter"]
    become = [] if user == "root" else ["setpriv", "--reuid", user, "--regid", user, "--init-groups"]
    return [*enter, str(root), str(folder), *become, *argv]


def environment(user: str = "root") -> dict[str, str]:
    """This one's, as far as it is the network's, for a user of a root."""
    known = {name: value for name, value in os.environ.items() if name.lower().endswith(("_proxy", "_cert"))}
    own = {"HOME": "/root" if user == "root" else f"/home/{user}", "USER": user, "LOGNAME": user}
    return {**known, **own, "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def remove_root(root: Path) -> None:
    """Remove a root. Nothing of this machine is mounted in it: mounts went with the programs."""
    shutil.rmtree(root, ignore_errors=True)
