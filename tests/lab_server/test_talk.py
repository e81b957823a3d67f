"""Messages to a lab server, whose part this test plays."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.errors import LabFailed
from frrlib.lab_server import place, protocol, register


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def door(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket of a lab whose folder is `tmp_path`."""
    with socket.socket(socket.AF_UNIX) as listener:
        with register.address(tmp_path) as address:
            listener.bind(address)
        listener.listen()
        listener.settimeout(5)
        yield listener


@pytest.mark.parametrize("size", [0, 1, 70_000, 700_000])
def test_exactly_one_line_is_read(pair: tuple[socket.socket, socket.socket], size: int) -> None:
    ours, theirs = pair
    line, rest = b"x" * size + b"\n", b"the wire\nbegins"
    sender = threading.Thread(target=theirs.sendall, args=(line + rest,))
    sender.start()
    assert protocol.read_line(ours) == line
    assert ours.recv(len(rest), socket.MSG_WAITALL) == rest
    sender.join(5)


def test_a_line_ends_with_the_connection(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.sendall(b"half")
    theirs.close()
    assert protocol.read_line(ours) == b"half"


def test_a_lab_server_that_is_killed_before_it_reads_has_not_replied(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    ours.sendall(b"an order\n")
    theirs.close()  # with something unread: the kernel resets the connection
    assert protocol.read_line(ours) == b""


def test_another_lab_with_the_name_is_not_ended(door: socket.socket, tmp_path: Path) -> None:
    place.end(tmp_path, server_pid=os.getpid() + 1)
    with pytest.raises(LabFailed, match="another lab has this name now"):
        protocol.send_request(tmp_path, protocol.KeepRequest(), server_pid=os.getpid() + 1)
    for _ in range(2):
        with door.accept()[0] as visitor:
            assert visitor.recv(100) == b""  # nobody asked for anything


def test_the_lab_with_the_given_pid_is_ended(door: socket.socket, tmp_path: Path) -> None:
    heard = []

    def hear() -> None:
        with door.accept()[0] as visitor:
            heard.append(protocol.decode_request(protocol.read_line(visitor)))

    listening = threading.Thread(target=hear)
    listening.start()
    place.end(tmp_path, server_pid=os.getpid())
    listening.join(5)
    assert heard == [protocol.EndRequest()]
