"""Commands for FRR: one-shot commands through vtysh, and commands sent to the socket of one daemon.

Each function raises an error for a command that FRR refuses, as the interactive session of `frrlib.vtysh` does, so a
mistyped command never looks like an empty reply.
"""

from __future__ import annotations

import json
import selectors
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from frrlib.errors import CommandFailed
from frrlib.vtysh.session import refusal

Run = Callable[[Sequence[str], float], "subprocess.CompletedProcess[str]"]
#: First words of commands that one daemon alone answers, without the start of vtysh, which takes far longer.
_ANSWERED_BY = {
    "show bfd": "bfdd",
    "show bgp": "bgpd",
    "show interface": "zebra",
    "show ip bgp": "bgpd",
    "show ip ospf": "ospfd",
    "show ip rip": "ripd",
    "show ip route": "zebra",
    "show ipv6 ospf6": "ospf6d",
    "show ipv6 ripng": "ripngd",
    "show ipv6 route": "zebra",
    "show isis": "isisd",
    "show mpls ldp": "ldpd",
}
#: The end of a daemon's reply; the command's status follows as one byte.
_END = b"\0\0\0"
#: The first command on a daemon's socket.
_ENABLE = "enable"


def argv(commands: Sequence[str]) -> list[str]:
    """The command line of vtysh for these commands, in order."""
    return ["vtysh", *(word for command in commands for word in ("-c", command))]


def answering_daemon(command: str) -> str:
    """The only daemon that answers a command; empty if several do, or if the command may change something."""
    line = f"{command} "
    return next((daemon for words, daemon in _ANSWERED_BY.items() if line.startswith(f"{words} ")), "")


def run_at_daemons(commands: Sequence[str], sockets: Mapping[str, str], timeout_s: float) -> str | None:
    """The output of vtysh for commands that daemons answer at their own sockets, without vtysh.

    Args:
        commands: as for `run`.
        sockets: path of the socket of each daemon that runs.
        timeout_s: time for each reply.

    Returns:
        The output. None if vtysh has to run the commands, or to say what is wrong.

    Raises:
        CommandFailed: a daemon refused a command, as for `run`.
    """
    daemons = [answering_daemon(command) for command in commands]
    if not commands or not sockets.keys() >= set(daemons):
        return None
    output = ""
    for daemon, command in zip(daemons, commands, strict=True):
        try:
            with _connected(sockets[daemon], timeout_s) as connection:
                _exchange(connection, _ENABLE)
                status, reply = _exchange(connection, command)
        except OSError:
            return None
        output += reply
        if refusal(reply):
            raise CommandFailed(argv(commands), status, refusal(reply))
    return output


def run(commands: Sequence[str], runner: Run, timeout_s: float = 30.0) -> str:
    """The output of vtysh for the commands.

    Args:
        commands: for instance `("configure terminal", "router bgp 1")`.
        runner: runs a command line in the router within a time in seconds and returns status and output.
        timeout_s: time for all of them together.

    Raises:
        CommandFailed: FRR refused a command, or vtysh failed.
    """
    command = argv(commands)
    result = runner(command, timeout_s)
    refused = refusal(result.stdout + result.stderr)
    if result.returncode or refused:
        raise CommandFailed(command, result.returncode, refused or result.stderr or result.stdout)
    return result.stdout


def run_json(command: str, runner: Run, timeout_s: float = 30.0) -> Any:
    """The reply to a "... json" command as Python values. Raises CommandFailed, also for a reply that is not JSON."""
    text = run((command,), runner, timeout_s)
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(argv((command,)), 0, f"not JSON: {text[:200]}") from error


def ask(path: str, command: str, timeout_s: float = 5.0) -> str:
    """A daemon's reply at its own socket, without a process in between.

    Args:
        path: the daemon's socket ("/run/frr/zebra.vty").
        command: a command of the enabled mode.
        timeout_s: time for each reply.

    Raises:
        OSError: the socket does not answer, or too late.
        CommandFailed: the daemon refuses the command.
    """
    return ask_sequence(path, (command,), timeout_s)


def ask_sequence(path: str, commands: Sequence[str], timeout_s: float = 5.0) -> str:
    """A daemon's reply at its own socket to the last of several commands. Each command runs in the mode that the
    previous one entered ("configure terminal", "router ospf"). Arguments and errors as for `ask`; commands after a
    refused one are not sent.
    """
    with _connected(path, timeout_s) as connection:
        reply = ""
        for line in (_ENABLE, *commands):
            status, reply = _exchange(connection, line)
            if status and refusal(reply):
                raise CommandFailed((path, line), status, reply)
        return reply


@contextmanager
def _connected(path: str, timeout_s: float) -> Iterator[socket.socket]:
    """A connection to a daemon's socket. Raises OSError if the daemon does not listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        yield connection


def _exchange(connection: socket.socket, line: str) -> tuple[int, str]:
    """Send a command and return the status and the text of the reply. Raises OSError."""
    connection.sendall(line.encode() + b"\0")
    return _receive_reply(connection)


def _receive_reply(connection: socket.socket) -> tuple[int, str]:
    data = b""
    while len(data) < 4 or data[-4:-1] != _END:
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionResetError("the daemon closed its socket")
        data += chunk
    return data[-1], data[:-4].decode(errors="replace")


def ask_all(sockets: Mapping[Any, str], command: str, timeout_s: float) -> tuple[dict[Any, str], dict[Any, str]]:
    """Send the same command to many daemons at once.

    Args:
        sockets: path of a daemon's socket, by any key.
        command: a command of the enabled mode.
        timeout_s: time for all of them together.

    Returns:
        The replies by key, and the reasons for missing ones by key.
    """
    replies: dict[Any, str] = {}
    failed: dict[Any, str] = {}
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        received: dict[Any, bytearray] = {}
        for key, path in sockets.items():
            try:
                connection = _connect(path, command)
            except OSError as error:
                failed[key] = f"does not listen ({error.strerror or error})"
                continue
            received[key] = bytearray()
            selector.register(connection, selectors.EVENT_READ, key)
        while received and (left_s := deadline - time.monotonic()) > 0:
            for ready, _ in selector.select(left_s):
                chunk = _receive_chunk(ready.fileobj)
                received[ready.data] += chunk
                reply = _second_reply(received[ready.data])
                if reply is not None:
                    replies[ready.data] = reply
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
    return replies, failed


def _connect(path: str, command: str) -> socket.socket:
    """A connection on which both lines were sent at once; the daemon replies to them in order."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.connect(path)
        connection.sendall(f"{_ENABLE}\0{command}\0".encode())
    except OSError:
        connection.close()
        raise
    return connection


def _receive_chunk(connection: Any) -> bytes:
    try:
        return bytes(connection.recv(262_144))
    except OSError:
        return b""


def _second_reply(data: bytearray) -> str | None:
    """The second of two replies, None while it is incomplete."""
    first = data.find(_END)
    begin = first + len(_END) + 1
    end = data.find(_END, begin)
    is_whole = first >= 0 and end >= 0 and len(data) > end + len(_END)
    return data[begin:end].decode(errors="replace") if is_whole else None
