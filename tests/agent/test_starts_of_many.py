"""The order in which many routers' daemons start: few at once, and no adjacency before all have started."""

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
    """Records its calls."""

    def __init__(self, name: str, record: list[str], fails: bool = False, turn: int = 0) -> None:
        self.router, self._record, self._fails = name, record, fails
        self.plan = SimpleNamespace(turn=turn, files={})

    def commands(self) -> list[Sequence[str]]:
        return []

    def running(self) -> list[str]:
        return []

    def start_first(self, _: Any) -> None:
        self._record.append(f"{self.router} first")

    def start_others(self, _: Any, deadline_s: float) -> None:
        self._record.append(f"{self.router} others")

    def start_last(self, _: Any) -> None:
        self._record.append(f"{self.router} last")

    def wait_answers(self, deadline_s: float) -> None:
        self._record.append(f"{self.router} answers")

    def wait_ready(self, deadline_s: float) -> None:
        if self._fails:
            raise LabFailed(f"{self.router}: ospfd ended")
        self._record.append(f"{self.router} ready")

    def signal_all(self, daemons: Sequence[str], number: int) -> None:
        self._record.append(f"{self.router} {'stops' if number == signal.SIGSTOP else 'goes on'}")


def _start(monkeypatch: pytest.MonkeyPatch, crowd: ProcessorShare, *routers: Any) -> None:
    monkeypatch.setattr(startup, "_processor_share", lambda: crowd)
    start_all(routers, lambda *_: None)


def _at_once(record: Sequence[str]) -> int:
    """The largest number of routers that are started and not yet stopped."""
    begun, most = 0, 0
    for entry in record:
        begun += entry.endswith("others") - entry.endswith("stops")
        most = max(most, begun)
    return most


@pytest.mark.parametrize(("crowd", "most"), [(LABKERNEL, 1), (TWO, 2)])
def test_as_many_start_at_once_as_there_are_processors(
    crowd: ProcessorShare, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    record: list[str] = []
    _start(monkeypatch, crowd, *(Router(f"r{number}", record) for number in range(1, 7)))
    assert _at_once(record) == most
    assert record[:6] == [f"r{number} first" for number in range(1, 7)]
    assert record[-6:] == [f"r{number} goes on" for number in range(1, 7)]


def test_routers_with_enough_processors_start_in_parallel(monkeypatch: pytest.MonkeyPatch) -> None:
    record: list[str] = []
    _start(monkeypatch, TWO._replace(fewest=4), *(Router(f"r{number}", record) for number in (1, 2, 3)))
    assert record[3:6] == ["r1 others", "r2 others", "r3 others"]
    assert not any("stops" in entry for entry in record)


def test_no_daemon_stays_stopped_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    record: list[str] = []
    routers = [Router(f"r{number}", record, fails=number == 5) for number in range(1, 7)]
    with pytest.raises(LabFailed, match="r5"):
        _start(monkeypatch, TWO, *routers)
    assert record[-6:] == [f"r{number} goes on" for number in range(1, 7)]


def test_daemons_with_a_later_turn_start_when_all_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of turns. Their configuration is checked then."""
    record: list[str] = []
    _start(monkeypatch, LABKERNEL, Router("r1", record, turn=2), Router("r2", record, turn=1), Router("r3", record))
    assert record[-4:] == ["r2 last", "r2 ready", "r1 last", "r1 ready"]
    assert record.index("r3 goes on") < record.index("r2 last")
    assert record.index("r3 ready") < record.index("r3 stops")


def test_sessions_of_many_routers_begin_when_all_have_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """BGP's daemons that wait for their turn are stopped like the others."""
    record: list[str] = []
    _start(
        monkeypatch, TWO._replace(processors=1), *(Router(f"r{number}", record, turn=number) for number in (1, 2, 3))
    )
    assert [entry for entry in record if entry.startswith("r3")][-4:] == [
        "r3 last",
        "r3 ready",
        "r3 stops",
        "r3 goes on",
    ]
    assert record[-3:] == ["r1 goes on", "r2 goes on", "r3 goes on"]
