"""The clock of a lab in virtual time, as known to this program, and the end of labs whose clock stands still."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from frrlib import wire
from frrlib.errors import PlaceError
from frrlib.place import kernel_programs
from frrlib.place.base import Place
from frrlib.place.choice import AUTO, Needs, choose
from frrlib.place.labkernel import LabKernel, check_landlock, check_virtual_time, find_kernel, remedy_for_hang

#: No lab's clock shows more seconds: a later reading is not the lab's own.
LONGEST_S = 1e9
#: Limits in real time while a lab has a request: for its silence,
SILENT_S = 40.0
#: for a process that keeps the processor while the lab's clock goes on,
BUSY_S = 5.0
#: and for the processor time of a program during the lab's silence.
COMPUTING_S = 10.0
#: Silence after which the processor times of the lab's programs are read.
_SILENT_AT_LEAST_S = 2.0
_LOOK_S = 0.5


def choose_virtual(place: str, needs: Needs, kernel: Path | None) -> tuple[Place, str]:
    """The place for a lab in virtual time, always a lab kernel, and the reason for it.

    Raises:
        PlaceError: another place was requested, or no lab kernel supports virtual time.
    """
    if place not in (AUTO, LabKernel.name):
        raise PlaceError(
            f"the place {place} uses the clock of this machine, which cannot jump",
            "use the place labkernel for virtual time, or run the lab in real time",
        )
    if needs.external_interfaces:
        names = ", ".join(needs.external_interfaces)
        raise PlaceError(
            f"a lab in virtual time cannot use this machine's {names}, which runs in real time",
            "run the lab in real time, or remove the interface",
        )
    chosen_place, reason = choose(LabKernel.name, needs, kernel)
    assert isinstance(chosen_place, LabKernel)
    check_virtual_time(chosen_place.kernel())
    return (
        chosen_place,
        f"{reason}, in virtual time" if place != AUTO else f"{chosen_place.name}, which alone has virtual time",
    )


def refuse_virtual(kernel: Path | None = None) -> None:
    """Refuse virtual time if this machine does not support it for any topology. Takes some hundredths of a second.

    Raises:
        PlaceError: no lab kernel supports virtual time.
    """
    check_landlock()
    try:
        kernel_file = find_kernel(kernel)
    except PlaceError as error:  # it recommends the distribution's kernel, which has no virtual time
        raise PlaceError(error.missing, "miniedit-frr kernel build builds one with virtual time") from None
    check_virtual_time(kernel_file)


class LabClock:
    """A lab's clock for waits (`frrlib.expect.Clock`): it advances by a `sleep` in the lab.

    Args:
        now_s: the reading of the clock.
        ask: has the lab carry out a command, as `Lab.ask`.
    """

    def __init__(self, now_s: Callable[[], float], ask: Callable[[wire.Execute, float], object]) -> None:
        self._now_s, self._ask = now_s, ask

    def monotonic(self) -> float:
        """Seconds since the lab began."""
        return self._now_s()

    def sleep(self, seconds: float, /) -> None:
        """Wait for this time of the lab's clock. Raises as `Lab.ask`."""
        self._ask(wire.Execute("", ("sleep", f"{seconds:.6f}"), seconds + SILENT_S), seconds + SILENT_S)


class VirtualClock:
    """The reading of a lab's clock, and a thread that checks whether it goes on.

    Args:
        give_up: called once, with the reason in words, when a lab makes no more progress.
        unlimited_flows: returns the ids of the lab's flows whose path has no rate.
    """

    def __init__(self, give_up: Callable[[str], None], unlimited_flows: Callable[[], Sequence[str]] = tuple) -> None:
        self._give_up, self._unlimited_flows = give_up, unlimited_flows
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._now_s = 0.0
        #: Number of requests without a reply.
        self._open = 0
        self._step = ""
        self._heard_s = time.monotonic()
        self._busy, self._busy_s = "", 0.0
        #: The lab kernel's process, and the processor times of the programs below it at the start of the lab's silence.
        self._kernel = 0
        self._spent_s: dict[int, float] = {}

    @property
    def now_s(self) -> float:
        """The last reported reading of the lab's clock, in seconds; while it stands, that of the last reply."""
        return self._now_s

    def start(self, kernel: int = 0) -> None:
        """Begin to check that the lab makes progress while it has a request.

        Args:
            kernel: pid of the lab kernel on this machine, used to name a program that computes; 0 for none.
        """
        self._heard_s, self._kernel = time.monotonic(), kernel
        threading.Thread(target=self._look, name="lab-clock", daemon=True).start()

    def take(self, message: wire.Message) -> None:
        """Take a message of the lab."""
        with self._lock:
            self._heard_s = time.monotonic()
            match message:
                case wire.ClockEvent(time_s=time_s, stands=stands, busy=busy):
                    # The reading before the lab waits comes some microseconds after that of a reply. A step that ends
                    # with the reply would have the one or the other, depending on this machine.
                    if not stands and time_s <= LONGEST_S:
                        self._now_s = max(time_s, self._now_s)
                    self._busy, self._busy_s = busy, (self._busy_s or self._heard_s) if busy else 0.0
                case wire.StepEvent(name, _, _, text):
                    self._step = f"{name} {text}".strip()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A `with` block during which the lab has a request."""
        with self._lock:
            self._heard_s, self._open = time.monotonic(), self._open + 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1

    def end(self) -> None:
        """Stop checking the lab's progress."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(_LOOK_S):
            with self._lock:
                reason = self._trouble(time.monotonic())
            if reason:
                self._give_up(reason)
                return

    def _trouble(self, now_s: float) -> str:
        if not self._open:
            return ""
        clock = f"the lab's clock shows {self._now_s:.1f} s" + (
            f", its last step was {self._step}" if self._step else ""
        )
        if self._busy_s and now_s - self._busy_s > BUSY_S:
            if self._step.startswith("flows") and (flows := self._unlimited_flows()):
                names, have = ", ".join(flows), "has" if len(flows) == 1 else "have"
                return (
                    f"no link on the path of {names} has a rate, and {names} {have} data at all times, so virtual time "
                    f"hardly advances ({clock}): set the rate of a link on the path, or run the lab in real time"
                )
            return (
                f"{self._busy} keeps the lab's processor busy, so virtual time hardly advances ({clock}): it reads the "
                "clock in a loop instead of sleeping; let it sleep, or run the lab in real time"
            )
        silent_s = now_s - self._heard_s
        computing, computed_s = self._computing(silent_s) if self._kernel else ("", 0.0)
        if computed_s >= COMPUTING_S:
            return (
                f"{computing} computes without sleeping, so virtual time stands still ({clock}): let it sleep "
                "regularly, or run the lab in real time"
            )
        if silent_s > SILENT_S:
            cause = f"{computing} never sleeps" if computing else "a program in the lab never sleeps"
            remedy = remedy_for_hang(computing) or "run the lab in real time"
            return (
                f"nothing has come from the lab for {SILENT_S:g} s, and no virtual time has passed ({clock}): {cause}; "
                f"{remedy}"
            )
        return ""

    def _computing(self, silent_s: float) -> tuple[str, float]:
        """The program that has used the processor most since the lab became silent, and its processor time in seconds.

        The name is empty if no program has used it.
        """
        if silent_s < _SILENT_AT_LEAST_S:
            self._spent_s = {}
            return "", 0.0
        spent_s = kernel_programs.cpu_seconds(self._kernel)
        if not self._spent_s:
            self._spent_s = spent_s
        used_s = {process: spent_s[process] - self._spent_s.get(process, 0.0) for process in spent_s}
        worst = max(used_s, key=lambda process: used_s[process], default=0)
        if not worst or not used_s[worst]:
            return "", 0.0
        return kernel_programs.command_of(worst) or "a program in the lab", used_s[worst]
