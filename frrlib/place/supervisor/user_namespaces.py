"""Two user namespaces, one in the other, and the lab's first program in the inner one.

The outer one prepares the lab's file tree. The step into the inner one locks every mount, so the lab's root can neither
make it writable again nor remove it to see the files below. Standard library only; called by the supervisor, from its
only thread.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
from collections.abc import Callable
from typing import NoReturn

from frrlib.place.confinement import bounds
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.confinement.control_group import ControlGroup
from frrlib.system import signals

OUTER = sys_.CLONE_NEWUSER | sys_.CLONE_NEWNS | sys_.CLONE_NEWPID | sys_.CLONE_NEWNET | sys_.CLONE_NEWIPC
INNER = OUTER | sys_.CLONE_NEWUTS

#: The uid map and the gid map. Their lines are: first id inside, first id outside, number of ids.
IdMap = tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]
#: Resources that the kernel counts by user, not by lab. If a lab used all 128 inotify instances of a user, an editor, a
#: file manager or systemd would get none. Files of /proc/sys: the limit of a user namespace to the limit of a user.
_COUNTED_BY_USER = {
    "user/max_inotify_instances": "fs/inotify/max_user_instances",
    "user/max_inotify_watches": "fs/inotify/max_user_watches",
    "user/max_fanotify_groups": "fs/fanotify/max_user_groups",
    "user/max_fanotify_marks": "fs/fanotify/max_user_marks",
}
#: As `_COUNTED_BY_USER`, but limits of a process, which also apply to the namespace that is made next: pending signals,
#: and bytes of POSIX message queues.
_PROCESS_LIMITS = (resource.RLIMIT_SIGPENDING, resource.RLIMIT_MSGQUEUE)
#: Added to the number of the signal that killed a lab, in the exit status of the process above it, as shells do.
BY_SIGNAL = 128


def start(
    prepare: Callable[[], None],
    argv: list[str],
    environment: dict[str, str],
    keep: list[int],
    ids: IdMap,
    processes: int,
    group: ControlGroup | None = None,
) -> tuple[int, int]:
    """Start `argv` as process 1 in the inner namespaces and return the pids of the outer and of the inner
    process.

    Args:
        prepare: makes the lab's file tree, in the outer namespaces.
        argv: program inside and its arguments, found in the prepared tree.
        environment: its whole environment.
        keep: descriptors that stay open in it, besides 0, 1 and 2.
        ids: the ids outside for those of the lab. An ordinary user can only map root to itself.
        processes: maximum number of processes and threads inside.
        group: the control group to be in.

    Raises:
        OSError: the kernel refused a step, which the text names.
    """
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    outer = sys_.clone(OUTER)
    if outer == 0:
        ours.close()
        _guard(theirs, lambda: _outer(theirs, prepare, argv, environment, keep, ids, processes))
    theirs.close()
    try:
        _map(outer, ids)
        if group:
            group.take(outer)
        ours.send(b"mapped")
        inner = _expect(ours, b"ready")
    except OSError:
        os.kill(outer, signal.SIGKILL)
        os.waitpid(outer, 0)
        raise
    finally:
        ours.close()
    return outer, inner


def _expect(line: socket.socket, word: bytes) -> int:
    """Wait for a word; return the sender's pid as seen from here."""
    text, extra, _, _ = line.recvmsg(4096, socket.CMSG_SPACE(12))
    if text != word:
        raise OSError(text.decode(errors="replace") or "the lab's first process ended during its start")
    return int.from_bytes(extra[0][2][:4], "little")


def _guard(line: socket.socket, work: Callable[[], None]) -> NoReturn:
    """Run the child's part. An error is sent to the supervisor."""
    try:
        work()
    except BaseException as error:
        line.send(os.fsencode(str(error))[:4000] or type(error).__name__.encode())
    os._exit(1)


def _map(pid: int, ids: IdMap) -> None:
    def write(name: str, text: str) -> None:
        with open(f"/proc/{pid}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    uids, gids = ids
    if [count for _, _, count in gids] == [1]:
        write("setgroups", "deny")
    write("uid_map", _lines(uids))
    write("gid_map", _lines(gids))


def _lines(ids: list[tuple[int, int, int]]) -> str:
    return "".join(f"{inside} {outside} {count}\n" for inside, outside, count in ids)


def _die_with_parent() -> None:
    sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGKILL)


def _outer(
    line: socket.socket,
    prepare: Callable[[], None],
    argv: list[str],
    environment: dict[str, str],
    keep: list[int],
    ids: IdMap,
    processes: int,
) -> None:
    _wait(line)
    if len(ids[0]) > 1 or ids[0][0][2] > 1:
        os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    sys_.prctl(sys_.PR_SET_DUMPABLE, 1)
    _die_with_parent()
    bounds.be_killed_first()
    sys_.new_session_keyring()
    prepare()
    _forbid_cgroups()
    near, far = socket.socketpair()
    bounds.limit_next_namespace(processes)
    _halve_user_limits()
    inner = sys_.clone(INNER)
    if inner == 0:
        near.close()
        _guard(line, lambda: _inner(line, far, argv, environment, keep))
    far.close()
    uids, gids = ([(first, first, count) for first, _, count in part] for part in ids)
    _map(inner, (uids, gids))
    near.send(b"mapped")
    line.close()
    _close_all()
    status = os.waitpid(inner, 0)[1]
    # The first process of a process namespace cannot kill itself by the same signal.
    os._exit(BY_SIGNAL + os.WTERMSIG(status) if os.WIFSIGNALED(status) else int(status != 0))


def _forbid_cgroups() -> None:
    """Forbid the lab cgroup namespaces of its own, in which it could mount, and freeze, the user's own group."""
    with (
        contextlib.suppress(OSError),
        open("/proc/sys/user/max_cgroup_namespaces", "w", encoding="ascii") as file,
    ):
        file.write("0")


def _inner(
    line: socket.socket, far: socket.socket, argv: list[str], environment: dict[str, str], keep: list[int]
) -> None:
    _wait(far)
    _die_with_parent()
    os.setsid()
    os.chdir("/")
    sys_.sethostname("lab")
    signals.reset()
    line.send(b"ready")
    for handle in keep:
        os.set_inheritable(handle, True)
    os.execve(argv[0], argv, environment)


def _wait(line: socket.socket) -> None:
    if line.recv(100) != b"mapped":
        raise OSError("the process above this one ended")


def _close_all() -> None:
    """Close everything but 0, 1, 2. An open copy of the lab's wire would hide the end of the lab."""
    os.closerange(3, 1024)


def _halve_user_limits() -> None:
    """Limit this user namespace, and the one that is made next in it, to half of a user's resources."""
    for namespace_limit, user_limit in _COUNTED_BY_USER.items():
        with contextlib.suppress(OSError), open(f"/proc/sys/{user_limit}", encoding="ascii") as file:
            half = int(file.read()) // 2
            with open(f"/proc/sys/{namespace_limit}", "w", encoding="ascii") as bound:
                bound.write(str(half))
    for kind in _PROCESS_LIMITS:
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(kind, (hard // 2, hard // 2))
