"""The process that owns a lab: it starts it, and ends it when the program that wanted it ends in whatever
way.

Started by Python of the system, with the standard library only, before anything of the lab is there; then the program
tells it the lab's plan. It learns of the end of the program by a pipe that only the program holds open and by a handle
on the program's process; then it kills the lab, waits until no process of it is left and removes the lab's temporary
folders, whose names it knows from the start. If the keeper itself is killed, a second one does that.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from frrlib.place import virtual_time
from frrlib.place.confinement import bounds, control_group, file_tree, kernel_process, private_files
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.confinement.control_group import ControlGroup
from frrlib.place.multiplexer import Mux
from frrlib.place.supervisor import external_interfaces, ownership, signal_filter, user_namespaces
from frrlib.place.supervisor.messages import KILLED_BY
from frrlib.place.supervisor.processor_choice import INTERVAL_S, KERNEL_SLICE_NS, Processor
from frrlib.places import PlaceName
from frrlib.system import removal, signals
from frrlib.system import untrusted_files as reading
from frrlib.virtual_time.gate import OuterGate

Plan = dict[str, Any]
T = TypeVar("T")
Watched = bounds.ResultsBound | bounds.MemoryBound | bounds.ProcessorBound

#: Bytes of the lab's console that survive it.
_LAST = 4000
#: How long a program may take to read what its lab said last, in seconds.
_LAST_S = 5.0

_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"}


def main() -> None:
    """Own the lab whose plan comes by the socket `orders` of the first argument, a JSON object.

    There are two keepers, parent and child, each of which tidies up if the other is killed: a lab kernel's
    helpers are not all killed with it, and somebody must be left who knows them.
    """
    os.umask(0o022)  # a lab that root starts has another id, which must be able to read what is made for it
    signals.begin(signal.SIGINT, signal.SIGHUP)
    signal.signal(signal.SIGTERM, _leave)
    told: Plan = json.loads(sys.argv[1])
    plan = None
    try:
        plan = _hear_plan(told)
    finally:
        if plan is None:
            _remove(told["folders"])
    if plan is None:
        return
    for handle in (plan["lifeline"], plan["program"], plan["status"], plan["lock"], plan["wire"]):
        os.set_inheritable(handle, False)
    _print_to(plan["console"])
    sys_.prctl(sys_.PR_SET_CHILD_SUBREAPER, 1)
    loan = ownership.lend(plan["files"], plan["ids"])
    parent = os.getpid()
    plan["group"] = control_group.available_folder(f"miniedit-frr-{parent}") if plan["kind"] == "namespace" else ""
    second = os.fork()
    if second == 0:
        sys_.prctl(sys_.PR_SET_CHILD_SUBREAPER, 1)
        sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGTERM)
        try:
            _until_told(lambda: _own(plan) if os.getppid() == parent else None)
        finally:
            _tidy_up(plan, loan)
        return
    os.close(plan["status"])
    os.close(plan["wire"])
    killed = True
    try:
        killed = _until_told(lambda: os.waitpid(second, 0)[1] != 0)
    finally:
        if killed:
            _tidy_up(plan, loan)


def _hear_plan(told: Plan) -> Plan | None:
    """The program's request, with the handles that came with it; None once it has ended or given up."""
    ends, text, locks = [told["lifeline"], told["program"]], b"", []
    with socket.socket(fileno=told.pop("orders")) as orders:
        while not text.endswith(b"\n"):
            if set(ends) & set(select.select([orders, *ends], [], [])[0]):
                return None
            more, handles, *_ = socket.recv_fds(orders, 1 << 16, 1)
            if not more:
                return None
            text += more
            locks += handles
    return {**told, **json.loads(text), "lock": locks[0]}


def _print_to(console: str) -> None:
    """Append the output of this process and its children to the lab's console, which only its owner can read."""
    file = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    for standard in (1, 2):
        os.dup2(file, standard)
    os.close(file)


def _remove(folders: list[str], limit_s: float = 2.0) -> list[str]:
    """Remove the lab's temporary folders; a helper of a killed program may write there for another moment.

    Returns:
        What is left and why.
    """
    stop_at = time.monotonic() + limit_s
    while (left := [why for why in map(removal.remove, folders) if why]) and time.monotonic() < stop_at:
        time.sleep(0.005)
    return left


def _leave(*_: object) -> NoReturn:
    """End in order, once; tidying up is not interrupted by being told again."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _until_told(work: Callable[[], T]) -> T:
    """Do the work; from its end on SIGTERM no longer comes between the end and the tidying up."""
    try:
        return work()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _tidy_up(plan: Plan, loan: ownership.Loan) -> None:
    """Leave nothing of the lab; doing it twice does no harm."""
    if "lent" in plan:
        with contextlib.suppress(OSError):
            plan.pop("lent").give_back()
    _end_all()
    if plan["group"]:
        control_group.remove(plan["group"])
    left = ownership.take_back(loan)
    with contextlib.suppress(OSError):
        _say(plan, {"last_words": _last_words(plan)})
    if left := [*left, *_remove(plan["folders"])]:
        with contextlib.suppress(OSError):
            _say(plan, {"left": left})


def _own(plan: Plan) -> None:
    kernel = plan["kind"] == PlaceName.LABKERNEL
    gate = OuterGate(plan["gate"], plan["wire"]) if plan.get("gate") else None
    listener, mux, line = _serial_line(plan) if kernel and not gate else (None, None, -1)
    processor = Processor(os.sched_getaffinity(0))
    judge = group = None
    try:
        if kernel:
            pid, judge = _start_kernel(plan, line, processor)
            lab = pid
        else:
            group = _own_group(plan)
            pid, lab = _start_namespace(plan, group)
        if plan["interfaces"]:
            plan["lent"] = external_interfaces.LentInterfaces(plan["interfaces"], lab)
    except OSError as error:
        _say(plan, {"error": str(error), "errno": error.errno or 0})
        return
    if not gate:
        os.close(line if kernel else plan["wire"])
    _say(plan, {"pid": lab, "group": plan["group"]})
    reviews: list[Callable[[], None]] = [functools.partial(processor.review, pid)] if kernel else []
    reviews += [gate.review] if gate else []
    watched: list[Watched] = [bounds.ResultsBound(plan["files"])]
    if not kernel:
        watched.append(bounds.MemoryBound(lab, plan["memory_mib"], plan["spare_mib"]))
        watched.append(bounds.ProcessorBound(pid, plan["processes"] // 2))
        with contextlib.suppress(OSError):  # so that a turn comes soon among however many processes
            sys_.set_own_slice(KERNEL_SLICE_NS)
    reviews += [lambda: _end_excess(watched, lab), bounds.ConsoleBound(plan["console"]).trim]
    wanted, running = [plan["lifeline"], plan["program"]], os.pidfd_open(pid)
    _watch([*wanted, running], listener, [part for part in (mux or gate, judge) if part], reviews)
    if group and group.has_killed():
        os.write(1, f"\nthe lab had all of the {plan['memory_mib']:,} MiB of memory that it may have\n".encode())
    _tell_kill(pid)
    if mux:
        _end_all()  # a killed kernel's helpers would keep its line open
        _hand_over(mux, wanted)
    if gate:
        gate.finish()


def _serial_line(plan: Plan) -> tuple[socket.socket, Mux, int]:
    """Where SSH connects to, the outside end of the lab's serial line, and the inside end."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(plan["ssh_socket"])
    listener.listen(64)
    outside, inside = socket.socketpair()
    mux = Mux(outside.detach(), True, lambda _: -1)
    mux.attach(0, plan["wire"])
    return listener, mux, inside.detach()


def _last_words(plan: Plan) -> str:
    """The end of the lab's output, which goes with the scratch folder."""
    with contextlib.suppress(OSError):
        return reading.read_end(plan["console"], _LAST, follow=False)[0].decode(errors="replace")
    return ""


def _say(plan: Plan, what: dict[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(plan["status"], json.dumps(what).encode() + b"\n")


def _watch(
    ends: list[int],
    listener: socket.socket | None,
    parts: Sequence[Mux | OuterGate | signal_filter.SignalJudge],
    reviews: list[Callable[[], None]],
) -> None:
    """Return when one of `ends` says that the lab or the program has ended; meanwhile carry a lab kernel's bytes, judge
    its signals, and review its processor now and then."""
    due_s = time.monotonic() + INTERVAL_S
    while True:
        if reviews and time.monotonic() >= due_s:
            for review in reviews:
                review()
            due_s = time.monotonic() + INTERVAL_S
        reading = [listener.fileno()] if listener else []
        writing: list[int] = []
        for part in parts:
            more_reading, more_writing = part.waits_for()
            reading += more_reading
            writing += more_writing
        patience_s = max(0.0, due_s - time.monotonic()) if reviews else None
        readable, writable, _ = select.select([*ends, *reading], writing, [], patience_s)
        for part in parts:
            part.serve(readable, writable)
        if set(ends) & set(readable):
            return
        if listener and listener.fileno() in readable:
            for part in parts:
                if isinstance(part, Mux):
                    part.open(listener.accept()[0].detach())


def _end_excess(watched: Sequence[Watched], lab: int) -> None:
    """End a lab that fills the disk, the memory or the processors; it is told on its console."""
    for excess in filter(None, (each.excess() for each in watched)):
        os.write(1, f"\nthe lab was ended: {excess}\n".encode())
        with contextlib.suppress(ProcessLookupError):
            os.kill(lab, signal.SIGKILL)


def _tell_kill(pid: int) -> None:
    """Say on the lab's console which signal has killed it, if one has: what it printed before tells of its boot."""
    with contextlib.suppress(ChildProcessError):
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended and ended.si_code in (os.CLD_KILLED, os.CLD_DUMPED):
            os.write(1, f"\n{KILLED_BY}{signal.Signals(ended.si_status).name}\n".encode())


def _hand_over(mux: Mux, wanted: list[int]) -> None:
    """Pass on what a lab kernel said before it ended, as long as the program is there to read it."""
    until_s = time.monotonic() + _LAST_S
    while mux.holds() and (left_s := until_s - time.monotonic()) > 0:
        reading, writing = mux.waits_for()
        readable, writable, _ = select.select([*wanted, *reading], writing, [], left_s)
        if set(wanted) & set(readable):
            return
        mux.serve(readable, writable)


def _end_all(limit_s: float = 4.0) -> None:
    """Kill every process below this one, those that lost their parent too, until none is left."""
    stop_at = time.monotonic() + limit_s
    while time.monotonic() < stop_at:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except FileNotFoundError:  # a kernel without that file
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == os.getpid()]


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


# ---- the two kinds of lab
# -------------------------------------------------------------------------------------------


def _own_group(plan: Plan) -> ControlGroup | None:
    """A control group for the lab, if this user can make one; the tidying process removes it."""
    if plan["group"]:
        with contextlib.suppress(OSError):
            return ControlGroup(plan["group"], plan["memory_mib"], plan["processes"])
    return None


def _start_namespace(plan: Plan, group: ControlGroup | None) -> tuple[int, int]:
    folders = (plan["code"], plan["site"], plan["files"], plan["boot"], "", plan["visible"])
    kept = file_tree.keep(*folders) if plan["ids"] else []  # other ids cannot read root's folders
    ids = plan["ids"] or [[os.geteuid(), 1], [os.getegid(), 1]]
    maps = tuple([(0, first, count)] for first, count in ids)

    def prepare() -> None:
        file_tree.build(kept or file_tree.keep(*folders), False, plan["sockets"], plan["hidden"])
        _check_readable(file_tree.CODE)

    argv = [plan["python"], "-I", "-S", f"{file_tree.BOOT}/init.py"]
    return user_namespaces.start(
        prepare, argv, _ENVIRONMENT, [plan["wire"]], (maps[0], maps[1]), plan["processes"], group
    )


def _start_kernel(plan: Plan, line: int, processor: Processor) -> tuple[int, signal_filter.SignalJudge | None]:
    """The lab kernel's process, and who judges its signals if somebody must."""
    near, far = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            near.close()
            processor.settle()
            _become_kernel(plan, line, far)
        except BaseException as error:
            far.send(str(error).encode() or type(error).__name__.encode())
        os._exit(1)
    far.close()
    trouble, handles = b"", []
    with near:
        while True:
            text, more, *_ = socket.recv_fds(near, 1 << 16, 1)
            if not text:
                break
            trouble += text.removeprefix(signal_filter.HANDLE)
            handles += more
    if trouble:
        os.waitpid(pid, 0)
        raise OSError(trouble.decode(errors="replace"))
    return pid, signal_filter.SignalJudge(handles[0]) if handles else None


def _become_kernel(plan: Plan, line: int, keeper: socket.socket) -> NoReturn:
    os.setsid()
    os.chdir(plan["scratch"] if plan.get("gate") else "/")
    if plan["ids"]:
        _show(plan)
        _drop_root(plan["ids"])
    elif os.geteuid() == 0:  # in name only: see `ownership.lab_ids`
        sys_.drop_capabilities()
    sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGKILL)
    bounds.be_killed_first()
    _check_readable(plan["code"])
    sys_.new_session_keyring()
    if line >= 0:
        os.set_inheritable(line, True)
    argv = [word.format(line=line) if word.startswith("ssl0=") else word for word in plan["argv"]]
    # In virtual time no path of this machine is in the environment: see `frrlib.place.virtual_time`.
    environment = {**_ENVIRONMENT, "TMPDIR": virtual_time.MEMORY if plan.get("gate") else plan["memory"]}
    if plan["preload"]:
        environment["LD_PRELOAD"] = plan["preload"]
    # The lab kernel asks for its own processor's abilities, and its first program's path begins at its own folder.
    readable = [*private_files.readable(plan["hidden"]), "/proc/self", "/proc/cpuinfo", plan["kernel"]]
    readable += [plan["code"], plan["boot"], *plan["site"], *(source for source, *_ in plan["visible"])]
    readable += [plan["preload"]] if plan["preload"] else []
    if plan.get("gate"):
        # The kernel's memory begins where its heap does, so its size, and all limits taken from it, would vary.
        sys_.keep_addresses()
    if plan["landlock_abi"] < kernel_process.SCOPES_ABI:
        signal_filter.submit_signals(keeper)
    kernel_process.landlock(readable, [plan["files_shown"], plan["memory"]], ["/dev/null"], plan["landlock_abi"])
    kernel_process.system_calls(no_chance=bool(plan.get("gate")), hands_over=plan["seccomp"])
    signals.reset()
    os.execve(plan["kernel"], argv, environment)


def _show(plan: Plan) -> None:
    """Show folders and files where an id without rights can reach them; only this process and its children see it."""
    sys_.unshare(sys_.CLONE_NEWNS)
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    for source, target in plan["shown"]:
        if os.path.isdir(source):
            os.makedirs(target, exist_ok=True)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        sys_.mount(source, target, flags=sys_.MS_BIND | sys_.MS_REC)


def _drop_root(ids: list[list[int]]) -> None:
    (uid, _), (gid, _) = ids
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _check_readable(code: str) -> None:
    sample = f"{code}/frrlib/place/init/init.py"
    if not os.access(sample, os.R_OK):
        raise OSError(errno.EACCES, f"the lab, which is not root here, cannot read {sample}")


if __name__ == "__main__":
    main()
