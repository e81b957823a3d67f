"""The supervisor: the process that owns a lab. It starts the lab, and ends it when the program that started it ends.

Python of the system starts the supervisor, with the standard library only, before anything of the lab exists. Then the
program sends it the lab's plan. The supervisor notices the end of the program by a pipe that only the program holds
open, and by a pidfd of the program. It then kills the lab, waits until no process of it is left, and removes the lab's
temporary folders, whose names it has from the start. If the supervisor itself is killed, a second one does that.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from frrlib.place.confinement import bounds, control_group
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.confinement.control_group import ControlGroup
from frrlib.place.multiplexer import Mux
from frrlib.place.plans import KernelProcess, SupervisorArguments, SupervisorPlan
from frrlib.place.supervisor import external_interfaces, lab_process, ownership, signal_filter, user_namespaces
from frrlib.place.supervisor.messages import KILLED_BY, REASON
from frrlib.place.supervisor.processor_choice import INTERVAL_S, KERNEL_SLICE_NS, Processor
from frrlib.system import removal, signals, untrusted_files
from frrlib.system.ready import ready
from frrlib.virtual_time.gate import OuterGate

T = TypeVar("T")
Bound = bounds.ResultsBound | bounds.MemoryBound | bounds.ProcessorBound
#: Parts of the supervisor that wait for descriptors.
Part = Mux | OuterGate | signal_filter.SignalJudge

#: Bytes of the lab's console that are sent to the program at the lab's end.
_LAST_WORDS_BYTES = 4000
#: Seconds that a program gets to read the last output of its lab.
_LAST_OUTPUT_S = 5.0


def main() -> None:
    """Own one lab. The first argument of the command line is a `SupervisorArguments` in JSON.

    There are two supervisors, parent and child. Each of them tidies up if the other one is killed: the helpers of a lab
    kernel are not all killed with it, and one process must remain that is their ancestor.
    """
    os.umask(0o022)  # a lab that root starts has another id, which must be able to read files that are made for it
    signals.begin(signal.SIGINT, signal.SIGHUP)
    signal.signal(signal.SIGTERM, _exit_on_sigterm)
    arguments = SupervisorArguments.from_dict(json.loads(sys.argv[1]))
    order = None
    try:
        order = _receive_order(arguments)
    finally:
        if order is None:
            _remove(arguments.folders)
    if order is None:
        return
    plan, lock = order
    for handle in (arguments.lifeline, arguments.program, arguments.status, lock, arguments.wire):
        os.set_inheritable(handle, False)
    _print_to(plan.console)
    sys_.prctl(sys_.PR_SET_CHILD_SUBREAPER, 1)
    loan = ownership.lend(plan.files, plan.ids)
    parent = os.getpid()
    group = "" if plan.kernel else control_group.available_folder(f"miniedit-frr-{parent}")
    lab = SupervisedLab(arguments, plan, loan, group)
    second = os.fork()
    if second == 0:
        sys_.prctl(sys_.PR_SET_CHILD_SUBREAPER, 1)
        sys_.prctl(sys_.PR_SET_PDEATHSIG, signal.SIGTERM)
        try:
            _shield_end_of(lambda: lab.run() if os.getppid() == parent else None)
        except Exception as error:
            lab.report_failure(error)
        finally:
            lab.tidy_up()
        return
    os.close(arguments.status)
    os.close(arguments.wire)
    killed = True
    try:
        killed = _shield_end_of(lambda: os.waitpid(second, 0)[1] != 0)
    finally:
        if killed:
            lab.tidy_up()


def _receive_order(arguments: SupervisorArguments) -> tuple[SupervisorPlan, int] | None:
    """Receive the plan and the lock of the lab's folder. None if the program has ended or given up.

    Raises:
        RecordError: the plan is malformed.
    """
    ends, text = [arguments.lifeline, arguments.program], b""
    locks: list[int] = []
    with socket.socket(fileno=arguments.orders) as orders:
        while not text.endswith(b"\n"):
            if set(ends) & set(ready([orders.fileno(), *ends])[0]):
                return None
            received, handles, *_ = socket.recv_fds(orders, 1 << 16, 1)
            if not received:
                return None
            text += received
            locks += handles
    return SupervisorPlan.from_dict(json.loads(text)), locks[0]


def _print_to(console: str) -> None:
    """Append the output of this process and its children to the lab's console, which only its owner can read."""
    file = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    for standard in (1, 2):
        os.dup2(file, standard)
    os.close(file)


def _remove(folders: Sequence[str], limit_s: float = 2.0) -> list[str]:
    """Remove the lab's temporary folders. Retry, since a helper of a killed program may write there for a moment.

    Returns:
        The folders that could not be removed, each with the reason.
    """
    stop_at = time.monotonic() + limit_s
    while (failures := [error for error in map(removal.remove, folders) if error]) and time.monotonic() < stop_at:
        time.sleep(0.005)
    return failures


def _exit_on_sigterm(*_: object) -> NoReturn:
    """Exit in order, once: a second signal does not interrupt the tidying up."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _shield_end_of(work: Callable[[], T]) -> T:
    """Do the work. From its end on SIGTERM is ignored, so that it cannot prevent the tidying up."""
    try:
        return work()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class SupervisedLab:
    """One lab, with everything that must be taken back at its end.

    Args:
        arguments: the descriptors to the program, and the temporary folders.
        plan: the lab.
        loan: the results folder.
        group: folder of the lab's control group. Empty if the lab gets none.
    """

    def __init__(self, arguments: SupervisorArguments, plan: SupervisorPlan, loan: ownership.Loan, group: str) -> None:
        self._arguments, self._plan, self._loan, self._group = arguments, plan, loan, group
        self._lent_interfaces: external_interfaces.LentInterfaces | None = None

    def tidy_up(self) -> None:
        """Leave nothing of the lab. A second call does no harm."""
        if self._lent_interfaces:
            with contextlib.suppress(OSError):
                lent_interfaces, self._lent_interfaces = self._lent_interfaces, None
                lent_interfaces.give_back()
        _kill_descendants()
        if self._group:
            control_group.remove(self._group)
        failures = ownership.take_back(self._loan)
        with contextlib.suppress(OSError):
            self._report(last_words=self._last_words())
        if failures := [*failures, *_remove(self._arguments.folders)]:
            with contextlib.suppress(OSError):
                self._report(left=failures)

    def report_failure(self, error: Exception) -> None:
        """Tell the program why the supervisor ends. The console is removed with the lab; its end is sent before."""
        import traceback

        traceback.print_exc()
        self._report(error=f"its supervisor failed: {error}")

    def run(self) -> None:
        """Start the lab, and return when the lab or the program has ended."""
        plan, kernel, wire = self._plan, self._plan.kernel, self._arguments.wire
        gate = OuterGate(kernel.gate, wire) if kernel and kernel.gate else None
        listener, mux, line = self._serial_line(kernel) if kernel and not gate else (None, None, -1)
        processor = Processor(os.sched_getaffinity(0))
        judge = group = None
        try:
            if kernel:
                pid, judge = lab_process.start_kernel(plan, kernel, line, processor)
                lab = pid
            else:
                group = self._make_group()
                pid, lab = lab_process.start_namespace(plan, wire, group)
            if plan.interfaces:
                self._lent_interfaces = external_interfaces.LentInterfaces(plan.interfaces, lab)
        except OSError as error:
            self._report(error=str(error), errno=error.errno or 0)
            return
        if not gate:
            os.close(line if kernel else wire)
        self._report(pid=lab, group=self._group)
        kills = bounds.kills_for_memory()
        reviews: list[Callable[[], None]] = [functools.partial(processor.review, pid)] if kernel else []
        reviews += [gate.review] if gate else []
        reviews += self._bound_reviews(pid, lab)
        program_ends, running = [self._arguments.lifeline, self._arguments.program], os.pidfd_open(pid)
        _watch([*program_ends, running], listener, [part for part in (mux or gate, judge) if part], reviews)
        if group and group.has_killed():
            os.write(1, f"\n{REASON}the lab used up its memory limit of {plan.limits.memory_mib:,} MiB\n".encode())
        _print_kill_signal(pid, kills, is_kernel=bool(kernel))
        if mux:
            _kill_descendants()  # the helpers of a killed kernel would keep its line open
            _pass_on_last_output(mux, program_ends)
        if gate:
            gate.finish()

    def _make_group(self) -> ControlGroup | None:
        """Make a control group for the lab, if this user can make one. `tidy_up` removes it."""
        if self._group:
            with contextlib.suppress(OSError):
                return ControlGroup(self._group, self._plan.limits.memory_mib, self._plan.limits.processes)
        return None

    def _bound_reviews(self, pid: int, lab: int) -> list[Callable[[], None]]:
        """The regular checks that keep the lab within its bounds."""
        limits = self._plan.limits
        checked: list[Bound] = [bounds.ResultsBound(self._plan.files)]
        if not self._plan.kernel:
            checked.append(bounds.MemoryBound(lab, limits.memory_mib, limits.spare_mib))
            checked.append(bounds.ProcessorBound(pid, limits.processes // 2))
            with contextlib.suppress(OSError):  # so that this process gets its turn soon among any number of others
                sys_.set_own_slice(KERNEL_SLICE_NS)
        return [lambda: _end_excess(checked, lab), bounds.ConsoleBound(self._plan.console).trim]

    def _serial_line(self, kernel: KernelProcess) -> tuple[socket.socket, Mux, int]:
        """Make the socket to which SSH connects, the outer end of the lab's serial line, and its inner end."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(kernel.ssh_socket)
        listener.listen(64)
        outside, inside = socket.socketpair()
        mux = Mux(outside.detach(), True, lambda _: -1)
        mux.attach(0, self._arguments.wire)
        return listener, mux, inside.detach()

    def _last_words(self) -> str:
        """The end of the lab's output, which is removed with the scratch folder."""
        with contextlib.suppress(OSError):
            data, _ = untrusted_files.read_end(self._plan.console, _LAST_WORDS_BYTES, follow=False)
            return data.decode(errors="replace")
        return ""

    def _report(self, **fields: object) -> None:
        """Send a line of JSON to the program."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._arguments.status, json.dumps(fields).encode() + b"\n")


def _watch(
    ends: list[int], listener: socket.socket | None, parts: Sequence[Part], reviews: list[Callable[[], None]]
) -> None:
    """Serve the parts and do the reviews until a descriptor of `ends` shows that the lab or the program has ended."""
    due_s = time.monotonic() + INTERVAL_S
    while True:
        if reviews and time.monotonic() >= due_s:
            for review in reviews:
                review()
            due_s = time.monotonic() + INTERVAL_S
        reading = [listener.fileno()] if listener else []
        writing: list[int] = []
        for part in parts:
            part_reading, part_writing = part.waits_for()
            reading += part_reading
            writing += part_writing
        patience_s = max(0.0, due_s - time.monotonic()) if reviews else None
        readable, writable = ready([*ends, *reading], writing, patience_s)
        for part in parts:
            part.serve(readable, writable)
        if set(ends) & set(readable):
            return
        if listener and listener.fileno() in readable:
            for part in parts:
                if isinstance(part, Mux):
                    part.open(listener.accept()[0].detach())


def _end_excess(checked: Sequence[Bound], lab: int) -> None:
    """Kill a lab that exceeds a bound, and print the reason on its console."""
    for excess in filter(None, (bound.excess() for bound in checked)):
        os.write(1, f"\n{REASON}{excess}\n".encode())
        with contextlib.suppress(ProcessLookupError):
            os.kill(lab, signal.SIGKILL)


def _print_kill_signal(pid: int, kills: int, *, is_kernel: bool) -> None:
    """Print on the lab's console which signal has killed the lab, if one has. Its own last output is about its boot.

    Args:
        kills: number of processes that the machine's kernel had killed to get memory before the lab's start.
        is_kernel: whether the process is a lab kernel; else it is the one above a lab in a namespace.
    """
    with contextlib.suppress(ChildProcessError):
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        number = _signal_of(ended, is_kernel=is_kernel) if ended else 0
        if number:
            if number == signal.SIGKILL and (more := bounds.kills_for_memory() - kills) > 0:
                memory = f"the machine's memory of {bounds.available_mib()[1]:,.0f} MiB ran out"
                os.write(1, f"\n{REASON}{memory}; its kernel killed {more} processes during the lab\n".encode())
            os.write(1, f"\n{KILLED_BY}{signal.Signals(number).name}\n".encode())


def _signal_of(ended: os.waitid_result, *, is_kernel: bool) -> int:
    """The signal that killed a lab, 0 for none: its kernel, or its first process in a namespace."""
    if ended.si_code in (os.CLD_KILLED, os.CLD_DUMPED):
        return ended.si_status
    return 0 if is_kernel else max(0, ended.si_status - user_namespaces.BY_SIGNAL)


def _pass_on_last_output(mux: Mux, program_ends: list[int]) -> None:
    """Pass on the bytes that a lab kernel sent before it ended, as long as the program reads them."""
    until_s = time.monotonic() + _LAST_OUTPUT_S
    while mux.holds() and (remaining_s := until_s - time.monotonic()) > 0:
        reading, writing = mux.waits_for()
        readable, writable = ready([*program_ends, *reading], writing, remaining_s)
        if set(program_ends) & set(readable):
            return
        mux.serve(readable, writable)


def _kill_descendants(limit_s: float = 4.0) -> None:
    """Kill every process below this one until none is left. Orphans below it are its children, too (subreaper)."""
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


if __name__ == "__main__":
    main()
