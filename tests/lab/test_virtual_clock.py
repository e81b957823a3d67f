"""Whether the outside sees that a lab in virtual time makes no progress, and where one may not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib import wire
from frrlib.errors import PlaceError
from frrlib.lab import virtual_clock
from frrlib.lab.virtual_clock import VirtualClock, choose_virtual
from frrlib.place.choice import Needs
from tests.waiting import pause, wait_for


def _until(said: list[str]) -> str:
    return wait_for(lambda: said, "a word")[0]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("SILENT_S", 0.4), ("BUSY_S", 0.4), ("_LOOK_S", 0.05)):
        monkeypatch.setattr(virtual_clock, name, seconds)


@pytest.mark.usefixtures("impatient")
def test_who_keeps_the_processor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_clock, "SILENT_S", 60.0)
    said: list[str] = []
    clock = VirtualClock(said.append)
    clock.start()
    with clock.asking():
        clock.take(wire.ClockEvent(0.5, busy="/usr/bin/spin (process 7)"))
        clock.take(wire.ClockEvent(1.0, busy="/usr/bin/spin (process 7)"))
        why = _until(said)
    clock.end()
    assert "/usr/bin/spin (process 7) keeps the lab's processor" in why


@pytest.mark.usefixtures("impatient")
def test_a_lab_that_says_nothing_is_given_up_with_its_clock_and_last_step() -> None:
    said: list[str] = []
    clock = VirtualClock(said.append)
    clock.take(wire.ClockEvent(12.5))
    clock.take(wire.StepEvent("daemons", "start", 12.5, "r1"))
    clock.start()
    with clock.asking():
        why = _until(said)
    clock.end()
    assert "12.5 s" in why
    assert "daemons r1" in why


@pytest.mark.usefixtures("impatient")
def test_a_lab_of_which_nothing_is_asked_may_be_silent_for_ever() -> None:
    said: list[str] = []
    clock = VirtualClock(said.append)
    clock.start()
    pause(1.5)
    clock.end()
    assert said == []


def test_the_clock_never_goes_back() -> None:
    clock = VirtualClock(lambda _: None)
    for at_s in (1.0, 3.0, 2.0, -1e308, 1e308):  # the last two are no readings of a lab's clock
        clock.take(wire.ClockEvent(at_s))
    assert clock.now_s == 3.0


@pytest.mark.parametrize(
    ("place", "needs", "said"),
    [
        ("namespace", Needs(), "the place namespace uses the clock of this machine"),
        ("auto", Needs(external_interfaces=("eth7",)), "nobody can talk with this machine's eth7"),
    ],
)
def test_what_cannot_be_in_virtual_time_is_refused(place: str, needs: Needs, said: str, tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match=said) as refused:
        choose_virtual(place, needs, tmp_path / "linux")
    assert "real time" in refused.value.remedy
