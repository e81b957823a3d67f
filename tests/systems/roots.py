"""A fresh system in a folder, and programs that run in it as on a machine of its own, with this machine's kernel."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: The user who tests the project in a root: an ordinary one without sudo, on a system that belongs to somebody else.
USER = "student"
#: Folders of a root whose files its user may change. The others are not part of the root's disk.
_OF_THE_USER = (f"home/{USER}", "tmp", "var/tmp", "dev", "proc", "sys", ".machine")
#: The message of debootstrap if an archive cannot be reached, for any reason.
_UNREACHABLE = "Failed getting release file"
#: Files that configure the network, if this machine has them.
_NETWORK_FILES = ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", "usr/local/share/ca-certificates")
#: Keeps packages from starting their daemons, which would run on this machine's network.
_NO_DAEMONS = "#!/bin/sh\nexit 101\n"
#: Limits the time for which wget, and so debootstrap, waits for an archive. The default is unlimited.
_WGET_LIMITS = "timeout = 30\ntries = 2\n"
_SCRIPTS = Path("/usr/share/debootstrap/scripts")
_UBUNTU_KEYS = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
_PRINT_ARCHIVE = 'default_mirror() { echo "$1"; exit; }; . "$0"'
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
    """The archive of a system does not reply, so the system cannot be tested."""


@dataclass(frozen=True)
class System:
    """A release of a distribution.

    Attributes:
        title: its common name.
        suite: its name in the archive.
        script: the script of debootstrap that makes it, if the release is newer than this debootstrap; empty if
            debootstrap has a script for the release.
        components: the components of its archive, separated by commas.
        has_kernel: whether it has a package of a lab kernel; if not, one is built.
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
    """Make a minimal system below `folder`, with Python and an ordinary user, and return its root.

    Needs root and debootstrap.

    Raises:
        ArchiveUnreachable: its archive does not reply.
        CalledProcessError: it could not be made; the output of the exception has the reason.
    """
    root = folder / system.suite
    remove_root(root)
    folder.mkdir(parents=True, exist_ok=True)
    _debootstrap(system, root, folder / "wgetrc")
    for name in _NETWORK_FILES:
        source, target = Path("/") / name, root / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            target.unlink(missing_ok=True)
            shutil.copyfile(source, target)
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text(_NO_DAEMONS)
    policy.chmod(0o755)
    for argv in (["update-ca-certificates"], ["useradd", "--create-home", "--shell", "/bin/bash", USER]):
        subprocess.run(command_in_root(root, Path("/"), argv), check=True, capture_output=True, env=environment())
    return root


def _debootstrap(system: System, root: Path, wgetrc: Path) -> None:
    wgetrc.write_text(_WGET_LIMITS)
    options = ["--variant=minbase", "--include=ca-certificates,python3", f"--components={system.components}"]
    argv = [
        "debootstrap",
        *options,
        system.suite,
        str(root),
        _archive(system),
        *([system.script] * bool(system.script)),
    ]
    environment = {**os.environ, "WGETRC": str(wgetrc)}
    completed = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if completed.returncode and _UNREACHABLE in completed.stdout:
        raise ArchiveUnreachable(system.title)
    completed.check_returncode()


def _archive(system: System) -> str:
    """The address of an archive; empty to let debootstrap choose.

    If this machine has no keys for the archive's signatures, the archive has to be read by https. debootstrap does that
    only for Debian's archive.
    """
    if not system.script or _UBUNTU_KEYS.exists():
        return ""
    script = str(_SCRIPTS / system.script)
    completed = subprocess.run(
        ["sh", "-c", _PRINT_ARCHIVE, script], stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "SUITE": system.suite, "ARCH": _architecture()},
    )  # fmt: skip
    return completed.stdout.strip().replace("http://", "https://")


def _architecture() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


def command_in_root(root: Path, folder: Path, argv: Sequence[str], user: str = "root") -> list[str]:
    """The command that runs `argv` as a user in a folder of a root. Its processes and mounts end with it."""
    enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", _ENTER, "enter"]
    become = [] if user == "root" else ["setpriv", "--reuid", user, "--regid", user, "--init-groups"]
    return [*enter, str(root), str(folder), *become, *argv]


def environment(user: str = "root") -> dict[str, str]:
    """The environment for a user of a root: of this process only the variables for the network."""
    network_variables = {
        name: value for name, value in os.environ.items() if name.lower().endswith(("_proxy", "_cert"))
    }
    user_variables = {"HOME": "/root" if user == "root" else f"/home/{user}", "USER": user, "LOGNAME": user}
    return {**network_variables, **user_variables, "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def files_of_others(root: Path) -> dict[str, tuple[int, int]]:
    """The files of a root outside of its user's folders, each with its size and the time of its last change."""
    found: dict[str, tuple[int, int]] = {}
    left_out = {root / name for name in _OF_THE_USER}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if Path(folder, name) not in left_out]
        for name in names:
            path = Path(folder, name)
            status = path.lstat()
            found[str(path.relative_to(root))] = (status.st_size, status.st_ctime_ns)
    return found


def remove_root(root: Path) -> None:
    """Remove a root. No folder of this machine is mounted in it, because the mounts ended with the programs."""
    shutil.rmtree(root, ignore_errors=True)
