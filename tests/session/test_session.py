"""The events and errors of a session with labs that hang or fail at a chosen point."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from frrlib import wire
from frrlib.errors import Interrupted, LabFailed, PlaceError
from frrlib.model.topology import Topology
from miniedit_frr.session import requests
from miniedit_frr.session.event_queue import MOST_WEIGHT, WaitingEvents
from miniedit_frr.session.events import (
    ConvergenceProgress,
    LabOrder,
    LabReply,
    LabState,
    LogLine,
    NodeState,
    SampleBatch,
    StateChange,
    StepProgress,
)
from miniedit_frr.session.session import Session
from tests.session.watching import Watch
from tests.waiting import PATIENCE_S, pause, wait_for


class FakeLab:
    """A fake lab that hangs at a chosen point."""

    place_reason = "a fake"
    end_configs: ClassVar[dict[str, Any]] = {}

    def __init__(self, topology: Topology, *, hang: str = "wait", error: BaseException | None = None) -> None:
        self.topology, self._hang, self._error = topology, hang, error
        self.facts: dict[str, Any] = {}
        self.failed_commands: dict[str, str] = {}
        self.warnings: list[str] = []
        self.said: list[str] = []
        self.interrupted, self.ended = threading.Event(), threading.Event()

    def _point(self, name: str) -> None:
        self.said.append(name)
        if name == self._hang:
            if self._error is not None:
                raise self._error
            assert self.interrupted.wait(PATIENCE_S)
            raise Interrupted

    def attach(self, *, listener: Callable[[wire.Message], None], writable: Path | None = None) -> None:
        self._listener = listener

    def __enter__(self) -> FakeLab:
        try:
            self._point("start")
        except BaseException:
            self.ended.set()
            raise
        self._listener(wire.StepEvent("build", "done", 1.0, "0.1 s"))
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()

    def wait(self) -> None:
        self._point("wait")

    def interrupt(self, *, hard: bool = False) -> None:
        self.said.append("hard" if hard else "soft")
        self.interrupted.set()


def fake_session(**settings: Any) -> tuple[Watch, list[FakeLab]]:
    """A session with fake labs, and the list of these labs."""
    labs: list[FakeLab] = []

    def make(topology: Topology, *, place: str, kernel: Path | None) -> Any:
        labs.append(FakeLab(topology, **settings))
        return labs[-1]

    return Watch(Session(make)), labs


def test_a_hanging_start_is_canceled(topology: Topology) -> None:
    watch, labs = fake_session(hang="start")
    watch.session.start(LabOrder(topology))
    watch.until(lambda event: event == StepProgress("place", "done", "a fake"))
    wait_for(lambda: labs[0].said, "its start")
    watch.session.cancel()
    watch.until_end()
    assert watch.states() == [LabState.STARTING, LabState.STOPPING, LabState.IDLE]
    assert labs[0].said == ["start", "hard"]
    assert labs[0].ended.is_set()


def test_stop_is_hard_while_starting_and_soft_while_running(topology: Topology) -> None:
    for hang, calls in (("start", ["start", "hard"]), ("wait", ["start", "wait", "soft"])):
        watch, labs = fake_session(hang=hang)
        watch.session.start(LabOrder(topology))
        wait_for(lambda: labs and hang in labs[0].said, hang)  # noqa: B023 - called at once
        watch.session.stop()
        watch.until_end()
        assert labs[0].said == calls


def test_a_hanging_search_for_a_place_is_abandoned(topology: Topology) -> None:
    go, came = threading.Event(), threading.Event()
    labs: list[FakeLab] = []

    def make(topology: Topology, **_: Any) -> Any:
        came.set()
        assert go.wait(PATIENCE_S)
        labs.append(FakeLab(topology))
        return labs[0]

    watch = Watch(Session(make))
    watch.session.start(LabOrder(topology))
    assert came.wait(PATIENCE_S)
    searching = [thread for thread in threading.enumerate() if thread.name == "session"]
    watch.session.cancel()
    assert watch.session.state is LabState.IDLE
    events = (watch.states(), len(watch.events))
    go.set()
    for thread in searching:
        thread.join(PATIENCE_S)
    assert labs[0].said == []  # it was never started
    assert (watch.states(), len(watch.events)) == events  # and nothing was heard of it


def test_a_session_runs_one_lab_at_a_time(topology: Topology) -> None:
    watch, _ = fake_session()
    watch.session.start(LabOrder(topology))
    with pytest.raises(LabFailed, match="a lab is running"):
        watch.session.start(LabOrder(topology))
    watch.until_state(LabState.RUNNING)
    watch.session.close()
    assert watch.states()[-1] is LabState.IDLE
    with pytest.raises(LabFailed, match="closed"):
        watch.session.start(LabOrder(topology))


def test_an_order_with_flows_needs_a_folder(topology: Topology) -> None:
    with pytest.raises(LabFailed, match="folder"):
        Session().start(LabOrder(topology, flows=True))


@pytest.mark.parametrize("hang", ["start", "wait"])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LabFailed("r1: bgpd refused line 3"), "r1: bgpd refused line 3"),
        (
            PlaceError("there is no ssh-keygen", "apt-get install it"),
            "there is no ssh-keygen. Remedy: apt-get install it",
        ),
        (ZeroDivisionError("a defect"), "ZeroDivisionError: a defect"),
        (SystemExit(), "SystemExit"),
    ],
    ids=["lab", "machine", "defect", "exit"],
)
def test_every_failure_is_reported(topology: Topology, hang: str, error: BaseException, reason: str) -> None:
    watch, _ = fake_session(hang=hang, error=error)
    watch.session.start(LabOrder(topology))
    assert watch.until_end() == StateChange(LabState.FAILED, reason)
    failed = [event.node for event in watch.events if isinstance(event, NodeState) and event.state == "failed"]
    assert failed == (["r1"] if "r1" in reason else [])
    if not isinstance(error, LabFailed | PlaceError):
        assert any(isinstance(event, LogLine) and "Traceback" in event.text for event in watch.events)
    watch.session.start(LabOrder(topology))  # a failure is no end of the session
    watch.session.close()


def test_an_unknown_place_is_reported(topology: Topology) -> None:
    watch = Watch(Session())
    watch.session.start(LabOrder(topology, place="nowhere"))
    assert "there is no place 'nowhere'" in watch.until_end().reason


def test_requests_without_a_lab_get_an_error() -> None:
    watch = Watch(Session())
    pending = [
        watch.session.ask(partial(requests.routes, node="r1")),
        watch.session.ping_matrix(),
        watch.session.set_link("l1", up=False),
    ]
    assert len(set(pending)) == 3
    assert [watch.reply(request).error for request in pending] == ["no lab is running"] * 3


def test_a_hanging_request_does_not_delay_others(topology: Topology) -> None:
    watch, _ = fake_session()
    watch.session.start(LabOrder(topology))
    watch.until_state(LabState.RUNNING)
    go = threading.Event()
    slow = [watch.session.ask(lambda _: go.wait(PATIENCE_S)) for _ in range(20)]
    assert watch.result(watch.session.ask(lambda lab: lab.place_reason)) == "a fake"
    assert not any(isinstance(event, LabReply) and event.request in slow for event in watch.events)
    go.set()
    assert all(watch.result(request) for request in slow)
    assert watch.reply(watch.session.ask(lambda _: 1 / 0)).error == "ZeroDivisionError: division by zero"
    watch.session.close()


def test_a_lab_that_sends_faster_than_the_window_polls_waits(topology: Topology) -> None:
    """A lab may send events without end: they must neither fill the memory nor delay the lab's end."""
    watch, labs = fake_session()
    watch.session.start(LabOrder(topology))
    watch.until_state(LabState.RUNNING)
    sent: list[int] = []

    def flood() -> None:
        for number in range(10 * MOST_WEIGHT):
            labs[0]._listener(wire.StepEvent("flows", "done", float(number), "x" * 1000))
            sent.append(number)

    flooding = threading.Thread(target=flood, daemon=True)
    flooding.start()
    wait_for(lambda: len(sent) >= MOST_WEIGHT // 2, "a full queue")
    pause(0.3)
    assert len(sent) <= MOST_WEIGHT // 2 + 1  # each weighs 2
    assert len(watch.session.poll()) == 500
    wait_for(lambda: len(sent) >= MOST_WEIGHT // 2 + 500, "room for as many more")
    assert len(sent) <= MOST_WEIGHT // 2 + 501
    watch.session.close()  # and whoever waits for room is let go
    flooding.join(PATIENCE_S)
    assert not flooding.is_alive()


def test_a_few_large_events_fill_the_queue() -> None:
    waiting = WaitingEvents()
    rows = [[1.0]] * (MOST_WEIGHT + 1)
    for event in (
        SampleBatch("cpu", rows, 0.0),
        ConvergenceProgress({"r1": ("",) * len(rows)}),
        LogLine("x" * 1000 * len(rows)),
    ):
        waiting.put(event)
        looks: list[int] = []
        waiting.wait_for_room(lambda: looks.append(1) is None)  # noqa: B023 - called at once
        assert looks and waiting.take(10) == [event]
        waiting.wait_for_room(lambda: pytest.fail("there is room"))
