"""A lab in a holder, as the places have it: one that this program starts, and one that runs already."""

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
from frrlib.place.base import Abilities, Facts, Place, Program, Wire
from frrlib.place.operations import Reach

_SERVER = Path(__file__).with_name("server.py")
#: How much of the end of the wire's data is searched for the lab's last words.
_TAIL = 8192
_last_words = msgspec.json.Decoder(protocol.LastWords)


class Held(Reach):
    """A lab in a holder, seen through a connection to it. Every call may be made from any thread.

    Args:
        folder: the lab's in the register.
        connection: the wire to the lab, from here on closed by this object.
        started: what the holder said of it.
        holder: process id of the holder; 0 where that is not known.
    """

    def __init__(self, folder: Path, connection: socket.socket, started: protocol.Started, holder: int) -> None:
        self.folder, self._holder = folder, holder
        self._connection, self._started = connection, started
        self.facts = msgspec.convert(started.facts, Facts)
        self._reader = _Tailed(connection)
        self._wire = Wire(self._reader, _raw(connection, "wb"))  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """By which the user calls the lab."""
        return self.folder.name

    @property
    def wire(self) -> Wire:
        """Streams to the lab's first program, by way of the holder."""
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
            return temporary_folder.end_of(self.console, _TAIL).strip()
        with contextlib.suppress(msgspec.MsgspecError, wire.InvalidMessage):  # the lab's own line may be the last one
            return wire.decode_with(_last_words.decode, self._reader.tail.split(b"\n")[-2:][0]).last_words
        return ""

    def alive(self) -> bool:
        """Whether the holder is there; it goes with the lab."""
        try:
            return not self._hung_up(0)
        except (OSError, ValueError):
            return False

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        return list(self._ask(protocol.Terminal(tuple(argv), node)))

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""
        return list(self._ask(protocol.Pipe(tuple(argv), node)))

    def describe(self, card: Card) -> None:
        """Describe this lab to programs that look for labs."""
        self._ask(protocol.Describe(card))

    def keep(self) -> None:
        """Have the lab go on when the connection of the program that started it ends."""
        self._ask(protocol.Keep())

    def leave(self) -> None:
        """Close the connection. A lab that is not kept ends, where this program has started it."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Have the lab end at once and do not wait for it."""
        with contextlib.suppress(LabError, OSError), protocol.connect(self.folder, self._holder) as holder:
            holder.sendall(protocol.line(protocol.End()))

    def stop(self, timeout_s: float = 15.0) -> None:
        """End the lab at once and wait until nothing of it is left. Again is allowed.

        Raises:
            PlaceError: something was left after `timeout_s`.
        """
        end(self.folder, timeout_s, self._holder)
        self.leave()
        for stream in (*self._wire, self._connection):
            with contextlib.suppress(OSError):
                stream.close()

    def _ask(self, order: protocol.Order) -> Any:
        return protocol.ask(self.folder, order, holder=self._holder)

    def _hung_up(self, timeout_s: float) -> bool:
        """Whether the other end of the connection is closed, at the latest after that time."""
        poll = select.poll()
        poll.register(self._connection, 0)
        return bool(poll.poll(timeout_s * 1000))


def end(folder: Path, timeout_s: float = 15.0, holder: int = 0) -> None:
    """End a held lab at once and wait until nothing of it is left; one that has ended is left alone.

    Args:
        folder: the lab's in the register.
        timeout_s: how long its end may take.
        holder: process id of its holder, which has the lab of this name that is meant; 0 for any.

    Raises:
        PlaceError: something was left after `timeout_s`.
    """
    with contextlib.suppress(LabFailed, ConnectionError), protocol.connect(folder, holder) as door:
        door.settimeout(timeout_s)
        try:
            door.sendall(protocol.line(protocol.End()))
            door.recv(1)  # nothing comes; the connection ends with the holder
        except TimeoutError:
            raise PlaceError(f"the server of the lab {folder.name} did not exit within {timeout_s:g} s") from None


class _Tailed:
    """The reading end of a connection that remembers the end of what was read."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = _raw(connection, "rb")
        self.tail = b""

    def read(self, size: int = -1) -> bytes:
        """As a raw stream's."""
        data = self._stream.read(size)
        if data:
            self.tail = (self.tail[-_TAIL:] + data)[-_TAIL:]
        return data

    def fileno(self) -> int:
        """The connection's."""
        return self._stream.fileno()

    def close(self) -> None:
        """As a stream's."""
        self._stream.close()


def _raw(connection: socket.socket, mode: str) -> BinaryIO:
    stream: IO[bytes] = connection.makefile(mode, buffering=0)  # type: ignore[call-overload]
    return stream  # type: ignore[return-value]


class HeldPlace:
    """A place whose labs are each started in a holder of its own.

    Args:
        place: the place.
        kernel: a lab kernel of one's own; None for none.
        wish: what the lab would like to be called.
    """

    def __init__(self, place: Place, kernel: Path | None, wish: str) -> None:
        self._place, self._kernel, self._wish = place, kernel, wish

    @property
    def name(self) -> str:
        """That of the place."""
        return self._place.name

    def abilities(self, refresh: bool = False) -> Abilities:
        """Those of the place."""
        return self._place.abilities(refresh)

    def start(self, program: Program) -> Held:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: this machine lacks something, named with its remedy.
            Interrupted: the program's `abandon` became readable; nothing of the lab is left.
        """
        reserved = register.reserve(self._wish)
        ours, theirs = socket.socketpair()
        with contextlib.closing(theirs):
            process = _spawn(reserved, theirs.fileno())
        threading.Thread(target=process.wait, name="holder", daemon=True).start()
        try:
            ours.sendall(protocol.line(protocol.Start(self.name, str(self._kernel or ""), _as_json(program))))
            started = _started(_await_line(ours, program.abandon))
        except BaseException:
            _give_up(ours)
            raise
        return Held(reserved.folder, ours, started, process.pid)


class JoinedPlace:
    """Where a lab that is held already runs; "starting" it is to join it."""

    def __init__(self, card: Card) -> None:
        self._card = card

    @property
    def name(self) -> str:
        """That of the lab's place."""
        return self._card.place

    def abilities(self, refresh: bool = False) -> Abilities:
        """Nobody asks any more."""
        return Abilities(self.name, True)

    def start(self, program: Program) -> Held:
        """Connect to the lab.

        Raises:
            LabFailed: it has ended.
            Interrupted: the program's `abandon` became readable.
        """
        folder = register.folder_of(self._card.name)
        connection = protocol.connect(folder)
        try:
            with contextlib.suppress(OSError):  # the lab has just ended, which reading tells
                connection.sendall(protocol.line(protocol.Attach()))
            started = _started(_await_line(connection, program.abandon))
        except BaseException:
            connection.close()
            raise
        return Held(folder, connection, started, protocol.peer(connection))


def _spawn(reserved: register.Reserved, owner: int) -> subprocess.Popen[bytes]:
    """Start a holder; the lock is its own from here on. Raises PlaceError."""
    handles = (owner, reserved.lock)
    words = [str(_SERVER), str(reserved.folder), *map(str, handles)]
    try:
        machine.check()
        with (reserved.folder / "log").open("ab") as log:
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
        os.close(reserved.lock)


def _as_json(program: Program) -> dict[str, Any]:
    found = {each.name: getattr(program, each.name) for each in fields(program) if each.name != "abandon"}
    return dict(msgspec.to_builtins(found, enc_hook=str))


def _await_line(connection: socket.socket, abandon: int) -> bytes:
    """The holder's first line. Raises Interrupted."""
    sources = [connection.fileno(), *([abandon] if abandon >= 0 else [])]
    if abandon in select.select(sources, [], [])[0]:
        raise Interrupted("the start of a lab was canceled")
    return protocol.read_line(connection)


def _started(line: bytes) -> protocol.Started:
    if not line:
        raise LabFailed("the lab ended during its start")
    return msgspec.convert(protocol.value(line), protocol.Started)


def _give_up(connection: socket.socket, limit_s: float = 15.0) -> None:
    """Have a holder end that has not started its lab yet, and wait for it."""
    with connection, contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(limit_s)
        stop_at = time.monotonic() + limit_s
        while connection.recv(65536) and time.monotonic() < stop_at:
            pass
