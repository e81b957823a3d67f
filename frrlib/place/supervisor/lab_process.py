"""The start of a lab's own processes: the two of a lab in namespaces, or that of a lab kernel.

Standard library only; called by the supervisor, from its only thread.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from typing import NoReturn

from frrlib.place import virtual_time
from frrlib.place.confinement import bounds, file_tree, kernel_process, private_files
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.confinement.control_group import ControlGroup
from frrlib.place.plans import BoundPath, KernelProcess, LabIds, SupervisorPlan
from frrlib.place.supervisor import signal_filter, user_namespaces
from frrlib.place.supervisor.processor_choice import Processor
from frrlib.system import signals

_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"}


def start_namespace(plan: SupervisorPlan, wire: int, group: ControlGroup | None) -> tuple[int, int]:
    """Start a lab in namespaces, and return the pids of the outer and of the inner process.

    Args:
        plan: the lab.
        wire: descriptor of the lab's end of its wire.
        group: the lab's control group.

    Raises:
        OSError: the kernel refused a step, or the lab cannot read its code.
    """
    folders, ids = plan.folders, plan.ids
    trees = file_tree.open_trees(folders) if ids else []  # other ids cannot read root's folders
    if ids:
        maps = [(0, ids.uid, ids.count)], [(0, ids.gid, ids.count)]
    else:
        maps = [(0, os.geteuid(), 1)], [(0, os.getegid(), 1)]

    def prepare() -> None:
        file_tree.build(trees or file_tree.open_trees(folders), False, plan.sockets, folders.hidden)
        _check_readable(file_tree.CODE)

    argv = [plan.python, "-I", "-S", f"{file_tree.BOOT}/init.py"]
    return user_namespaces.start(prepare, argv, _ENVIRONMENT, [wire], maps, plan.limits.processes, group)


def start_kernel(
    plan: SupervisorPlan, kernel: KernelProcess, line: int, processor: Processor
) -> tuple[int, signal_filter.SignalJudge | None]:
    """Start a lab kernel.

    Args:
        plan, kernel: the lab, and its kernel.
        line: descriptor of the inner end of the serial line; -1 for none.
        processor: the processor on which the kernel runs.

    Returns:
        The kernel's pid, and the judge of its signals if Landlock does not confine them.

    Raises:
        OSError: a step failed in the new process.
    """
    near, far = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            near.close()
            processor.settle()
            _become_kernel(plan, kernel, line, far)
        except BaseException as error:
            far.send(str(error).encode() or type(error).__name__.encode())
        os._exit(1)
    far.close()
    failure, handles = b"", []
    with near:
        while True:
            text, received, *_ = socket.recv_fds(near, 1 << 16, 1)
            if not text:
                break
            failure += text.removeprefix(signal_filter.HANDLE)
            handles += received
    if failure:
        os.waitpid(pid, 0)
        raise OSError(failure.decode(errors="replace"))
    return pid, signal_filter.SignalJudge(handles[0]) if handles else None


def _become_kernel(plan: SupervisorPlan, kernel: KernelProcess, line: int, supervisor: socket.socket) -> NoReturn:
    """Confine this process, and replace it by the lab kernel."""
    os.setsid()
    os.chdir(plan.scratch if kernel.gate else "/")
    if plan.ids:
        _bind_paths(kernel.bound_paths)
        _drop_root(plan.ids)
    elif os.geteuid() == 0:  # in name only: see `ownership.lab_ids`
        sys_.drop_capabilities()
    sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGKILL)
    bounds.be_killed_first()
    _check_readable(plan.folders.code)
    sys_.new_session_keyring()
    if line >= 0:
        os.set_inheritable(line, True)
    argv = [word.format(line=line) if word.startswith("ssl0=") else word for word in kernel.argv]
    # In virtual time no path of this machine is in the environment: see `frrlib.place.virtual_time`.
    environment = {**_ENVIRONMENT, "TMPDIR": virtual_time.MEMORY if kernel.gate else kernel.memory}
    if kernel.preload:
        environment["LD_PRELOAD"] = kernel.preload
    readable = _readable(plan, kernel)
    if kernel.gate:
        # The kernel's memory begins where its heap does, so its size, and all limits taken from it, would vary.
        sys_.keep_addresses()
    if kernel.landlock_abi < kernel_process.SCOPES_ABI:
        signal_filter.submit_signals(supervisor)
    kernel_process.landlock(readable, [plan.folders.files, kernel.memory], ["/dev/null"], kernel.landlock_abi)
    kernel_process.system_calls(no_chance=bool(kernel.gate), hands_over=kernel.uses_seccomp)
    signals.reset()
    os.execve(kernel.file, argv, environment)


def _readable(plan: SupervisorPlan, kernel: KernelProcess) -> list[str]:
    """The files and folders that a lab kernel may read."""
    folders = plan.folders
    # The lab kernel reads its own processor's flags, and the path of its first program begins at its own folder.
    readable = [*private_files.readable(folders.hidden), "/proc/self", "/proc/cpuinfo", kernel.file]
    readable += [folders.code, folders.boot, *folders.site, *(folder.source for folder in folders.visible)]
    return [*readable, kernel.preload] if kernel.preload else readable


def _bind_paths(paths: tuple[BoundPath, ...]) -> None:
    """Mount files and folders where an id without rights can reach them. Only this process and its children see it."""
    sys_.unshare(sys_.CLONE_NEWNS)
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    for path in paths:
        if os.path.isdir(path.source):
            os.makedirs(path.target, exist_ok=True)
        else:
            os.close(os.open(path.target, os.O_CREAT | os.O_WRONLY, 0o644))
        sys_.mount(path.source, path.target, flags=sys_.MS_BIND | sys_.MS_REC)


def _drop_root(ids: LabIds) -> None:
    os.setgroups([])
    os.setresgid(ids.gid, ids.gid, ids.gid)
    os.setresuid(ids.uid, ids.uid, ids.uid)


def _check_readable(code: str) -> None:
    sample = f"{code}/frrlib/place/init/init.py"
    if not os.access(sample, os.R_OK):
        raise OSError(errno.EACCES, f"the lab, which is not root here, cannot read {sample}")
