"""Talking to FRR: one-shot commands through vtysh, and questions straight to one daemon.

Every way raises where FRR says that it did not understand, as the interactive session of `frrlib.vtysh` does, so that
a mistyped command never looks like an empty answer.
"""

from __future__ import annotations

import json
import selectors
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frrlib.errors import CommandFailed
from frrlib.vtysh.session import refusal

Run = Callable[[Sequence[str], float], "subprocess.CompletedProcess[str]"]
#: What every run asks, and zebra alone answers: no vtysh need be started for it, which is dear in a lab kernel.
ROUTES = ("show ip route",)
#: What a daemon's answer ends with; one byte more is the command's status.
_END = b"\0\0\0"
#: What a daemon is told first at its socket.
_ENABLE = "enable"


def argv(commands: Sequence[str]) -> list[str]:
    """vtysh with these commands, to be run one after the other."""
    return ["vtysh", *(word for command in commands for word in ("-c", command))]


def run(commands: Sequence[str], runner: Run, timeout_s: float = 30.0) -> str:
    """The output of vtysh for the commands.

    Args:
        commands: for instance `("configure terminal", "router bgp 1")`.
        runner: runs an argv in the router within a time in seconds and gives status and output.
        timeout_s: how long all of them together may take.

    Raises:
        CommandFailed: FRR refused a command, or vtysh failed.
    """
    words = argv(commands)
    answer = runner(words, timeout_s)
    refused = refusal(answer.stdout + answer.stderr)
    if answer.returncode or refused:
        raise CommandFailed(words, answer.returncode, refused or answer.stderr or answer.stdout)
    return answer.stdout


def run_json(command: str, runner: Run, timeout_s: float = 30.0) -> Any:
    """The answer to a "... json" command as Python values. Raises CommandFailed, also for anything but JSON."""
    text = run((command,), runner, timeout_s)
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(argv((command,)), 0, f"not JSON: {text[:200]}") from error


def ask(path: str, command: str, timeout_s: float = 5.0) -> str:
    """The answer of one daemon at its own socket, without any process in between.

    Args:
        path: the daemon's socket ("/run/frr/zebra.vty").
        command: a command of the enabled mode.
        timeout_s: how long each answer may take.

    Raises:
        OSError: nobody answers at the socket, or too late.
        CommandFailed: the daemon does not take the command.
    """
    return ask_sequence(path, (command,), timeout_s)


def ask_sequence(path: str, commands: Sequence[str], timeout_s: float = 5.0) -> str:
    """The answer of one daemon at its own socket to the last of several commands, each in the mode that the one before
    has led to ("configure terminal", "router ospf"). Arguments and errors as for `ask`; what follows a command that is
    refused is not told.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        answer = ""
        for line in (_ENABLE, *commands):
            connection.sendall(line.encode() + b"\0")
            status, answer = _answer(connection)
            if status and refusal(answer):
                raise CommandFailed((path, line), status, answer)
        return answer


def _answer(connection: socket.socket) -> tuple[int, str]:
    data = b""
    while len(data) < 4 or data[-4:-1] != _END:
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionResetError("the daemon closed its socket")
        data += chunk
    return data[-1], data[:-4].decode(errors="replace")


def ask_all(sockets: Mapping[Any, str], command: str, timeout_s: float) -> tuple[dict[Any, str], dict[Any, str]]:
    """Ask many daemons the same at once.

    Args:
        sockets: key to the path of a daemon's socket.
        command: a command of the enabled mode.
        timeout_s: how long all of them may take together.

    Returns:
        Key to the answer, and key to why there is none.
    """
    said: dict[Any, str] = {}
    failed: dict[Any, str] = {}
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        received: dict[Any, bytearray] = {}
        for key, path in sockets.items():
            try:
                connection = _asked(path, command)
            except OSError as error:
                failed[key] = f"does not listen ({error.strerror or error})"
                continue
            received[key] = bytearray()
            selector.register(connection, selectors.EVENT_READ, key)
        while received and (left_s := deadline - time.monotonic()) > 0:
            for ready, _ in selector.select(left_s):
                chunk = _chunk(ready.fileobj)
                received[ready.data] += chunk
                answer = _second(received[ready.data])
                if answer is not None:
                    said[ready.data] = answer
                elif not chunk:
                    failed[ready.data] = "closed its socket"
                else:
                    continue
                del received[ready.data]
                selector.unregister(ready.fileobj)
                ready.fileobj.close()  # type: ignore[union-attr]
        for key in received:
            failed[key] = f"did not answer in {timeout_s:g} s"
        for ready in list(selector.get_map().values()):
            ready.fileobj.close()  # type: ignore[union-attr]
    return said, failed


def _asked(path: str, command: str) -> socket.socket:
    """A connection on which both lines were sent at once; the daemon answers them in order."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.connect(path)
        connection.sendall(f"{_ENABLE}\0{command}\0".encode())
    except OSError:
        connection.close()
        raise
    return connection


def _chunk(connection: Any) -> bytes:
    try:
        return bytes(connection.recv(262_144))
    except OSError:
        return b""


def _second(data: bytearray) -> str | None:
    """The second of two answers, None while it is not whole."""
    first = data.find(_END)
    begin = first + len(_END) + 1
    end = data.find(_END, begin)
    is_whole = first >= 0 and end >= 0 and len(data) > end + len(_END)
    return data[begin:end].decode(errors="replace") if is_whole else None
