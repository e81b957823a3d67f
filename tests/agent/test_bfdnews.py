"""What bfdd tells those who listen: messages in pieces, of other kinds, and daemons that come and go."""

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


def _session(state: str, **more: Any) -> dict[str, Any]:
    return {"op": "status", "ipv6": False, "multihop": False, "peer-address": "10.0.1.2", "local-interface": "r1-eth0",
            "state": state, "diagnostics": 0, **more}  # fmt: skip


DOWN = SessionState("10.0.1.2", False, "r1-eth0", "", "down", "detection time expired")


def test_messages_come_in_any_pieces() -> None:
    data = _message({"status": "ok"}, kind=1) + _message(_session("down", diagnostics=1))
    data += (
        _message({"op": "delete", "peer-address": "10.0.1.2"}) + _message({"op": "status"}) + _message(_session("up"))
    )
    for size in (1, 7, len(data)):
        told, rest = [], b""
        for start in range(0, len(data), size):
            found, rest = parse(rest + data[start : start + size])
            told += found
        assert told == [DOWN, DOWN._replace(state="up", reason="")]
        assert rest == b""
    many = _session("adm-down", **{"multihop": True, "vrf-name": "red", "local-interface": ""})
    assert parse(_message(many))[0] == [SessionState("10.0.1.2", True, "", "red", "shutdown", "")]


def test_a_daemon_is_heard_until_it_ends_and_again_when_it_is_back(tmp_path: Path) -> None:
    heard: list[tuple[str, SessionState]] = []
    news = BfdListener(lambda router, told, at_s: heard.append((router, told)))
    path = str(tmp_path / "bfdd.sock")
    news.listen("r1", path)  # nobody there: nothing happens
    news.catch_up()
    for _ in range(2):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(path)
            server.listen()
            news.listen("r1", path)
            news.listen("r1", path)  # once is enough
            daemon, _ = server.accept()
            asked = daemon.recv(100)
            assert struct.unpack("!IHBB", asked[:8])[0::2] == (8, 4)
            assert struct.unpack("=Q", asked[8:]) == (1,)
            before = len(heard)
            daemon.sendall(_message(_session("down", diagnostics=1)))
            wait_for(lambda before=before: len(heard) > before, "news of a session")  # type: ignore[misc]
            daemon.close()
            wait_for(lambda: not any(thread.name == "bfd" for thread in threading.enumerate()), "the listener's end")
        Path(path).unlink()
    assert heard == [("r1", DOWN)] * 2
    news.close()
