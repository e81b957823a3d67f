"""The messages to a holder: one line of JSON each way, then on some connections the lab's own wire.

The first line on a connection is a request. After `AttachRequest`, and after the first request of all, `StartRequest`,
both ends speak the wire of `frrlib.wire`. Every other connection ends with the reply.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from frrlib.errors import LabError, LabFailed, PlaceError
from frrlib.lab_server import register
from frrlib.lab_server.register import Card


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all that is said."""


class StartRequest(_Message, frozen=True, tag="start"):
    """Start the lab; the first line to a new holder, from the program that owns the lab. Answer: `StartedLab`'s fields.

    Attributes:
        place: name of the place.
        kernel: a lab kernel of one's own, empty for none.
        program: the fields of `frrlib.place.base.Program`, as JSON has them.
    """

    place: str
    kernel: str
    program: dict[str, Any]


class AttachRequest(_Message, frozen=True, tag="attach"):
    """From now on this connection is a wire to the lab. Answer: `StartedLab`'s fields."""


class DescribeRequest(_Message, frozen=True, tag="describe"):
    """The description of the lab; the holder adds its own knowledge."""

    card: Card


class KeepRequest(_Message, frozen=True, tag="keep"):
    """The lab goes on when its owner's connection ends."""


class TerminalRequest(_Message, frozen=True, tag="terminal"):
    """Answer: the command that opens an interactive `argv` (a shell) in a node."""

    argv: tuple[str, ...] = ()
    node: str = ""


class PipeRequest(_Message, frozen=True, tag="pipe"):
    """Answer: the command that runs `argv` in a node with its standard streams, none of which may be a terminal."""

    argv: tuple[str, ...]
    node: str = ""


class SshRequest(_Message, frozen=True, tag="ssh"):
    """Answer: the command that is an SSH server for one connection to a node, on its standard input and output. An
    empty node makes keys and is answered by an empty list."""

    node: str = ""


class EndRequest(_Message, frozen=True, tag="end"):
    """The lab ends at once. The answer is the end of the connection, when nothing of the lab is left."""


LabServerRequest = (
    StartRequest
    | AttachRequest
    | DescribeRequest
    | KeepRequest
    | TerminalRequest
    | PipeRequest
    | SshRequest
    | EndRequest
)


class StartedLab(_Message, frozen=True):
    """A running lab: the fields of `frrlib.place.base.SandboxFacts`, its process, and where it prints."""

    facts: dict[str, Any]
    pid: int
    console: str


class LabServerReply(_Message, frozen=True):
    """The answer to an order: its value, or whose error it is ("machine" or "lab") and which."""

    value: Any = None
    kind: str = ""
    why: str = ""
    remedy: str = ""


class LastWords(_Message, frozen=True):
    """The last line on a wire: the end of the lab's output."""

    last_words: str


_PEEK_BYTES = 65536
#: What the kernel says of the other end of a connection: process, user and group id (struct ucred).
_CREDENTIALS = struct.Struct("iII")
_request_decoder: msgspec.json.Decoder[LabServerRequest] = msgspec.json.Decoder(LabServerRequest)
_reply_decoder = msgspec.json.Decoder(LabServerReply)


def encode_line(message: _Message) -> bytes:
    """The message as a line."""
    return msgspec.json.encode(message) + b"\n"


def decode_request(text: bytes) -> LabServerRequest:
    """The order in a line. Raises msgspec.MsgspecError."""
    return _request_decoder.decode(text)


def error_reply(error: LabError) -> LabServerReply:
    """The answer that tells of an error."""
    if isinstance(error, PlaceError):
        return LabServerReply(kind="machine", why=error.missing, remedy=error.remedy)
    return LabServerReply(kind="lab", why=str(error))


def value(text: bytes) -> Any:
    """The value in the line of an answer.

    Raises:
        PlaceError, LabFailed: what the holder says; or it said nothing.
    """
    if not text:
        raise LabFailed("the lab has ended")
    answer = _reply_decoder.decode(text)
    if answer.kind == "machine":
        raise PlaceError(answer.why, answer.remedy)
    if answer.kind:
        raise LabFailed(answer.why)
    return answer.value


def connect(folder: Path, holder: int = 0) -> socket.socket:
    """A connection to the holder whose folder that is.

    Args:
        folder: the lab's in the register.
        holder: process id that the holder must have, since a lab's name is free for another once it has ended; 0
            for any.

    Raises:
        LabFailed: nobody listens, or another lab's holder does.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        with register.address(folder) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise LabFailed(f"the lab {folder.name} has ended") from None
    if holder and peer(connection) != holder:
        connection.close()
        raise LabFailed(f"the lab {folder.name} has ended; another lab has this name now")
    return connection


def peer(connection: socket.socket) -> int:
    """Process id of who listens at the other end; 0 where that process is not to be seen from here."""
    pid: int = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
    return pid


def read_line(connection: socket.socket) -> bytes:
    """The next line, and not a byte more; what there was of it where the connection ends."""
    text = bytearray()
    with suppress(ConnectionResetError):
        # Peek first: bytes after the line belong to the wire's reader.
        while not text.endswith(b"\n") and (peeked := connection.recv(_PEEK_BYTES, socket.MSG_PEEK)):
            text += connection.recv(peeked.find(b"\n") + 1 or len(peeked))
    return bytes(text)


def send_request(folder: Path, request: LabServerRequest, timeout_s: float | None = 60.0, holder: int = 0) -> Any:
    """Say one thing to a holder; its answer's value.

    Args:
        folder, holder: as for `connect`.
        request: the order.
        timeout_s: how long the answer may take; None for as long as it does.

    Raises:
        PlaceError, LabFailed: what it says, or there is no answer.
    """
    with connect(folder, holder) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.sendall(encode_line(request))
            with connection.makefile("rb") as answers:
                return value(answers.readline())
        except TimeoutError:
            raise LabFailed(f"the lab {folder.name} did not reply within {timeout_s:g} s") from None
        except OSError:
            raise LabFailed(f"the lab {folder.name} has ended") from None
