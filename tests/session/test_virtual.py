"""A lab in virtual time in a session: its settings, the events of its clock, and rejected requests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from frrlib import wire
from frrlib.errors import Interrupted
from frrlib.model.topology import Topology
from miniedit_frr.session.events import VIRTUAL_TIME_REFUSAL, ClockTime, LabOrder, LabReply, LabState
from miniedit_frr.session.session import Session
from tests.session.watching import Watch
from tests.waiting import PATIENCE_S


class ClockLab:
    """Stands for a lab that tells its clock and then waits."""

    place_reason = "a fake"
    end_configs: ClassVar[dict[str, Any]] = {}

    def __init__(self, topology: Topology) -> None:
        self.topology, self.facts, self.failed_commands = topology, {}, {}  # type: ignore[var-annotated]
        self.warnings: list[str] = []
        self._interrupted = threading.Event()

    def attach(self, *, listener: Callable[[wire.Message], None], writable: Path | None = None) -> None:
        self._listener = listener

    def __enter__(self) -> ClockLab:
        self._listener(wire.StepEvent("build", "done", 1.0, "0.1 s"))
        self._listener(wire.ClockEvent(12.5))
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait(self) -> None:
        assert self._interrupted.wait(PATIENCE_S)
        raise Interrupted

    def interrupt(self, *, hard: bool = False) -> None:
        self._interrupted.set()


def session_of(settings_of_labs: list[dict[str, Any]]) -> Watch:
    """A session with labs of this kind, which stores the settings of each."""

    def make(topology: Topology, **settings: Any) -> Any:
        settings_of_labs.append(settings)
        return ClockLab(topology)

    return Watch(Session(make))


def test_a_lab_in_virtual_time_sends_its_clock_and_accepts_no_requests(topology: Topology) -> None:
    settings_of_labs: list[dict[str, Any]] = []
    watch = session_of(settings_of_labs)
    watch.session.start(LabOrder(topology, place="labkernel", virtual_time=True, seed=7))
    watch.until(lambda event: event == ClockTime(12.5))
    watch.until_state(LabState.RUNNING)
    requested: list[Any] = []
    request = watch.session.ask(requested.append)
    watch.until(lambda event: event == LabReply(request, error=VIRTUAL_TIME_REFUSAL))
    watch.session.stop()
    watch.until_end()
    assert settings_of_labs == [{"place": "labkernel", "kernel": None, "virtual_time": True, "seed": 7}]
    assert requested == []


def test_a_lab_in_real_time_accepts_requests(topology: Topology) -> None:
    settings_of_labs: list[dict[str, Any]] = []
    watch = session_of(settings_of_labs)
    watch.session.start(LabOrder(topology))
    watch.until_state(LabState.RUNNING)
    request = watch.session.ask(lambda lab: "answered")
    watch.until(lambda event: event == LabReply(request, "answered"))
    watch.session.stop()
    watch.until_end()
    assert settings_of_labs == [{"place": "auto", "kernel": None}]
