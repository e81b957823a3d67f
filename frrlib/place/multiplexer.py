"""Many byte streams over the one serial line of a lab kernel, with the flow control that the line itself lacks.

A serial line of User-Mode Linux stops reading for good when more bytes arrive than its terminal's buffer of 4096 holds.
So the outer end never has more bytes in flight than that: the inner end reports the bytes that it has read. Each stream
has its own window, too, so that a slow reader blocks no other stream and no buffer grows without limit. The same class
works at both ends. Standard library only, since one end runs in the lab.
"""

from __future__ import annotations

import os
import struct

_HEAD = struct.Struct("<BBH")
#: Kinds of frame: bytes of a stream; a stream begins; it ends; number of bytes that its reader has taken; number of
#: bytes that the line's reader has read.
DATA, OPEN, CLOSE, TAKEN, READ = range(5)

#: Bytes in flight to the lab; its terminal stops listening at 4096 - 128.
LINE_WINDOW = 3840
#: Bytes of one stream that its reader has not taken yet.
STREAM_WINDOW = 262144
#: Bytes of one frame. Frames to the lab are small, so that streams take turns in the line's window.
_CHUNK_IN, _CHUNK_OUT = 2048, 32768
#: Maximum of outgoing bytes. Our own other end never exceeds it; from another program no more is read then.
_MOST_WAITING = 1 << 20
#: Readers report after this number of bytes, which is well below the windows.
_REPORT_READ, _REPORT_TAKEN = 1024, 32768

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class _Stream:
    """This end of one stream: its descriptor, its windows, and the bytes that wait for the descriptor."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.credit = STREAM_WINDOW
        self.taken = 0
        self.incoming = bytearray()
        self.ended_there = False


class Mux:
    """One end of the line.

    Args:
        line: descriptor of the line, both ways.
        outside: whether this is the end that must not flood the other.
        opened: called with a stream's number when the other side begins one; returns its descriptor, -1 to
            refuse.
        out: descriptor to write to, where `line` is only read: two pipes, which go deaf at neither end.
    """

    def __init__(self, line: int, outside: bool, opened: Callable[[int], int], out: int = -1) -> None:
        self._line, self._outside, self._opened = line, outside, opened
        self._out = line if out < 0 else out
        self._tells_read = not outside and out < 0
        self._streams: dict[int, _Stream] = {}
        self._closing: set[int] = set()
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._under_way = self._read = 0
        self._chunk = _CHUNK_IN if outside else _CHUNK_OUT
        self.ended = False
        os.set_blocking(line, False)
        os.set_blocking(self._out, False)

    def attach(self, number: int, handle: int) -> None:
        """Make `handle` (a socket or the like, from now on closed by this object) this end of stream
        `number`."""
        os.set_blocking(handle, False)
        self._streams[number] = _Stream(handle)

    def open(self, handle: int) -> None:
        """Begin a new stream for `handle`. If 255 streams are open, close it instead."""
        for number in range(1, 256):
            if number not in self._streams and number not in self._closing:
                self.attach(number, handle)
                self._send(OPEN, number)
                return
        os.close(handle)

    def holds(self, number: int = 0) -> bool:
        """Whether bytes of a stream, or its end, still wait at this end, in either direction."""
        stream = self._streams.get(number)
        if stream is None:
            return bool(self._outgoing) and not self.ended
        return bool(stream.incoming) or not self.ended

    def close(self) -> None:
        """Close all streams at this end. The other end sees the end of the line."""
        self.ended = True
        while self._streams:
            os.close(self._streams.popitem()[1].handle)

    def waits_for(self) -> tuple[list[int], list[int]]:
        """Descriptors to wait for until one can be read, and until one can be written."""
        reading = [] if self.ended or len(self._outgoing) > _MOST_WAITING else [self._line]
        writing = [self._out] if self._room() > 0 and self._outgoing and not self.ended else []
        for stream in self._streams.values():
            if stream.credit > 0 and len(self._outgoing) < 2 * self._chunk and not stream.ended_there:
                reading.append(stream.handle)
            if stream.incoming:
                writing.append(stream.handle)
        return reading, writing

    def serve(self, readable: list[int], writable: list[int]) -> None:
        """Copy all bytes that can be copied now."""
        if self._line in readable:
            self._read_line()
        for number, stream in list(self._streams.items()):
            if stream.handle in readable and number in self._streams:
                self._take_in(number, stream)
            if stream.handle in writable or stream.ended_there:
                self._give_out(number, stream)
        self._write_line()

    def _room(self) -> int:
        return LINE_WINDOW - self._under_way if self._outside else 65536

    def _send(self, kind: int, number: int, value: int = 0, payload: bytes = b"") -> None:
        self._outgoing += _HEAD.pack(kind, number, value)
        self._outgoing += payload

    def _write_line(self) -> None:
        while self._outgoing and self._room() > 0 and not self.ended:
            try:
                count = os.write(self._out, self._outgoing[: min(self._room(), 65536)])
            except BlockingIOError:
                return
            except OSError:
                self.ended = True
                return
            del self._outgoing[:count]
            if self._outside:
                self._under_way += count

    def _read_line(self) -> None:
        try:
            data = os.read(self._line, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return
        if self._tells_read:
            self._read += len(data)
            if self._read >= _REPORT_READ:
                part = min(self._read, 65535)
                self._send(READ, 0, part)
                self._read -= part
        self._incoming += data
        while len(self._incoming) >= _HEAD.size:
            kind, number, value = _HEAD.unpack_from(self._incoming)
            size = _HEAD.size + (value if kind == DATA else 0)
            if len(self._incoming) < size:
                return
            payload = bytes(self._incoming[_HEAD.size : size])
            del self._incoming[:size]
            self._receive(kind, number, value, payload)

    def _receive(self, kind: int, number: int, value: int, payload: bytes) -> None:
        stream = self._streams.get(number)
        if kind == READ:
            self._under_way -= value
        elif kind == OPEN and stream is None and number not in self._closing:
            self._begin(number)
        elif kind == CLOSE and number in self._closing:
            self._closing.discard(number)
        elif kind == CLOSE and stream:
            stream.ended_there = True
            self._give_out(number, stream)
        elif kind == TAKEN and stream:
            stream.credit += value
        elif kind == DATA and stream:
            stream.incoming += payload
            self._give_out(number, stream)
            if len(stream.incoming) > STREAM_WINDOW:  # the other end ignores the window: it is another program
                stream.incoming.clear()
                self._end(number, stream)

    def _begin(self, number: int) -> None:
        handle = self._opened(number)
        if handle >= 0:
            self.attach(number, handle)
        else:
            self._send(CLOSE, number)
            self._closing.add(number)

    def _take_in(self, number: int, stream: _Stream) -> None:
        """Read from a stream's descriptor and pass it on."""
        try:
            data = os.read(stream.handle, min(self._chunk, stream.credit))
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            stream.credit -= len(data)
            self._send(DATA, number, len(data), data)
        else:
            self._end(number, stream)

    def _give_out(self, number: int, stream: _Stream) -> None:
        """Write a stream's incoming bytes to its descriptor. End the stream after the last byte."""
        try:
            if stream.incoming:
                count = os.write(stream.handle, stream.incoming)
                del stream.incoming[:count]
                self._report(number, stream, count)
        except BlockingIOError:
            return
        except OSError:
            stream.incoming.clear()
            self._end(number, stream)
            return
        if stream.ended_there and not stream.incoming:
            self._end(number, stream)

    def _report(self, number: int, stream: _Stream, count: int) -> None:
        stream.taken += count
        if stream.taken >= _REPORT_TAKEN:
            part = min(stream.taken, 65535)
            self._send(TAKEN, number, part)
            stream.taken -= part

    def _end(self, number: int, stream: _Stream) -> None:
        """Close this end. A number is free again when both ends have closed the stream."""
        if self._streams.pop(number, None) is None:
            return
        os.close(stream.handle)
        self._send(CLOSE, number)
        if not stream.ended_there:
            self._closing.add(number)
