"""The messages to a lab server: one line of JSON each way, then on some connections the lab's own wire.

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
    """Base of all messages."""


class StartRequest(_Message, frozen=True, tag="start"):
    """Start the lab. It is the first line to a new lab server, from the program that owns the lab. Reply: `StartedLab`.

    Attributes:
        place: name of the place.
        kernel: path of the user's own lab kernel. Empty for none.
        program: the fields of `frrlib.place.base.Program` as values of JSON.
    """

    place: str
    kernel: str
    program: dict[str, Any]


class AttachRequest(_Message, frozen=True, tag="attach"):
    """Make this connection a wire to the lab. Reply: `StartedLab`."""


class DescribeRequest(_Message, frozen=True, tag="describe"):
    """Set the description of the lab. The lab server adds the fields that it sets itself."""

    card: Card


class KeepRequest(_Message, frozen=True, tag="keep"):
    """Let the lab continue when its owner's connection ends."""


class TerminalRequest(_Message, frozen=True, tag="terminal"):
    """Reply: the command that opens an interactive `argv` (a shell) in a node."""

    argv: tuple[str, ...] = ()
    node: str = ""


class PipeRequest(_Message, frozen=True, tag="pipe"):
    """Reply: the command that runs `argv` in a node with its standard streams. None of them may be a terminal."""

    argv: tuple[str, ...]
    node: str = ""


class SshRequest(_Message, frozen=True, tag="ssh"):
    """Reply: the command of an SSH server for one connection to a node, on its standard input and output. For an empty
    node the keys are made, and the reply is an empty list."""

    node: str = ""


class EndRequest(_Message, frozen=True, tag="end"):
    """End the lab at once. Reply: the end of the connection, when nothing of the lab is left."""


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
    """A running lab: the fields of `frrlib.place.base.SandboxFacts`, its process, and the path of its console."""

    facts: dict[str, Any]
    pid: int
    console: str


class LabServerReply(_Message, frozen=True):
    """The reply to a request: its value, or the kind of the error ("machine" or "lab"), its text and its remedy."""

    value: Any = None
    kind: str = ""
    reason: str = ""
    remedy: str = ""


class LastWords(_Message, frozen=True):
    """The last line on a wire: the end of the lab's output."""

    last_words: str


_PEEK_BYTES = 65536
#: The kernel's record of the other end of a connection: process, user and group id (struct ucred).
_CREDENTIALS = struct.Struct("iII")
_request_decoder: msgspec.json.Decoder[LabServerRequest] = msgspec.json.Decoder(LabServerRequest)
_reply_decoder = msgspec.json.Decoder(LabServerReply)


def encode_line(message: _Message) -> bytes:
    """Encode a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def decode_request(text: bytes) -> LabServerRequest:
    """Decode the request in a line. Raises msgspec.MsgspecError."""
    return _request_decoder.decode(text)


def error_reply(error: LabError) -> LabServerReply:
    """The reply for an error."""
    if isinstance(error, PlaceError):
        return LabServerReply(kind="machine", reason=error.missing, remedy=error.remedy)
    return LabServerReply(kind="lab", reason=str(error))


def value(text: bytes) -> Any:
    """The value in the line of a reply.

    Raises:
        PlaceError, LabFailed: the reply is an error, or the line is empty.
    """
    if not text:
        raise LabFailed("the lab has ended")
    answer = _reply_decoder.decode(text)
    if answer.kind == "machine":
        raise PlaceError(answer.reason, answer.remedy)
    if answer.kind:
        raise LabFailed(answer.reason)
    return answer.value


def connect(folder: Path, server_pid: int = 0) -> socket.socket:
    """Connect to the lab server of a lab.

    Args:
        folder: the lab's folder in the register.
        server_pid: pid that the lab server must have. 0 for any. Another lab may get the name of one that has ended.

    Raises:
        LabFailed: no server listens, or it is another lab's.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        with register.address(folder) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise LabFailed(f"the lab {folder.name} has ended") from None
    if server_pid and peer_pid(connection) != server_pid:
        connection.close()
        raise LabFailed(f"the lab {folder.name} has ended; another lab has this name now")
    return connection


def peer_pid(connection: socket.socket) -> int:
    """The pid of the process at the other end. 0 if it is in another process namespace."""
    pid: int = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
    return pid


def read_line(connection: socket.socket) -> bytes:
    """Read the next line, and no further byte. If the connection ends within the line, return its beginning."""
    text = bytearray()
    with suppress(ConnectionResetError):
        # Peek first: bytes after the line belong to the wire's reader.
        while not text.endswith(b"\n") and (peeked := connection.recv(_PEEK_BYTES, socket.MSG_PEEK)):
            text += connection.recv(peeked.find(b"\n") + 1 or len(peeked))
    return bytes(text)


def send_request(folder: Path, request: LabServerRequest, timeout_s: float | None = 60.0, server_pid: int = 0) -> Any:
    """Send one request to a lab server, and return the value of the reply.

    Args:
        folder, holder: as for `connect`.
        request: the order.
        timeout_s: seconds that the reply may take. None for no limit.

    Raises:
        PlaceError, LabFailed: the reply is an error, or does not arrive.
    """
    with connect(folder, server_pid) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.sendall(encode_line(request))
            with connection.makefile("rb") as answers:
                return value(answers.readline())
        except TimeoutError:
            raise LabFailed(f"the lab {folder.name} did not reply within {timeout_s:g} s") from None
        except OSError:
            raise LabFailed(f"the lab {folder.name} has ended") from None
