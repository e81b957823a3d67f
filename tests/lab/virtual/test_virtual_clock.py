"""The clock of a lab in virtual time: stalled labs are detected, and places without virtual time are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib import wire
from frrlib.errors import PlaceError
from frrlib.lab import virtual_clock
from frrlib.lab.virtual_clock import VirtualClock, choose_virtual
from frrlib.place.choice import Needs
from tests.waiting import pause, wait_for


def _first(messages: list[str]) -> str:
    return wait_for(lambda: messages, "a message")[0]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("SILENT_S", 0.4), ("BUSY_S", 0.4), ("_LOOK_S", 0.05)):
        monkeypatch.setattr(virtual_clock, name, seconds)


@pytest.mark.usefixtures("impatient")
def test_a_program_that_keeps_the_processor_busy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_clock, "SILENT_S", 60.0)
    messages: list[str] = []
    clock = VirtualClock(messages.append)
    clock.start()
    with clock.asking():
        clock.take(wire.ClockEvent(0.5, busy="/usr/bin/spin (process 7)"))
        clock.take(wire.ClockEvent(1.0, busy="/usr/bin/spin (process 7)"))
        message = _first(messages)
    clock.end()
    assert "/usr/bin/spin (process 7) keeps the lab's processor busy" in message


@pytest.mark.usefixtures("impatient")
def test_a_flow_without_any_rate_on_its_path_is_named_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_clock, "SILENT_S", 60.0)
    messages: list[str] = []
    clock = VirtualClock(messages.append, lambda: ["f1", "f2"])
    clock.start()
    with clock.asking():
        clock.take(wire.StepEvent("flows", "start", 1.0))
        clock.take(wire.ClockEvent(2.0, busy="/usr/bin/iperf3 (process 7)"))
        message = _first(messages)
    clock.end()
    assert message.startswith("no link on the path of f1, f2 has a rate") and "iperf3" not in message


@pytest.mark.usefixtures("impatient")
def test_a_silent_lab_is_ended_with_its_clock_and_last_step() -> None:
    messages: list[str] = []
    clock = VirtualClock(messages.append)
    clock.take(wire.ClockEvent(12.5))
    clock.take(wire.StepEvent("daemons", "start", 12.5, "r1"))
    clock.start()
    with clock.asking():
        message = _first(messages)
    clock.end()
    assert "12.5 s" in message
    assert "daemons r1" in message


@pytest.mark.usefixtures("impatient")
def test_a_lab_without_pending_requests_may_be_silent() -> None:
    messages: list[str] = []
    clock = VirtualClock(messages.append)
    clock.start()
    pause(1.5)
    clock.end()
    assert messages == []


def test_the_clock_never_goes_back() -> None:
    clock = VirtualClock(lambda _: None)
    for at_s in (1.0, 3.0, 2.0, -1e308, 1e308):  # the last two are out of range
        clock.take(wire.ClockEvent(at_s))
    assert clock.now_s == 3.0


@pytest.mark.parametrize(
    ("place", "needs", "reason"),
    [
        ("namespace", Needs(), "the place namespace uses the clock of this machine"),
        ("auto", Needs(external_interfaces=("eth7",)), "cannot use this machine's eth7"),
    ],
)
def test_places_and_needs_without_virtual_time_are_refused(
    place: str, needs: Needs, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(PlaceError, match=reason) as refused:
        choose_virtual(place, needs, tmp_path / "linux")
    assert "real time" in refused.value.remedy
