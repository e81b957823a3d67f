"""Talking to FRR: one-shot commands through vtysh, and questions straight to one daemon.

Every way raises where FRR says that it did not understand, as the interactive session of `frrlib.vtysh` does, so that
a mistyped command never looks like an empty answer.
"""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from frrlib.errors import CommandFailed
from frrlib.vtysh import refusal

Run = Callable[[Sequence[str], float], "subprocess.CompletedProcess[str]"]


def argv(commands: Sequence[str]) -> list[str]:
    """vtysh with these commands, to be run one after the other."""
    return ["vtysh", *(word for command in commands for word in ("-c", command))]


def run(commands: Sequence[str], runner: Run, timeout_s: float = 30.0) -> str:
    """What vtysh answers to the commands.

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
    """What one daemon answers at its own socket, without any process in between.

    Args:
        path: the daemon's socket ("/run/frr/zebra.vty").
        command: a command of the enabled mode.
        timeout_s: how long each answer may take.

    Raises:
        OSError: nobody answers at the socket, or too late.
        CommandFailed: the daemon does not take the command.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        answer = ""
        for line in ("enable", command):
            connection.sendall(line.encode() + b"\0")
            status, answer = _answer(connection)
        if status and refusal(answer):
            raise CommandFailed((path, command), status, answer)
        return answer


def _answer(connection: socket.socket) -> tuple[int, str]:
    """An answer ends with three zero bytes and the command's status."""
    data = b""
    while len(data) < 4 or data[-4:-1] != b"\0\0\0":
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionResetError("the daemon closed its socket")
        data += chunk
    return data[-1], data[:-4].decode(errors="replace")
