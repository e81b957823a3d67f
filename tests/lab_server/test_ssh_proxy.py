"""The SSH proxy prints the reason and the remedy of a lab server that refuses."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from frrlib import wire


@pytest.mark.parametrize(
    ("remedy", "text"),
    [
        ("", "miniedit-frr: the lab has no node h9\n"),
        ("choose h1", "miniedit-frr: the lab has no node h9. Remedy: choose h1\n"),
    ],
)
def test_a_refusal_is_printed_with_its_reason(remedy: str, text: str) -> None:
    # The path of a socket has at most 108 bytes.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(Path(folder) / "socket"))
        server.listen()

        def reply() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as lines:
                lines.readline()
                connection.sendall(wire.encode(wire.Failed(0, "lab", "the lab has no node h9", remedy=remedy)) + b"\n")

        thread = threading.Thread(target=reply)
        thread.start()
        argv = [sys.executable, "-m", "frrlib.lab_server.ssh_proxy", folder, "h9"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        thread.join()
    assert (done.returncode, done.stderr) == (1, text)
