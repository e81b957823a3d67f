"""The file tree that a lab sees: the host's, read-only, with private folders where programs must write.

Standard library only. It runs once at the start of a lab, before any program of the lab: in the outer of the two user
namespaces on the running kernel, or in init of a lab kernel.
"""

from __future__ import annotations

import contextlib
import os
import stat

from frrlib.place.confinement import bounds, overlay
from frrlib.place.confinement import syscalls as sys_

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing more costs a lab kernel time
    from collections.abc import Callable, Sequence

    from frrlib.place.plans import LabFolders

LAB = "/run/lab"
CODE, FILES, BOOT, SITE = f"{LAB}/code", f"{LAB}/files", f"{LAB}/boot", f"{LAB}/site"
ETC, BIN = f"{LAB}/etc", f"{LAB}/bin"
#: The wire of a lab in virtual time, see `frrlib.virtual_time.gate`.
GATE = f"{LAB}/gate"

#: An empty folder, and one in which a folder is mounted while it is copied.
NOTHING, COPIED = f"{LAB}/nothing", f"{LAB}/copied"

#: Folders that are private to each lab and empty at its start: path, mode.
PRIVATE = (
    ("/tmp", "1777"),
    ("/root", "700"),
    ("/run", "755"),
    ("/var/run", "755"),
    ("/var/tmp", "1777"),
    ("/var/log", "755"),
    ("/mnt", "755"),
    ("/etc/frr", "755"),
)

#: Folders that are made in the private folders, in this order: path, mode.
FOLDERS = (
    (LAB, 0o755),
    (BIN, 0o755),
    (NOTHING, 0o755),
    (COPIED, 0o755),
    (ETC, 0o755),
    (SITE, 0o755),
    (CODE, 0o755),
    (FILES, 0o755),
    (BOOT, 0o755),
    (GATE, 0o755),
    (f"{LAB}/mnt", 0o755),
    (f"{LAB}/uts", 0o755),
    (f"{LAB}/nodes", 0o755),
    ("/run/netns", 0o755),
    ("/run/lock", 0o1777),
    ("/run/frr", 0o755),
    ("/run/sshd", 0o755),
    ("/var/log/frr", 0o755),
    ("/var/tmp/frr", 0o755),
)

#: The device files of a lab: name, major, minor.
DEVICES = (
    ("null", 1, 3),
    ("zero", 1, 5),
    ("full", 1, 7),
    ("random", 1, 8),
    ("urandom", 1, 9),
    ("tty", 5, 0),
    ("net/tun", 10, 200),
)
#: A lab kernel's serial line.
LINES = (("ttyS0", 4, 64),)

#: Groups whose member FRR's programs must be.
FRR_GROUPS = ("frr", "frrvty")
#: Users and groups that get root's ids if these are the only ones. Programs give files to them, or become them.
ROOTS_USERS, ROOTS_GROUPS = ("frr", "sshd", "tcpdump"), ("tty",)

_CLOSED = sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC

_ENTER = f"""#!/bin/sh
# enter NODE [COMMAND...]: run a command (a shell) where the node is.
node=$1; shift
[ $# -gt 0 ] || set -- bash
[ -e "/run/netns/$node" ] || {{ echo "enter: no node $node" >&2; exit 127; }}
[ ! -r "{LAB}/nodes/$node" ] || . "{LAB}/nodes/$node"
set -- -- "$@"
[ ! -e "{LAB}/uts/$node" ] || set -- "--uts={LAB}/uts/$node" "$@"
[ ! -e "{LAB}/mnt/$node" ] || set -- "--mount={LAB}/mnt/$node" "$@"
exec nsenter "--net=/run/netns/$node" "$@"
"""


def open_trees(folders: LabFolders, gate: str = "") -> list[tuple[int, str, bool]]:
    """Open the folders that the lab sees at other paths: a mount tree, its path in the lab, and whether it is copied.

    Args:
        folders: the folders.
        gate: folder that is the lab's wire, which it may write, shown at `GATE`. Empty for none.
    """
    targets = [(folders.code, CODE), (folders.files, FILES), (folders.boot, BOOT), *([(gate, GATE)] if gate else [])]
    targets += [(path, f"{SITE}/{index}") for index, path in enumerate(folders.site)]
    trees = [(_tree(path, writable=target in (FILES, GATE)), target, False) for path, target in targets]
    for folder in folders.visible:
        with contextlib.suppress(OSError):  # other users cannot see some file systems; the lab runs without it
            trees.append((_tree(folder.source), folder.target, folder.is_copy))
    return trees


def _tree(path: str, writable: bool = False) -> int:
    """Clone a folder as a tree of mounts, without set-user-id programs and device files."""
    tree = sys_.clone_tree(path)
    closed = sys_.ATTR_NOSUID | sys_.ATTR_NODEV | (0 if writable else sys_.ATTR_RDONLY)
    sys_.set_mount(f"/proc/self/fd/{tree}", add=closed, recursive=True)
    return tree


def build(trees: list[tuple[int, str, bool]], own_kernel: bool, sockets: Sequence[str], hidden: Sequence[str]) -> None:
    """Turn this process's mount namespace into a lab's.

    Args:
        trees: the mount trees that `open_trees` returned.
        own_kernel: whether this is a lab kernel, which can make device files, or a user namespace, which
            borrows them.
        sockets: UNIX sockets of the host. An empty file is mounted over each that is in sight.
        hidden: folders that the lab does not see, except for the parts that `trees` shows.
    """
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    devices = [] if own_kernel else _borrow_devices()
    if own_kernel:
        _close_kernel()
    else:
        _close_namespace(hidden)
    _cover()
    for path in hidden:
        if os.path.isdir(path) and path not in dict(PRIVATE):
            _tmpfs(path, "755")
    _make_folders(len(trees))
    for tree, target, is_copy in trees:
        os.makedirs(target, exist_ok=True)  # visible folders have no mount point yet
        if is_copy:
            _copy(tree, target)
        elif own_kernel or target in (FILES, BOOT, GATE):
            sys_.attach_tree(tree, target)
        else:
            overlay.cover(tree, target, NOTHING)
    if not own_kernel:
        # Processes that enter the lab run the programs in it, so the lab must not be able to replace them.
        sys_.attach_tree(sys_.clone_tree(BIN), BIN)
    _make_dev(devices, own_kernel)
    _write_files(own_kernel)
    if not own_kernel:
        sys_.set_mount(BIN, add=sys_.ATTR_RDONLY)
    for path in sockets:
        _hide(path)


def _close_kernel() -> None:
    """Show the host's files read-only. The lab kernel's process is confined anyway; this only prevents accidents."""
    sys_.set_mount("/", add=sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV, recursive=True)
    sys_.set_mount("/proc", clear=sys_.ATTR_RDONLY)
    sys_.set_mount("/sys", clear=sys_.ATTR_RDONLY)
    sys_.mount("cgroup2", "/sys/fs/cgroup", "cgroup2", _CLOSED)


def _close_namespace(hidden: Sequence[str]) -> None:
    """Show the host's files read-only, without its processes and its devices."""
    covered = tuple(path for path, _ in PRIVATE if os.path.isdir(path) and not os.path.islink(path))
    if overlay.put_up((*covered, *hidden, "/proc", "/sys", "/dev")):
        return
    sys_.set_mount("/", add=sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV, recursive=True)
    # These mounts cover this machine's processes. Later mounts cover these in turn, and may be writable only because
    # these are.
    sys_.mount("proc", "/proc", "proc", _CLOSED)
    sys_.mount("sysfs", "/sys", "sysfs", _CLOSED)


def _tmpfs(path: str, mode: str) -> None:
    room = f"size={bounds.FOLDER_MIB}m,nr_inodes={bounds.FOLDER_FILES}"
    sys_.mount("tmpfs", path, "tmpfs", sys_.MS_NOSUID | sys_.MS_NODEV, f"mode={mode},{room}")


def _copy(tree: int, target: str) -> None:
    """Copy the files, folders and links of a tree of mounts into a folder of the lab's own, if this user may read
    them."""
    sys_.attach_tree(tree, COPIED)
    _tmpfs(target, "755")
    folders = [""]
    try:
        while folders:
            folder = folders.pop()
            for entry in _entries(f"{COPIED}{folder}"):
                path = f"{target}{folder}/{entry.name}"
                if entry.is_symlink():
                    os.symlink(os.readlink(entry.path), path)
                elif entry.is_dir():
                    os.mkdir(path, 0o755)
                    folders.append(f"{folder}/{entry.name}")
                elif entry.is_file():
                    _copy_file(entry.path, path)
    except OSError as error:
        raise OSError(error.errno, f"{target} cannot be copied for the lab: {error.strerror}") from error
    sys_.unmount(COPIED)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        return []


def _copy_file(source: str, target: str) -> None:
    try:
        file = open(source, "rb")  # noqa: SIM115 - only this error may be suppressed
    except PermissionError:
        return
    with file, open(target, "wb") as copy:
        while data := file.read(1 << 20):
            copy.write(data)
        os.fchmod(copy.fileno(), 0o644 | (os.fstat(file.fileno()).st_mode & 0o111))


def _cover() -> None:
    for path, mode in PRIVATE:
        if os.path.isdir(path) and not os.path.islink(path):
            _tmpfs(path, mode)


def _make_folders(sites: int) -> None:
    for path, mode in FOLDERS + tuple((f"{SITE}/{index}", 0o755) for index in range(sites)):
        os.mkdir(path)
        os.chmod(path, mode)


def _borrow_devices() -> list[tuple[int, str]]:
    devices = []
    for name, _, _ in DEVICES:
        try:
            devices.append((sys_.clone_tree(f"/dev/{name}"), name))
        except FileNotFoundError:
            continue
    return devices


def _make_dev(devices: list[tuple[int, str]], own_kernel: bool) -> None:
    sys_.mount("tmpfs", "/dev", "tmpfs", sys_.MS_NOSUID, "mode=755,size=1m")
    for folder in ("net", "pts", "shm"):
        os.mkdir(f"/dev/{folder}")
    for handle, name in devices:
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        sys_.attach_tree(handle, f"/dev/{name}")
    if own_kernel:
        for name, major, minor in DEVICES + LINES:
            os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o666, os.makedev(major, minor))
            os.chmod(f"/dev/{name}", 0o666)
    sys_.mount("devpts", "/dev/pts", "devpts", sys_.MS_NOSUID | sys_.MS_NOEXEC, "ptmxmode=0666,mode=0620")
    _tmpfs("/dev/shm", "1777")
    links = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
    for name, target in links.items():
        os.symlink(target, f"/dev/{name}")


def _write(path: str, text: str, mode: int) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def _write_files(own_kernel: bool) -> None:
    _write(f"{BIN}/enter", _ENTER, 0o755)
    _write(f"{ETC}/nothing", "", 0o444)
    only_root = _only_root_exists()
    _rewrite("group", lambda line: _group_line(line, only_root))
    if only_root:
        _rewrite("passwd", _passwd_line)
    if os.path.isdir("/etc/frr"):
        _write("/etc/frr/vtysh.conf", "", 0o644)
    if os.path.exists("/etc/shadow"):
        # The user cannot read the host's; sshd requires an account of root that is not locked.
        _write(f"{ETC}/shadow", "root:*:19000:0:99999:7:::\n", 0o600)
        sys_.mount(f"{ETC}/shadow", "/etc/shadow", flags=sys_.MS_BIND)


def _only_root_exists() -> bool:
    """Whether this is a user namespace with no id but root's, as an ordinary user can make it."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return [line.split()[2] for line in file] == ["1"]


def _rewrite(name: str, change: Callable[[str], str]) -> None:
    """Mount a version of a file of the host's /etc over it, changed line by line."""
    with open(f"/etc/{name}", encoding="utf-8", errors="surrogateescape") as file:
        text = "".join(f"{change(line)}\n" for line in file.read().splitlines())
    with open(f"{ETC}/{name}", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.chmod(f"{ETC}/{name}", 0o644)
    sys_.mount(f"{ETC}/{name}", f"/etc/{name}", flags=sys_.MS_BIND)


def _group_line(line: str, only_root: bool) -> str:
    """Add root to FRR's groups. If there is no other id, these groups and that of terminals get root's."""
    name, _, fields = line.partition(":")
    if name not in FRR_GROUPS and not (only_root and name in ROOTS_GROUPS):
        return line
    password, _, fields = fields.partition(":")
    number, _, members = fields.partition(":")
    names = [member for member in members.split(",") if member and member != "root"]
    return f"{name}:{password}:{'0' if only_root else number}:{','.join([*names, 'root'])}"


def _passwd_line(line: str) -> str:
    """Give root's ids, which are the only ones, to the users that programs become or give files to."""
    fields = line.split(":")
    return ":".join([*fields[:2], "0", "0", *fields[4:]]) if fields[0] in ROOTS_USERS and len(fields) > 4 else line


def _hide(path: str) -> None:
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            sys_.mount(f"{LAB}/etc/nothing", path, flags=sys_.MS_BIND)
    except OSError:
        return  # covered already, or out of this user's reach
