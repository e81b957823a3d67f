"""The typed messages between a `Lab` outside and the agent inside.

Outside decides, inside does: what the agent is asked to build is a `Plan` (`frrlib.wire.plan`).

One message is one line of JSON. Outside sends `Request`s, each with a command of `frrlib.wire.requests`; inside answers
each with exactly one `Done` or `Failed` that repeats its `id`. Events (`frrlib.wire.events`) come at any time in
between. The package provides all these names: `from frrlib import wire`, then `wire.Ping`, `wire.StepEvent`.

Times named `time_s` are seconds of the lab's own monotonic clock; the clock's zero is of no meaning, differences are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

import msgspec

from frrlib.safe_text.plain import plain_json
from frrlib.wire.events import Event, Samples
from frrlib.wire.plan import WireStruct
from frrlib.wire.requests import Command

WIRE_VERSION = 1
#: The most that a message may have; the longest ones carry all samples of a flow, or a file.
LINE_BYTES = 64 << 20
#: The most that an event may have: the samples of a moment, of all flows. Events wait in queues, answers do not.
EVENT_BYTES = 16 << 20


T = TypeVar("T")


class InvalidMessage(ValueError):
    """The messages from a lab, or to its agent, are no longer valid."""


class Request(WireStruct, frozen=True):
    """A command with the number that its answer repeats."""

    id: int
    command: Command


class Ready(WireStruct, frozen=True, tag="ready"):
    """The agent is there. `facts`: kernel release, tool versions, clock ("monotonic", seconds), boot times."""

    version: int
    facts: dict[str, Any] = {}  # noqa: RUF012  (a Struct copies it)


class Done(WireStruct, frozen=True, tag="done"):
    """The answer to a request: its result, as the request's docstring says."""

    id: int
    result: dict[str, Any] = {}  # noqa: RUF012


class Failed(WireStruct, frozen=True, tag="failed"):
    """The answer to a request that failed.

    Attributes:
        kind: "lab" (the lab did not do what was asked), "command" (a command in it failed), "machine" (the place lacks
            something) or "internal" (a defect of ours; `trace` has the traceback).
        why: one message for the user, naming the node.
        remedy: what brings it where the place lacks something; empty where that is not known.
    """

    id: int
    kind: str
    why: str
    argv: tuple[str, ...] = ()
    status: int = 0
    stderr: str = ""
    trace: str = ""
    remedy: str = ""


Message = Event | Ready | Done | Failed


class MessageHead(msgspec.Struct):
    """As much of a message from a lab as decides where it goes."""

    type: str
    id: int = 0

    @property
    def is_answer(self) -> bool:
        """Whether it answers a request; everything else is an event."""
        return self.type in ("done", "failed")


_heads = msgspec.json.Decoder(MessageHead)
_requests = msgspec.json.Decoder(Request)
_messages: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def encode(message: Request | Message) -> bytes:
    """The message as one line, its newline included."""
    return _encoder.encode(message) + b"\n"


def decode_with(decode: Callable[[bytes], T], line: bytes) -> T:
    """The result of a msgspec JSON decoder for a line that anybody may have written.

    Raises:
        msgspec.ValidationError, msgspec.DecodeError: it is nothing of the kind.
        BadWire: it is so deep that no message is.
    """
    try:
        return decode(line)
    except UnicodeDecodeError:  # of names that decide the type, which msgspec looks at by itself
        raise msgspec.DecodeError("it is not text in UTF-8") from None
    except RecursionError:
        raise InvalidMessage("the message is nested too deeply") from None


def decode_request(line: bytes) -> Request:
    """The request in a line. Raises as `decode_with`."""
    return decode_with(_requests.decode, line)


def decode_head(line: bytes) -> MessageHead:
    """The head of a message from a lab.

    Raises:
        BadWire: the message is an event that is longer than `EVENT_BYTES`.
        msgspec.ValidationError, msgspec.DecodeError: it is no message.
    """
    head = decode_with(_heads.decode, line)
    if len(line) > EVENT_BYTES and not head.is_answer:
        raise InvalidMessage(f"it sent an event of more than {EVENT_BYTES >> 20} MiB")
    return head


def decode_message(line: bytes) -> Message:
    """The message in a line, from an agent that nobody need believe.

    What it tells people has no control characters (see `plain`), and samples are rows of their table. The answer to a
    request is as it came: it is for programs.

    Raises:
        msgspec.ValidationError, msgspec.DecodeError, BadWire: it is anything else, see `decode_with`.
    """
    if len(line) > EVENT_BYTES:
        decode_head(line)  # before its values fill the memory
    message = decode_with(_messages.decode, line)
    if isinstance(message, Done):
        return message
    if (disarmed := plain_json(line)) != line:
        message = decode_with(_messages.decode, disarmed)
    if isinstance(message, Samples) and (why := message.why_wrong()):
        raise msgspec.ValidationError(why)
    return message


def lines(stream: BinaryIO, size: int = 65536, most_bytes: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of an unbuffered stream as they come, without their newlines, until it ends.

    Raises:
        BadWire: a line is longer than `most_bytes`.
    """
    rest: list[bytes] = []
    length = 0
    while chunk := stream.read(size):
        first, newline, after = chunk.partition(b"\n")
        rest.append(first)
        length += len(first)
        if length > most_bytes:
            raise InvalidMessage(f"a line has more than {most_bytes >> 20} MiB")
        if newline:
            yield b"".join(rest)
            *whole, last = after.split(b"\n")
            yield from whole
            rest, length = [last], len(last)
