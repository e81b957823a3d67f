"""Runs a program in a user and a mount namespace, with the user's own id and other system files.

These are the machine's with a layer laid over /usr and /etc, or on machines without apt those of a root folder.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from frrlib.missing_packages.errors import SetupError

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 0x1, 0x2, 0x4, 0x20
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MNT_DETACH = 2
#: Number of the system call `pivot_root`, which not every C library has, by processor.
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "armv7l": 218, "i686": 217, "ppc64le": 203, "s390x": 217}
#: Folders that are links into /usr on every machine that this project supports. The first three always exist.
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
#: Folders of a root: an empty one, and the mount point where a new file tree is put together.
NOTHING, PLACE = "nothing", "place"
#: Folders over which a layer is laid.
COVERED = ("usr", "etc")
#: Settings of the kernel that forbid user namespaces: the file, the value that forbids, and the value that allows.
_SETTINGS = (
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
)

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, call: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    texts = [os.fsencode(text) or None for text in (source, target, kind, data)]
    _check(
        _libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]), f"mount {kind or source} {target}"
    )


def escape(path: str) -> str:
    """A path as an option of an overlay."""
    return "".join(f"\\{character}" if character in "\\,:" else character for character in path)


def mounts_below(folder: str, table: str) -> list[str]:
    """The outermost mount points below a folder, from the text of a mount table (`/proc/self/mountinfo`)."""
    points: list[str] = []
    for line in table.splitlines():
        point = line.split(" ")[4]
        for code in ("040", "011", "012", "134"):
            point = point.replace(f"\\{code}", chr(int(code, 8)))
        if point.startswith(f"{folder}/") and not any(point == one or point.startswith(f"{one}/") for one in points):
            points = [one for one in points if not one.startswith(f"{point}/")] + [point]
    return points


def _become_owner() -> None:
    """Move this process to namespaces in which it may mount. It keeps its ids."""
    uid, gid = os.geteuid(), os.getegid()
    _check(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS), "unshare")
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        Path(f"/proc/self/{file}").write_text(text, encoding="ascii")
    _mount("none", "/", "", _MS_REC | _MS_SLAVE)


def _cover(layer: Path, folder: str) -> None:
    """Lay the layer over a folder. Other file systems that are mounted in the folder stay in sight."""
    if not (layer / folder).is_dir():
        return
    target = f"/{folder}"
    table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    kept = [(point, os.open(point, os.O_PATH)) for point in mounts_below(target, table)]
    _mount("overlay", target, "overlay", 0, f"lowerdir={escape(str(layer / folder))}:{target}")
    for point, handle in kept:
        if os.path.exists(point):
            _mount(f"/proc/self/fd/{handle}", point, "", _MS_BIND | _MS_REC)
        os.close(handle)


def run_with(layer: Path, argv: Sequence[str]) -> NoReturn:
    """Replace this process by a program that sees the layer.

    Raises:
        SetupError: this machine does not permit it.
        OSError: the program cannot be run.
    """
    here = os.getcwd()
    try:
        _become_owner()
        for folder in COVERED:
            _cover(layer, folder)
    except OSError as error:
        raise SetupError(refusal(error)) from error
    os.chdir(here)
    os.execvp(argv[0], list(argv))


def run_with_root(root: Path, argv: Sequence[str]) -> NoReturn:
    """Replace this process by a program that sees /usr and /etc of a root folder, and all else of the machine.

    Raises:
        SetupError: this machine does not permit it.
        OSError: the program cannot be run.
    """
    here = os.getcwd()
    try:
        _become_owner()
        _change_root(root)
    except OSError as error:
        raise SetupError(refusal(error)) from error
    os.chdir(here)
    # The root has neither the machine's languages nor, perhaps, this user's shell.
    os.execvpe(argv[0], list(argv), {**os.environ, "LC_ALL": "C.UTF-8", "SHELL": "/bin/bash"})


def _change_root(root: Path) -> None:
    """Put a file tree together, and make it the root of this mount namespace."""
    place = root / PLACE
    _mount("tmpfs", str(place), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
    for entry in sorted(os.scandir("/"), key=lambda one: one.name):
        path = place / entry.name
        if entry.name in COVERED or entry.name in MERGED:
            continue
        if entry.is_symlink():
            path.symlink_to(os.readlink(entry.path))
        elif entry.is_dir():
            path.mkdir()
            _mount(entry.path, str(path), "", _MS_BIND | _MS_REC)
    for name in COVERED:
        (place / name).mkdir()
        lower = f"{escape(str(root / name))}:{escape(str(root / NOTHING))}"
        _mount("overlay", str(place / name), "overlay", 0, f"lowerdir={lower}")
    for name in MERGED:
        if (root / "usr" / name).is_dir():
            (place / name).symlink_to(f"usr/{name}")
    _mount("none", str(place), "", _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
    os.chdir(place)
    number = _PIVOT_ROOT.get(os.uname().machine, -1)
    _check(_libc.syscall(ctypes.c_long(number), b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", _MNT_DETACH), "umount of the machine's root folder")


def check_permitted() -> None:
    """Try the namespaces and an overlay in a process of its own.

    Raises:
        SetupError: this machine does not permit them.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become_owner()
            _mount("overlay", "/usr", "overlay", 0, "lowerdir=/etc:/usr")
        except OSError as error:
            os.write(writer, f"{error.errno} {error.strerror}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as file:
        number, _, text = file.read().partition(" ")
    os.waitpid(pid, 0)
    if number:
        raise SetupError(refusal(OSError(int(number), text)))


def refusal(error: OSError, settings: Path = Path("/proc/sys")) -> str:
    """Why the kernel refused a namespace, and what an administrator can do."""
    for name, forbidding, allowing in _SETTINGS:
        try:
            value = (settings / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbidding:
            remedy = f"sudo sysctl {name.replace('/', '.')}={allowing}"
            return f"This machine does not permit user namespaces. An administrator can permit them: {remedy}"
    return f"This machine does not permit an overlay in a user namespace ({error.strerror})."
