"""The order in which many routers' daemons start: few at once, and none talks before all are there."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib.agent.frr import startup
from frrlib.agent.frr.patient_timers import ProcessorShare
from frrlib.agent.frr.startup import LABKERNEL, start_all
from frrlib.errors import LabFailed

TWO = ProcessorShare(2, fewest=3, spf_ms_per_pair=1.0)


class Router:
    """Writes down what it is asked to do."""

    def __init__(self, name: str, said: list[str], fails: bool = False, turn: int = 0) -> None:
        self.router, self._said, self._fails = name, said, fails
        self.plan = SimpleNamespace(turn=turn, files={})

    def commands(self) -> list[Sequence[str]]:
        return []

    def running(self) -> list[str]:
        return []

    def start_first(self, _: Any) -> None:
        self._said.append(f"{self.router} first")

    def start_others(self, _: Any, deadline_s: float) -> None:
        self._said.append(f"{self.router} others")

    def start_last(self, _: Any) -> None:
        self._said.append(f"{self.router} last")

    def wait_answers(self, deadline_s: float) -> None:
        self._said.append(f"{self.router} answers")

    def wait_ready(self, deadline_s: float) -> None:
        if self._fails:
            raise LabFailed(f"{self.router}: ospfd ended")
        self._said.append(f"{self.router} ready")

    def signal_all(self, daemons: Sequence[str], number: int) -> None:
        self._said.append(f"{self.router} {'stops' if number == signal.SIGSTOP else 'goes on'}")


def _start(monkeypatch: pytest.MonkeyPatch, crowd: ProcessorShare, *routers: Any) -> None:
    monkeypatch.setattr(startup, "_processor_share", lambda: crowd)
    start_all(routers, lambda *_: None)


def _at_once(said: Sequence[str]) -> int:
    """The most routers that have begun to start and are not stopped yet."""
    begun, most = 0, 0
    for each in said:
        begun += each.endswith("others") - each.endswith("stops")
        most = max(most, begun)
    return most


@pytest.mark.parametrize(("crowd", "most"), [(LABKERNEL, 1), (TWO, 2)])
def test_as_many_start_at_once_as_there_are_processors(
    crowd: ProcessorShare, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    _start(monkeypatch, crowd, *(Router(f"r{number}", said) for number in range(1, 7)))
    assert _at_once(said) == most
    assert said[:6] == [f"r{number} first" for number in range(1, 7)]
    assert said[-6:] == [f"r{number} goes on" for number in range(1, 7)]


def test_those_that_do_not_starve_each_other_start_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    _start(monkeypatch, TWO._replace(fewest=4), *(Router(f"r{number}", said) for number in (1, 2, 3)))
    assert said[3:6] == ["r1 others", "r2 others", "r3 others"]
    assert not any("stops" in each for each in said)


def test_none_stays_stopped_where_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    routers = [Router(f"r{number}", said, fails=number == 5) for number in range(1, 7)]
    with pytest.raises(LabFailed, match="r5"):
        _start(monkeypatch, TWO, *routers)
    assert said[-6:] == [f"r{number} goes on" for number in range(1, 7)]


def test_what_waits_for_its_turn_starts_when_all_have_gone_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of turns; their configuration is looked at then."""
    said: list[str] = []
    _start(monkeypatch, LABKERNEL, Router("r1", said, turn=2), Router("r2", said, turn=1), Router("r3", said))
    assert said[-4:] == ["r2 last", "r2 ready", "r1 last", "r1 ready"]
    assert said.index("r3 goes on") < said.index("r2 last")
    assert said.index("r3 ready") < said.index("r3 stops")
