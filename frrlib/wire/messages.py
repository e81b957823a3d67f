"""The typed messages between a `Lab` outside and the agent inside, and their encoding.

All decisions are made outside: the agent builds a `Plan` (`frrlib.wire.plan`) in which everything is written out.

One message is one line of JSON. The `Lab` sends `Request`s, each with a command of `frrlib.wire.requests`. The agent
replies to each with exactly one `Done` or `Failed` that repeats its `id`. It sends events (`frrlib.wire.events`) at any
time in between. The package provides all these names: `from frrlib import wire`, then `wire.Ping`, `wire.StepEvent`.

Times named `time_s` are seconds of the lab's own monotonic clock. Only their differences have a meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

import msgspec

from frrlib.safe_text.plain import plain_json
from frrlib.wire.events import Event, Samples
from frrlib.wire.plan import WireStruct
from frrlib.wire.requests import Command

WIRE_VERSION = 2
#: Maximum size of a message; the longest ones carry all samples of a flow, or a file.
LINE_BYTES = 64 << 20
#: Maximum size of an event, such as one sample of all flows. It is smaller because events wait in queues.
EVENT_BYTES = 16 << 20


T = TypeVar("T")


class InvalidMessage(ValueError):
    """A message from a lab, or to its agent, is not valid."""


class Request(WireStruct, frozen=True):
    """A command with the number that its reply repeats."""

    id: int
    command: Command


class Ready(WireStruct, frozen=True, tag="ready"):
    """The agent is ready. `facts`: kernel release, tool versions, clock ("monotonic", seconds), boot times."""

    version: int
    facts: dict[str, Any] = {}  # noqa: RUF012  (a Struct copies it)


class Done(WireStruct, frozen=True, tag="done"):
    """The reply to a request: its result, as the command's docstring describes it."""

    id: int
    result: dict[str, Any] = {}  # noqa: RUF012


class Failed(WireStruct, frozen=True, tag="failed"):
    """The reply to a request that failed.

    Attributes:
        kind: "lab" (the lab could not carry out the command), "command" (a command in it failed), "machine" (the place
            lacks something) or "internal" (a defect of this program; `trace` has the traceback).
        reason: the reason, one message for the user with the node's name.
        remedy: a command that installs the missing thing, for kind "machine"; empty if unknown.
    """

    id: int
    kind: str
    reason: str
    argv: tuple[str, ...] = ()
    status: int = 0
    stderr: str = ""
    trace: str = ""
    remedy: str = ""


Message = Event | Ready | Done | Failed


class MessageHead(msgspec.Struct):
    """The part of a message from a lab that decides about its receiver."""

    type: str
    id: int = 0

    @property
    def is_reply(self) -> bool:
        """Whether it is the reply to a request; every other message is an event."""
        return self.type in ("done", "failed")


_heads = msgspec.json.Decoder(MessageHead)
_requests = msgspec.json.Decoder(Request)
_messages: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def encode(message: Request | Message) -> bytes:
    """The message as one line, including its newline."""
    return _encoder.encode(message) + b"\n"


def decode_with(decode: Callable[[bytes], T], line: bytes) -> T:
    """The result of a msgspec JSON decoder for a line from an untrusted sender.

    Raises:
        msgspec.ValidationError, msgspec.DecodeError: the line has another format.
        InvalidMessage: its values are nested too deeply.
    """
    try:
        return decode(line)
    except UnicodeDecodeError:  # msgspec raises it for a tag that is not UTF-8
        raise msgspec.DecodeError("it is not text in UTF-8") from None
    except RecursionError:
        raise InvalidMessage("the message is nested too deeply") from None


def decode_request(line: bytes) -> Request:
    """The request in a line. Raises as `decode_with`."""
    return decode_with(_requests.decode, line)


def decode_head(line: bytes) -> MessageHead:
    """The head of a message from a lab.

    Raises:
        InvalidMessage: the message is an event that is longer than `EVENT_BYTES`.
        msgspec.ValidationError, msgspec.DecodeError: it is not a message.
    """
    head = decode_with(_heads.decode, line)
    if len(line) > EVENT_BYTES and not head.is_reply:
        raise InvalidMessage(f"it sent an event of more than {EVENT_BYTES >> 20} MiB")
    return head


def decode_message(line: bytes) -> Message:
    """The message in a line from an untrusted agent.

    Control characters are removed from its texts (see `plain`), and samples are checked against their table. The reply
    to a request is returned unchanged, since it is for programs.

    Raises:
        msgspec.ValidationError, msgspec.DecodeError, InvalidMessage: it is not a message, see `decode_with`.
    """
    if len(line) > EVENT_BYTES:
        decode_head(line)  # checked first, before its values fill the memory
    message = decode_with(_messages.decode, line)
    if isinstance(message, Done):
        return message
    if (cleaned := plain_json(line)) != line:
        message = decode_with(_messages.decode, cleaned)
    if isinstance(message, Samples) and (defect := message.defect()):
        raise msgspec.ValidationError(defect)
    return message


def lines(stream: BinaryIO, size: int = 65536, most_bytes: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of an unbuffered stream, without their newlines, until it ends. Each is yielded as soon as it is read.

    Raises:
        InvalidMessage: a line is longer than `most_bytes`.
    """
    parts: list[bytes] = []
    length = 0
    while chunk := stream.read(size):
        first, newline, remainder = chunk.partition(b"\n")
        parts.append(first)
        length += len(first)
        if length > most_bytes:
            raise InvalidMessage(f"a line has more than {most_bytes >> 20} MiB")
        if newline:
            yield b"".join(parts)
            *complete, last = remainder.split(b"\n")
            yield from complete
            parts, length = [last], len(last)
