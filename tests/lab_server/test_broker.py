"""Several programs on the wire to one lab, with a lab that this test plays."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable, Iterator

import msgspec
import pytest

from frrlib import wire
from frrlib.lab_server import broker as brokers
from frrlib.lab_server.broker import Broker, Client


class Table:
    """A broker, what it sends to the lab, and clients at the other ends of sockets."""

    def __init__(self) -> None:
        self.to_lab = io.BytesIO()
        self.changes: list[tuple[str, ...]] = []
        self.broker = Broker(self.to_lab, lambda: self.changes.append(self.broker.links_down))
        self._sockets: list[socket.socket] = []

    def sit_down(self) -> tuple[Client, Callable[[], bytes]]:
        """A client, and a function that reads the next line sent to it."""
        ours, theirs = socket.socketpair()
        ours.settimeout(5)
        self._sockets += [ours, theirs]
        client = Client(theirs)
        self.broker.attach(client, b"hello\n")
        lines = ours.makefile("rb")
        assert lines.readline() == b"hello\n"
        return client, lines.readline

    def requests(self) -> list[wire.Request]:
        """The requests that the lab received."""
        return [wire.decode_request(line) for line in self.to_lab.getvalue().splitlines()]

    def say(self, message: wire.Message) -> None:
        """The lab says something."""
        self.broker.from_lab(wire.encode(message).rstrip(b"\n"))

    def close(self) -> None:
        for client in self._sockets:
            client.close()


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.broker.finish(b"")
    made.close()


def test_each_client_gets_its_own_replies_under_its_own_numbers(table: Table) -> None:
    (first, first_hears), (second, second_hears) = table.sit_down(), table.sit_down()
    for client, node in ((first, "h1"), (second, "h2")):
        table.broker.to_lab(client, wire.encode(wire.Request(1, wire.Execute(node, ("true",)))))
    one, two = table.requests()
    assert (one.command, two.command) == (wire.Execute("h1", ("true",)), wire.Execute("h2", ("true",)))
    assert one.id != two.id
    table.say(wire.Done(two.id, {"status": 2}))
    table.say(wire.Failed(one.id, "lab", "no"))
    assert wire.decode_message(second_hears()) == wire.Done(1, {"status": 2})
    assert wire.decode_message(first_hears()) == wire.Failed(1, "lab", "no")


def test_events_go_to_all_clients_and_noise_to_none(table: Table) -> None:
    (_, first_hears), (_, second_hears) = table.sit_down(), table.sit_down()
    table.broker.from_lab(b"[    0.000000] a kernel boots")
    table.say(wire.StepEvent("daemons", "done", 1.0))
    assert first_hears() == second_hears() == wire.encode(wire.StepEvent("daemons", "done", 1.0))


def test_a_later_client_gets_the_stored_events(table: Table) -> None:
    died = wire.DaemonExit("r1", "bgpd", -9, "log", 2.0)
    for message in (wire.Ready(wire.WIRE_VERSION), wire.StepEvent("r1", "done", 1.0), died):
        table.say(message)
    _, hears = table.sit_down()
    assert wire.decode_message(hears()) == died
    assert wire.decode_message(hears()) == wire.Ready(wire.WIRE_VERSION)  # last: who has it has heard all


def test_links_that_any_client_took_down_are_known(table: Table) -> None:
    for fault, target in (("link-down", "l1"), ("frozen", "r1"), ("link-down", "l2"), ("link-up", "l1")):
        table.say(wire.FaultEvent(fault, target, 1.0))
    assert table.changes == [("l1",), ("l1", "l2"), ("l2",)]


def test_a_restarted_daemon_is_not_reported_dead(table: Table) -> None:
    for router, daemon in (("r1", "bgpd"), ("r1", "ospfd"), ("r2", "zebra"), ("r3", "zebra")):
        table.say(wire.DaemonExit(router, daemon, -9, "log", 2.0))
    table.say(wire.FaultEvent("daemon-restarted", "r1:bgpd", 3.0))
    table.say(wire.FaultEvent("power-on", "r3", 4.0))
    table.say(wire.Ready(wire.WIRE_VERSION))
    _, hears = table.sit_down()
    messages = [wire.decode_message(hears()) for _ in range(3)]
    assert [getattr(client, "daemon", "") for client in messages] == ["ospfd", "zebra", ""]


def test_replies_to_a_disconnected_client_are_dropped(table: Table) -> None:
    client, hears = table.sit_down()
    table.broker.to_lab(client, wire.encode(wire.Request(7, wire.Execute("h1", ("true",)))))
    table.broker.detach(client)
    table.say(wire.Done(table.requests()[0].id))
    assert hears() == b""


def test_a_client_that_does_not_read_is_disconnected(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "PATIENCE_BYTES", 1 << 20)
    table.sit_down()
    _, hears = table.sit_down()
    step = wire.StepEvent("r1", "start", 1.0, "x" * 10_000)
    for _ in range(200):  # more than a socket holds; the one that reads hears all of it
        table.say(step)
        assert hears() == wire.encode(step)


def test_the_last_words_come_last(table: Table) -> None:
    _, hears = table.sit_down()
    table.say(wire.StepEvent("stop", "done", 1.0))
    table.broker.finish(b"bye\n")
    assert [hears(), hears(), hears()] == [wire.encode(wire.StepEvent("stop", "done", 1.0)), b"bye\n", b""]


@pytest.mark.parametrize("line", [b"", b"{}", b'{"id":1,"command":{"type":"dance"}}', b'{"id":1}'])
def test_malformed_lines_do_not_reach_the_lab(table: Table, line: bytes) -> None:
    client, _ = table.sit_down()
    with pytest.raises(msgspec.MsgspecError):
        table.broker.to_lab(client, line)
    assert table.to_lab.getvalue() == b""


def test_a_malformed_reply_is_dropped(table: Table) -> None:
    client, hears = table.sit_down()
    table.broker.to_lab(client, wire.encode(wire.Request(1, wire.Stop())))
    number = table.requests()[0].id
    table.broker.from_lab(b'{"type":"done","id":%d,"result":7}' % number)
    table.say(wire.Done(number))
    assert wire.decode_message(hears()) == wire.Done(1)


def test_a_disconnected_client_leaves_no_thread(table: Table) -> None:
    before = set(threading.enumerate())
    client, _ = table.sit_down()
    (sender,) = set(threading.enumerate()) - before
    table.broker.detach(client)
    sender.join(5)
    assert not sender.is_alive()


def test_the_events_stored_for_later_clients_are_limited(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lab may report deaths and faults for ever, of daemons and links that its drawing does not have."""
    monkeypatch.setattr(brokers, "MOST_DEATHS", 5)
    monkeypatch.setattr(brokers, "MOST_LINKS", 5)
    for number in range(50):
        for repeated in range(2):
            table.say(wire.DaemonExit(f"r{number}", "bgpd", repeated, "", 1.0))
            table.say(wire.FaultEvent("link-down", f"l{number}", 1.0))
    table.say(wire.DaemonExit("r1", "bgpd", 7, "", 1.0))
    table.say(wire.DaemonExit("r2", "bgpd", 7, "x" * (1 << 20), 1.0))
    table.say(wire.FaultEvent("link-up", "l0", 1.0))
    table.say(wire.FaultEvent("link-down", "l" * 1000, 1.0))
    assert table.broker.links_down == ("l1", "l2", "l3", "l4")
    assert len(table.changes) == 2 * 5 + 1 - 1  # the fifth link is not taken a second time
    _, hears = table.sit_down()
    table.say(wire.Ready(1))
    heard = []
    while isinstance(message := wire.decode_message(hears()), wire.DaemonExit):
        heard.append((message.router, message.status))
    assert heard == [("r0", 1), ("r3", 1), ("r4", 1), ("r1", 7)]  # of r2 came more than is kept


def test_a_reply_without_a_waiting_client_is_not_decoded(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "decode_message", lambda line: pytest.fail("decoded"))
    table.say(wire.Done(99, {"a": [[]] * 1000}))
