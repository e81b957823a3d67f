"""Events of BFD sessions from bfdd: messages in pieces, messages of other kinds, and daemons that end and come back."""

from __future__ import annotations

import json
import socket
import struct
import threading
from pathlib import Path
from typing import Any

from frrlib.agent.routing.bfd_events import BfdListener, SessionState, parse
from tests.waiting import wait_for


def _message(body: dict[str, Any], kind: int = 4) -> bytes:
    data = json.dumps(body).encode()
    return struct.pack("!IHBB", len(data), 0, kind, 1) + data


def _session(state: str, **fields: Any) -> dict[str, Any]:
    return {"op": "status", "ipv6": False, "multihop": False, "peer-address": "10.0.1.2", "local-interface": "r1-eth0",
            "state": state, "diagnostics": 0, **fields}  # fmt: skip


DOWN = SessionState("10.0.1.2", False, "r1-eth0", "", "down", "detection time expired")


def test_messages_are_parsed_in_pieces_of_any_size() -> None:
    data = _message({"status": "ok"}, kind=1) + _message(_session("down", diagnostics=1))
    data += (
        _message({"op": "delete", "peer-address": "10.0.1.2"}) + _message({"op": "status"}) + _message(_session("up"))
    )
    for size in (1, 7, len(data)):
        states, incomplete = [], b""
        for start in range(0, len(data), size):
            parsed, incomplete = parse(incomplete + data[start : start + size])
            states += parsed
        assert states == [DOWN, DOWN._replace(state="up", reason="")]
        assert incomplete == b""
    many = _session("adm-down", **{"multihop": True, "vrf-name": "red", "local-interface": ""})
    assert parse(_message(many))[0] == [SessionState("10.0.1.2", True, "", "red", "shutdown", "")]


def test_a_daemon_is_followed_until_it_ends_and_again_after_its_restart(tmp_path: Path) -> None:
    states: list[tuple[str, SessionState]] = []
    listener = BfdListener(lambda router, state, at_s: states.append((router, state)))
    path = str(tmp_path / "bfdd.sock")
    listener.listen("r1", path)  # no daemon listens there: nothing happens
    listener.catch_up()
    for _ in range(2):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(path)
            server.listen()
            listener.listen("r1", path)
            listener.listen("r1", path)  # a second call does nothing
            daemon, _ = server.accept()
            subscription = daemon.recv(100)
            assert struct.unpack("!IHBB", subscription[:8])[0::2] == (8, 4)
            assert struct.unpack("=Q", subscription[8:]) == (1,)
            count = len(states)
            daemon.sendall(_message(_session("down", diagnostics=1)))
            wait_for(lambda count=count: len(states) > count, "an event of a session")  # type: ignore[misc]
            daemon.close()
            wait_for(lambda: not any(thread.name == "bfd" for thread in threading.enumerate()), "the listener's end")
        Path(path).unlink()
    assert states == [("r1", DOWN)] * 2
    listener.close()
