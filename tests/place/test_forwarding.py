"""Servers outside that the user has allowed: a lab's own network reaches them, and no other server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.port_forwarding import Endpoint
from tests.traces import traced
from tests.waiting import wait_for

DRIVER = Path(__file__).parent / "drivers/place.py"
#: A program in the lab: it talks to the allowed server on several connections at once, and tries another server.
CLIENT = """
import json, socket, sys, threading, time

where, other = ("%(address)s", %(port)d), ("127.0.0.1", %(other)d)

def connect():
    until_s = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(where, 20)
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.05)

def talk(number):
    with connect() as server:
        sent = bytes([97 + (number + each) %% 26 for each in range(300_000)])
        threading.Thread(target=server.sendall, args=(sent,)).start()
        got = b""
        while len(got) < len(sent) and (data := server.recv(65536)):
            got += data
        right[number] = got == sent.upper()

right = {}
talks = [threading.Thread(target=talk, args=(number,)) for number in range(3)]
for each in talks: each.start()
for each in talks: each.join()
with socket.socket() as knocking:
    print(json.dumps({"right": sorted(right.values()), "other": knocking.connect_ex(other)}))
"""


class Server:
    """Echoes in capitals to every client that connects to an address of this machine."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._listener = socket.create_server((address, 0))
        self.port = self._listener.getsockname()[1]
        self.ended = 0
        self._ended = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._listener.accept()[0],), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while data := connection.recv(65536):
                connection.sendall(data.upper())
        with self._ended:
            self.ended += 1

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()


@contextmanager
def serving(address: str = "127.0.0.1") -> Iterator[Server]:
    server = Server(address)
    try:
        yield server
    finally:
        server.close()


def own_address() -> str:
    """An address of this machine that others can reach, or an empty string."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])
    return ""


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
@pytest.mark.parametrize("loopback", [True, False], ids=["loopback", "elsewhere"])
def test_a_lab_reaches_only_allowed_servers(place: str, loopback: bool, ordinary_user: Any) -> None:
    address = "127.0.0.1" if loopback else own_address()
    if not address or (not loopback and address.startswith("127.")):
        pytest.skip("this machine has no address that others could reach")
    with traced(ordinary_user) as traces, serving(address) as server, serving() as forbidden:
        client = CLIENT % {"address": address, "port": server.port, "other": forbidden.port}
        (ordinary_user.home / "client.py").write_text(client)
        argv = [ordinary_user.python, str(DRIVER), place, "reach", str(ordinary_user.home)]
        done = ordinary_user.run([*argv, str(Endpoint(address, server.port))], timeout=300)
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout)
        assert outcome["right"] == [True, True, True], outcome
        assert outcome["other"] == 111, "connection refused: another server of this machine is out of reach"
        wait_for(lambda: server.ended == 4, "all connections end: three, and the one that asked whether it answers")
        assert traces.left() == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("127.0.0.1:6653", ("127.0.0.1", 6653)),
        (" [::1]:1", ("::1", 1)),
        ("[2001:DB8:0::1]:65535", ("2001:db8::1", 65_535)),
    ],
)
def test_an_address_and_a_port(text: str, parts: tuple[str, int]) -> None:
    assert Endpoint.parse(text) == parts
    assert Endpoint.parse(str(Endpoint.parse(text))) == parts


@pytest.mark.parametrize(
    "text",
    ["", "6653", "localhost:6653", "127.0.0.1:", "127.0.0.1:0", "1.2.3.4:65536", ":1", "1.2.3.4:\N{SUPERSCRIPT TWO}"],
)
def test_a_malformed_endpoint_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not ADDRESS:PORT, such as 127\.0\.0\.1:6653"):
        Endpoint.parse(text)
