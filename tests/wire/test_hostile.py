"""Whatever comes over the wire, in either direction, is a message or no message; nobody who hears it fails."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from frrlib import wire
from frrlib.agent.agent import Agent
from frrlib.lab_server.broker import Broker
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from frrlib.results.writer import Writer
from frrlib.wire import messages
from miniedit_frr.live.adjacencies import LiveAdjacencies
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.live.quantities import QUANTITIES, TimeWindow
from miniedit_frr.live.route_book import RouteBook
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live.timeline import RoutingTimeline, as_csv
from miniedit_frr.session import routing as session_routing
from miniedit_frr.terminal.progress import RunProgress
from tests.example_counts import examples
from tests.strategies import hostile
from tests.wire.message_examples import EVENTS, REQUESTS

#: What `wire` says that it raises.
REFUSALS = (msgspec.MsgspecError, wire.InvalidMessage)
MESSAGES = st.sampled_from(EVENTS)


def as_line(value: Any) -> bytes:
    return hostile.text_of(value).encode()


def plausible(message: wire.Message | wire.Request) -> st.SearchStrategy[bytes]:
    """A line with other values of the same kinds, so that it may be a message."""
    return hostile.mutations(msgspec.to_builtins(message), hostile.alike).map(as_line)


def changed(message: wire.Message | wire.Request) -> st.SearchStrategy[bytes]:
    """A line that was this message's before somebody changed it, as JSON or byte by byte."""
    line = wire.encode(message).rstrip(b"\n")
    return st.one_of(
        hostile.mutations(json.loads(line)).map(as_line),
        plausible(message),
        hostile.torn(line, (b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\\u001b", b"\0", b"[" * 2000, b"1e999", b'"')),
    )


LINES = MESSAGES.flatmap(changed) | st.binary(max_size=40)
ASKED = st.sampled_from(REQUESTS).flatmap(changed) | st.binary(max_size=40)


def heard(line: bytes) -> wire.Message | None:
    """The message in a line, None for what is none."""
    try:
        return wire.decode_message(line)
    except REFUSALS:
        return None


@pytest.mark.parametrize(
    "message", [*EVENTS, *REQUESTS], ids=lambda each: type(getattr(each, "command", each)).__name__
)
def test_unchanged_they_are_messages(message: Any) -> None:
    decode = wire.decode_request if isinstance(message, wire.Request) else wire.decode_message
    assert decode(wire.encode(message)) == message


@settings(max_examples=examples(400))
@given(LINES)
@example(b'{"type":"\x80eady","version":1}')
@example(b'{"type":"samples","table":"tcp","rows":[["0"]]}')
def test_a_line_from_a_lab_is_a_valid_message_or_refused(line: bytes) -> None:
    message = heard(line)
    if message is not None:
        assert wire.decode_message(wire.encode(message)) == message


@settings(max_examples=examples(300))
@given(ASKED)
def test_a_line_to_a_lab_is_a_valid_request_or_refused(line: bytes) -> None:
    try:
        request = wire.decode_request(line)
    except REFUSALS:
        return
    assert wire.decode_request(wire.encode(request)) == request


class _Channel:
    """The agent's end of a wire on which these lines come; `said` is what it answers."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines, self.said = lines, list[wire.Message]()

    def lines(self) -> Iterator[bytes]:
        yield from self._lines

    def send(self, message: wire.Message) -> None:
        self.said.append(wire.decode_message(wire.encode(message)))


@given(ASKED.filter(lambda line: b"\n" not in line))
@example(b'{"id": 1e300}')
@example(b'{"id": ' + b"[" * 5000)
@example(b'{"id": "7", "command": {}}')
def test_an_agent_goes_on_after_invalid_requests(line: bytes) -> None:
    try:
        wire.decode_request(line)
    except REFUSALS:
        pass
    else:
        assume(False)  # it would do it
    channel = _Channel([line, line])
    Agent(channel, "/nowhere").serve()  # type: ignore[arg-type]
    ready, *answers = channel.said
    assert isinstance(ready, wire.Ready)
    assert len(answers) == 2 * bool(line.strip())
    assert all(isinstance(each, wire.Failed) for each in answers)


class _Listener:
    """Everybody who hears the events of a lab: the results folder, the terminal, and the models of the editor."""

    def __init__(self, folder: Path) -> None:
        self.writer = Writer.create(folder, "{}", {})
        self.run = LiveRun()
        self._progress = RunProgress(Console(file=io.StringIO(), width=80))
        self._adjacencies, self._book, self._timeline = LiveAdjacencies(), RouteBook(), RoutingTimeline()

    def take(self, message: wire.Message) -> None:
        self.writer.add(message)
        self._progress.show(message)
        match message:
            case wire.Samples(table=table, rows=rows) if rows:
                self.run.take(table, rows, 100.0 - rows[-1][0])
            case wire.FlowEvent(flow=flow, what=what, time_s=time_s):
                self.run.add_flow_event(flow, what, time_s)
        match session_routing.routing_event(message):
            case AdjacencyState() as told:
                self._adjacencies.take(told)
                self._timeline.adjacency(told)
            case RouteChange() as told:
                self._book.take(told)
                self._timeline.route(told)
            case Incident() as told:
                self._timeline.incident(told)

    def look(self) -> None:
        """Draw everything that was told."""
        for quantity in QUANTITIES:
            list(quantity.lines(self.run, TimeWindow(0.0, 10.0, 0.1)))
        as_csv(self._timeline.items(), 0.0)
        self._adjacencies.all()


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MESSAGES.flatmap(plausible) | LINES, min_size=1, max_size=9))
def test_every_event_is_accepted_by_all_listeners(lines: list[bytes]) -> None:
    messages = [message for line in lines if (message := heard(line)) is not None]
    with tempfile.TemporaryDirectory() as folder:
        listener = _Listener(Path(folder) / "run")
        for message in (*EVENTS, *messages):
            if not isinstance(message, wire.Done | wire.Failed):
                listener.take(message)
        listener.look()
        listener.writer.finish()
        assert isinstance(listener.writer.failure, type(None))
        summarize(open_results(listener.writer.folder))


@settings(max_examples=examples(200))
@given(st.lists(LINES, min_size=1, max_size=4))
def test_a_lab_server_forwards_or_ignores_messages(lines: list[bytes]) -> None:
    broker = Broker(io.BytesIO(), lambda: None)
    for line in (*map(wire.encode, EVENTS), *lines, wire.encode(wire.FaultEvent("power-on", "r1", 1.0))):
        try:
            broker.from_lab(line)
        except REFUSALS:
            return


def test_an_oversized_event_ends_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events wait in queues of several programs; an answer goes to who has asked."""
    monkeypatch.setattr(messages, "EVENT_BYTES", 1000)
    event = wire.encode(wire.StepEvent("r1", "start", 1.0, "x" * 1000))
    answer = wire.encode(wire.Done(1, {"a": "x" * 1000}))
    broker = Broker(io.BytesIO(), lambda: None)
    for read in (wire.decode_message, wire.decode_head, broker.from_lab):
        with pytest.raises(wire.InvalidMessage, match="it sent an event of more than"):
            read(event)  # type: ignore[operator]
        read(answer)  # type: ignore[operator]
    with pytest.raises(msgspec.MsgspecError):
        wire.decode_message(b"noise of a kernel" * 1000)
