"""Places of detached labs: one whose lab this program starts in a lab server, and one whose lab already runs."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, BinaryIO

import msgspec

from frrlib import wire
from frrlib.errors import Interrupted, LabError, LabFailed, PlaceError
from frrlib.lab_server import protocol, register
from frrlib.lab_server.register import Card
from frrlib.place import machine, temporary_folder
from frrlib.place.base import Abilities, Place, Program, SandboxFacts, Wire
from frrlib.place.namespace import Namespace
from frrlib.place.operations import SandboxOperations
from frrlib.places import PlaceName
from frrlib.system.ready import ready

_SERVER = Path(__file__).with_name("server.py")
#: Bytes at the end of the wire's data that are searched for the lab's last words.
_TAIL = 8192
_last_words = msgspec.json.Decoder(protocol.LastWords)


class DetachedSandbox(SandboxOperations):
    """A lab of a lab server, seen through a connection to it. All methods may be called from any thread.

    Args:
        folder: the lab's folder in the register.
        connection: the wire to the lab, from here on closed by this object.
        started: the lab server's reply to the start.
        holder: pid of the lab server. 0 if it is unknown.
    """

    def __init__(self, folder: Path, connection: socket.socket, started: protocol.StartedLab, server_pid: int) -> None:
        self.folder, self._server_pid = folder, server_pid
        self._connection, self._started = connection, started
        self.facts = msgspec.convert(started.facts, SandboxFacts)
        self._reader = _TailReader(connection)
        self._wire = Wire(self._reader, _raw(connection, "wb"))  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """The user's name for the lab."""
        return self.folder.name

    @property
    def wire(self) -> Wire:
        """Streams to the lab's first program, through the lab server."""
        return self._wire

    @property
    def pid(self) -> int:
        """The lab's process 1, or its kernel."""
        return self._started.pid

    @property
    def console(self) -> Path:
        """The output of the lab's first program and kernel."""
        return Path(self._started.console)

    def last_words(self) -> str:
        """The end of the lab's output; also after the lab has ended."""
        with contextlib.suppress(OSError):
            return temporary_folder.read_text_end(self.console, _TAIL).strip()
        with contextlib.suppress(msgspec.MsgspecError, wire.InvalidMessage):  # the lab's own line may be the last one
            return wire.decode_with(_last_words.decode, self._reader.tail.split(b"\n")[-2:][0]).last_words
        return ""

    def alive(self) -> bool:
        """Whether the lab server runs. It exits with the lab."""
        try:
            return not self._hung_up(0)
        except (OSError, ValueError):
            return False

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        return list(self._send_request(protocol.TerminalRequest(tuple(argv), node)))

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""
        return list(self._send_request(protocol.PipeRequest(tuple(argv), node)))

    def describe(self, card: Card) -> None:
        """Describe this lab to programs that look for labs."""
        self._send_request(protocol.DescribeRequest(card))

    def keep(self) -> None:
        """Let the lab continue when the connection of the program that started it ends."""
        self._send_request(protocol.KeepRequest())

    def leave(self) -> None:
        """Close the connection. A lab that this program has started ends then, unless it is kept."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Have the lab end at once, without waiting for it."""
        with contextlib.suppress(LabError, OSError), protocol.connect(self.folder, self._server_pid) as connection:
            connection.sendall(protocol.encode_line(protocol.EndRequest()))

    def stop(self, timeout_s: float = 15.0) -> None:
        """End the lab at once and wait until nothing of it is left. A second call is allowed.

        Raises:
            PlaceError: the lab server did not exit within `timeout_s`.
        """
        end(self.folder, timeout_s, self._server_pid)
        self.leave()
        for stream in (*self._wire, self._connection):
            with contextlib.suppress(OSError):
                stream.close()

    def _send_request(self, request: protocol.LabServerRequest) -> Any:
        return protocol.send_request(self.folder, request, server_pid=self._server_pid)

    def _hung_up(self, timeout_s: float) -> bool:
        """Wait until the other end of the connection is closed. Returns whether it is within the time."""
        poll = select.poll()
        poll.register(self._connection, 0)
        return bool(poll.poll(timeout_s * 1000))


def end(folder: Path, timeout_s: float = 15.0, server_pid: int = 0) -> None:
    """End a detached lab at once and wait until nothing of it is left. A lab that has ended is no error.

    Args:
        folder: the lab's folder in the register.
        timeout_s: seconds that its end may take.
        server_pid: pid of its lab server, which distinguishes labs of the same name. 0 for any.

    Raises:
        PlaceError: the lab server did not exit within `timeout_s`.
    """
    with contextlib.suppress(LabFailed, ConnectionError), protocol.connect(folder, server_pid) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.sendall(protocol.encode_line(protocol.EndRequest()))
            connection.recv(1)  # no byte arrives; the connection ends with the lab server
        except TimeoutError:
            raise PlaceError(f"the server of the lab {folder.name} did not exit within {timeout_s:g} s") from None


class _TailReader:
    """The reading end of a connection, which stores the last bytes that were read."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = _raw(connection, "rb")
        self.tail = b""

    def read(self, size: int = -1) -> bytes:
        """Read as a raw stream does."""
        data = self._stream.read(size)
        if data:
            self.tail = (self.tail[-_TAIL:] + data)[-_TAIL:]
        return data

    def fileno(self) -> int:
        """The descriptor of the connection."""
        return self._stream.fileno()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


def _raw(connection: socket.socket, mode: str) -> BinaryIO:
    stream: IO[bytes] = connection.makefile(mode, buffering=0)  # type: ignore[call-overload]
    return stream  # type: ignore[return-value]


class LabServerPlace:
    """A place that starts each lab in a lab server of its own.

    Args:
        place: the place of the lab.
        kernel: the user's own lab kernel. None for none.
        wish: preferred name of the lab.
    """

    def __init__(self, place: Place, kernel: Path | None, preferred_name: str) -> None:
        self._place, self._kernel, self._preferred_name = place, kernel, preferred_name

    @property
    def name(self) -> str:
        """The name of the place."""
        return self._place.name

    def abilities(self, refresh: bool = False) -> Abilities:
        """The abilities of the place."""
        return self._place.abilities(refresh)

    def start(self, program: Program) -> DetachedSandbox:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: this machine lacks a part. The error has its name and its remedy.
            Interrupted: the program's `abandon` became readable. Nothing of the lab is left.
        """
        reservation = register.reserve(self._preferred_name)
        ours, theirs = socket.socketpair()
        with contextlib.closing(theirs):
            process = _spawn(reservation, theirs.fileno())
        threading.Thread(target=process.wait, name="lab-server", daemon=True).start()
        try:
            ours.sendall(
                protocol.encode_line(protocol.StartRequest(self.name, str(self._kernel or ""), _as_json(program)))
            )
            started = _started(_await_line(ours, program.abandon))
        except BaseException:
            _give_up(ours)
            raise
        return DetachedSandbox(reservation.folder, ours, started, process.pid)


class JoinedPlace:
    """The place of a detached lab that already runs. `start` joins it."""

    def __init__(self, card: Card) -> None:
        self._card = card

    @property
    def name(self) -> str:
        """The name of the lab's place."""
        return self._card.place

    def abilities(self, refresh: bool = False) -> Abilities:
        """The place is available, since the lab runs in it. Namespaces of this machine permit the same defaults."""
        is_namespace = self.name == PlaceName.NAMESPACE
        permitted = Namespace().abilities(refresh).default_congestion_controls if is_namespace else None
        return Abilities(self.name, True, default_congestion_controls=permitted)

    def start(self, program: Program) -> DetachedSandbox:
        """Connect to the lab.

        Raises:
            LabFailed: it has ended.
            Interrupted: the program's `abandon` became readable.
        """
        folder = register.folder_of(self._card.name)
        connection = protocol.connect(folder)
        try:
            with contextlib.suppress(OSError):  # the lab has just ended, which reading reports
                connection.sendall(protocol.encode_line(protocol.AttachRequest()))
            started = _started(_await_line(connection, program.abandon))
        except BaseException:
            connection.close()
            raise
        return DetachedSandbox(folder, connection, started, protocol.peer_pid(connection))


def _spawn(reservation: register.Reservation, owner: int) -> subprocess.Popen[bytes]:
    """Start a lab server, which takes over the lock. Raises PlaceError."""
    handles = (owner, reservation.lock)
    words = [str(_SERVER), str(reservation.folder), *map(str, handles)]
    try:
        machine.check()
        with (reservation.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-P", *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                pass_fds=handles,
                start_new_session=True,
            )
    except OSError as error:
        raise PlaceError(f"the lab server cannot be started: {error}") from None
    finally:
        os.close(reservation.lock)


def _as_json(program: Program) -> dict[str, Any]:
    values = {field.name: getattr(program, field.name) for field in fields(program) if field.name != "abandon"}
    return dict(msgspec.to_builtins(values, enc_hook=str))


def _await_line(connection: socket.socket, abandon: int) -> bytes:
    """The lab server's first line. Raises Interrupted."""
    sources = [connection.fileno(), *([abandon] if abandon >= 0 else [])]
    if abandon in ready(sources)[0]:
        raise Interrupted("the start of a lab was canceled")
    return protocol.read_line(connection)


def _started(line: bytes) -> protocol.StartedLab:
    if not line:
        raise LabFailed("the lab ended during its start")
    return msgspec.convert(protocol.value(line), protocol.StartedLab)


def _give_up(connection: socket.socket, limit_s: float = 15.0) -> None:
    """Have a lab server exit that has not started its lab yet, and wait for it."""
    with connection, contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(limit_s)
        stop_at = time.monotonic() + limit_s
        while connection.recv(65536) and time.monotonic() < stop_at:
            pass
